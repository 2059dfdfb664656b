"""The lines in which two texts differ, as few as can be, and as a person reads them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ..code.excerpt import cut, pieces

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence
    from typing import Literal

    from ..protocol.generated.wire import DiffRow, Edit

    Keeps = Callable[[str], bool]
    Sign = Literal[" ", "-", "+"]

_AHEAD = 30
_SHOWN = 2  # of lines that are only indented


# In pieces: code and nothing, or a literal and all of it, where it goes over several lines.
Statement = list[tuple[str, str]]
Line = list[Statement]


class Hunk(NamedTuple):
    """Lines that become others; `first` counts from 1 in the old text, `new_first` in the new."""

    first: int
    old: list[str]
    new_first: int
    new: list[str]


def hunks(before: str, after: str) -> list[Hunk]:
    """Return what has to be replaced, from the top down."""
    old, new = before.split("\n"), after.split("\n")
    return [
        Hunk(a + 1, old[a:b], c + 1, new[c:d]) for same, a, b, c, d in _runs(old, new) if not same
    ]


def as_edits(cell_id: str, before: str, after: str) -> list[Edit]:
    """Return what has to be replaced in a cell, as it travels."""
    return [
        {
            "cell_id": cell_id,
            "first_line": hunk.first,
            "old_lines": hunk.old,
            "new_lines": hunk.new,
        }
        for hunk in hunks(before, after)
    ]


def rows(before: str, after: str) -> list[DiffRow]:
    """Return the rows of a diff: what is only inserted has a line around it.

    They are saved with the notebook, so each shows what changes in its line: of other statements
    and of strings that stay there is a `…`.
    """
    builder = _Rows(before, after)
    lines = before.split("\n")
    diff_rows: list[DiffRow] = []
    for hunk in hunks(before, after):
        inserted = not hunk.old
        if inserted:
            diff_rows += builder.context(lines, range(hunk.first - 1, 0, -1))
        diff_rows += builder.changed(hunk)
        if inserted:
            diff_rows += builder.context(lines, range(hunk.first, len(lines) + 1))
    # Two insertions may have a line around them in common.
    return [row for n, row in enumerate(diff_rows) if row not in diff_rows[max(0, n - 2) : n]]


class _Rows:
    """The rows of one diff, with what of their lines is shown."""

    def __init__(self, before: str, after: str) -> None:
        self._old, self._new = _statements(before), _statements(after)
        self._old_texts, self._new_texts = _literals(before), _literals(after)

    def context(self, lines: Sequence[str], numbers: range) -> list[DiffRow]:
        """Return the nearest line that says something."""
        number = next((candidate for candidate in numbers if lines[candidate - 1].strip()), None)
        return [] if number is None else [_row(" ", number, _beside(self._old[number - 1]))]

    def changed(self, hunk: Hunk) -> Iterator[DiffRow]:
        """Yield the lines of a hunk, those that are only indented in short."""
        old, new = [[line.strip() for line in lines] for lines in (hunk.old, hunk.new)]
        for same, a, b, c, d in _runs(old, new):
            if same:
                yield from self._indented(hunk, range(a, b), c)
                continue
            removed = self._old[hunk.first - 1 + a : hunk.first - 1 + b]
            added = self._new[hunk.new_first - 1 + c : hunk.new_first - 1 + d]
            texts = self._new_texts if added else self._old_texts  # of a removed line all are cut
            for n, text in enumerate(removed, a):
                yield _row("-", hunk.first + n, _cut(text, added, texts))
            for n, text in enumerate(added, c):
                yield _row("+", hunk.new_first + n, _cut(text, removed, self._old_texts))

    def _indented(self, hunk: Hunk, lines: range, new: int) -> Iterator[DiffRow]:
        """Yield the first of the lines that are only further to the right."""
        shown = len(lines) if len(lines) == _SHOWN + 1 else min(_SHOWN, len(lines))
        for n in range(shown):
            line = self._new[hunk.new_first - 1 + new + n]
            yield _row(" ", hunk.first + lines[n], _beside(line))
        if shown < len(lines):
            text = hunk.new[new]
            indent = text[: len(text) - len(text.lstrip())]
            first, last = hunk.first + lines[shown], hunk.first + lines[-1]
            yield _row(" ", first, f"{indent}… lines {first}–{last} indented")


def _literals(source: str) -> set[str]:
    """Return the strings and comments of a source, as they are written."""
    return {literal for _, literal in pieces(source) if literal}


def _statements(source: str) -> list[list[Statement]]:
    """Return the lines of a source, each as the statements that stand on it."""
    lines: list[list[Statement]] = [[[]]]
    for text, literal in pieces(source):
        for n, part in enumerate(text.split("\n")):
            if n:
                lines.append([[]])
            for m, statement in enumerate([part] if literal else part.split(";")):
                if m:
                    lines[-1].append([])
                lines[-1][-1].append((statement, literal))
    return lines


def _plain(statement: Statement) -> str:
    """Return a statement as it is written, but for the blanks around it."""
    return "".join([text for text, _ in statement]).strip()


def _shown(statement: Statement, keeps: Keeps) -> str:
    """Return a statement with its literals cut but those that are kept."""
    return "".join(
        [
            text if not literal or (keeps(literal) and "%run" not in literal) else cut(text)
            for text, literal in statement
        ]
    )


def _cut(line: Line, others: Sequence[Line], texts: Collection[str]) -> str:
    """Return the statements of a line that the other text lacks, without the others' strings."""
    other_tokens = {_plain(token) for other in others for token in other}
    hidden = [_plain(token) in other_tokens for token in line]
    if all(hidden):  # all tokens are elsewhere in the other text, in another combination
        hidden = [False] * len(line)
    return _joined(line, hidden, lambda text: text not in texts)


