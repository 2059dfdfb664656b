"""Python's collector is asked before more is made."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ..code.find import called, calls, dotted, words
from ..code.notebook import CodePlace
from ..code.source import Function, Loop, Refused
from .rewrite import rewriting, statement_at

if TYPE_CHECKING:
    from ..code.gate import Gate
    from ..code.notebook import CellCode
    from ..code.source import CellSource
    from ..protocol.wire import Message
    from .rewrite import Anchor, Rewrite

TEXTS = {
    "garbage.gc": "No button: `gc` is a name of yours in {cell}, line {line}.",
    "garbage.watched": (
        "No button: `{name}` in {cell}, line {line} may notice which objects are collected."
    ),
    "garbage.displayed": "No button: {cell}, line {line} reads what was displayed (`{name}`).",
}
# They tell what is collected, and when.
_NOTICES = words(
    """weakref WeakSet WeakValueDictionary WeakKeyDictionary finalize __del__ get_objects
    get_referrers getrefcount"""
)
_HARMLESS = words("collect enable disable isenabled freeze set_threshold get_threshold")
_OUTPUTS = words("_ __ ___ Out _oh")
_ASKS_SHELL = frozenset(("displayhook", "history_manager"))
# A last line that nobody writes for the memory that its value holds.
_SMALL = words(
    """item tolist display print float int len str bool show round describe head info memory_summary
    size format"""
)


def collected(anchor: Anchor) -> Rewrite:
    """`collected(anchor)`: `gc.collect()` before the line; first of all in the loop that it is in.

    `import gc` goes before it, unless the cell has it already.
    """
    return _collected(anchor).asking(_nobody_notices)


@rewriting
def _collected(source: CellSource, anchor: Anchor) -> None:
    if any(dotted(call.func) == "gc.collect" for call in calls(source.tree, "collect")):
        raise Refused
    place = statement_at(source, anchor)
    function = source.function(place)
    if isinstance(place, (*Function, ast.ClassDef)) or isinstance(function, Function):
        raise Refused
    for node in source.parents(place):
        if isinstance(node, Loop):
            place = node.body[0]
    top = next(child for child in (place, *source.parents(place)) if child in source.tree.body)
    if not isinstance(top, ast.stmt):
        raise Refused
    before = source.tree.body[: source.tree.body.index(top)]
    if not any(_imports(statement) for statement in before):
        if top is place:
            source.before(place, "import gc", "gc.collect()")
            return
        source.before(top, "import gc")
    source.before(place, "gc.collect()")


def _imports(node: ast.AST) -> bool:
    return isinstance(node, ast.Import) and any(
        alias.name == "gc" and alias.asname is None for alias in node.names
    )


def _nobody_notices(gate: Gate, _: CellCode) -> Message | None:
    """Whether `gc` is the module or nobody's, and nobody asks what is collected."""
    why, imported = gate.unread(), False
    for cell in gate.notebook.cells if why is None else ():
        tree = cell.tree or ast.Module([], [])
        for use in cell.uses:
            if use.name == "gc" and use.how != "read":
                if not _imports(next(cell.parents(use.node), tree)):
                    return _said("garbage.gc", "gc", cell, use.node)
                imported = True
        for node in ast.walk(tree):
            name = _notices(cell, node)
            if name is not None:
                return _said("garbage.watched", name, cell, node)
    if why is None and not imported and "gc" in gate.live.names:
        return gate.binds("gc")
    return why


def _notices(cell: CellCode, node: ast.AST) -> str | None:
    """Return what in a piece of code may tell which objects were collected."""
    names = {dotted(node).rpartition(".")[2]} if isinstance(node, ast.expr) else set()
    if dotted(node).startswith("gc.") and names - _HARMLESS:
        return dotted(node)
    if isinstance(node, (ast.alias, ast.FunctionDef, ast.ImportFrom)):
        names = {str(getattr(node, "module", "")), getattr(node, "name", "")}
    known = sorted(names & _NOTICES)
    if isinstance(node, ast.Try) and any(isinstance(x, ast.Yield) for x in ast.walk(node)):
        known.append("yield")  # a generator that is collected runs its `finally`
    if called(node) == "collect" and not isinstance(next(cell.parents(node)), ast.Expr):
        known.append("collect")
    return known[0] if known else None


def _said(which: str, name: str, cell: CellCode, node: ast.AST) -> Message:
    return CodePlace.of(cell, node).says(which, TEXTS, name=name)


def not_displayed() -> Rewrite:
    """`not_displayed()`: a last line that is displayed ends in `;`: its value is not kept."""
    return _not_displayed().asking(_nobody_reads_outputs)


@rewriting
def _not_displayed(source: CellSource) -> None:
    last = source.tree.body[-1] if source.tree.body else None
    if not isinstance(last, ast.Expr) or called(last.value) in _SMALL:
        raise Refused
    if isinstance(last.value, (ast.Constant, ast.JoinedStr, ast.Compare)):
        raise Refused
    end = source.span(last)[1]
    rest = source.text[end : source.line_end(end)]
    if rest.lstrip().startswith(";") or source.text.rstrip().endswith(";"):
        raise Refused
    source.replace((end, end), ";")


def _nobody_reads_outputs(gate: Gate, _: CellCode) -> Message | None:
    """Whether no cell goes on with what another displayed."""
    why = gate.unread()
    if why is not None:
        return why
    for cell in gate.notebook.cells:
        words = {word for word in cell.words if _is_output(word)}
        if words:
            return _said("garbage.displayed", min(words), cell, ast.Constant(None))
        for use in cell.uses:
            if use.owner is None and use.how == "read" and _is_output(use.name):
                return _said("garbage.displayed", use.name, cell, use.node)
        for node in cell.nodes:
            if isinstance(node, ast.Attribute) and node.attr in _ASKS_SHELL:
                return _said("garbage.displayed", node.attr, cell, node)
    return None


def _is_output(name: str) -> bool:
    return name in _OUTPUTS or (name[:1] == "_" and name[1:].isdigit())
