"""Causes that are data or copies of a model on the GPU."""

from __future__ import annotations

import ast
import re
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from ...code.find import names
from ...oom.failing_line import CALLS_MODEL
from ..finding import A_LINE, cause

if TYPE_CHECKING:
    from ...holders.groups import Group
    from ...oom.evidence import Evidence
    from ...oom.operation import Operand
    from ..finding import Finding

TEXTS = {
    "cause.kept-copies": (
        "**`{name}` keeps {held_bytes} of copies of `{model}`** on the GPU, of the {in_use_bytes} "
        "in tensors."
    ),
    "cause.kept-copies.evidence": (
        "Its {count} tensors have the shapes of the model's own: a checkpoint, a best model, an "
        "average or a teacher can stay on the host, or in half precision."
    ),
    "cause.kept-copies.evidence_anew": (
        "Another model is being made while `{model}` is still there, and its optimizer with it: "
        "`del` both first if you no longer need them."
    ),
    "cause.kept-copies.again": (
        "**`{model}` from before still holds {held_bytes}** of the {in_use_bytes} in tensors."
    ),
    "cause.kept-copies.evidence_optimizer": (
        "`{name}` is an optimizer of a model that no name leads to any more: the model was "
        "re-created, and the optimizer keeps the old one."
    ),
    "cause.data-on-gpu": (
        "**Data on the GPU: {held_bytes} of the {in_use_bytes} in tensors**, in `{name}`."
    ),
    "cause.data-on-gpu.evidence": (
        "All of it is on the GPU, such as {shape} in {dtype}. Only a batch has to be: the whole "
        "set can stay on the host."
    ),
    "cause.data-on-gpu.moving": (
        "**Data on the GPU: {held_bytes} of the {in_use_bytes} in tensors** were being put there."
    ),
    "cause.data-on-gpu.evidence_moving": (
        "`{expression}` moves data to the GPU piece by piece, before any model uses them. Only a "
        "batch has to be on the GPU: the whole set can stay on the host."
    ),
}
_CACHE = re.compile(r"cache|past_?key|_kv$|^kvs?$|memo(?:s|ized)?$", re.IGNORECASE)

# Functions of Transformers' trainer that gather what it predicts.
_EVALUATES = ("evaluation_loop", "prediction_loop", "nested_concat", "torch_pad_and_concatenate")


def is_cache(group: Group) -> bool:
    """Whether a container is called a cache, or its class is, or an object keeps it by keys."""
    if group.keyed and "." in group.path:
        return True
    return any(_CACHE.search(text) for text in (group.last_name, group.type_name or ""))


def of_evaluation(group: Group) -> bool:
    """Whether a trainer's own loop of evaluation keeps it."""
    return group.function.rpartition(".")[2] in _EVALUATES


class Bound(NamedTuple):
    """Estimated number of entries that a container will have in the end, and their bytes.

    `is_own`: the limit is the container's own, as `maxlen` of a `deque`.
    """

    entries: int
    bytes: int
    is_own: bool


def bound_of(evidence: Evidence, group: Group) -> Bound | None:
    """Return the final size of a growing container, if its `maxlen` or the loop shows it.

    A loop shows it if each iteration has added the same number of entries.
    """
    numbers, rounds, name = evidence.scene.numbers, evidence.scene.running.rounds, group.last_name
    ends = [n for n, names in numbers.items() if f"{name}.maxlen" in names and n >= group.count]
    most = min(ends, default=0)
    if rounds is not None and not most and group.keys & evidence.scene.running.growing:
        done, total = rounds
        per_round = round(group.count / done)
        most = (
            per_round * total
            if per_round and abs(group.count - per_round * done) <= 1 + done * _UNEVEN
            else 0
        )
    needed = int(group.bytes * most / group.count)
    return Bound(most, needed, bool(ends)) if most > group.count else None


_UNEVEN = 0.05  # rounds that put nothing in
_COPY_SHARE = 0.1
_ALIKE = 0.8
_MUCH = 0.2


