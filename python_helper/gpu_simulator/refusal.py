"""The text of PyTorch's out-of-memory error."""

from __future__ import annotations

from .sizes import format_size

OTHER_PROCESS_ID = 2**22 + 1
"""Process id of all other programs on the first GPU; the next id is for the second GPU.

Linux gives no process a number above 2^22.
"""


def refusal_message(  # noqa: PLR0913 -- all that the text names
    ordinal: int,
    *,
    requested: int,
    capacity: int,
    free: int,
    context: int,
    others: int,
    allowed: int | None,
    allocated: int,
    reserved: int,
) -> str:
    """Return the text of PyTorch 2.10's out-of-memory error; all sizes in bytes.

    `allowed` is None where no fraction of the memory is set.
    """
    clauses = [
        f"CUDA out of memory. Tried to allocate {format_size(requested)}.",
        f"GPU {ordinal} has a total capacity of {format_size(capacity)}",
        f"of which {format_size(free)} is free.",
    ]
    if others:
        clauses.append(f"Process {OTHER_PROCESS_ID} has {format_size(others)} memory in use.")
    process = format_size(context + reserved)
    clauses.append(f"Including non-PyTorch memory, this process has {process} memory in use.")
    if allowed is not None:
        clauses.append(f"{format_size(allowed)} allowed;")
    clauses += [
        f"Of the allocated memory {format_size(allocated)} is allocated by PyTorch,",
        f"and {format_size(reserved - allocated)} is reserved by PyTorch but unallocated.",
        "If reserved but unallocated memory is large try setting",
        "PYTORCH_ALLOC_CONF=expandable_segments:True to avoid fragmentation. ",
        "See documentation for Memory Management ",
        "(https://pytorch.org/docs/stable/notes/cuda.html#environment-variables)",
    ]
    return " ".join(clauses)
