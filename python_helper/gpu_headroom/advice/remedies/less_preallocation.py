"""A framework takes memory as it needs it, and not most of the card when it starts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...edits.start import memory_growth
from ...frameworks.registry import SETTINGS
from ...text.messages import message
from ..editing import edited, in_first_cell
from ..remedy import UNCHANGED, Edited, Offer

if TYPE_CHECKING:
    from ...oom.evidence import Evidence
    from ..finding import Finding

TREATS: tuple[str, ...] = ("preallocation",)
TEXTS = {
    "remedy.less-preallocation": "Let {framework} take memory as it needs it",
    "remedy.less-preallocation.note": (
        "It has to be told before it starts: the kernel must be restarted."
    ),
}


def offer(evidence: Evidence, finding: Finding | None) -> Offer | None:
    """Offer it where another framework of this kernel has reserved much more than it uses."""
    if finding is None or finding.framework is None:
        return None
    framework, name = finding.framework, finding.claim["params"]["framework"]
    change = UNCHANGED
    if framework.name == "tensorflow":
        change = Edited(edited(evidence, in_first_cell(evidence, memory_growth())).diffs)
    return Offer(
        title=message("remedy.less-preallocation", TEXTS, framework=name),
        note=message("remedy.less-preallocation.note", TEXTS),
        effect_bytes=framework.cached_bytes,
        type_this=None if change.diffs else SETTINGS[framework.name],
        edited=change,
    )