def kept_copies(evidence: Evidence) -> Finding | None:
    """Find a cause where large tensors under names have the same shapes as a model's."""
    pair = copies(evidence)
    replaced = _of_old(evidence)
    if replaced is not None or pair is None:
        return replaced
    model, duplicates = pair
    size, first = sum(group.bytes for group in duplicates), duplicates[0]
    old = first.count == 1 and bool(first.kinds.get("optimizer_state")) and not first.graphs
    end, count = "evidence_optimizer" if old else "evidence", sum(first.shapes.values())
    params = {"name": first.name, "model": model.name, "held_bytes": size, "count": count}
    more = {"grew": bool(first.keys & evidence.scene.running.growing), "about": tuple(duplicates)}
    return cause(evidence, TEXTS, "kept-copies", end, params, price=A_LINE, is_left=old, **more)


def _of_old(evidence: Evidence) -> Finding | None:
    """Find the old model that the failing statement was about to replace."""
    named = {model.name: model.type_name for model in evidence.models}
    making = {
        module.type_name for module in evidence.scene.modules if module.function == "__init__"
    }
    state = sum(group.bytes for group in evidence.groups if group.kinds.get("optimizer_state"))
    running, keys = evidence.scene.running, {module.key for module in evidence.scene.modules}
    moving = {model.name for model in evidence.models if model.key in keys}
    for group in evidence.groups:
        if group.keys & (running.growing | running.adding) or group.path in moving:
            continue  # what is being made becomes a part of it, or it is moved itself
        replaced = is_replaced(evidence, group)
        again = replaced or group.keys & running.assigning or named.get(group.path) in making
        least = _COPY_SHARE if again else _MUCH
        is_model = group.path in named and group.origin == "names"
        name = group.root if replaced else group.name  # with a cache beside its model
        parts = [e for e in evidence.groups if e is group or (replaced and e.root == name)]
        size = state + sum(part.bytes for part in parts)
        if is_model and (again or making) and evidence.share(size) >= least:
            rule, end, more = "kept-copies.again", "evidence_anew", {"about": (group,)}
            params = {"model": name, "held_bytes": size}
            return cause(evidence, TEXTS, rule, end, params, price=A_LINE, is_remade=True, **more)
    return None


def is_replaced(evidence: Evidence, group: Group) -> bool:
    """Whether a new object was being made for the name that a group belongs to."""
    running = evidence.scene.running
    is_old = group.root in running.assigning - running.previous and group.path != group.root
    return is_old and "__init__" in running.functions


def copies(evidence: Evidence) -> tuple[Group, list[Group]] | None:
    """Return the model that trains, or the largest, and what else holds tensors of its shapes."""
    modes = {module.name: module.training for module in evidence.models}
    models = [group for group in evidence.groups if group.path in modes]
    # Of `torch.autograd.grad`: what a loop collects of it has the shapes of the model, too.
    takes_gradients = ("grad", "_engine_run_backward") in pairwise(evidence.scene.running.functions)
    models.sort(
        key=lambda group: (-group.kinds.get("gradients", 0), not modes[group.path], -group.bytes)
    )
    for model in models:
        duplicates = [
            group
            for group in evidence.groups
            if group is not model and group.root and _is_like(group, model)
            if not (takes_gradients and group.keys & evidence.scene.running.growing)
        ]
        if duplicates and evidence.share(sum(group.bytes for group in duplicates)) >= _COPY_SHARE:
            return model, duplicates
    return None


def copied(evidence: Evidence) -> set[int]:
    """Return the ids of the groups that are copies of a model."""
    _, duplicates = copies(evidence) or (None, [])
    return set(map(id, duplicates))


def _is_like(group: Group, model: Group) -> bool:
    """Whether most of a group are tensors of shapes that a model has as well, and are most of it.

    A list of checkpoints has each of them several times.
    """
    if group.kind not in ("tensor", "parameters", "optimizer_state") or not model.shapes:
        return False
    shapes = {shape for shape, _, _ in model.shapes if shape}
    alike = sum(
        shape_key[2] * count for shape_key, count in group.shapes.items() if shape_key[0] in shapes
    )
    total = sum(shape_key[2] * count for shape_key, count in group.shapes.items())
    covered = {shape for shape, _, _ in group.shapes} & shapes
    of_model = sum(
        shape_key[2] * count for shape_key, count in model.shapes.items() if shape_key[0] in covered
    )
    of_all = sum(shape_key[2] * count for shape_key, count in model.shapes.items())
    several = len(covered) > 1 or len(shapes) == 1
    return several and alike >= _ALIKE * max(total, 1) and of_model >= _ALIKE * of_all


