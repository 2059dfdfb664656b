"""Files in the notebook's folder: read as text, never imported or run."""

from __future__ import annotations

import re
from pathlib import Path
from stat import S_ISREG

from ..cells.runs import CellRun

_LONGEST = 100_000  # bytes
_RUN = re.compile(r"^[ \t]*%run[ \t].*$", re.MULTILINE)
_SCRIPT = re.compile(r"""(?<!\S)(?:(["'])([^"'\n]+?\.py)\1|([^\s"']+?\.py))(?!\S)""")
_UNREADABLE = "?"  # no Python: it may do anything


def beside(path: str) -> CellRun | None:
    """Read a text file in the working folder as a cell that ran when the file was last written.

    `None` for a path outside the folder, and a file that is irregular, too long or unreadable.
    """
    try:
        full = Path(path).expanduser().resolve()
        own, status = full.relative_to(Path.cwd().resolve()), full.stat()
        if not S_ISREG(status.st_mode) or status.st_size > _LONGEST:
            return None
        text, name = full.read_bytes().decode(), own.as_posix()
        return CellRun(None, None, text, str(full), status.st_mtime, path=name)
    except (OSError, ValueError, RuntimeError):  # the last: a link cycle, or `~` of an unknown user
        return None


def script_lines(source: str) -> list[int]:
    """Return the lines of a cell, from 1, that run a script."""
    return [source.count("\n", 0, match.start()) + 1 for match in _RUN.finditer(source)]


def script_at(source: str, line: int) -> CellRun | None:
    """Return the file that a line of a cell, counted from 1, runs with `%run`."""
    text = source.split("\n")[line - 1]
    return _script(text) if line in script_lines(source) else None


def _script(line: str) -> CellRun | None:
    match = _SCRIPT.search(line)
    return beside(match[2] or match[3]) if match is not None else None


def with_scripts(source: str) -> str:
    """Return a cell with the text of each script in the place of the `%run` that runs it."""

    def text(line: re.Match[str]) -> str:
        run = _script(line[0])
        return _UNREADABLE if run is None else run.source

    return _RUN.sub(text, source)
