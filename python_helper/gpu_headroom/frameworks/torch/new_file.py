"""Files that a person asked for: under a name that nobody has, in the working directory."""

from __future__ import annotations

from pathlib import Path

_MOST_OF_ONE_SECOND = 100


def new_file(stem: str, suffix: str) -> Path:
    """Return where a file may be written; nothing that is there is ever overwritten."""
    endings = ("", *(f"-{number}" for number in range(2, _MOST_OF_ONE_SECOND)))
    files = (Path.cwd() / f"{stem}{ending}{suffix}" for ending in endings)
    return next(file for file in files if not file.exists())
