"""Data stays on the host and is moved batch by batch, not as a whole."""

from __future__ import annotations

import ast
from functools import partial
from typing import TYPE_CHECKING

from ..code.find import assigned, called, dotted, keyword, mentions, names, words
from ..code.flow import leaves
from ..code.notebook import CellCode, CodePlace
from ..code.source import CellSource, Loop, Refused
from ..text.messages import message
from .call import remove_keyword
from .rewrite import rewriting

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..code.gate import Gate
    from ..protocol.wire import Message
    from .rewrite import Rewrite

TEXTS = {
    "per-batch.no_tensor": "No button: `{name}` is not certainly a tensor on the GPU by itself.",
    "per-batch.used": (
        "No button: {cell}, line {line} uses `{name}` otherwise than in batches that are moved."
    ),
}
_LOADERS = ("TensorDataset", "DataLoader", "Subset")

_SEEN = words("shape size dtype ndim")  # what may be asked of data on the host


def moved_per_batch(*data: str) -> Rewrite:
    """`moved_per_batch("X", "y")`: these stay on the host, and each batch of them is moved.

    For a cell with both; else `kept_on_host` and `slices_moved`, each in its cell.
    """
    made = _moved_per_batch(*data)
    return made.asking(partial(_only_batches, made, data, ()))


@rewriting
def _moved_per_batch(source: CellSource, *data: str) -> None:
    moves = _unmoved_names(source, set(data))
    _use_moved(source, moves)


def kept_on_host(*data: str, used_in: str = "") -> Rewrite:
    """`kept_on_host("X", "y")`: what moves these to the card as a whole goes.

    `X = X.cuda()`, `.to(device)`, `device=`. `used_in` is the key of the cell that `slices_moved`
    changes at the same time.
    """
    made = _kept_on_host(*data)
    return made.asking(partial(_only_batches, made, data, (used_in,)))


@rewriting
def _kept_on_host(source: CellSource, *data: str) -> None:
    _unmoved_names(source, set(data))


def slices_moved(moves: Mapping[str, str], made_in: str = "") -> Rewrite:
    """`slices_moved(moves_of(text, "X", "y"))`: batches of data on the host are moved where used.

    Slices in the loops of the cell get the move (`X[i : i + n].cuda()`), or the names of a loop
    over the data, or over a `DataLoader` made of it, do. Refused where some is used as a whole.
    `made_in` is the key of the cell that `kept_on_host` changes at the same time.
    """
    made = _slices_moved(moves)
    return made.asking(partial(_only_batches, made, tuple(moves), (made_in,)))


@rewriting
def _slices_moved(source: CellSource, moves: Mapping[str, str]) -> None:
    _use_moved(source, dict(moves))


def moves_of(text: str, *data: str) -> dict[str, str]:
    """Return how a cell moves data to the card, by name: `{"X": ".cuda()"}`; none in doubt."""
    try:
        return _unmoved_names(CellSource(text), set(data))
    except (Refused, RecursionError):
        return {}


def _only_batches(
    rewrite: Rewrite, data: Sequence[str], beside: Sequence[str], gate: Gate, cell: CellCode
) -> Message | None:
    """Whether all that uses data, or a loader of it, takes batches that are moved, or its shape.

    The cells `beside` are changed at the same time, and asked for themselves.
    """
    why = gate.unread()
    if why is not None:
        return why
    for name in data:
        facts = gate.live.tensors.get(name)
        if facts is None or facts.requires_grad or not facts.on_gpu:
            return message("per-batch.no_tensor", TEXTS, name=name)
    text = rewrite(cell.source)
    cells = [
        CellCode(each.key, text, each.title) if each.key == cell.key and text else each
        for each in gate.notebook.cells
    ]
    uses = _DataUses(cells, set(data))
    for each in cells:
        place = uses.other(each) if each.key not in beside else None
        if place is not None:
            name, line = place
            return CodePlace(each, line).says("per-batch.used", TEXTS, name=name)
    return None


