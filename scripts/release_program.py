"""Programs that a release asks: what one says matters when it fails."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path


def run_program(command: Sequence[str | Path], folder: Path, environment: Mapping[str, str]) -> str:
    """Run a program and return what it says; where it fails the release ends with that."""
    process = subprocess.run(
        command,
        check=False,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        cwd=folder,
        env=environment,
    )
    if process.returncode != 0:
        raise SystemExit(f"release: failed: {' '.join(map(str, command))}\n{process.stdout}")
    return process.stdout.strip()
