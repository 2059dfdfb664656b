"""Another card of this machine, with room enough now."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...text.messages import message
from ..remedy import Offer

if TYPE_CHECKING:
    from ...oom.evidence import Evidence
    from ..finding import Finding

TREATS: tuple[str, ...] = ("other-programs", "model-too-large", "activations", "huge-request")
TEXTS = {
    "remedy.other-gpu": "GPU {index} has {free_bytes} free",
    "remedy.other-gpu.note": (
        "At least {needed_bytes} were needed on GPU {failed}. Models and data go to the other one "
        "by `cuda:{index}` in the place of `cuda`."
    ),
}


def offer(evidence: Evidence, finding: Finding | None) -> Offer | None:
    """Offer the one with the most room where the program would have more than it needed."""
    memory, requested = evidence.memory, evidence.requested_bytes
    if finding is None or memory.in_use_bytes is None or requested is None:
        return None
    trains = evidence.scene.running.trains
    needed = evidence.peak.step_bytes if trains else memory.in_use_bytes + requested
    rooms = [(device.free_bytes or 0, device.index) for device in evidence.failure.other_devices]
    free, index = max(rooms, default=(0, 0))
    if free < needed:
        return None
    return Offer(
        title=message("remedy.other-gpu", TEXTS, index=index, free_bytes=free),
        note=message(
            "remedy.other-gpu.note",
            TEXTS,
            needed_bytes=needed,
            failed=evidence.device_index,
            index=index,
        ),
        effect_bytes=None,
        rank=2,
    )
