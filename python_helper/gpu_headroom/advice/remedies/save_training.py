"""Save what was trained so far, and go on from there after a restart."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...edits.resume import file_stem
from ...text.messages import message
from ..remedy import Offer

if TYPE_CHECKING:
    from ...oom.evidence import Evidence
    from ..finding import Finding

TREATS: tuple[str, ...] = ()
TEXTS = {
    "remedy.save-training": "Save model and optimizer state",
    "remedy.save-training.note": (
        "A file of about {file_bytes} with `{names}`, and a cell that loads it. "
        "It takes no GPU memory. Counters, the order of the data and random numbers are not in it."
    ),
    "remedy.save-training.note_in_step": (
        "A file of about {file_bytes} with `{names}`, and a cell that loads it. "
        "It takes no GPU memory. The optimizer failed in the middle of a step: some weights may "
        "be a step ahead. Counters, the order of the data and random numbers are not in it."
    ),
}


def offer(evidence: Evidence, _finding: Finding | None) -> Offer | None:
    """Offer it after a failure in training, where names lead to all that was trained."""
    training = evidence.training
    if training is None:
        return None
    params: dict[str, Any] = {"file_bytes": training.bytes, "names": ", ".join(training.names)}
    note = message("remedy.save-training.note", TEXTS, **params)
    if evidence.scene.running.in_optimizer:
        note = message("remedy.save-training.note_in_step", TEXTS, **params)
    stem = file_stem(evidence.failure.cell.execution_count, evidence.failure.time_s)
    states = ", ".join(f"{name!r}: {name}.state_dict()" for name in training.names)
    return Offer(
        kind="save",
        title=message("remedy.save-training", TEXTS),
        note=note,
        effect_bytes=None,
        type_this=f"import torch; torch.save({{{states}}}, open('{stem}.pt', 'xb'))",
    )
