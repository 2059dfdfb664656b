"""Causes outside of this kernel's own tensors: other processes and programs, limits, pieces."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...frameworks.registry import SETTINGS, TITLES
from ...oom.others import MUCH_OUTSIDE
from ...text.format import GIB
from ..finding import A_LINE, FREE, cause

if TYPE_CHECKING:
    from ...oom.evidence import Evidence
    from ..finding import Finding

TEXTS = {
    "cause.elsewhere": "**Another process ran out of memory**, not this kernel.",
    "cause.elsewhere.evidence": (
        "The numbers are those of its message: freeing memory here does not help it, unless "
        "both use the same GPU."
    ),
    "cause.pinned-memory": "**It was the host's page-locked memory that ran out**, not the GPU's.",
    "cause.pinned-memory.evidence": (
        "`{function}` was pinning memory of the host: pin less (`pin_memory=False`)."
    ),
    "cause.earlier-traceback": (
        "**The traceback of an earlier error held {held_bytes}** of the {in_use_bytes} in tensors."
    ),
    "cause.earlier-traceback.evidence": (
        "The request for {requested_bytes} would have fitted without its variables."
    ),
    "cause.earlier-traceback.handled": (
        "**The error that was being handled held {held_bytes}** of the {in_use_bytes} in tensors."
    ),
    "cause.earlier-traceback.evidence_handled": (
        "The request for {requested_bytes} would have fitted without its variables: continue "
        "after the `except`."
    ),
    "cause.earlier-traceback.again": (
        "**The first try of this cell had left {held_bytes}** when it began again."
    ),
    "cause.earlier-traceback.evidence_again": "Causes and remedies are those of that try.",
    "cause.earlier-traceback.evidence_again_names": (
        "{named_bytes} of it are in `{names}`. Causes and remedies are those of that try."
    ),
    "cause.memory-fraction": (
        "**A memory fraction limits PyTorch to {capacity_bytes}**, while {free_bytes} of the GPU "
        "are free."
    ),
    "cause.memory-fraction.evidence": (
        "The request for {requested_bytes} would fit on the whole GPU."
    ),
    "cause.preallocation": (
        "**{framework} keeps {all_bytes} of the GPU** for itself, and uses {used_bytes} of them."
    ),
    "cause.preallocation.evidence": (
        "It takes most of the GPU when it starts. A setting made before that prevents it."
    ),
    "cause.fragmentation": (
        "**Fragmentation: {held_bytes} are reserved but scattered**, "
        "the largest free piece is {largest_bytes}."
    ),
    "cause.fragmentation.unmeasured": (
        "**Fragmentation: {held_bytes} are reserved but scattered.**"
    ),
    "cause.fragmentation.evidence": (
        "The request for {requested_bytes} would fit into the {held_bytes} of cache and the "
        "{free_bytes} free on the GPU in one piece."
    ),
    "cause.other-programs": (
        "**Other programs: {outside_bytes} of the GPU's {capacity_bytes}** are not this kernel's."
    ),
    "cause.other-programs.notebooks": (
        "**Other notebooks: {outside_bytes} of the GPU's {capacity_bytes}** are not this kernel's."
    ),
    "cause.other-programs.started": (
        "**Processes of this notebook: {outside_bytes} of {capacity_bytes}** are not its kernel's."
    ),
    "cause.other-programs.hidden": (
        "**{outside_bytes} of the GPU's {capacity_bytes} are not PyTorch's**: Windows does not say "
        "whose."
    ),
    "cause.other-programs.evidence": (
        "This kernel's tensors take {in_use_bytes}. The request for {requested_bytes} would "
        "have fitted without the others."
    ),
}


def elsewhere(evidence: Evidence) -> Finding | None:
    """Find a cause where a worker failed, or the GPU is one that this kernel does not have."""
    if not evidence.failure.in_other_process:
        return None
    return cause(evidence, TEXTS, "elsewhere", "evidence", {}, price=FREE, certain=True)


_FUNCTIONS = ("pin_memory", "_pin_memory_loop", "cudaHostRegister", "cudaHostAlloc")


def pinned_memory(evidence: Evidence) -> Finding | None:
    """Find a cause where host memory was being pinned, and the allocator refused no request."""
    capture = evidence.failure.capture
    functions = evidence.scene.running.functions
    name = next((function for function in reversed(functions) if function in _FUNCTIONS), None)
    operation = evidence.scene.operation
    if name is None and operation is not None and operation.name in _FUNCTIONS:
        name = operation.name
    if name is None or (capture is not None and capture.requested_bytes):
        return None
    params = {"function": name}
    return cause(evidence, TEXTS, "pinned-memory", "evidence", params, price=A_LINE, certain=True)


def left_by_first_try(evidence: Evidence, named: Finding | None) -> Finding:
    """Return as a cause what the first try of a cell has left, with its names if there are any."""
    rule, end = "earlier-traceback.again", "evidence_again_names" if named else "evidence_again"
    params: dict[str, object] = {"held_bytes": evidence.failure.left_bytes}
    if named is not None:
        names = ", ".join([group.name for group in named.about])
        params |= {"names": names, "named_bytes": named.bytes}
    return cause(evidence, TEXTS, rule, end, params, price=FREE)


def earlier_traceback(evidence: Evidence) -> Finding | None:
    """Find a cause where the request would fit without the memory that an earlier error retains."""
    held, requested = evidence.earlier_traceback_bytes, evidence.requested_bytes
    headroom, in_use = evidence.memory.headroom_bytes, evidence.memory.in_use_bytes
    if not held or requested is None or headroom is None or in_use is None:
        return None
    # What was free was not in one piece where it would have been enough.
    if requested > held + headroom * (requested > headroom):
        return None
    if evidence.scene.running.at_once:
        return None  # it is of another of these tasks
    rule, end = "earlier-traceback", "evidence"
    if held > (evidence.failure.earlier_traceback_bytes or 0):
        rule, end = "earlier-traceback.handled", "evidence_handled"
    params = {"held_bytes": held, "requested_bytes": requested}
    return cause(evidence, TEXTS, rule, end, params, price=FREE)


def memory_fraction(evidence: Evidence) -> Finding | None:
    """Find a cause where the driver has free memory that a memory fraction withholds."""
    memory, requested = evidence.memory, evidence.requested_bytes
    kept_back = memory.kept_back_bytes
    if requested is None or not kept_back or not evidence.peak.is_enough(kept_back):
        return None
    limit = (memory.usable_bytes or 0) + (memory.in_use_bytes or 0) + (memory.cached_bytes or 0)
    params = {
        "held_bytes": kept_back,
        "requested_bytes": requested,
        "capacity_bytes": limit,
        "free_bytes": memory.free_bytes,
    }
    return cause(evidence, TEXTS, "memory-fraction", "evidence", params, price=A_LINE)


_SHARE = 0.2


def preallocation(evidence: Evidence) -> Finding | None:
    """Find a cause where a framework has reserved memory in advance without using much of it."""
    device = evidence.failure.device
    if device is None or len(device.frameworks) == 1:
        return None
    least = _SHARE * (device.capacity_bytes or 0)
    unused = (reading for reading in device.frameworks if (reading.cached_bytes or 0) >= least > 0)
    framework = next((reading for reading in unused if reading.name in SETTINGS), None)
    if framework is None:
        return None
    params = {
        "framework": TITLES[framework.name],
        "all_bytes": framework.in_use_bytes + (framework.cached_bytes or 0),
        "used_bytes": framework.in_use_bytes,
        "held_bytes": framework.cached_bytes,
    }
    more = {"framework": framework}
    return cause(evidence, TEXTS, "preallocation", "evidence", params, price=A_LINE, **more)


# A full GPU always has some gaps: a small request may fail on them, but they are not why.
_MUCH_OF_THE_RESERVED = 0.1


def fragmentation(evidence: Evidence) -> Finding | None:
    """Find a cause where the request would fit if all free memory were in one piece."""
    if not is_fragmented(evidence):
        return None
    memory, largest = evidence.memory, _largest_piece(evidence)
    rule = "fragmentation.unmeasured" if largest is None else "fragmentation"
    params = {"held_bytes": memory.unallocated_bytes, "largest_bytes": largest}
    params |= {"requested_bytes": evidence.requested_bytes, "free_bytes": memory.usable_bytes}
    return cause(evidence, TEXTS, rule, "evidence", params, price=A_LINE)


def is_fragmented(evidence: Evidence) -> bool:
    """Whether the request would have fitted if all free memory were in one piece."""
    requested, memory = evidence.requested_bytes, evidence.memory
    unused = memory.unallocated_bytes
    if requested is None or unused is None or memory.usable_bytes is None:
        return False
    if not evidence.peak.is_enough(0):
        return False  # what follows would not fit, in however large a piece
    reserved = (memory.in_use_bytes or 0) + unused
    if unused < _MUCH_OF_THE_RESERVED * reserved:
        return False
    largest = _largest_piece(evidence)
    if largest is None:
        # Without the map of the blocks only an error's own words are to go by.
        is_pasted = evidence.failure.capture is None and evidence.failure.device is None
        return is_pasted and unused >= requested > memory.usable_bytes
    return unused + memory.usable_bytes >= requested > largest


def _largest_piece(evidence: Evidence) -> int | None:
    """Return the largest free piece, in the cache or on the GPU; `None` is not known."""
    capture = evidence.failure.capture
    if capture is None or capture.largest_block_bytes is None:
        return None
    return max(capture.largest_block_bytes, evidence.memory.usable_bytes or 0)


# Driver context and libraries of this very process stand in `outside`, too.
_OWN_CONTEXT_BYTES = GIB


def other_programs(evidence: Evidence) -> Finding | None:
    """Find a cause where the request would fit without the memory of other programs."""
    memory, device = evidence.memory, evidence.failure.device
    outside, capacity = memory.outside_bytes, memory.capacity_bytes
    if outside is None or capacity is None or (device is not None and device.shared_with_host):
        return None  # shared with the host: its programs use it as well, this one among them
    size = outside - _OWN_CONTEXT_BYTES
    if outside < MUCH_OUTSIDE * capacity or not evidence.peak.is_enough(size):
        return None
    whose = evidence.others.whose(size)
    rule = "other-programs" if whose == "programs" else f"other-programs.{whose}"
    params = {
        "outside_bytes": outside,
        "capacity_bytes": capacity,
        "held_bytes": size,
        "requested_bytes": evidence.requested_bytes,
    }
    return cause(evidence, TEXTS, rule, "evidence", params, price=A_LINE)
