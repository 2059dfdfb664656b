"""Tensors without graphs that pile up on the card: predictions, features, a replay buffer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...text.messages import message
from ..caches import is_cache, of_evaluation
from ..finding import A_LINE, Finding
from .data_on_card import is_moving
from .kept_copies import copies

if TYPE_CHECKING:
    from ...holders.groups import Group
    from ...oom.evidence import Evidence

TEXTS = {
    "cause.kept-tensors": (
        "**`{name}` keeps {count} tensors on the GPU: {held_bytes}** of the {in_use_bytes} in "
        "tensors."
    ),
    "cause.kept-tensors.one": (
        "**`{name}` keeps {held_bytes} on the GPU** of the {in_use_bytes} in tensors."
    ),
    "cause.kept-tensors.evidence_one": (
        "Each round of the loop makes it anew, and larger: now it is {shape} in {dtype}, and the "
        "old one and the new one are there at once. It need not be on the GPU."
    ),
    "cause.kept-tensors.evidence": (
        "Each round of the loop adds more, such as {alike} of {shape} in {dtype}. They need not "
        "be on the GPU."
    ),
    "cause.kept-tensors.collecting": (
        "**A comprehension keeps its values on the GPU: {held_bytes}** of the {in_use_bytes} in "
        "tensors."
    ),
    "cause.kept-tensors.evidence_collecting": (
        "It keeps what each of its rounds makes until the last one is done. They need not be on "
        "the GPU; the error has let go of them."
    ),
}
_SHARE = 0.15
_SEVERAL = 3


def check(evidence: Evidence) -> Finding | None:
    """Speak where the running code adds to a container of tensors that holds a good part."""
    kept = largest_kept(evidence)
    if kept is None:
        return _collecting(evidence)
    shape, dtype, alike = kept.commonest
    held: dict[str, str | int | None] = {
        "name": kept.name,
        "held_bytes": kept.bytes,
        "in_use_bytes": evidence.memory.in_use_bytes,
    }
    if kept.count == 1:
        claim = message("cause.kept-tensors.one", TEXTS, **held)
        which = "cause.kept-tensors.evidence_one"
        said = message(which, TEXTS, shape=str(list(shape)), dtype=dtype)
    else:
        claim = message("cause.kept-tensors", TEXTS, count=kept.count, **held)
        which = "cause.kept-tensors.evidence"
        said = message(which, TEXTS, alike=alike, shape=str(list(shape)), dtype=dtype)
    return Finding(
        claim,
        said,
        bytes=kept.bytes,
        price=A_LINE,
        grew=True,
        about=(kept,),
    )


def _collecting(evidence: Evidence) -> Finding | None:
    """A comprehension calls a model in each round; its list has no name before it is done."""
    size = evidence.collected_bytes
    if not size or evidence.scene.running.trains or evidence.share(size) < _SHARE:
        return None
    return Finding(
        message(
            "cause.kept-tensors.collecting",
            TEXTS,
            held_bytes=size,
            in_use_bytes=evidence.memory.in_use_bytes,
        ),
        message("cause.kept-tensors.evidence_collecting", TEXTS),
        bytes=size,
        price=A_LINE,
        grew=True,
    )


def largest_kept(evidence: Evidence) -> Group | None:
    """Return the largest container of tensors without graphs that the running code adds to."""
    if is_moving(evidence):
        return None  # data that are being loaded
    found = copies(evidence)
    others = [] if found is None else found[1]
    return next(
        (
            group
            for group in piles(evidence)
            if not is_cache(group) and not any(group is other for other in others)
        ),
        None,
    )


def piles(evidence: Evidence) -> list[Group]:
    """Return the containers of tensors without graphs that the running code adds to."""
    running = evidence.scene.running
    return [
        group
        for group in evidence.groups
        if group.root
        and (
            (group.count >= _SEVERAL and group.keys & running.growing)
            or group.keys & running.adding
            or of_evaluation(group)
        )
        and group.kind == "tensor"
        and group.graph_bytes < group.bytes / 2
        and evidence.share(group.bytes) >= _SHARE
    ]
