"""Sandboxes for dry runs; the first that is available on this system is used.

bubblewrap, a program that isolates files, processes, devices and network; namespaces, the same if
this process may create them itself; Landlock with seccomp, restrictions by the kernel. Elsewhere,
as on macOS and Windows, only Python's audit events are checked (`overlay.py`): there a run starts
only if the user agrees to that.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from functools import cache
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

BUBBLEWRAP, NAMESPACES, LANDLOCK, PYTHON = "bubblewrap", "namespaces", "landlock", "python"
APART = {BUBBLEWRAP, NAMESPACES}
"""Sandboxes in which a run reaches no process and no socket of this machine."""
SETTING = "GPU_HEADROOM_SANDBOX"
"""Environment variable with the sandbox to use; if that is unavailable, none is used."""
_PROBE_S = 20.0


@cache
def kind(*, network: bool) -> str:
    """Return what holds a run on this system, which is tried out once."""
    wanted = os.environ.get(SETTING)
    if sys.platform == "linux":
        for candidate in (BUBBLEWRAP, NAMESPACES, LANDLOCK):
            if wanted in {None, "", candidate} and _is_there(candidate, network=network):
                return candidate
    return PYTHON


def wrapped(command: Sequence[str], root: str, *, network: bool) -> list[str]:
    """Return a command as bubblewrap runs it: only `root` can be written to (bwrap(1))."""
    apart = ["--share-net"] if network else ["--tmpfs", "/run"]  # there sockets of services are
    folders = ["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", *apart]
    bounds = ["--unshare-all", "--cap-drop", "ALL", "--die-with-parent"]
    return ["bwrap", *bounds, *folders, "--bind", root, root, "--", *command]


def _is_there(which: str, *, network: bool) -> bool:
    if which == LANDLOCK:
        from . import landlock

        return landlock.is_there()
    try:
        with tempfile.TemporaryDirectory() as root:
            command = _tried(which, root, network=network)
            tried = subprocess.run(command, capture_output=True, timeout=_PROBE_S, check=False)  # noqa: S603  this Python, or a program of the system
    except (OSError, subprocess.TimeoutExpired):
        return False
    return tried.returncode == 0


def _tried(which: str, root: str, *, network: bool) -> list[str]:
    """Return a command that succeeds where one of these may be used."""
    if which == BUBBLEWRAP:
        return wrapped(["true"], root, network=network)
    name = f"{__package__}.namespaces"
    loader: Any = find_spec(name).loader  # type: ignore[union-attr]  # it is there
    code = f"{loader.get_source(name)}\nprobe(sys.argv[1], network={network})"
    return [sys.executable, "-IS", "-c", code, root]
