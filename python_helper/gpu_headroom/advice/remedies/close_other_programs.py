"""Somebody else's memory, given back by somebody else."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...text.messages import message
from ..remedy import Offer

if TYPE_CHECKING:
    from ...oom.evidence import Evidence
    from ..finding import Finding

TREATS: tuple[str, ...] = ("other-programs",)
TEXTS = {
    "remedy.close-other-programs": "Free the GPU from other programs",
    "remedy.close-other-programs.note": (
        "Shut down other notebooks' kernels on this GPU; `nvidia-smi` lists all programs."
    ),
    "remedy.close-other-programs.notebooks": "Shut down other notebooks on this GPU",
    "remedy.close-other-programs.note_notebooks": (
        "Their variables are lost. `nvidia-smi` lists all programs."
    ),
    "remedy.close-other-programs.started": "End the processes that this notebook started",
    "remedy.close-other-programs.note_started": (
        "Workers of a pool and ranks of a launcher each have a context and tensors of their own: "
        "close the pool, or start fewer of them. `nvidia-smi` lists all programs."
    ),
}
_SAYS = {
    "programs": ("remedy.close-other-programs", "remedy.close-other-programs.note"),
    "notebooks": (
        "remedy.close-other-programs.notebooks",
        "remedy.close-other-programs.note_notebooks",
    ),
    "started": ("remedy.close-other-programs.started", "remedy.close-other-programs.note_started"),
}


def offer(evidence: Evidence, finding: Finding | None) -> Offer | None:
    """Offer it where the request would have fitted without what is outside."""
    others = None if finding is None else finding.bytes
    if others is None:
        return None
    title, note = _SAYS[evidence.others.whose(others)]
    return Offer(
        title=message(title, TEXTS),
        note=message(note, TEXTS),
        effect_bytes=others,
        type_this="!nvidia-smi",
    )
