"""Numbers wider than anything here needs."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ...text.messages import message
from ..finding import TRADED, Finding

if TYPE_CHECKING:
    from ...holders.groups import Group
    from ...oom.evidence import Evidence

TEXTS = {
    "cause.wide-dtype": (
        "**`float64`: {wide_bytes} of the {in_use_bytes} in tensors** are twice as wide as usual."
    ),
    "cause.wide-dtype.evidence": (
        "The largest is `{name}`. `float32` takes half of it; NumPy's arrays are `float64` unless "
        "they are told otherwise."
    ),
    "cause.wide-dtype.inference": (
        "**Weights in `float32`: {wide_bytes} of the {in_use_bytes} in tensors**, and nothing "
        "trains them."
    ),
    "cause.wide-dtype.evidence_inference": (
        "Half precision is enough for weights that no step changes: `bfloat16` or `float16` takes "
        "half of it."
    ),
}
_SHARE = 0.4
_OF_WEIGHTS = 0.6
_ADAPTED = re.compile(r"\bget_peft_model\(|\bLoraConfig\(")  # adapters beside the weights train
_TRAINS = re.compile(r"\.backward\(|optim|Trainer|\.fit\(|GradientTape|\.train\(\)")
_MOSTLY = 0.9


def check(evidence: Evidence) -> Finding | None:
    """Speak where a good part of what is in use is in double precision."""
    wide = wide_groups(evidence)
    if not wide:
        return _of_inference(evidence)
    size = sum(group.bytes for group in wide)
    return Finding(
        message(
            "cause.wide-dtype", TEXTS, wide_bytes=size, in_use_bytes=evidence.memory.in_use_bytes
        ),
        message("cause.wide-dtype.evidence", TEXTS, name=wide[0].name),
        bytes=size // 2,
        price=TRADED,
        about=tuple(wide),
    )


def wide_groups(evidence: Evidence) -> list[Group]:
    """Return what holds double precision, largest first, where that is a good part of all."""
    wide = [
        group
        for group in evidence.groups
        if group.root and group.share_of_dtype("float64") >= _MOSTLY
    ]
    return wide if evidence.share(sum(group.bytes for group in wide)) >= _SHARE else []


def weights_of_inference(evidence: Evidence) -> list[Group]:
    """Return the models in single precision that no cell trains, where they fill the card.

    Weights under adapters, such as LoRA's, are among them.
    """
    kinds = evidence.kinds
    if evidence.share(kinds.get("parameters", 0) + evidence.being_made_bytes) < _OF_WEIGHTS:
        return []
    sources = [run.source for run in evidence.failure.cells]
    if not any(map(_ADAPTED.search, sources)):
        trains = evidence.scene.running.trains or kinds.get("optimizer_state")
        if trains or kinds.get("gradients") or any(map(_TRAINS.search, sources)):
            return []
    return [
        group
        for group in evidence.groups
        if group.kind == "parameters" and group.share_of_dtype("float32") >= _MOSTLY
    ]


def _of_inference(evidence: Evidence) -> Finding | None:
    wide = weights_of_inference(evidence)
    if not wide:
        return None
    size = sum(group.kinds.get("parameters", 0) for group in wide) + evidence.being_made_bytes
    return Finding(
        message(
            "cause.wide-dtype.inference",
            TEXTS,
            wide_bytes=size,
            in_use_bytes=evidence.memory.in_use_bytes,
        ),
        message("cause.wide-dtype.evidence_inference", TEXTS),
        bytes=size // 2,
        price=TRADED,
        about=tuple(wide),
    )