_DATA_SHARE = 0.2
_MOSTLY = 0.5
_LOADS = ("<module>", "__init__", "<listcomp>", "<dictcomp>", "<genexpr>")
# `x.to(device)`, whatever the device is called: it was the GPU that could not hold it.
_TO_GPU = re.compile(r"cuda|\bdev(?:ice)?\b", re.IGNORECASE)
_MOVES = ("cuda", "to", "as_tensor", "tensor", "from_numpy", "randn", "rand", "zeros", "ones")


def data_on_gpu(evidence: Evidence) -> Finding | None:
    """Find a cause where plain tensors, not made by a forward pass, use much of the memory."""
    data = _data(evidence)
    size = sum(group.bytes for group in data)
    if not data or evidence.share(size) < _DATA_SHARE:
        return _moving(evidence)
    shape, dtype, _ = data[0].commonest
    name = ", ".join([group.name for group in data[:3]])
    facts = {"name": name, "held_bytes": size, "shape": str(list(shape)), "dtype": dtype}
    return cause(evidence, TEXTS, "data-on-gpu", "evidence", facts, price=A_LINE, about=tuple(data))


def _data(evidence: Evidence) -> list[Group]:
    """Return the names of plain tensors that neither the running code nor a model has made.

    What variables of a library's hold was made during the failing call; it is data where it has
    the shape of all that the call was given.
    """
    running, operand = evidence.scene.running, moved_whole(evidence)
    own = {"", *running.own}
    filled_keys = running.growing | running.adding | running.of_libraries
    copy_ids = copied(evidence)
    data = [
        group
        for group in evidence.groups
        if group.root
        and group.origin in ("names", "traceback")
        and (group.function.rpartition(".")[2] in own or _is_of(operand, group))
        and group.function.rpartition(".")[2] not in ("forward", "__call__", *CALLS_MODEL)
        and group.kind == "tensor"
        and not group.suspended
        and not group.keys & filled_keys
        and not evidence.is_of_round(group)
        and group.root not in running.previous
        and not is_cache(group)
        and id(group) not in copy_ids
        and not evidence.is_batch(group)
        and not of_evaluation(group)
    ]
    results = _results(evidence) if data else ()
    return [group for group in data if group.name not in results]


def moved_whole(evidence: Evidence) -> Operand | None:
    """Return what the failing call moves to the GPU as a whole, where no model was running."""
    call = evidence.scene.call
    if call is None or evidence.scene.modules or not _TO_GPU.search(call.text):
        return None
    return next(
        (operand for operand in call.operands if len(operand.shape) > 1 and not operand.bytes), None
    )


def _is_of(whole: Operand | None, group: Group) -> bool:
    """Whether each of its tensors has the shape of what was moved, or ends in it."""
    shapes = [shape for shape, _, _ in group.shapes]
    return whole is not None and all(shape[-len(whole.shape) :] == whole.shape for shape in shapes)


def _results(evidence: Evidence) -> set[str]:
    """Return what cells have from calls that were given a model: that is no data."""
    models = {model.name for model in evidence.models}
    return {
        name
        for _, node in evidence.notebook.nodes()
        if isinstance(node, ast.Assign)
        and isinstance(node.value, ast.Call)
        and names(node.value) & models
        for target in node.targets
        for name in names(target, ast.Store)
    }


def _moving(evidence: Evidence) -> Finding | None:
    """The failing expression itself moves data, outside of any model: they have no name yet."""
    operation, came_back = evidence.scene.operation, evidence.temporary_bytes
    if operation is None or not is_moving(evidence):
        return None
    plain = sum(
        group.bytes
        for group in evidence.groups
        if group.kind == "tensor" and group.origin != "outputs" and not group.suspended
    )
    size = came_back + plain
    if evidence.share(size) < _MOSTLY:
        return None
    params = {"held_bytes": size, "expression": operation.text}
    return cause(evidence, TEXTS, "data-on-gpu.moving", "evidence_moving", params, price=A_LINE)


def is_moving(evidence: Evidence) -> bool:
    """Whether the failing expression puts data on the GPU while they are loaded."""
    operation, own = evidence.scene.operation, evidence.scene.running.own
    moves = operation is not None and operation.name in _MOVES and _TO_GPU.search(operation.text)
    loads = not own or own[-1] in _LOADS
    bounds = [bound_of(evidence, group) for group in evidence.groups if group.root]
    fills = any(bound is not None and bound.is_own for bound in bounds)
    return bool(moves and loads and not evidence.scene.modules and not fills)
