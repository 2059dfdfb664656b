"""Page-locked memory of the host, which CUDA reports with the same words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...text.messages import message
from ..finding import A_LINE, Finding

if TYPE_CHECKING:
    from ...oom.evidence import Evidence

TEXTS = {
    "cause.pinned-memory": "**It was the host's page-locked memory that ran out**, not the GPU's.",
    "cause.pinned-memory.evidence": (
        "`{function}` was pinning memory of the host. Freeing GPU memory does not help: pin less, "
        "or nothing (`pin_memory=False`)."
    ),
}
_FUNCTIONS = ("pin_memory", "_pin_memory_loop", "cudaHostRegister", "cudaHostAlloc")


def check(evidence: Evidence) -> Finding | None:
    """Speak where memory of the host was being pinned, and the allocator has refused nothing."""
    capture = evidence.failure.capture
    functions = evidence.scene.running.functions
    found = next((function for function in reversed(functions) if function in _FUNCTIONS), None)
    operation = evidence.scene.operation
    if found is None and operation is not None and operation.name in _FUNCTIONS:
        found = operation.name
    if found is None or (capture is not None and capture.requested_bytes):
        return None
    return Finding(
        message("cause.pinned-memory", TEXTS),
        message("cause.pinned-memory.evidence", TEXTS, function=found),
        bytes=None,
        price=A_LINE,
        certain=True,
    )
