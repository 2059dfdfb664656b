"""A cache that only grows: keys and values of attention, results that are looked up again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...text.messages import message
from ..caches import is_cache
from ..finding import TRADED, Finding

if TYPE_CHECKING:
    from ...holders.groups import Group
    from ...oom.evidence import Evidence

TEXTS = {
    "cause.growing-cache": (
        "**`{name}` has grown to {held_bytes}** of the {in_use_bytes} in tensors."
    ),
    "cause.growing-cache.evidence": (
        "A cache of {count} entries on the GPU; it grows with each call, and nothing takes out "
        "of it."
    ),
}
_SHARE = 0.2
_SEVERAL = 2


def check(evidence: Evidence) -> Finding | None:
    """Speak where a container that is a cache by its name or class holds a good part."""
    cache = largest_cache(evidence)
    if cache is None:
        return None
    return Finding(
        message(
            "cause.growing-cache",
            TEXTS,
            name=cache.name,
            held_bytes=cache.bytes,
            in_use_bytes=evidence.memory.in_use_bytes,
        ),
        message("cause.growing-cache.evidence", TEXTS, count=cache.count),
        bytes=cache.bytes,
        price=TRADED,
        grew=True,
        about=(cache,),
    )


def largest_cache(evidence: Evidence) -> Group | None:
    """Return the cache that holds most, where that is a good part of what is in use."""
    running = evidence.scene.running
    for group in evidence.groups:
        if evidence.share(group.bytes) < _SHARE:
            return None
        of_tensors = group.kind in ("tensor", "activations")
        grows = not group.keyed or group.keys & running.growing
        if group.root and of_tensors and grows and group.count >= _SEVERAL and is_cache(group):
            return group
    return None
