"""Arguments given by name: put into a call, or changed there."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ..code.find import given_to, keyword
from ..code.source import Refused

if TYPE_CHECKING:
    from ..code.source import CellSource


def set_keyword(source: CellSource, call: ast.Call, name: str, value: str) -> None:
    """Give a call an argument of this name; refuse where `**options` may give it already."""
    given = keyword(call, name)
    if given is not None:
        source.replace(given.value, value)
        return
    arguments = given_to(call)
    alone = len(arguments) == 1 and isinstance(arguments[0], ast.GeneratorExp)
    if alone or any(option.arg is None for option in call.keywords):
        raise Refused
    closing = source.span(call)[1] - 1
    text = f"{name}={value}"
    if not arguments:
        source.replace((closing, closing), text)
        return
    last = max([*map(source.span, call.args), *map(source.span, call.keywords)])
    end, comma = _end(source, last[1], closing)
    line = source.text.rfind("\n", 0, last[0]) + 1
    indent = source.text[line : last[0]]
    if indent.strip(" \t"):  # on a line with others
        # A comma that ends a line of its own is one for the next argument, too.
        more = "," if comma and "\n" in source.text[end:closing] else ""
        source.replace((end, end), f" {text}{more}" if comma else f", {text}")
        return
    if not comma:
        source.replace((end, end), ",")
    stop = min(source.line_end(end), closing)
    tail = "," if comma else ""
    source.replace((stop, stop), f"{source.newline}{indent}{text}{tail}")


def _end(source: CellSource, at: int, closing: int) -> tuple[int, bool]:
    """Return where an argument ends, its comma included, and whether it has one."""
    end = at
    while (at := source.gap(at)) < closing:
        at, end = at + 1, at + 1
        if source.text[at - 1] == ",":
            return end, True
        if source.text[at - 1] != ")":
            raise Refused
    return end, False
