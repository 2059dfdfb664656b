"""Facts from the source of the cells that ran, for remedies and their examples."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..oom.evidence import Evidence

_TORCH = re.compile(r"^\s*import (?:.*,\s*)?torch(?: as (\w+))?\s*(?:[,;#].*)?$", re.MULTILINE)


def sources(evidence: Evidence) -> list[str]:
    """Return the text of all cells that ran."""
    return [run.source for run in evidence.failure.cells]


def has(evidence: Evidence, pattern: str) -> bool:
    """Whether a cell that ran has this in its text."""
    return any(re.search(pattern, source) for source in sources(evidence))


def torch_name(evidence: Evidence) -> str | None:
    """Return the name that a cell imports PyTorch under; `None` where none does."""
    for run in evidence.failure.cells:
        match = _TORCH.search(run.source)
        if match is not None:
            return match[1] or "torch"
    return None
