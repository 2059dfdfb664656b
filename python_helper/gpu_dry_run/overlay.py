"""A writable view of a folder that leaves the folder itself unchanged.

Folders of the view are its own; files are links, and become copies before they are written to.
Python's audit events precede each open, removal and move; paths outside the view are refused. C
code that raises no audit events is blocked by `sandbox.py`.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Any

from gpu_headroom.text.messages import say

from . import landlock, sandbox

TEXTS = {
    "dry_run.outside": (
        "A dry run writes nothing outside of its copy of the folder, and not `{path}`."
    ),
    "dry_run.offline": "A dry run has no network, so it does not reach `{address}`.",
    "dry_run.no_program": "A dry run starts and ends no other programs: `{program}`.",
}
_MOST_ENTRIES = 3000  # created again for each run: a link takes 0.6 ms on a slow file system
_ALWAYS = (*landlock.DEVICES, "/dev/pts/", "/proc/")  # `/dev/shm` is everybody's
_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
# By event the arguments that are paths: Python's audit events (docs.python.org, "Audit events").
_CHANGES = {
    "os.remove": 1,
    "os.rmdir": 1,
    "os.mkdir": 1,
    "os.rename": 2,
    "os.link": 2,
    "os.symlink": 2,
    "os.truncate": 1,
    "os.chmod": 1,
    "os.chown": 1,
    "os.utime": 1,
    "os.setxattr": 1,
    "os.removexattr": 1,
    "shutil.rmtree": 1,
    "sqlite3.connect": 1,
}
_CONNECTS = {"socket.connect": 1, "socket.sendto": 1, "socket.sendmsg": 1, "socket.getaddrinfo": 0}
_STARTS = {"subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.spawn", "pty.spawn"}
_ENDS = {"os.kill", "os.killpg"}
_LOCAL = {None, "", "localhost", "127.0.0.1", "::1", "0.0.0.0"}  # noqa: S104  what it calls itself
_DRIVERS = ("libcuda", "libnvidia", "nvcuda", "nvml", "libcudart")
_IN_PLACE = ("os.truncate", "os.chmod", "os.utime", "sqlite3.connect")
_NAMED = 100


def view_of(folder: Path, into: Path) -> Path:
    """Make a view of a folder in another, and return its path.

    A folder inside that is too large for it is a link: nothing there can be written to. So are the
    siblings of the folder and of its parents, where `../data` leads to. On a system without links
    (Windows, for most users), the view has none of the files.
    """
    folder = folder.resolve()
    view = into.joinpath("folder", *folder.parts[1:])
    view.mkdir(parents=True)
    waiting = [(view, [*folder.iterdir()])]
    remaining = _MOST_ENTRIES - len(waiting[0][1])
    while waiting:
        here, entries = waiting.pop(0)
        # What is hidden, such as `.git`, comes last: hardly anything is written there.
        for entry in sorted(entries, key=lambda each: (each.name.startswith("."), each)):
            inside = None if entry.is_symlink() or not entry.is_dir() else _entries(entry)
            if inside is None or len(inside) > remaining or into.is_relative_to(entry):
                _link(here / entry.name, entry)
            else:
                (here / entry.name).mkdir()
                remaining -= len(inside)
                waiting.append((here / entry.name, inside))
    for here, above in zip(view.parents, folder.parents):  # noqa: B905  as far as the folder goes
        siblings = _entries(above) or []
        remaining -= len(siblings)
        for entry in siblings if remaining >= 0 else ():
            if not (here / entry.name).exists():
                _link(here / entry.name, entry)
    return view


def _link(link: Path, target: Path) -> None:
    with suppress(OSError):  # the question before such a run says that they are not there
        link.symlink_to(target)


def _entries(folder: Path) -> list[Path] | None:
    try:
        return [*folder.iterdir()]
    except OSError:
        return None  # it cannot be read


def protect(scratch: str, held_by: str, *, network: bool) -> None:
    """Refuse changes by this process outside of `scratch`; this cannot be undone."""
    root = os.path.realpath(scratch)
    tempfile.tempdir = os.environ["TMPDIR"] = root
    if held_by == sandbox.LANDLOCK:
        landlock.restrict(root, network=network)
    guard = _Guard(root, is_apart=held_by in sandbox.APART, network=network)
    sys.addaudithook(guard.hear)
    _have_torch_ask(guard)


class _Guard:
    def __init__(self, root: str, *, is_apart: bool, network: bool) -> None:
        self._root, self._is_apart, self._network = root, is_apart, network

    def hear(self, event: str, arguments: tuple[Any, ...]) -> None:
        """Refuse what would change something else; make a copy of a file that is written to."""
        if event == "open":
            path, _, flags = arguments
            if type(flags) is int and flags & _WRITES:
                self._allow(path, is_written=True)
        elif event == "os.mkdir" and os.path.isdir(arguments[0]):  # noqa: PTH112 -- as below
            return  # it is there: nothing is made
        elif event in _CHANGES:
            for path in arguments[: _CHANGES[event]]:
                self._allow(path, is_written=event in _IN_PLACE)
        elif event in _CONNECTS and not self._network:
            self._reach(arguments[_CONNECTS[event]])
        elif not self._is_apart:
            self._keep_to_itself(event, arguments)

    def _reach(self, address: Any) -> None:
        """Refuse another machine; another program of this one where that is not kept apart."""
        if type(address) is tuple:
            address = address[0]
        if isinstance(address, bytes):
            address = os.fsdecode(address)
        is_own = type(address) is str and address.startswith(self._root + os.sep)
        if not is_own and not (self._is_apart and address in _LOCAL):
            raise PermissionError(say("dry_run.offline", TEXTS, address=str(address)))

    def _keep_to_itself(self, event: str, arguments: tuple[Any, ...]) -> None:
        """Refuse other programs, and the driver of a real GPU."""
        what = arguments[0] if arguments else None
        is_refused = event in _STARTS
        if event in _ENDS:
            is_refused = not _is_own(what)
        elif event == "ctypes.dlopen":
            is_refused = type(what) is str and any(name in what for name in _DRIVERS)
        if is_refused:
            raise PermissionError(say("dry_run.no_program", TEXTS, program=str(what)[:_NAMED]))

    def _allow(self, path: Any, *, is_written: bool) -> None:
        if not isinstance(path, (str, bytes, os.PathLike)):
            return  # a descriptor, of something that was opened before
        text = os.fsdecode(path)
        if text in {os.devnull, ":memory:", ""}:
            return
        # With objects of `pathlib` this would call itself without an end on some of its ways.
        parent, name = os.path.split(os.path.abspath(text))  # noqa: PTH100
        where = os.path.join(os.path.realpath(parent), name)  # noqa: PTH118
        if where.startswith(_ALWAYS):
            return
        if where != self._root and not where.startswith(self._root + os.sep):
            raise PermissionError(say("dry_run.outside", TEXTS, path=text))
        if is_written and Path(where).is_symlink():
            copied(Path(where))


def _is_own(pid: Any) -> bool:
    """Whether a process, or a group (0: the own), is of this run."""
    if sys.platform != "win32":
        with suppress(OSError, TypeError):
            return pid == 0 or os.getpgid(pid) == os.getpgid(0)
    return bool(pid == os.getpid())


def copied(link: Path) -> None:
    """Put a copy of a file into the place of a link to it."""
    source = link.resolve()
    link.unlink()
    if source.is_file():
        shutil.copyfile(source, link)


def _have_torch_ask(guard: _Guard) -> None:
    """Pass files that PyTorch opens in C++ to the guard: writes would follow links."""
    import torch

    writer: Any = torch.serialization._open_zipfile_writer_file  # noqa: SLF001  opens by its own means
    opened = writer.__init__

    def init(self: Any, name: Any, *rest: Any, **more: Any) -> None:
        guard.hear("open", (name, "w", os.O_WRONLY))
        opened(self, name, *rest, **more)

    writer.__init__ = init
