"""Causes that are data or copies of a model on the GPU."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING, NamedTuple

from ...code.find import names
from ...oom.failing_line import CALLS_MODEL
from ...text.messages import message
from ..finding import A_LINE, Finding, claim

if TYPE_CHECKING:
    from ...holders.groups import Group
    from ...oom.evidence import Evidence

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
        "`del` both first, where they are not needed any more."
    ),
    "cause.kept-copies.again": (
        "**`{model}` from before still holds {held_bytes}** of the {in_use_bytes} in tensors."
    ),
    "cause.kept-copies.evidence_optimizer": (
        "`{name}` is an optimizer of a model that no name leads to any more: the model was made "
        "anew, and the old one stays for it."
    ),
    "cause.data-on-card": (
        "**Data on the GPU: {held_bytes} of the {in_use_bytes} in tensors**, in `{name}`."
    ),
    "cause.data-on-card.evidence": (
        "{count} tensors such as {shape} in {dtype} have been there since before this pass. A "
        "batch needs to be on the GPU, the whole set can stay on the host."
    ),
    "cause.data-on-card.evidence_one": (
        "A tensor of {shape} in {dtype} has been there since before this pass. A batch needs to be "
        "on the GPU, the whole set can stay on the host."
    ),
    "cause.data-on-card.moving": (
        "**Data on the GPU: {held_bytes} of the {in_use_bytes} in tensors** were being put there."
    ),
    "cause.data-on-card.evidence_moving": (
        "`{expression}` puts data on the GPU, piece by piece, and no model has seen them yet. A "
        "batch needs to be on the GPU, the whole set can stay on the host."
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
    """How many entries a container will have at its end, about, and the bytes that it needs then.

    `is_own`: it is a `deque` that takes no more.
    """

    entries: int
    bytes: int
    is_own: bool


def bound_of(evidence: Evidence, group: Group) -> Bound | None:
    """Return what a growing container comes to, where a `maxlen` or the loop around tells.

    A loop tells where each of its rounds has put in as many entries.
    """
    numbers, rounds, name = evidence.scene.numbers, evidence.scene.running.rounds, group.last_name
    ends = [n for n, names in numbers.items() if f"{name}.maxlen" in names and n >= group.count]
    most = min(ends, default=0)
    if rounds is not None and not most and group.keys & evidence.scene.running.growing:
        done, total = rounds
        each = round(group.count / done)
        most = each * total if each and abs(group.count - each * done) <= 1 + done * _UNEVEN else 0
    needed = int(group.bytes * most / group.count)
    return Bound(most, needed, bool(ends)) if most > group.count else None


_UNEVEN = 0.05  # rounds that put nothing in
_COPY_SHARE = 0.1
_ALIKE = 0.8
_MUCH = 0.2


def kept_copies(evidence: Evidence) -> Finding | None:
    """Speak where names hold tensors of the same shapes as a model's, and a good part."""
    found = copies(evidence)
    replaced = _of_old(evidence)
    if replaced is not None or found is None:
        return replaced
    model, kept = found
    size, first = sum(group.bytes for group in kept), kept[0]
    count = sum(first.shapes.values())
    old = first.count == 1 and bool(first.kinds.get("optimizer_state")) and not first.graphs
    which = "cause.kept-copies.evidence_optimizer" if old else "cause.kept-copies.evidence"
    return Finding(
        claim(
            evidence,
            "cause.kept-copies",
            TEXTS,
            name=first.name,
            model=model.name,
            held_bytes=size,
        ),
        message(which, TEXTS, name=first.name) if old else message(which, TEXTS, count=count),
        bytes=size,
        price=A_LINE,
        grew=bool(first.keys & evidence.scene.running.growing),
        about=tuple(kept),
        is_left=old,
    )


def _of_old(evidence: Evidence) -> Finding | None:
    """Speak of the model that the failing statement was to put another in the place of."""
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
        again = group.keys & running.assigning or named.get(group.path) in making
        least = _COPY_SHARE if again else _MUCH
        is_model = group.path in named and group.origin == "names"
        size, name = group.bytes + state, group.name
        if is_model and (again or making) and evidence.share(size) >= least:
            return Finding(
                claim(evidence, "cause.kept-copies.again", TEXTS, model=name, held_bytes=size),
                message("cause.kept-copies.evidence_anew", TEXTS, model=name),
                bytes=size,
                price=A_LINE,
                about=(group,),
                is_remade=True,
            )
    return None


