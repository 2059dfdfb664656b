"""Python's collector is asked before more is made."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ..code.find import calls, dotted
from ..code.source import Function, Loop, Refused
from .rewrite import rewriting, statement_at

if TYPE_CHECKING:
    from ..code.source import CellSource
    from .rewrite import Anchor


@rewriting
def collected(source: CellSource, anchor: Anchor, *, imported: bool = False) -> None:
    """`collected(anchor)`: `gc.collect()` before the line; first of all in the loop that it is in.

    `import gc` goes before it, unless it is `imported` already.
    """
    if any(dotted(each.func) == "gc.collect" for each in calls(source.tree, "collect")):
        raise Refused
    place = statement_at(source, anchor)
    function = source.function(place)
    if isinstance(place, (*Function, ast.ClassDef)) or isinstance(function, Function):
        raise Refused
    for each in source.parents(place):
        if isinstance(each, Loop):
            place = each.body[0]
    top = next(each for each in (place, *source.parents(place)) if each in source.tree.body)
    if not imported and isinstance(top, ast.stmt):
        if top is place:
            source.before(place, "import gc", "gc.collect()")
            return
        source.before(top, "import gc")
    source.before(place, "gc.collect()")


@rewriting
def not_displayed(source: CellSource) -> None:
    """`not_displayed()`: a last line that is displayed ends in `;`: its value is not kept."""
    last = source.tree.body[-1] if source.tree.body else None
    if not isinstance(last, ast.Expr):
        raise Refused
    end = source.span(last)[1]
    rest = source.text[end : source.line_end(end)]
    if rest.lstrip().startswith(";") or source.text.rstrip().endswith(";"):
        raise Refused
    source.replace((end, end), ";")