class _DataUses:
    """Where data, and loaders made of it, are used in cells as they will be."""

    def __init__(self, cells: Sequence[CellCode], data: set[str]) -> None:
        self._data, self._made = data, set(data)
        for cell in cells:  # a loader is made behind its data
            for node in cell.nodes:
                loads = isinstance(node, ast.Assign) and called(node.value) in _LOADERS
                if loads and mentions(node, self._made):
                    self._made |= {assigned(node)} - {""}

    def other(self, cell: CellCode) -> tuple[str, int] | None:
        """Return a name and a line that need the data on the card as a whole."""
        moved_to = self._last_making(cell)
        for use in cell.uses:
            if use.name not in self._made or use.owner is not None:
                continue
            line = getattr(use.node, "lineno", 1)
            if use.how != "read" and use.inside.parent is not None:
                return use.name, line
            around = cell.parent(use.node)
            if isinstance(around, ast.AugAssign) and not isinstance(around.value, ast.Constant):
                return use.name, line  # with what may be on the card
            is_later = use.how == "read" and line > moved_to.get(use.name, 0)
            if is_later and not self._is_fine(cell, use.node):
                return use.name, line
        for name in self._made:
            if name in cell.words:
                return name, 1
        return None

    def _last_making(self, cell: CellCode) -> dict[str, int]:
        """Return the lines up to which the data is being made, by name."""
        return {
            use.name: getattr(use.node, "end_lineno", 1)
            for use in cell.uses
            if use.name in self._data and use.how == "bind" and use.inside.parent is None
        }

    def _is_fine(self, cell: CellCode, node: ast.AST) -> bool:
        parents = list(cell.parents(node))
        around = parents[0]
        if isinstance(around, ast.Attribute):
            return around.attr in _SEEN
        if isinstance(around, ast.Subscript) and around.value is node:
            return isinstance(around.ctx, ast.Load) and self._moves(cell, around, parents[1:])
        if called(around) in _LOADERS:
            made = next((child for child in parents if isinstance(child, ast.stmt)), None)
            safe = isinstance(made, ast.Assign) and assigned(made) in self._made
            collated = any(
                keyword(child, "collate_fn") for child in parents if isinstance(child, ast.Call)
            )
            return safe and not collated
        while called(around) in ("enumerate", "tqdm") and len(parents) > 1:
            parents = parents[1:]
            around = parents[0]
        if called(around) == "len":
            return True
        return isinstance(around, ast.For) and self._first_moves(around)

    def _moves(self, cell: CellCode, part: ast.Subscript, parents: list[ast.AST]) -> bool:
        """Whether a part of the data is moved where it is taken, and not written to."""
        around = parents[0]
        if getattr(around, "attr", "") in _SEEN:
            return True
        if getattr(around, "attr", "") not in ("to", "cuda"):
            return False
        statement = next((node for node in parents if isinstance(node, ast.stmt)), None)
        taken = (
            set(map(dotted, leaves(statement.targets[0])))
            if isinstance(statement, ast.Assign)
            else set()
        )
        return not any(_writes(node, taken) for node in ast.walk(cell.tree or part))

    def _first_moves(self, loop: ast.For) -> bool:
        """Whether a loop moves its batches first of all, and writes to none."""
        first = loop.body[0]
        taken = set(map(dotted, leaves(loop.target)))
        is_move = isinstance(first, ast.Assign) and all(
            called(expression) in ("to", "cuda") for expression in leaves(first.value)
        )
        return is_move and not any(_writes(node, taken) for node in ast.walk(loop))


def _writes(node: ast.AST, taken: set[str]) -> bool:
    """Whether code changes one of these in place."""
    if isinstance(node, ast.AugAssign):
        return _owner(node.target) in taken
    if isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Load):
        return _owner(node) in taken
    function = node.func if isinstance(node, ast.Call) else None
    return (
        isinstance(function, ast.Attribute)
        and function.attr.endswith("_")
        and _owner(function.value) in taken
    )


def _owner(node: ast.AST) -> str:
    while isinstance(node, (ast.Subscript, ast.Attribute)):
        node = node.value
    return dotted(node)


def _unmoved_names(source: CellSource, data: set[str]) -> dict[str, str]:
    """Take away the moves of data to the card; return them by the name of the data."""
    found: dict[str, str] = {}
    for node in ast.walk(source.tree):
        if not isinstance(node, ast.Assign) or len(node.targets) != 1:
            continue
        targets, values = list(leaves(node.targets[0])), list(leaves(node.value))
        if len(targets) != len(values):
            continue
        pairs = [
            (dotted(expression), value) for expression, value in zip(targets, values, strict=True)
        ]
        moved = {name: _moves_in(source, value) for name, value in pairs if name in data}
        if not any(moved.values()):
            continue
        if any(isinstance(child, Loop) for child in source.parents(node)):
            raise Refused
        found |= {name: _move(source, each[0]) for name, each in moved.items() if each}
        itself = all(
            isinstance(value, ast.Call)
            and isinstance(value.func, ast.Attribute)
            and dotted(value.func.value) == name
            for name, value in pairs
        )
        if itself and all(moved.get(name) for name, _ in pairs):
            source.remove(node)
        else:
            for each in moved.values():
                for call in each:
                    _unmoved(source, call)
    if not data or found.keys() != data:
        raise Refused
    return found


