"""CuPy's messages that the GPU ran out of memory, one entry per format."""

from __future__ import annotations

from ..errortext import COUNT, Format, Structured

FORMATS = (
    Structured(
        "cupy",
        r"out of memory (?:allocating [\d,]{1,30} bytes \(allocated so far"
        r"|to allocate [\d,]{1,30} bytes \(total)",
        requested=rf"memory (?:allocating|to allocate) {COUNT} bytes",
        in_use=rf"allocated so far: {COUNT} bytes",
        allowed=rf"limit set to: {COUNT} bytes",
    ),
    Format(
        "cupy", r"^Out of memory allocating [\d,]{1,30} bytes", requested=rf"ating {COUNT} bytes"
    ),
)
