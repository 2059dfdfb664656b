"""Unused file names in the working directory, for files that the user requested."""

from __future__ import annotations

from pathlib import Path

_MOST_OF_ONE_SECOND = 100


def new_file(stem: str, suffix: str) -> Path:
    """Return a path for a new file; never one that exists."""
    endings = ("", *(f"-{number}" for number in range(2, _MOST_OF_ONE_SECOND)))
    files = (Path.cwd() / f"{stem}{ending}{suffix}" for ending in endings)
    return next(file for file in files if not file.exists())
