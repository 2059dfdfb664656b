"""Data stays on the host and is moved batch by batch, not as a whole."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ..code.find import assigned, called, dotted, keyword, mentions, names
from ..code.flow import leaves
from ..code.source import CellSource, Loop, Refused
from .call import remove_keyword
from .rewrite import rewriting

if TYPE_CHECKING:
    from collections.abc import Mapping

_SEEN = {"shape", "size", "dtype", "ndim"}  # what may be asked of data on the host
_DATASETS = ("Dataset", "IterableDataset", "TensorDataset")


@rewriting
def moved_per_batch(source: CellSource, *data: str) -> None:
    """`moved_per_batch("X", "y")`: these stay on the host, and each batch of them is moved.

    For a cell with both; else `kept_on_host` and `slices_moved`, each in its cell.
    """
    moves = _unmoved_names(source, set(data))
    _use_moved(source, moves)


@rewriting
def kept_on_host(source: CellSource, *data: str) -> None:
    """`kept_on_host("X", "y")`: what moves these to the card as a whole goes.

    `X = X.cuda()`, `.to(device)`, `device=`, also in a comprehension: `[x.cuda() for x in loader]`.
    """
    _unmoved_names(source, set(data))


@rewriting
def slices_moved(source: CellSource, moves: Mapping[str, str]) -> None:
    """`slices_moved(moves_of(text, "X", "y"))`: batches of data on the host are moved where used.

    Slices in the loops of the cell get the move (`X[i : i + n].cuda()`), or the names of a loop
    over the data, or over a `DataLoader` made of it, do. Refused where some is used as a whole.
    """
    _use_moved(source, dict(moves))


def moves_of(text: str, *data: str) -> dict[str, str]:
    """Return how a cell moves data to the card, by name: `{"X": ".cuda()"}`; none in doubt."""
    try:
        return _unmoved_names(CellSource(text), set(data))
    except (Refused, RecursionError):
        return {}


@rewriting
def dataset_on_host(source: CellSource) -> None:
    """`dataset_on_host()`: a `Dataset` makes its items on the host.

    `.cuda()`, `.to(...)` and `device=` go from its methods. The loop has to move the batches then:
    `batches_moved`, by `rewrite.all_of` where it stands in the same cell.
    """
    for node in ast.walk(source.tree):
        if isinstance(node, ast.ClassDef) and any(
            dotted(each).rpartition(".")[2] in _DATASETS for each in node.bases
        ):
            for each in ast.walk(node):
                if isinstance(each, ast.expr):
                    _unmoved(source, each)


@rewriting
def batches_moved(source: CellSource, loader: str, move: str = '.to("cuda")') -> None:
    """`batches_moved(loader, move)`: the loop over a loader moves what it gets, first of all.

    `for x, y in loader:` gets `x, y = x.to("cuda"), y.to("cuda")`.
    """
    if not _batches_moved(source, {loader}, move):
        raise Refused


def _unmoved_names(source: CellSource, data: set[str]) -> dict[str, str]:
    """Take away the moves of data to the card; return them by the name of the data."""
    found: dict[str, str] = {}
    for node in ast.walk(source.tree):
        if not isinstance(node, ast.Assign) or len(node.targets) != 1:
            continue
        targets, values = list(leaves(node.targets[0])), list(leaves(node.value))
        if len(targets) != len(values):
            continue
        pairs = [(dotted(each), value) for each, value in zip(targets, values, strict=True)]
        moved = {name: _moves_in(source, value) for name, value in pairs if name in data}
        if not any(moved.values()):
            continue
        if any(isinstance(each, Loop) for each in source.parents(node)):
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
    return [each for each in parts if isinstance(each, ast.Call) and _move(source, each)]


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
    if not any(isinstance(each, Loop) for each in parents):
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
        wanted & names(node, ast.Store) and any(_move(source, each) for each in ast.walk(value))
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
        batch = [dotted(each) for each in leaves(target)]
        if dotted(iterated) not in loaders or not all(batch):
            continue
        code = f"{', '.join(batch)} = {', '.join([each + move for each in batch])}"
        moving = [
            node
            for each in loop.body
            for node in ast.walk(each)
            if isinstance(node, ast.Call) and called(node) in ("to", "cuda")
        ]
        if any(mentions(each, set(batch)) for each in moving):
            raise Refused
        source.before(loop.body[0], code)
        found = True
    return found
