"""Set a number where it stands: the batch, the length of the input, the size of images."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ..code.literals import integer, literals_in
from ..code.source import Refused
from .rewrite import rewriting

if TYPE_CHECKING:
    from ..code.literals import SizeLiteral
    from ..code.source import CellSource


@rewriting
def set_number(source: CellSource, literal: SizeLiteral, value: int) -> None:
    """`set_number(literal, value)`: give a literal of `cells.literals` another value.

    It is looked for where it stood, and elsewhere only if there is no other like it. Equal sides
    of an image are set together, and what is split in step. The changed cell has to say `value`.
    """
    found = _found(source, literal, value)
    for each in _together(source, found):
        _set(source, each, value)
    proven = _literals(source.changed(), literal)
    if (found.name, value, found.line, found.column) not in [
        (each.name, each.value, each.line, each.column) for each in proven
    ]:
        raise Refused


def _set(source: CellSource, found: SizeLiteral, value: int) -> None:
    place = (found.line, found.column, found.end_column)
    if found.kind == "text":
        start = source.offset(found.line, found.column)
        source.replace((start, source.offset(found.line, found.end_column)), str(value))
        return
    for node in ast.walk(source.tree):
        if isinstance(node, ast.expr) and place == (
            node.lineno,
            node.col_offset,
            node.end_col_offset,
        ):
            several = isinstance(node, (ast.Tuple, ast.List))
            for each in node.elts if isinstance(node, (ast.Tuple, ast.List)) else [node]:
                if not several or integer(each) == found.value:
                    number = f"{value:_}" if "_" in source.text_of(each) else str(value)
                    source.replace(each, number)
            return


def _together(source: CellSource, found: SizeLiteral) -> list[SizeLiteral]:
    """Return what has to stay equal: both of `zip(X.split(64), y.split(64))`."""
    if found.parameter is None or found.parameter.callee != "split":
        return [found]
    return [
        each
        for each in _literals(source.text, found)
        if each.parameter == found.parameter
        and (each.line, each.value) == (found.line, found.value)
    ]


def _literals(text: str, literal: SizeLiteral) -> list[SizeLiteral]:
    known = literal.parameter
    positional = known is not None and literal.kind == "argument" and known.position is not None
    signatures = {known.callee: {known.position or 0: known.name}} if known and positional else None
    return literals_in(literal.cell, text, literal.role, signatures)


def _found(source: CellSource, wanted: SizeLiteral, value: int) -> SizeLiteral:
    """Return the same name and value where it stood, or the only other one like it."""
    literals = _literals(source.text, wanted)
    alike = [each for each in literals if (each.name, each.value) == (wanted.name, wanted.value)]
    at_place = [each for each in alike if each.line == wanted.line]
    if len(at_place) > 1:
        at_place = [each for each in at_place if each.column == wanted.column]
    elif not at_place and (wanted.name, value, wanted.line, wanted.column) in [
        (each.name, each.value, each.line, each.column) for each in literals
    ]:
        raise Refused  # it is set already
    found = at_place or alike
    if len(found) != 1:
        raise Refused
    return found[0]
