"""Arguments given by name: put into a call, changed there, or taken away."""

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


def remove_keyword(source: CellSource, call: ast.Call, name: str) -> None:
    """Take an argument away from a call, with its comma, and with its line if it has one."""
    given = keyword(call, name)
    if given is None:
        raise Refused
    closing = source.span(call)[1] - 1
    start, end = source.span(given)
    end, comma = _end(source, end, closing)
    line = source.text.rfind("\n", 0, start) + 1
    stop = source.line_end(end)
    rest = source.text[end:stop].strip()
    if comma and not source.text[line:start].strip() and (not rest or rest.startswith("#")):
        source.replace((line, source.text.find("\n", stop) + 1), "")
    elif comma:
        blank = len(source.text[end:stop]) - len(source.text[end:stop].lstrip())
        source.replace((start, end + blank), "")
    else:
        spans = [*map(source.span, call.args), *map(source.span, call.keywords)]
        before = max([span[1] for span in spans if span[0] < start], default=None)
        comma_at = start if before is None else _end(source, before, start)[0] - 1
        # A comment behind the comma stays, so the comma does.
        start = start if "#" in source.text[comma_at:start] else comma_at
        source.replace((start, end), "")


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
