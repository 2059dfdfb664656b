"""Run every target as the first command in a fresh clone, on its smallest size.

A target that needs what another one happened to bring fails here. Each clone is thrown away; what
it was asked, how long it took and how it ended are printed, and the end of what it printed if it
failed. `python -m scripts.targets cuda soak` runs some.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
import time
from pathlib import Path

from scripts.choice import chosen

ROOT = Path(__file__).parents[1]
TARGETS = {
    "check": (),
    "docs": (),
    "translations": (),
    "release": (),
    "fuzz": ("SIZE=500",),
    "fidelity": ("ARGS=lstm",),
    "test-engines": ("ARGS=-k dask",),
    "test-engines-older": ("ARGS=-k dask",),
    "cuda": ("TORCH=2.13.0", "ARGS=--only test_looking"),
    "harm": ("ARGS=-k test_starting",),
    "causes": ("ARGS=--quick accelerate_losses",),
    "recovery": ("ARGS=--no-times --environments ipykernel-7 --scenarios function",),
    "benchmarks": ("PARTS=payload",),
    "soak": ("MINUTES=1", "NOTEBOOKS=2"),
    "colab": ("ARGS=gauge.spec.ts --project '6.17 strict' --grep @sample",),
    "images": ("PICTURES=story", "COLAB="),
    "hosts": ("HOST=gateway",),
    "matrix": ("ONLY='Notebook 7.3'",),
}
_LIMIT_S = 1800
_LINES = 30


def run(target: str, settings: tuple[str, ...]) -> bool:
    """Run one in a clone of its own; whether it ended well."""
    with tempfile.TemporaryDirectory(prefix="gpu-headroom-") as folder:
        clone = Path(folder) / "clone"
        subprocess.run(["git", "clone", "--quiet", ROOT, clone], check=True)
        start_s = time.monotonic()
        # What the make that runs this has set is not for the clone.
        inherited = {key: value for key, value in os.environ.items() if "MAKE" not in key}
        log = Path(folder) / "log"
        with log.open("w") as output:
            try:
                status = subprocess.run(
                    ["make", target, *settings],
                    cwd=clone,
                    env=inherited,
                    stdout=output,
                    stderr=subprocess.STDOUT,
                    timeout=_LIMIT_S,
                    check=False,
                ).returncode
            except subprocess.TimeoutExpired:
                status = -1
        seconds = time.monotonic() - start_s
        print(f"{'ok    ' if status == 0 else 'FAILED'} {seconds:5.0f} s  make {target}", *settings)
        if status != 0:
            lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
            print(*(f"    {line}" for line in lines[-_LINES:]), sep="\n", flush=True)
        return status == 0


def main() -> None:
    """Run all, or those that were named."""
    names = chosen(__doc__, "TARGET", TARGETS)
    failed = [name for name in names if not run(name, TARGETS[name])]
    if failed:
        raise SystemExit(f"Failed in a fresh clone: {', '.join(failed)}.")


if __name__ == "__main__":
    main()
