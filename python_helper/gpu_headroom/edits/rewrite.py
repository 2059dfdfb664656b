"""What every edit is: a pure function of a cell's text, that is proven on each text anew."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from functools import wraps
from typing import TYPE_CHECKING, ParamSpec

from ..code.source import CellSource, Refused

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Concatenate

    Rewrite = Callable[[str], str | None]

Given = ParamSpec("Given")


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
    """Make of a function that changes a source one that returns a rewrite.

    A rewrite returns the text changed, or `None`: what it is for is not there, not without doubt,
    or changed already. It raises nothing, whatever the text.
    """

    @wraps(change)
    def made(*args: Given.args, **kwargs: Given.kwargs) -> Rewrite:
        def rewrite(text: str) -> str | None:
            try:
                source = CellSource(text)
                change(source, *args, **kwargs)
                return source.changed()
            except (Refused, RecursionError, ValueError, MemoryError):
                return None

        return rewrite

    return made


def all_of(*rewrites: Rewrite) -> Rewrite:
    """Return a rewrite that makes all of these, one after the other, or nothing."""

    def rewrite(text: str) -> str | None:
        done: str | None = text
        for each in rewrites:
            done = None if done is None else each(done)
        return None if done == text else done

    return rewrite


def any_of(*rewrites: Rewrite) -> Rewrite:
    """Return a rewrite that makes those of these that hold, one after the other."""

    def rewrite(text: str) -> str | None:
        done = text
        for each in rewrites:
            done = each(done) or done
        return None if done == text else done

    return rewrite


def line_of(source: CellSource, anchor: Anchor) -> int:
    """Return where the line of an anchor is by now."""
    lines = [each.strip() for each in source.lines]
    if 0 < anchor.line <= len(lines) and lines[anchor.line - 1] == anchor.text:
        return anchor.line
    if not anchor.text or lines.count(anchor.text) != 1:
        raise Refused
    return lines.index(anchor.text) + 1


def statement_at(source: CellSource, anchor: Anchor) -> ast.stmt:
    """Return the innermost statement that the line of an anchor belongs to."""
    line, found = line_of(source, anchor), None
    for node in ast.walk(source.tree):  # from the outside in
        if isinstance(node, ast.stmt) and node.lineno <= line <= (node.end_lineno or 0):
            found = node
    if found is None:
        raise Refused
    return found
