"""What PyTorch says when the card is full."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .sizes import format_size

if TYPE_CHECKING:
    from .allocator import CachingAllocator

OTHER_PROCESS_ID = 2**22 + 1
"""Stands for all other programs on the first card, the next one for those on the second.

Linux gives no process a number above 2^22.
"""


def refusal_message(
    allocator: CachingAllocator, *, requested: int, allocated: int, reserved: int
) -> str:
    """Return the text of PyTorch 2.10's out-of-memory error; all sizes in bytes."""
    others = allocator.outside - allocator.context
    clauses = [
        f"CUDA out of memory. Tried to allocate {format_size(requested)}.",
        f"GPU {allocator.ordinal} has a total capacity of {format_size(allocator.capacity)}",
        f"of which {format_size(allocator.device_free)} is free.",
    ]
    if others:
        clauses.append(f"Process {OTHER_PROCESS_ID} has {format_size(others)} memory in use.")
    process = format_size(allocator.context + reserved)
    clauses.append(f"Including non-PyTorch memory, this process has {process} memory in use.")
    if allocator.fraction is not None:
        clauses.append(f"{format_size(allocator.allowed)} allowed;")
    clauses += [
        f"Of the allocated memory {format_size(allocated)} is allocated by PyTorch,",
        f"and {format_size(reserved - allocated)} is reserved by PyTorch but unallocated.",
        "If reserved but unallocated memory is large try setting",
        "PYTORCH_ALLOC_CONF=expandable_segments:True to avoid fragmentation. ",
        "See documentation for Memory Management ",
        "(https://pytorch.org/docs/stable/notes/cuda.html#environment-variables)",
    ]
    return " ".join(clauses)
