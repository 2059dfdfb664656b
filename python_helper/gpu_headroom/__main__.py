"""`python -m gpu_headroom status`: the GPUs of this machine, from a terminal."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

_ABOUT = """\
Show GPU memory from a terminal: what the driver knows of each GPU, and the processes on it.
What a notebook's variables hold is asked in its kernel: `%gpu_headroom status`, `holders`,
`plan`, `free`. Exit codes: 0 there is a GPU, 1 none could be read, 2 a wrong command."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code; `arguments` are the process's own by default."""
    parser = argparse.ArgumentParser(
        prog="python -m gpu_headroom",
        description=_ABOUT,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("command", choices=["status"], help="used, free and capacity of each GPU")
    parser.parse_args(arguments)
    from .readings.nvml import processes
    from .terminal import script
    from .terminal.summary import list_devices, list_processes

    snapshot = script.read()
    if not snapshot.devices:
        sys.stderr.write("No GPU could be read: no NVIDIA driver answers on this machine.\n")
        return 1
    lines = list(list_devices(snapshot))
    for device in snapshot.devices:
        lines += list_processes(device.index, processes(device))
    sys.stdout.write("\n".join([*lines, ""]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
