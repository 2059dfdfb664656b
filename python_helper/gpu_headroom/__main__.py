"""`python -m gpu_headroom`: the GPUs of this machine, pasted errors, and scripts of a notebook."""

from __future__ import annotations

import argparse
import codecs
import io
import os
import sys
from typing import TYPE_CHECKING

from .own import bring

if TYPE_CHECKING:
    from collections.abc import Sequence

_ABOUT = """\
  status   what the driver knows of each GPU, and the processes on it
  explain  reads an error, a traceback or a log from standard input and says what it tells of a
           GPU that ran out of memory
  run      runs a script as `python` does; where a cell has started it, its notebook learns what it
           holds, and what filled its GPU if it ends by that: `python -m gpu_headroom run train.py
           --lr 1`, `torchrun --nproc-per-node=2 -m gpu_headroom run train.py --lr 1`
  dry-run  runs a notebook or a script on simulated GPUs: what it needs, on which it fits, and which
           edit makes it fit: `python -m gpu_headroom dry-run train.ipynb --gpu T4`
What a notebook's variables hold is asked in its kernel: `%gpu_headroom status`, `holders`,
`plan`, `free`. Exit codes: 0 there is a GPU, or an error of one was explained; 1 there is none;
2 a wrong command; of `run` the script's own, of `dry-run` see its `--help`."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code; `arguments` are the process's own by default."""
    argv = sys.argv[1:] if arguments is None else [*arguments]
    if argv[:1] == ["run"] and argv[1:] and argv[1] not in {"-h", "--help"}:
        from .terminal.run import run

        run(argv[1], argv[2:])  # all that follows is the script's
        return 0
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # code pages of Windows lack some of our signs
    if argv[:1] == ["dry-run"]:
        command = bring("gpu_dry_run.command")
        return int(command.dry_run(argv[1:])) if command else 2
    parser = argparse.ArgumentParser(
        prog="python -m gpu_headroom",
        description=_ABOUT,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "command", choices=["status", "explain", "run", "dry-run"], help="what to do, see above"
    )
    command = parser.parse_args(argv).command
    if command == "run":
        parser.error("run: which script?")
    return _explain() if command == "explain" else _status()


def _explain() -> int:
    from .terminal.explain import explain, explain_nothing

    if sys.stdin.isatty():
        keys = "Ctrl+Z and Enter" if os.name == "nt" else "Ctrl+D"
        sys.stderr.write(f"Paste the error, then press {keys} on a line of its own.\n")
    data = sys.stdin.buffer.read()
    is_wide = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))  # as PowerShell writes
    text = data.decode("utf-16" if is_wide else "utf-8", "replace")
    lines = explain(text)
    if lines is None:
        sys.stderr.write(f"{explain_nothing(text)}\n")
        return 1
    sys.stdout.write("\n".join([*lines, ""]))
    return 0


def _status() -> int:
    from .readings.nvml import processes
    from .terminal import script
    from .terminal.summary import list_devices

    snapshot = script.read()
    if not snapshot.devices:
        sys.stderr.write("No GPU could be read: no NVIDIA driver answers on this machine.\n")
        return 1
    lines = list(list_devices(snapshot))
    for device in snapshot.devices:
        lines += script.list_processes(device.index, processes(device))
    sys.stdout.write("\n".join([*lines, ""]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
