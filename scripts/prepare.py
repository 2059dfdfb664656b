"""Prepare the demo step by step, and say how far it is: what is here already is skipped."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time

STEPS = {
    ".make/lab-4.6": "JupyterLab and PyTorch, in .venv",
    ".make/build": "What builds the extension, in .venvs/build",
    "node_modules/.stamp": "The front end's packages, in node_modules",
    ".make/wheel": "The extension and its helper, as a wheel",
    ".make/installed-lab-4.6": "The wheel, into .venv",
}
_TICK_S = 1.0


def is_here(target: str, make: list[str]) -> bool:
    """Whether there is nothing to do for it."""
    return subprocess.run([*make, "--question", target], check=False).returncode == 0


def run(target: str, say: str, make: list[str]) -> None:
    """Make one target; where it fails, end with what it printed."""
    began, is_seen = time.monotonic(), sys.stdout.isatty()
    with tempfile.TemporaryFile("w+") as log:
        process = subprocess.Popen([*make, target], stdout=log, stderr=subprocess.STDOUT)
        if not is_seen:
            print(say, flush=True)
        while True:
            try:
                failed = process.wait(timeout=_TICK_S)
            except subprocess.TimeoutExpired:
                failed = None
            seconds = f"{time.monotonic() - began:.0f} s"
            if is_seen:
                print(f"\r{say}: {seconds}", end="" if failed is None else "\n", flush=True)
            if failed is not None:
                break
        if failed:
            log.seek(0)
            raise SystemExit(f"{log.read()}\nThis step failed: {say}")


def main() -> None:
    """Prepare what is missing."""
    make = sys.argv[1:]
    missing = [target for target in STEPS if not is_here(target, make)]
    if len(missing) > 1:
        print("The first time this takes about two minutes, and two gigabytes in this folder.")
    for number, target in enumerate(missing, 1):
        run(target, f"[{number}/{len(missing)}] {STEPS[target]}", make)


if __name__ == "__main__":
    main()