def _moves_in(source: CellSource, value: ast.expr) -> list[ast.Call]:
    """Return what moves a value as a whole, or each part of a list."""
    parts = list(leaves(value.elt)) if isinstance(value, ast.ListComp) else [value]
    return [
        expression
        for expression in parts
        if isinstance(expression, ast.Call) and _move(source, expression)
    ]


def _use_moved(source: CellSource, moves: dict[str, str]) -> None:
    used = [
        node
        for node in ast.walk(source.tree)
        if isinstance(node, ast.Name) and node.id in moves and isinstance(node.ctx, ast.Load)
    ]
    places = sum(_slice_moved(source, node, moves) for node in used)
    if not places and (
        not moves or not _loops_moved(source, set(moves), next(iter(moves.values())))
    ):
        raise Refused


def _move(source: CellSource, node: ast.AST) -> str:
    """Return what moves a value to the card, as a call to write behind it."""
    if not isinstance(node, ast.Call):
        return ""
    if called(node) == "cuda" and not node.args:
        return ".cuda()"
    if called(node) == "to" and len(node.args) == 1 and not node.keywords:
        return f".to({source.text_of(node.args[0])})"
    device = keyword(node, "device")
    return f".to({source.text_of(device.value)})" if device is not None else ""


def _unmoved(source: CellSource, node: ast.expr) -> None:
    """Take away a move, or the device that something is made on."""
    if not isinstance(node, ast.Call) or not _move(source, node):
        return
    if keyword(node, "device") is not None:
        remove_keyword(source, node, "device")
    elif isinstance(node.func, ast.Attribute):
        source.replace((source.span(node.func.value)[1], source.span(node)[1]), "")


def _slice_moved(source: CellSource, node: ast.Name, moves: dict[str, str]) -> int:
    """Move a slice of data in a loop; refuse where data is used otherwise on the card."""
    parents = list(source.parents(node))
    around = parents[0]
    statement = source.statement(node)
    harmless = isinstance(around, ast.Attribute) and around.attr in _SEEN
    moving = assigned(statement) in moves or node.id in names(statement, ast.Store)
    looped = isinstance(around, ast.For) and around.iter is node
    if harmless or looped or called(around) in ("len", "TensorDataset", "enumerate") or moving:
        return 0
    if not isinstance(around, ast.Subscript) or around.value is not node:
        raise Refused
    if not any(isinstance(child, Loop) for child in parents):
        raise Refused
    if not isinstance(around.slice, ast.Slice) and _on_card(source, names(around.slice)):
        raise Refused  # an index on the card does not reach into the host
    if getattr(parents[1], "attr", "") in ("to", "cuda"):
        return 0  # it is moved already
    end = source.span(around)[1]
    source.replace((end, end), moves[node.id])
    return 1


def _on_card(source: CellSource, wanted: set[str]) -> bool:
    return any(
        wanted & names(node, ast.Store) and any(_move(source, child) for child in ast.walk(value))
        for node in ast.walk(source.tree)
        if isinstance(node, (ast.Assign, ast.For))
        for value in [node.value if isinstance(node, ast.Assign) else node.iter]
    )


def _loops_moved(source: CellSource, data: set[str], move: str) -> bool:
    """Move the batches of a loader that is made of this data."""
    made = set(data)
    for node in source.tree.body:
        if isinstance(node, ast.Assign) and mentions(node.value, made):
            made.add(assigned(node))
    return _batches_moved(source, made, move)


def _batches_moved(source: CellSource, loaders: set[str], move: str) -> bool:
    found = False
    for loop in ast.walk(source.tree):
        if not isinstance(loop, ast.For):
            continue
        iterated, target = loop.iter, loop.target
        if called(iterated) in ("enumerate", "tqdm") and isinstance(iterated, ast.Call):
            wrapped = called(iterated) == "enumerate" and isinstance(target, ast.Tuple)
            iterated = iterated.args[0] if iterated.args else iterated
            target = target.elts[1] if wrapped and isinstance(target, ast.Tuple) else target
        batch = [dotted(expression) for expression in leaves(target)]
        if dotted(iterated) not in loaders or not all(batch):
            continue
        code = f"{', '.join(batch)} = {', '.join([each + move for each in batch])}"
        moving = [
            node
            for statement in loop.body
            for node in ast.walk(statement)
            if isinstance(node, ast.Call) and called(node) in ("to", "cuda")
        ]
        if any(mentions(call, set(batch)) for call in moving):
            raise Refused
        source.before(loop.body[0], code)
        found = True
    return found
