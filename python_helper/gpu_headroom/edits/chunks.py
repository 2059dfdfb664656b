"""One huge call in parts, where rows are proven to be on their own."""

from __future__ import annotations

import ast
import re
from functools import partial
from typing import TYPE_CHECKING

from ..code.find import called, dotted, words
from ..code.notebook import CodePlace
from ..code.source import CellSource, Refused
from ..text.messages import message
from .rewrite import line_of, rewriting, statement_at

if TYPE_CHECKING:
    from collections.abc import Collection

    from ..code.gate import Gate
    from ..code.notebook import CellCode
    from ..protocol.wire import Message
    from .rewrite import Anchor, Rewrite

TEXTS = {
    "chunks.model": (
        "No button: that rows of `{name}` do not know of each other is only certain of plain "
        "layers one after the other, in evaluation mode."
    ),
    "chunks.layer": (
        "No button: {cell}, line {line} may go over rows, or keep what a layer computes."
    ),
    "chunks.rows": "No button: it is not certain that the rows of `{name}` are those of a batch.",
    "chunks.calls": "No button: `{name}` may be called with other shapes.",
}
# What is left of each row of distances, where it is asked for along the last dimension.
_OF_ROWS = words("argmin argmax sum mean any all amin amax")
_PAIRS = ("cdist", "matmul", "mm")
_NAMES = ("part", "rows", "chunk")
# Layers each row of whose output is made of the same row of the input, in evaluation mode.
_LAYERS = re.compile(
    r"torch\.nn\.modules\.\w+\.(?:Sequential|Identity|Linear|Embedding|Flatten|LayerNorm|GroupNorm"
    r"|(?:Conv|ConvTranspose|BatchNorm|MaxPool|AvgPool|AdaptiveAvgPool|AdaptiveMaxPool)[123]d"
    r"|Dropout[123]?d?|AlphaDropout|ReLU6?|LeakyReLU|PReLU|ELU|SELU|CELU|GELU|SiLU|Mish|Tanh"
    r"|Sigmoid|Softplus|Hardtanh|Hardswish|Hardsigmoid|Tanhshrink|LogSigmoid)"
)
_SIZED = re.compile(r"\.(?:Conv|ConvTranspose|MaxPool|AvgPool|Adaptive\w+Pool)([123])d$")


def predicted_in_parts(anchor: Anchor, model: str, rows: int, torch: str = "torch") -> Rewrite:
    """`predicted_in_parts(anchor, model, rows, torch)`: `model(x)` goes over `x` in parts.

    `y = model(x)` becomes `y = torch.cat([model(part) for part in x.split(rows)])`. For rows that
    do not know of each other: of plain layers of PyTorch's in evaluation mode.
    """
    asked = partial(_is_row_by_row, anchor=anchor, model=model)
    return _predicted(anchor, model, rows, torch).asking(asked)


@rewriting
def _predicted(source: CellSource, anchor: Anchor, model: str, rows: int, torch: str) -> None:
    call = _asked(statement_at(source, anchor), model)
    part, given = _free(source), call.args[0]
    parts = f"{source.text_of(given)}.split({rows})"
    source.replace(call, f"{torch}.cat([{model}({part}) for {part} in {parts}])")


def _asked(statement: ast.stmt, model: str) -> ast.Call:
    nodes = [node for node in ast.walk(statement) if dotted(getattr(node, "func", None)) == model]
    call = nodes[0] if len(nodes) == 1 else None
    if not isinstance(call, ast.Call) or len(call.args) != 1 or call.keywords:
        raise Refused
    if not dotted(call.args[0]) or any(isinstance(node, _INNER) for node in ast.walk(statement)):
        raise Refused
    return call


_INNER = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.Lambda, ast.ClassDef)


def _free(source: CellSource) -> str:
    """Return a name for a part that does not stand in the cell."""
    return next(each for each in (*_NAMES, "_part") if each not in source.text or each == "_part")


def _evaluates_by_then(gate: Gate, cell: CellCode, line: int) -> bool:
    """Whether evaluation mode, where the notebook sets it, is set before a line of a cell."""
    order = [each.key for each in gate.notebook.cells]
    set_in = gate.notebook.calls("eval")
    here = order.index(cell.key) if cell.key in order else len(order)
    return not set_in or any(
        order.index(each.key) < here or (each.key == cell.key and call.lineno <= line)
        for each, call in set_in
    )


