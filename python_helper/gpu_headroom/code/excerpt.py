"""What of a person's code may stand in a card, which is saved with the notebook.

A line is shown for what is said about it. What else stands there, a password or a path, is nobody's
business: strings and comments are cut, `"…"`, unless they are what is shown.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Keeps = Callable[[str], bool]

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
# Says which card or which precision: without it the line says nothing.
_PLAIN = re.compile(r"[\"'](?:cuda(?::\d+)?|cpu|xpu|mps|auto|b?float\d+|[bf][fp]\d+|.?)[\"']")


class Piece(NamedTuple):
    """A piece of a line: code as it is, or a literal, whole where it goes over several lines."""

    text: str
    literal: str


Statement = list[Piece]


def literals(source: str) -> set[str]:
    """Return the strings and comments of a source, as they are written."""
    return {match[0] for match in _LITERAL.finditer(source)}


def statements(source: str) -> list[list[Statement]]:
    """Return the lines of a source, each as the statements that stand on it."""
    lines: list[list[Statement]] = [[[]]]
    for text, literal in _pieces(source):
        for n, part in enumerate(text.split("\n")):
            if n:
                lines.append([[]])
            for m, each in enumerate([part] if literal else part.split(";")):
                if m:
                    lines[-1].append([])
                lines[-1][-1].append(Piece(each, literal))
    return lines


def _pieces(source: str) -> Iterator[tuple[str, str]]:
    done = 0
    for match in _LITERAL.finditer(source):
        yield source[done : match.start()], ""
        yield match[0], match[0]
        done = match.end()
    yield source[done:], ""


def plain(statement: Statement) -> str:
    """Return a statement as it is written, but for the blanks around it."""
    return "".join([piece.text for piece in statement]).strip()


def shown(statement: Statement, keeps: Keeps) -> str:
    """Return a statement with its literals cut but those that are kept."""
    return "".join(
        [
            piece.text
            if not piece.literal or (keeps(piece.literal) and "%run" not in piece.literal)
            else _cut(piece)
            for piece in statement
        ]
    )


def without_texts(expression: str) -> str:
    """Return an expression with its strings and comments cut."""
    return "".join([_cut(Piece(text, own)) if own else text for text, own in _pieces(expression)])


def _cut(piece: Piece) -> str:
    text = piece.text
    if text.lstrip().startswith("%"):
        return _GIVEN.sub("…", text)
    if _PLAIN.fullmatch(text):
        return text
    if text.startswith("#"):
        return "#…" if text[1:].strip() else text
    match = _QUOTED.fullmatch(text)
    return f"{match[1]}{match[2]}…{match[2]}" if match else "…"
