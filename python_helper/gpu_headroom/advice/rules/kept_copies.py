"""A model that is on the card more than once: a teacher, an average, a checkpoint, an old one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...text.messages import message
from ..finding import A_LINE, Finding

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
}
_SHARE = 0.1
_ALIKE = 0.8
_MUCH = 0.2


def check(evidence: Evidence) -> Finding | None:
    """Speak where names hold tensors of the same shapes as a model's, and a good part."""
    old_model = made_anew(evidence)
    if old_model is not None:
        return _of_old(evidence, old_model)
    found = copies(evidence)
    if found is None:
        return None
    model, kept = found
    size, first = sum(group.bytes for group in kept), kept[0]
    count = sum(first.shapes.values())
    old = first.count == 1 and bool(first.kinds.get("optimizer_state")) and not first.graphs
    which = "cause.kept-copies.evidence_optimizer" if old else "cause.kept-copies.evidence"
    return Finding(
        message(
            "cause.kept-copies",
            TEXTS,
            name=first.name,
            model=model.name,
            held_bytes=size,
            in_use_bytes=evidence.memory.in_use_bytes,
        ),
        message(which, TEXTS, name=first.name) if old else message(which, TEXTS, count=count),
        bytes=size,
        price=A_LINE,
        grew=bool(first.keys & evidence.scene.running.growing),
        about=tuple(kept),
        is_left=old,
    )


def made_anew(evidence: Evidence) -> Group | None:
    """Return the model that the failing statement was to put another in the place of."""
    named = {model.name: model.type_name for model in evidence.models}
    making = {
        module.type_name for module in evidence.scene.modules if module.function == "__init__"
    }
    state = sum(each.bytes for each in evidence.groups if each.kinds.get("optimizer_state"))
    running = evidence.scene.running
    for group in evidence.groups:
        if group.keys & (running.growing | running.adding):
            continue  # what is being made becomes a part of it
        again = group.keys & running.assigning or named.get(group.path) in making
        least = _SHARE if again else _MUCH
        is_model = group.path in named and group.origin == "names"
        if is_model and (again or making) and evidence.share(group.bytes + state) >= least:
            return group
    return None


def _of_old(evidence: Evidence, model: Group) -> Finding:
    state = sum(group.bytes for group in evidence.groups if group.kinds.get("optimizer_state"))
    size = model.bytes + state
    return Finding(
        message(
            "cause.kept-copies.again",
            TEXTS,
            model=model.name,
            held_bytes=size,
            in_use_bytes=evidence.memory.in_use_bytes,
        ),
        message("cause.kept-copies.evidence_anew", TEXTS, model=model.name),
        bytes=size,
        price=A_LINE,
        about=(model,),
        is_remade=True,
    )


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
        if kept and evidence.share(sum(group.bytes for group in kept)) >= _SHARE:
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