def _is_row_by_row(gate: Gate, cell: CellCode, *, anchor: Anchor, model: str) -> Message | None:
    source = CellSource(cell.source, cell.tree)
    given = _asked(statement_at(source, anchor), model).args[0]
    facts = gate.live.models.get(model)
    of_model = message("chunks.model", TEXTS, name=model)
    if facts is None or facts.training is not False or not all(map(_LAYERS.fullmatch, facts.own)):
        return of_model
    if not _evaluates_by_then(gate, cell, line_of(source, anchor)):
        return of_model
    for each, node in gate.notebook.nodes():
        name = called(node)
        risky = name.startswith("register_") and name.endswith("hook")
        if name in ("Flatten", "LayerNorm") and isinstance(node, ast.Call):
            risky = not _of_last_dimensions(gate, node)
        if risky and isinstance(node, ast.expr):
            return CodePlace.of(each, node).says("chunks.layer", TEXTS)
    for name in ("Flatten", "LayerNorm"):
        if any(each.endswith(f".{name}") for each in facts.own) and not gate.notebook.calls(name):
            return of_model
    name = dotted(given)
    tensor = gate.live.tensors.get(name)
    sizes = {2 + int(match[1]) for each in facts.own if (match := _SIZED.search(each))}
    is_batch = tensor is not None and (
        {len(tensor.shape)} == sizes if sizes else len(tensor.shape) > 1
    )
    bound = [use for _, use in gate.notebook.uses(name) if use.how == "bind"]
    is_own = given in cell.owners and cell.owners[given][1] is None
    is_batch &= is_own and len(bound) == 1 and isinstance(bound[0].node, ast.Name)
    return gate.unread() if is_batch else message("chunks.rows", TEXTS, name=name)


def _of_last_dimensions(gate: Gate, call: ast.Call) -> bool:
    """Whether `Flatten()` leaves the rows, `LayerNorm(width)` goes over the last dimension."""
    if called(call) == "Flatten":
        return not call.args and not call.keywords
    return len(call.args) == 1 and _is_number(gate, call.args[0])


def _is_number(gate: Gate, node: ast.expr) -> bool:
    if isinstance(node, ast.Constant):
        return isinstance(node.value, int)
    if isinstance(node, ast.BinOp):
        return _is_number(gate, node.left) and _is_number(gate, node.right)
    name = dotted(node)
    bound = [(cell, use) for cell, use in gate.notebook.uses(name) if use.how == "bind"]
    values = [getattr(cell.parent(use.node), "value", None) for cell, use in bound]
    return bool(values) and all(isinstance(getattr(each, "value", None), int) for each in values)


def compared_in_parts(
    anchor: Anchor, rows: int, torch: str = "torch", tables: Collection[str] = ()
) -> Rewrite:
    """`compared_in_parts(anchor, rows, torch, tables)`: all pairs, of so many rows at a time.

    `torch.cdist(a, b).argmin(dim=1)` becomes
    `torch.cat([torch.cdist(part, b).argmin(dim=1) for part in a.split(rows)])`; also for
    `torch.argmin(torch.cdist(a, b), dim=1)`, other reductions of rows, and `(a @ b.T)`. `tables`
    are the names that had two dimensions when it failed.
    """
    return _compared(anchor, rows, torch, tables).asking(partial(is_called_once, anchor=anchor))


@rewriting
def _compared(
    source: CellSource, anchor: Anchor, rows: int, torch: str, tables: Collection[str]
) -> None:
    for node in ast.walk(statement_at(source, anchor)):
        if not isinstance(node, ast.Call) or called(node) not in _OF_ROWS:
            continue
        function = node.func
        inner = function.value if isinstance(function, ast.Attribute) else None
        given = list(node.args)
        if dotted(inner) == torch and given:
            inner = given.pop(0)
        along = [
            *given,
            *[keyword.value for keyword in node.keywords if keyword.arg in ("dim", "axis")],
        ]
        rows_only = len(along) == 1 and source.text_of(along[0]) in ("1", "-1")
        pair = _pair(inner, torch)
        if not rows_only or pair is None or len(given) + len(node.keywords) != 1:
            continue
        first, second = pair
        if not isinstance(first, ast.Name) or not {first.id, _base(second)} <= set(tables):
            continue
        start, end = source.span(node)
        at, stop = source.span(first)
        part = _free(source)
        text = f"{source.text[start:at]}{part}{source.text[stop:end]}"
        source.replace(node, f"{torch}.cat([{text} for {part} in {first.id}.split({rows})])")
        return
    raise Refused


def _pair(node: ast.expr | None, torch: str) -> tuple[ast.expr, ast.expr] | None:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
        return node.left, node.right
    if not isinstance(node, ast.Call) or dotted(node.func) not in [f"{torch}.{x}" for x in _PAIRS]:
        return None
    plain = all(isinstance(keyword.value, ast.Constant) for keyword in node.keywords)
    return (node.args[0], node.args[1]) if plain and len(node.args) == 2 else None  # noqa: PLR2004


def _base(node: ast.expr) -> str:
    """Return `b` of `b`, `b.T` and `b.t()`."""
    if isinstance(node, ast.Call) and called(node) == "t" and not node.args:
        node = node.func
    if isinstance(node, ast.Attribute) and node.attr in ("T", "mT", "t"):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def is_called_once(gate: Gate, cell: CellCode, *, anchor: Anchor) -> Message | None:
    """Whether a line is the notebook's own, or of a function that one place calls."""
    function = cell.function(statement_at(CellSource(cell.source, cell.tree), anchor))
    if function is None:
        return gate.unread()
    name = function.name
    is_own = not isinstance(cell.parent(function), ast.ClassDef)
    known = gate.notebook.functions.get(name, ())
    if not is_own or len(known) != 1 or len(gate.notebook.calls(name)) != 1:
        return message("chunks.calls", TEXTS, name=name)
    return message("chunks.calls", TEXTS, name=name) if gate.notebook.escapes(name) else None
