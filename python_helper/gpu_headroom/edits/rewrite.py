"""What every edit is: a pure function of a cell's text, that is proven on each text anew."""

from __future__ import annotations

from dataclasses import dataclass
from functools import wraps
from typing import TYPE_CHECKING, ParamSpec

from ..code.source import CellSource, Refused

if TYPE_CHECKING:
    import ast
    from collections.abc import Callable
    from typing import Concatenate

    from ..code.gate import Gate
    from ..code.notebook import CellCode
    from ..protocol.wire import Message

    Question = Callable[[Gate, CellCode], Message | None]

    Given = ParamSpec("Given")


@dataclass(frozen=True, slots=True)
class Rewrite:
    """A change of one cell's text, and what has to be so of the whole program for its promise.

    Called with a text it returns that changed, or `None`: what it is for is not there, not without
    doubt, or changed already. It raises nothing, whatever the text. `asks` are given the gate and
    the cell that is changed, as it is before; each returns why it cannot be proven, or `None`.
    """

    change: Callable[[str], str | None]
    asks: tuple[Question, ...] = ()

    def __call__(self, text: str) -> str | None:
        """Return a text changed, or `None`."""
        return self.change(text)

    def asking(self, *asks: Question) -> Rewrite:
        """Return the same rewrite, with more that has to be so."""
        return Rewrite(self.change, (*self.asks, *asks))

    def objection(self, gate: Gate, cell: CellCode) -> Message | None:
        """Return the first reason why it is not proven."""
        return next((why for ask in self.asks if (why := ask(gate, cell)) is not None), None)


@dataclass(frozen=True, slots=True)
class Anchor:
    """A line that a rewrite is about; its text finds it again where lines have moved."""

    line: int
    text: str

    @classmethod
    def of(cls, source: str, line: int) -> Anchor:
        """Return the anchor of a line, counted from 1."""
        lines = source.split("\n")
        return cls(line, lines[line - 1].strip() if 0 < line <= len(lines) else "")


def rewriting(change: Callable[Concatenate[CellSource, Given], None]) -> Callable[Given, Rewrite]:
    """Make of a function that changes a source one that returns a rewrite."""

    @wraps(change)
    def made(*args: Given.args, **kwargs: Given.kwargs) -> Rewrite:
        def rewrite(text: str) -> str | None:
            try:
                source = CellSource(text)
                change(source, *args, **kwargs)
                return source.changed()
            except (Refused, RecursionError, ValueError, MemoryError):
                return None

        return Rewrite(rewrite)

    return made


def all_of(*rewrites: Rewrite) -> Rewrite:
    """Return a rewrite that makes all of these, one after the other, or nothing."""
    return _one_by_one(rewrites, or_nothing=True)


def any_of(*rewrites: Rewrite) -> Rewrite:
    """Return a rewrite that makes those of these that hold, one after the other."""
    return _one_by_one(rewrites, or_nothing=False)


def _one_by_one(rewrites: tuple[Rewrite, ...], *, or_nothing: bool) -> Rewrite:
    def rewrite(text: str) -> str | None:
        done = text
        for each in rewrites:
            changed = each(done)
            if changed is None and or_nothing:
                return None
            done = changed or done
        return None if done == text else done

    return Rewrite(rewrite, tuple([ask for each in rewrites for ask in each.asks]))


def line_of(source: CellSource, anchor: Anchor) -> int:
    """Return where the line of an anchor is by now."""
    lines = [line.strip() for line in source.lines]
    if 0 < anchor.line <= len(lines) and lines[anchor.line - 1] == anchor.text:
        return anchor.line
    if not anchor.text or lines.count(anchor.text) != 1:
        raise Refused
    return lines.index(anchor.text) + 1


def statement_at(source: CellSource, anchor: Anchor) -> ast.stmt:
    """Return the innermost statement that the line of an anchor belongs to."""
    statement = source.statement_on(line_of(source, anchor))
    if statement is None:
        raise Refused
    return statement
