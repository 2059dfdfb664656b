"""What a rule is: an id, a page of documentation, and a pure function.

`docs/rules/<id>.md` says what a rule looks at and when it keeps silent. Silence beats a guess.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..oom.evidence import Evidence
    from ..protocol.wire import Cause, Message


@dataclass(frozen=True, slots=True)
class Rule:
    """One possible cause. `check` returns its claim and its evidence, or `None`."""

    id: str
    check: Callable[[Evidence], tuple[Message, Message] | None]

    def cause(self, evidence: Evidence) -> Cause | None:
        """Return the cause if the evidence speaks for it."""
        said = self.check(evidence)
        return {"rule": self.id, "claim": said[0], "evidence": said[1]} if said else None
