"""All rules and remedies: what a card may name as the cause, and what it may offer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from . import code_fix
from .remedies import (
    close_other_programs,
    detach,
    expandable_segments,
    free_traceback,
    lighter_optimizer,
    no_grad,
    smaller_batch,
    split_request,
)
from .rules import (
    activations,
    earlier_traceback,
    elsewhere,
    evaluation_with_gradients,
    fragmentation,
    huge_request,
    model_too_large,
    other_programs,
    retained_graph,
    unnamed_values,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..oom.evidence import Evidence
    from ..protocol.wire import Cause, Message
    from .remedy import Offer


class _Speaking(Protocol):
    """A module with sentences of its own, by id."""

    TEXTS: dict[str, str]


class _Rule(_Speaking, Protocol):
    """One possible cause; `docs/rules/<id>.md` says what it looks at. Silence beats a guess."""

    def check(self, evidence: Evidence, /) -> tuple[Message, Message] | None:
        """Return the claim and its evidence, where the numbers speak for them."""


class _Remedy(_Speaking, Protocol):
    """Something that helps, offered only where the numbers support it."""

    def offer(self, evidence: Evidence, /) -> Offer | None: ...


# By id, the most specific first: the first that speaks names the cause.
RULES: Mapping[str, _Rule] = {
    "elsewhere": elsewhere,
    "huge-request": huge_request,
    "earlier-traceback": earlier_traceback,
    "fragmentation": fragmentation,
    "other-programs": other_programs,
    "retained-graph": retained_graph,
    "evaluation-with-gradients": evaluation_with_gradients,
    "activations": activations,
    "model-too-large": model_too_large,
    "unnamed-values": unnamed_values,
}
REMEDIES: Sequence[_Remedy] = (
    free_traceback,
    smaller_batch,
    detach,
    no_grad,
    expandable_segments,
    close_other_programs,
    lighter_optimizer,
    split_request,
)
# What they say, for translators.
TEXTS = {
    name: text
    for each in (*RULES.values(), *REMEDIES, code_fix)
    for name, text in each.TEXTS.items()
}
_MOST_OFFERS = 10  # renderers show four, and fold the rest away


def likeliest_cause(evidence: Evidence) -> Cause | None:
    """Return the cause that the first fitting rule names; `None`: no single one stands out."""
    for name, rule in RULES.items():
        said = rule.check(evidence)
        if said is not None:
            return {"rule": name, "claim": said[0], "evidence": said[1], "bytes": None}
    return None


def offers(evidence: Evidence) -> list[Offer]:
    """Return at most ten remedies: what helps the failing line first, then by effect.

    None for the GPU of another process: what is done in this kernel does not reach it.
    """
    if evidence.failure.elsewhere:
        return []
    found = [offer for remedy in REMEDIES if (offer := remedy.offer(evidence)) is not None]
    found.sort(key=lambda offer: (offer.rank, -(offer.effect_bytes or 0)))
    return found[:_MOST_OFFERS]
