"""Edit of a number in its place: the batch size, the input length, the size of images."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from ..code.batch import PARSERS
from ..code.beside import script_lines
from ..code.command import as_run, put_back
from ..code.find import called, dotted, keyword
from ..code.literals import integer, literals_in
from ..code.notebook import CellCode
from .rewrite import Rewrite, line_of, rewriting
from .source import CellSource, NotApplicableError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..code.literals import SizeLiteral
    from .rewrite import Anchor

_CODED = re.compile(r"(?:.*\n)?.*coding[:=](?![ \t]*utf-?8\b)|\ufeff", re.IGNORECASE)


def is_plain_text(source: str) -> bool:
    """Return whether a file keeps its encoding where a page writes it."""
    return _CODED.match(source) is None


def of_command(rewrite: Rewrite, script: str) -> Rewrite:
    """`of_command(rewrite, "main.py")`: the same, of the command of a cell that starts a script.

    As it is where there is no script.
    """
    if not script:
        return rewrite

    def change(text: str) -> str | None:
        after = rewrite(as_run(text, script))
        return None if after is None else put_back(text, script, after)

    return Rewrite(change)


def flag_of(literal: SizeLiteral) -> str | None:
    """Return what sets an option on the command line of its script; `None`: not for certain."""
    nodes = CellCode("", literal.cell.source).nodes
    calls = [node for node in nodes if isinstance(node, ast.Call)]
    parses = any(called(node) in PARSERS and not node.args for node in calls)
    if not parses or any(called(node) == "add_subparsers" for node in calls):
        return None
    for call in calls:
        default, kind = keyword(call, "default"), keyword(call, "type")
        is_it = default is not None and default.value.lineno == literal.line
        if called(call) == "add_argument" and is_it and dotted(kind and kind.value) == "int":
            flags = [str(getattr(expression, "value", "")) for expression in call.args]
            return max((flag for flag in flags if flag.startswith("-")), key=len, default=None)
    return None


@rewriting
def add_flag(source: CellSource, anchor: Anchor, flag: str, value: int) -> None:
    """`add_flag(anchor, "--batch-size", 32)`: set an option behind a `%run`."""
    line = line_of(source, anchor)
    text = source.lines[line - 1].rstrip()
    if line not in script_lines(source.text) or text.endswith(("\\", ";")) or not flag:
        raise NotApplicableError
    if not {flag, "--"}.isdisjoint(re.split(r"[\s=]", text)):
        raise NotApplicableError
    end = source.offset(line, len(text.encode()))
    source.replace((end, end), f" {flag} {value}")


@rewriting
def set_number(source: CellSource, literal: SizeLiteral, value: int) -> None:
    """`set_number(literal, value)`: give a literal of `cells.literals` another value.

    It is looked for where it stood, and elsewhere only if there is no other like it. Equal sides
    of an image are set together, and what is split in step. The changed cell has to say `value`.
    """
    target = _found(source, literal, value)
    for number in _together(source, target):
        _set(source, number, value)
    if not _is_there(_literals(source.changed(), literal), target, value):
        raise NotApplicableError


def _set(source: CellSource, found: SizeLiteral, value: int) -> None:
    if found.kind == "text":
        start = source.offset(found.line, found.column)
        source.replace((start, source.offset(found.line, found.end_column)), str(value))
        return
    place = found.line, found.column, found.end_column
    nodes = [node for node in source.nodes if isinstance(node, ast.expr)]
    at_place = (n for n in nodes if (n.lineno, n.col_offset, n.end_col_offset) == place)
    node = next(at_place, None)
    for expression in node.elts if isinstance(node, (ast.Tuple, ast.List)) else [node]:
        if expression is not None and integer(expression) == found.value:
            number = f"{value:_}" if "_" in source.text_of(expression) else str(value)
            source.replace(expression, number)


def _together(source: CellSource, found: SizeLiteral) -> list[SizeLiteral]:
    """Return what has to stay equal: both of `zip(X.split(64), y.split(64))`."""
    if found.parameter is None or found.parameter.callee != "split":
        return [found]
    return [
        literal
        for literal in _literals(source.text, found)
        if literal.parameter == found.parameter
        and (literal.line, literal.value) == (found.line, found.value)
    ]


def _literals(text: str, literal: SizeLiteral) -> list[SizeLiteral]:
    param = literal.parameter
    given = param is not None and literal.kind in ("argument", "text")
    positional = given and param is not None and param.position is not None
    signatures = {param.callee: {param.position or 0: param.name}} if param and positional else None
    return literals_in(literal.cell, text, literal.role, signatures)


def _is_there(literals: Iterable[SizeLiteral], at: SizeLiteral, value: int) -> bool:
    """Return whether a value is at the position of a literal, under its name."""
    places = [(literal.name, literal.value, literal.line, literal.column) for literal in literals]
    return (at.name, value, at.line, at.column) in places


def _found(source: CellSource, wanted: SizeLiteral, value: int) -> SizeLiteral:
    """Return the same name and value where it stood, or the only other one like it."""
    literals = _literals(source.text, wanted)
    alike = [
        literal
        for literal in literals
        if (literal.name, literal.value) == (wanted.name, wanted.value)
    ]
    at_place = [literal for literal in alike if literal.line == wanted.line]
    if len(at_place) > 1:
        at_place = [literal for literal in at_place if literal.column == wanted.column]
    elif not at_place and _is_there(literals, wanted, value):
        raise NotApplicableError  # it is set already
    numbers = at_place or alike
    if len(numbers) != 1:
        raise NotApplicableError
    return numbers[0]
