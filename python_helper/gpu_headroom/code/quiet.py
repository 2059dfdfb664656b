"""A source without what Python warns of while it reads it, each character in its place.

Warnings go to whoever is running, and whether they are shown is set for a whole process: neither
may be touched while a cell runs. So a source is changed before Python reads it.
"""

from __future__ import annotations

import re
import sys

from .find import words

_PREFIXES = words("r u b br rb f fr rf t tr rt")
_NUMBER = (
    r"0[xX][0-9a-fA-F_]+|0[oO][0-7_]+|0[bB][01_]+"
    r"|(?:[0-9][0-9_]*\.?[0-9_]*|\.[0-9][0-9_]*)(?:[eE][+-]?[0-9][0-9_]*)?[jJ]?"
)
_TOKEN = re.compile(
    rf"#[^\n]*|(?P<prefix>[A-Za-z]{{0,2}})(?P<quote>'''|\"\"\"|['\"])|(?P<number>{_NUMBER})"
    r"|\w+|[()\[\]{}:]"
)
_ENDS = {
    quote: re.compile(rf"(?s)[^\\{quote[0]}]*(?:{inside}[^\\{quote[0]}]*)*{quote}")
    for quote, inside in (
        ("'", r"\\."),
        ('"', r"\\."),
        ("'''", r"(?:\\.|'(?!''))"),
        ('"""', r'(?:\\.|"(?!""))'),
    )
}
_ESCAPE = re.compile(r"(?s)\\(.)")
_IN_TEXT = re.compile(r"(?s)\\(.)|[{}'\"]")
_NAMED = re.compile(r"\{[^{}'\"\n]*\}")
# A word that begins with a digit and is no number: `1if`, or `1st` in a text.
_RUN_ON = re.compile(r"\b[0-9]\w*[ilnrst]|[0-9]\.[aefion]")
_WARNS_OF_LEAVING = sys.version_info[:3] == (3, 14, 0)  # later ones leave it to the compiler
# What stands for a backslash: the one that a source has least. Where a text has it, too, it is
# read as if that were a backslash; nobody looks at such texts.
_MARKS = "\x7f\x1e\x1f\x1d"


def quiet(source: str) -> tuple[str, str]:
    r"""Return a source that Python reads without a word, and what stands in it for a backslash.

    A backslash that escapes nothing becomes a character that sources do not have, and `\400`
    becomes `\000`. Raises `ValueError` where that does not help: a number runs into a word, or a
    string does not end.
    """
    after_finally = source.partition("finally")[2] if _WARNS_OF_LEAVING else ""
    if any(each in after_finally for each in ("return", "break", "continue")):
        raise ValueError
    if "\\" not in source and not _RUN_ON.search(source):
        return source, ""
    scan = _Scan(source, min(_MARKS, key=source.count))
    scan.code(0)
    parts, done = [], 0
    for place, instead in scan.changes:
        parts += [source[done:place], instead]
        done = place + 1
    return "".join([*parts, source[done:]]), scan.mark


class _Scan:
    """Passes over code, and notes the characters to change; places count from the start."""

    def __init__(self, source: str, mark: str) -> None:
        self._source = source
        self.mark = mark
        self.changes: list[tuple[int, str]] = []

    def code(self, at: int, *, in_field: bool = False) -> int:
        """Pass over code to its end, in a field of an f-string past the `}` or `:` behind it."""
        depth = 0
        while token := _TOKEN.search(self._source, at):
            at = token.end()
            if token["quote"]:
                at = self._string(token["prefix"].lower(), token["quote"], at)
            elif token["number"]:
                if self._source[at : at + 1].isidentifier():
                    raise ValueError
            elif in_field:
                if depth == 0 and token[0] in ("}", ":"):
                    return at
                depth += (token[0] in ("(", "[", "{")) - (token[0] in (")", "]", "}"))
        if in_field:
            raise ValueError
        return at

    def _string(self, prefix: str, quote: str, at: int) -> int:
        kind = prefix if prefix in _PREFIXES else ""
        if "f" in kind or "t" in kind:
            return self._text(at, quote, raw="r" in kind, in_spec=False)
        end = _ENDS[quote].match(self._source, at)
        if end is None:
            raise ValueError
        if "r" not in kind:
            for escape in _ESCAPE.finditer(self._source, at, end.end()):
                self._escape(escape.start(), in_bytes="b" in kind)
        return end.end()

    def _text(self, at: int, quote: str, *, raw: bool, in_spec: bool) -> int:
        """Pass over the text of an f-string, or of a format in it up to the `}` of its field."""
        while found := _IN_TEXT.search(self._source, at):
            start, at = found.span()
            if found[1]:
                at = self._backslash(start, raw=raw)
            elif found[0] in ("'", '"'):
                if self._source.startswith(quote, start):
                    return start + len(quote)
            elif not in_spec and self._source.startswith(found[0], at):
                at += 1
            elif found[0] == "}":
                return at
            else:
                at = self.code(at, in_field=True)
                if self._source[at - 1] == ":":
                    at = self._text(at, quote, raw=raw, in_spec=True)
        raise ValueError

    def _backslash(self, at: int, *, raw: bool) -> int:
        """Pass over a backslash in an f-string and what it escapes, which no brace is."""
        what = self._source[at + 1]
        if not raw:
            self._escape(at, in_bytes=False)
        if what in "{}":
            return at + 1
        named = _NAMED.match(self._source, at + 2) if what == "N" and not raw else None
        return named.end() if named else at + 2

    def _escape(self, at: int, *, in_bytes: bool) -> None:
        """Note a backslash that escapes nothing, or an octal number that is too large."""
        what = self._source[at + 1]
        if what in "4567" and re.match("[0-7]{2}", self._source[at + 2 : at + 4]):
            self.changes.append((at + 1, str(int(what) - 4)))
        elif what not in "\r\n\\'\"abfnrtvx01234567" and (in_bytes or what not in "NuU"):
            self.changes.append((at, self.mark))
