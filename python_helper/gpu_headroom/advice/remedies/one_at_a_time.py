"""One task after the other."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ...edits.one_at_a_time import awaited_in_turn, one_worker
from ...text.messages import message
from ..editing import edited, in_first_cell
from ..remedy import Offer

if TYPE_CHECKING:
    from ...oom.evidence import Evidence
    from ..finding import Finding

TREATS: tuple[str, ...] = ("several-tasks",)
TEXTS = {
    "remedy.one-at-a-time": "Run the tasks one after the other",
    "remedy.one-at-a-time.note": (
        "What one of them needs is then on the GPU at a time. It may take longer; where there is "
        "room for two, let two run."
    ),
}
_ALIASES = re.compile(r"\bThreadPoolExecutor as (\w+)")


def offer(evidence: Evidence, _finding: Finding | None) -> Offer | None:
    """Offer it where several tasks were begun at once."""
    if not evidence.scene.running.at_once:
        return None
    texts = [run.source for run in evidence.failure.cells]
    aliases = [name for text in texts for name in _ALIASES.findall(text)]
    changes = in_first_cell(evidence, awaited_in_turn(), one_worker(*aliases))
    return Offer(
        title=message("remedy.one-at-a-time", TEXTS),
        note=message("remedy.one-at-a-time.note", TEXTS),
        effect_bytes=None,
        edited=edited(evidence, changes),
    )