def copies(evidence: Evidence) -> tuple[Group, list[Group]] | None:
    """Return the model that trains, or the largest, and what else holds tensors of its shapes."""
    modes = {each.name: each.training for each in evidence.models}
    models = [group for group in evidence.groups if group.path in modes]
    models.sort(
        key=lambda group: (-group.kinds.get("gradients", 0), not modes[group.path], -group.bytes)
    )
    for model in models:
        kept = [
            group
            for group in evidence.groups
            if group is not model and group.root and _is_like(group, model)
        ]
        if kept and evidence.share(sum(group.bytes for group in kept)) >= _COPY_SHARE:
            return model, kept
    return None


def _is_like(group: Group, model: Group) -> bool:
    """Whether most of a group are tensors of shapes that a model has as well, and are most of it.

    A list of checkpoints has each of them several times.
    """
    if group.kind not in ("tensor", "parameters", "optimizer_state") or not model.shapes:
        return False
    shapes = {shape for shape, _, _ in model.shapes if shape}
    alike = sum(each[2] * count for each, count in group.shapes.items() if each[0] in shapes)
    total = sum(each[2] * count for each, count in group.shapes.items())
    covered = {shape for shape, _, _ in group.shapes} & shapes
    of_model = sum(each[2] * count for each, count in model.shapes.items() if each[0] in covered)
    of_all = sum(each[2] * count for each, count in model.shapes.items())
    several = len(covered) > 1 or len(shapes) == 1
    return several and alike >= _ALIKE * max(total, 1) and of_model >= _ALIKE * of_all


_DATA_SHARE = 0.2
_MOSTLY = 0.5
_LOADS = ("<module>", "__init__", "<listcomp>", "<dictcomp>", "<genexpr>")
# `x.to(device)`, whatever the device is called: it was the card that could not hold it.
_TO_CARD = re.compile(r"cuda|\bdev(?:ice)?\b", re.IGNORECASE)
_MOVES = ("cuda", "to", "as_tensor", "tensor", "from_numpy", "randn", "rand", "zeros", "ones")


def data_on_card(evidence: Evidence) -> Finding | None:
    """Speak where plain tensors that no forward pass made hold a good part of what is in use."""
    data = _data(evidence)
    size = sum(group.bytes for group in data)
    if not data or evidence.share(size) < _DATA_SHARE:
        return _moving(evidence)
    shape, dtype, _ = data[0].commonest
    count = sum(sum(group.shapes.values()) for group in data)
    which = "cause.data-on-card.evidence" if count > 1 else "cause.data-on-card.evidence_one"
    said: dict[str, str | int] = {"shape": str(list(shape)), "dtype": dtype}
    name = ", ".join([group.name for group in data[:3]])
    return Finding(
        claim(evidence, "cause.data-on-card", TEXTS, held_bytes=size, name=name),
        message(which, TEXTS, **said, **({"count": count} if count > 1 else {})),
        bytes=size,
        price=A_LINE,
        about=tuple(data),
    )


def _data(evidence: Evidence) -> list[Group]:
    """Return the names of plain tensors that neither the running code nor a model has made.

    What variables of a library's hold was made during the failing call.
    """
    running = evidence.scene.running
    own = {"", *running.own}
    made = running.growing | running.adding | running.bound | running.of_libraries
    found = copies(evidence)
    others = set[int]() if found is None else set(map(id, found[1]))
    data = [
        group
        for group in evidence.groups
        if group.root
        and group.origin in ("names", "traceback")
        and group.function.rpartition(".")[2] in own
        and group.kind == "tensor"
        and not group.suspended
        and not group.keys & made
        and group.root not in running.previous
        and not is_cache(group)
        and id(group) not in others
        and not _is_inside(group)
        and not evidence.is_batch(group)
        and not of_evaluation(group)
    ]
    results = _results(evidence) if data else ()
    return [group for group in data if group.name not in results]


def _is_inside(group: Group) -> bool:
    """Whether it is a variable of a function other than those that run a loop over data."""
    return group.function.rpartition(".")[2] in ("forward", "__call__", *CALLS_MODEL)


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
    return Finding(
        claim(evidence, "cause.data-on-card.moving", TEXTS, held_bytes=size),
        message("cause.data-on-card.evidence_moving", TEXTS, expression=operation.text),
        bytes=size,
        price=A_LINE,
    )


def is_moving(evidence: Evidence) -> bool:
    """Whether the failing expression puts data on the card while they are loaded."""
    operation, own = evidence.scene.operation, evidence.scene.running.own
    moves = operation is not None and operation.name in _MOVES and _TO_CARD.search(operation.text)
    loads = not own or own[-1] in _LOADS
    bounds = [bound_of(evidence, group) for group in evidence.groups if group.root]
    fills = any(bound is not None and bound.is_own for bound in bounds)
    return bool(moves and loads and not evidence.scene.modules and not fills)
