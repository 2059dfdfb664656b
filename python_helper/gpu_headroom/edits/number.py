"""Set a number where it stands: the batch, the length of the input, the size of images."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from ..code.find import assigned, called, names
from ..code.follows import other_places, unlike
from ..code.literals import integer, literals_in
from ..code.notebook import CodePlace, Notebook
from ..code.source import CellSource, Refused
from ..text.messages import message
from .rewrite import rewriting

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..code.gate import Gate
    from ..code.literals import SizeLiteral
    from ..code.loaders import Numbers, Way
    from ..code.notebook import CellCode
    from ..protocol.wire import Message
    from .rewrite import Rewrite

TEXTS = {
    "number.other": (
        "No button: the batches of the loop that failed have their size from another number."
    ),
    "number.several": (
        "No button: {count} numbers are {value}, and nobody can tell which is the batch of the "
        "loop that failed."
    ),
    "number.again": (
        "No button: {value} stands in {cell}, line {line}, too, and would have to follow."
    ),
    "number.ends": (
        "No button: {cell}, line {line} may leave the loop before all data were seen, and then "
        "fewer would be."
    ),
    "number.fixed": (
        "No button: {cell}, line {line} makes something of that size which does not follow."
    ),
    "number.left_out": (
        "No button: {cell}, line {line} leaves targets out, and of {value} samples none may be "
        "left: the mean of their losses is no number, and then no weight is one."
    ),
    "number.schedule": (
        "No button: {cell}, line {line} makes a schedule of so many steps, and there would be more."
    ),
}
_SCHEDULES = re.compile(r"OneCycleLR|get_(?:\w+_)?schedule\w*")
_MOST_NAMES = 50
_FEW = 16  # of so many samples hardly ever all are left out


def set_batch(literal: SizeLiteral, value: int, way: Way) -> Rewrite:
    """`set_batch(literal, value, way)`: give the batch of the loop that failed another size.

    It has to be the number that the failing loop's loader has, and nothing else may need to stay
    that large.
    """

    def is_the_batch(gate: Gate, cell: CellCode) -> Message | None:
        cells = _standing(gate, cell, way)
        try:
            source = CellSource(cell.source)
            found = _found(source, literal, value)
            own = _together(source, found)
        except Refused:
            return None  # the edit changes nothing there
        reached = way.numbers(cells)
        alike = {
            (each.key, one.line)
            for each in cells
            for one in literals_in(literal.cell, each.source)
            if one.value == literal.value and (not reached or reached.has(one, each.key))
        }
        if reached and not reached.has(found, cell.key):
            return message("number.other", TEXTS)
        if len(alike - {(cell.key, found.line)}) > 0:
            return message("number.several", TEXTS, count=len(alike), value=literal.value)
        place = _left_out(cells) if value < _FEW else None
        if place is not None:
            title = place.cell.title
            return message("number.left_out", TEXTS, cell=title, line=place.line, value=value)
        return _follows(cells, cell, own, found, reached)

    return set_number(literal, value).asking(lambda gate, _: gate.unread(), is_the_batch)


def smaller_batch(literal: SizeLiteral, value: int, way: Way) -> Rewrite:
    """`smaller_batch(literal, value, way)`: the same, where each of its batches is a step.

    A schedule that is made for a number of steps has to follow the length of a loader: it raises an
    error behind its last step, or has come to its end.
    """

    def has_room(gate: Gate, _: CellCode) -> Message | None:
        for cell in gate.notebook.cells:
            for node in ast.walk(cell.tree or ast.Module([], [])):
                if isinstance(node, ast.Call) and _SCHEDULES.fullmatch(called(node)):
                    given = [*node.args[1:], *[each.value for each in node.keywords]]
                    if not _measures(gate.notebook, given):
                        line = node.lineno
                        return message("number.schedule", TEXTS, cell=cell.title, line=line)
        return None

    return set_batch(literal, value, way).asking(has_room)


def _measures(notebook: Notebook, given: list[ast.expr]) -> bool:
    """Whether values are made of the length of something, by whatever names."""
    wanted = set[str]()
    for each in given:  # it grows meanwhile
        if any(called(node) == "len" for node in ast.walk(each)):
            return True
        new = names(each) - wanted if len(wanted) < _MOST_NAMES else set[str]()
        wanted |= new
        given += [
            node.value
            for cell in notebook.cells
            for node in ast.walk(cell.tree or ast.Module([], []))
            if new and isinstance(node, ast.Assign) and assigned(node) in new
        ]
    return False


def _left_out(cells: Iterable[CellCode]) -> CodePlace | None:
    """Return where a loss leaves out targets of some value, with a mean over the others."""
    for cell in cells:
        for node in ast.walk(cell.tree) if cell.tree is not None else ():
            if isinstance(node, ast.Call) and any(e.arg == "ignore_index" for e in node.keywords):
                return CodePlace(cell, node.lineno)
    return None


def _follows(
    cells: list[CellCode],
    cell: CellCode,
    own: list[SizeLiteral],
    found: SizeLiteral,
    reached: Numbers,
) -> Message | None:
    """Whether all that has the number of a batch follows it, and all data are still seen."""
    if reached.ends is not None:
        ends = reached.ends
        return message("number.ends", TEXTS, cell=ends.cell.title, line=ends.number)
    known = {(cell.key, each.line, each.column) for each in own} | reached.places
    notebook = Notebook(cells)
    for place in other_places(notebook, found.value, known):
        title, line = place.cell.title, place.line
        return message("number.again", TEXTS, value=found.value, cell=title, line=line)
    node = _node(cell, found)
    entry = found.name if found.kind in ("option", "text") else ""
    fixed = unlike(notebook, cell, node, reached.calls, entry)
    if fixed is not None:
        return message("number.fixed", TEXTS, cell=fixed.cell.title, line=fixed.line)
    return None


def _standing(gate: Gate, cell: CellCode, way: Way) -> list[CellCode]:
    """Return the cells as they ran, with this one as it is now, in the order they ran."""
    keys = dict.fromkeys([*(each.key for each in gate.notebook.cells), *way.order])
    found = [cell if key == cell.key else gate.notebook.cell(key) for key in keys]
    return [each for each in found if each is not None]


def _node(cell: CellCode, literal: SizeLiteral) -> ast.AST | None:
    """Return the number in the tree of a cell."""
    for node in ast.walk(cell.tree) if cell.tree is not None else ():
        at = (getattr(node, "lineno", 0), getattr(node, "col_offset", -1))
        is_there = isinstance(node, ast.expr) and at == (literal.line, literal.column)
        if is_there and getattr(node, "end_col_offset", -1) == literal.end_column:
            return node
    return None


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
