"""An optimizer that remembers less."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...text.messages import message
from ..remedy import Offer
from ..rules import model_too_large

if TYPE_CHECKING:
    from ...oom.evidence import Evidence

TREATS: tuple[str, ...] = ("model-too-large",)
TEXTS = {
    "remedy.lighter-optimizer": "An optimizer with less state",
    "remedy.lighter-optimizer.note": (
        "The state takes {optimizer_bytes}. `SGD` without momentum keeps none, "
        "8-bit optimizers about a quarter. Training changes."
    ),
}
_SHARE = 0.2


def offer(evidence: Evidence) -> Offer | None:
    """Offer it where the model fills the card and the optimizer's state is a good part of it."""
    state = evidence.kinds.get("optimizer_state", 0)
    if evidence.share(state) < _SHARE or model_too_large.check(evidence) is None:
        return None
    return Offer(
        id="lighter-optimizer",
        title=message("remedy.lighter-optimizer", TEXTS),
        note=message("remedy.lighter-optimizer.note", TEXTS, optimizer_bytes=state),
        effect_bytes=state,
        rank=2,
    )
