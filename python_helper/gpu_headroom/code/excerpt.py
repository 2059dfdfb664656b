"""Excerpts of a user's code for a report, which is saved with the notebook.

An excerpt has the part of a line that the report is about. Other strings and the comments, which
may contain a path or a password, are replaced by `"…"`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_LITERAL = re.compile(
    r"(?m:^[ \t]*%run[ \t])[^\n]*"
    r"|#[^\n]*"
    r"|(?:\b[rRbBuUfFtT]{1,2})?"
    r'(?:"""(?:\\[\s\S]|[^\\])*?(?:"""|\Z)|\'\'\'(?:\\[\s\S]|[^\\])*?(?:\'\'\'|\Z)'
    r'|"(?:\\[\s\S]|[^"\\\n])*"?|\'(?:\\[\s\S]|[^\'\\\n])*\'?)'
)
_QUOTED = re.compile(r"([a-zA-Z]*)(\"{3}|'{3}|\"|')([\s\S]*)\2")
# What a script is given besides flags and numbers.
_GIVEN = re.compile(r"(?<![^\s=])(?!%|-|[\d.]+(?!\S)|\S+\.py(?!\S))\S+")
# Says which GPU or which precision: without it the line says nothing.
_PLAIN = re.compile(r"[\"'](?:cuda(?::\d+)?|cpu|xpu|mps|auto|b?float\d+|[bf][fp]\d+|.?)[\"']")


def pieces(source: str) -> Iterator[tuple[str, str]]:
    """Yield a source in pieces: code as it is and nothing, or a literal twice."""
    done = 0
    for match in _LITERAL.finditer(source):
        yield source[done : match.start()], ""
        yield match[0], match[0]
        done = match.end()
    yield source[done:], ""


def without_texts(expression: str) -> str:
    """Return an expression with its strings and comments cut."""
    return "".join([cut(text) if literal else text for text, literal in pieces(expression)])


def cut(text: str) -> str:
    """Return a literal, or a part of one, without what it says."""
    if text.lstrip().startswith("%"):
        return _GIVEN.sub("…", text)
    if _PLAIN.fullmatch(text):
        return text
    if text.startswith("#"):
        return "#…" if text[1:].strip() else text
    match = _QUOTED.fullmatch(text)
    return f"{match[1]}{match[2]}…{match[2]}" if match else "…"
