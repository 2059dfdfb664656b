"""Base of edits: a pure function of a cell's text, and its conditions on the notebook."""

from __future__ import annotations

from dataclasses import dataclass
from functools import wraps
from typing import TYPE_CHECKING, ParamSpec

from .source import CellSource, NotApplicableError

if TYPE_CHECKING:
    import ast
    from collections.abc import Callable
    from typing import Concatenate

    from ..code.notebook import CellCode, Notebook

    Given = ParamSpec("Given")
    Needs = Callable[[Notebook, CellCode], bool]


@dataclass(frozen=True, slots=True)
class Rewrite:
    """A change of one cell's text.

    Called with a text it returns that changed, or `None`: what it is for is not there, not without
    doubt, or changed already. It raises nothing, whatever the text. `needs` is given the notebook
    and the cell as it is before: where it returns false, no button makes the change.
    """

    change: Callable[[str], str | None]
    needs: Needs | None = None

    def __call__(self, text: str) -> str | None:
        """Return a text changed, or `None`."""
        return self.change(text)


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
            except (NotApplicableError, RecursionError, ValueError, MemoryError):
                return None

        return Rewrite(rewrite)

    return made


def line_of(source: CellSource, anchor: Anchor) -> int:
    """Return where the line of an anchor is by now."""
    lines = [line.strip() for line in source.lines]
    if 0 < anchor.line <= len(lines) and lines[anchor.line - 1] == anchor.text:
        return anchor.line
    if not anchor.text or lines.count(anchor.text) != 1:
        raise NotApplicableError
    return lines.index(anchor.text) + 1


def statement_at(source: CellSource, anchor: Anchor) -> ast.stmt:
    """Return the innermost statement that the line of an anchor belongs to."""
    statement = source.statement_on(line_of(source, anchor))
    if statement is None:
        raise NotApplicableError
    return statement
