"""A framework takes memory as it needs it, and not most of the card when it starts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...edits.start import memory_growth
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
_SETTINGS = {
    "jax": 'import os; os.environ["XLA_PYTHON_CLIENT_PREALLOCATE"] = "false"',
    "tensorflow": 'import os; os.environ["TF_FORCE_GPU_ALLOW_GROWTH"] = "true"',
}


def offer(evidence: Evidence, finding: Finding | None) -> Offer | None:
    """Offer it where another framework of this kernel has reserved much more than it uses."""
    if finding is None or finding.framework is None:
        return None
    found, name = finding.framework, finding.claim["params"]["framework"]
    change = UNCHANGED
    if found.name == "tensorflow":
        change = Edited(edited(evidence, in_first_cell(evidence, memory_growth())).diffs)
    return Offer(
        id="less-preallocation",
        title=message("remedy.less-preallocation", TEXTS, framework=name),
        note=message("remedy.less-preallocation.note", TEXTS),
        effect_bytes=found.cached_bytes,
        type_this=None if change.diffs else _SETTINGS[found.name],
        edited=change,
    )
