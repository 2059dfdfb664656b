"""A command of a cell that starts a script in a process of its own.

What runs there are the script and its arguments, and nothing else of the notebook: the command is
read as a `%run`, and all other lines of its cell as blank.
"""

from __future__ import annotations

import re

COMMAND = "command"
"""The id of the cell for which a process takes the command that has started it."""

_CELLS = ("%%bash", "%%cmd", "%%sh")
_STARTS = (
    r"(?:\b(?:python[\d.]{0,9}|torchrun|accelerate|deepspeed|executable)\b|(?<![^\s!])py(?=\s))"
    r"[^#|&;<>\n]{0,999}?"
)
_NAMED = r"""(?<=[\s/\\"']){}["']?(?=\s|$)"""
_ARGUMENTS = re.compile(
    r"""(?:(?!\s\d?[<>])[^|&;<>#"'`\\\n]|"[^"\n]*"|'[^'\n]*'|\\[\s\S]){0,2000}"""
)
_RUN = "%run ."


def _arguments(source: str, script: str) -> tuple[int, int] | None:
    """Return where those of the script stand, if just one command of a cell starts it."""
    matches = list(re.finditer(_STARTS + _NAMED.format(re.escape(script)), source))
    begin = matches[0].end() if len(matches) == 1 else 0
    before = source[:begin].rpartition("\n")[2].lstrip()
    is_shell = before.startswith("!") or source.lstrip().startswith(_CELLS)
    end = _ARGUMENTS.match(source, begin) if is_shell and begin and "#" not in before else None
    return None if end is None else (begin, end.end())


def as_run(source: str, script: str) -> str:
    """Return a cell with `%run` instead of the command that starts a script; empty if none does.

    A continued command has as many lines as before.
    """
    span = _arguments(source, script)
    if span is None:
        return ""
    given = source[slice(*span)].replace("\\\n", f"\n{_RUN}")
    return "\n" * source.count("\n", 0, span[0]) + _RUN + given


def put_back(source: str, script: str, read: str) -> str:
    """Return a cell with the command as it is where it was `read` as a `%run`, and changed."""
    begin, end = _arguments(source, script) or (0, 0)
    given = read.lstrip("\n")[len(_RUN) :].replace(f"\n{_RUN}", "\\\n")
    return source[:begin] + given + source[end:]
