"""JAX's messages that the GPU ran out of memory, one entry per format."""

from __future__ import annotations

from ..errortext import INDEX, SIZE, Format

FORMATS = (
    Format(
        "jax",
        r"Out of memory while trying to allocate"
        r"|RESOURCE_EXHAUSTED: Out of memory allocating|Failed to allocate \d{1,30} bytes for new"
        r"|Failed to allocate request for [\d.]{1,30} ?\w{1,9} ?\(\d{1,30}B\)",
        requested=rf"(?:request for [\d.]{{1,30}} ?\w{{1,9}} \({SIZE}\)"
        rf"|(?:to allocate|allocating) {SIZE})",
        device=rf"device ordinal {INDEX}",
    ),
)