def _beside(line: Line) -> str:
    """Return a line that only tells where a change is."""
    return _joined(line, [n > 0 for n in range(len(line))], lambda _: False)


def _joined(line: Line, hidden: Sequence[bool], keeps: Keeps) -> str:
    parts: list[str] = []
    for n, (token, is_hidden) in enumerate(zip(line, hidden, strict=True)):
        text = _shown(token, keeps)
        if is_hidden and text.strip():
            text = f"{'' if n else text[: len(text) - len(text.lstrip())]}{' ' * bool(n)}…"
        if not (is_hidden and parts and parts[-1].strip() == "…"):
            parts.append(text)
    return ";".join(parts)


def _runs(old: list[str], new: list[str]) -> Iterator[tuple[bool, int, int, int, int]]:
    """Yield the runs of lines that are the same, or not, in both: where they begin and end.

    Looks a few lines ahead for where the texts meet again, so it takes no more than a pass; what
    compares all lines with each other takes minutes for thousands that are alike.
    """
    a = c = 0
    while a < len(old) or c < len(new):
        b, d = a, c
        while b < len(old) and d < len(new) and old[b] == new[d]:
            b, d = b + 1, d + 1
        if b > a:
            yield True, a, b, c, d
        a, c = b, d
        while (b < len(old) or d < len(new)) and (step := _to_meet(old, new, b, d)) != (0, 0):
            b, d = b + step[0], d + step[1]
        if (b, d) != (a, c):
            yield False, a, b, c, d
        a, c = b, d


def _to_meet(old: list[str], new: list[str], a: int, c: int) -> tuple[int, int]:
    """Return how many lines to pass over in each text, none where they are the same."""
    if a == len(old) or c == len(new):
        return len(old) - a, len(new) - c
    for k in range(_AHEAD):
        if old[a : a + 1] == new[c + k : c + k + 1]:
            return 0, k
        if old[a + k : a + k + 1] == new[c : c + 1]:
            return k, 0
    return 1, 1


def _row(sign: Sign, line: int, text: str) -> DiffRow:
    return {"sign": sign, "line": line, "text": text.rstrip("\r")}
