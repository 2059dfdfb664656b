"""The texts by which frameworks say that the GPU ran out of memory, one entry per format.

What other libraries say stands in `libraries.py`.

A format is told by its `sign`; each number is then read by a clause of its own, because every
clause may be missing, wrapped or followed by advice. Sizes are powers of 1024 whatever the
spelling (PyTorch's MPS backend and Paddle print "GB" and divide by 1024).

Patterns stand here as frameworks write, and are compiled in lower case, for texts in lower case
with single blanks. Each repetition has a limit: what a message repeats must not be looked through
again from each of its places.
"""

from __future__ import annotations

import re

SIZE = r"((?<!\d)(?<!\d[.,])\d[\d.,]{0,30} ?(?:bytes|[KMGT]i?B\b|[KMGT]\b|B\b))"
COUNT = r"((?<!\d)(?<!\d,)\d[\d,]{0,30})"
INDEX = r"(\d{1,4})(?!\d)"
# PyTorch 2.3 prints the number of a GPU as a character of that code.
_CODE = r"[\x00-\x08]"
_GPU = rf"GPU ?(?:\d{{1,4}}|{_CODE})"


class Format:
    """One way to say it: a sign, and clauses with a number each."""

    certain = True

    def __init__(self, framework: str, sign: str, **clauses: str) -> None:
        self.framework, self.sign = framework, re.compile(sign.lower())
        self.clauses = {key: re.compile(value.lower()) for key, value in clauses.items()}


class Doubtful(Format):
    """A text that also means something else."""

    certain = False


_TORCH = {
    "requested": rf"Tried to allocate {SIZE}",
    "device": rf"GPU ?(?:{INDEX}|({_CODE}))",
    "capacity": rf"(?:{SIZE} ?total capac|total capaci?ty of {SIZE})",
    "free": rf"(?:of which {SIZE} is free|{SIZE} ?free ?[;)])",
    "in_use": rf"{SIZE} ?(?:already allocated|is allocated by PyTorch)",
    "reserved": rf"{SIZE} ?reserved in total",
    "cached": rf"{SIZE} ?cached",
    "unallocated": rf"{SIZE} is reserved by PyTorch but unallocated",
    "allowed": rf"{SIZE} allowed",
}
_TRIED = r"Tried to allocate \d[\d.,]{0,30} ?\w{1,9}"

# Texts whose structure leaves no doubt; read before anything is refused.
STRUCTURED = (
    Format("torch", rf"{_TRIED}\.? ?{_GPU} has a total capac", **_TORCH),  # 2.0 on
    Format("torch", rf"{_TRIED} \(GPU.{{0,300}}reserved in total", **_TORCH),  # 1.4 on
    Format("torch", rf"{_TRIED} \(GPU ?\d{{1,4}};.{{0,300}}cached", **_TORCH),  # 1.0 on
    Format(
        "torch",
        r"Allocation on device \d{0,4} ?would exceed allowed memory",
        requested=rf"Requested ?: {SIZE}",
        device=rf"Allocation on device {INDEX}",
        capacity=rf"Device limit ?: {SIZE}",
        free=rf"Free \(according to CUDA\) ?: {SIZE}",
        in_use=rf"Currently allocated ?: {SIZE}",
        allowed=rf"PyTorch limit [^:]{{0,90}}: {SIZE}",
    ),
    Format(
        "torch",
        r"MPS backend out of memory",
        requested=_TORCH["requested"],
        in_use=rf"MPS allocated: {SIZE}",
        allowed=rf"max allowed: {SIZE}",
    ),
    Format("torch", r"Invalid buffer size: \d", requested=rf"size: {SIZE}"),
    Format("torch", r"Tried to allocate more than 1EB"),
    Format("torch", rf"out of memory ?\.? ?{_TRIED}", **_TORCH),
    Format(
        "cupy",
        r"out of memory (?:allocating [\d,]{1,30} bytes \(allocated so far"
        r"|to allocate [\d,]{1,30} bytes \(total)",
        requested=rf"memory (?:allocating|to allocate) {COUNT} bytes",
        in_use=rf"allocated so far: {COUNT} bytes",
        allowed=rf"limit set to: {COUNT} bytes",
    ),
)

# Looked at only after the refusals: shorter texts, some of which other faults share.
LOOSE = (
    Format("torch", r"(?:^|[:>*(-] ?)(?:CUDA|HIP|XPU) out of memory(?:[.,: ]{0,9}$|[.,])"),
    Format("torch", r"Caught (?:CUDA)?OutOfMemoryError in (?:replica|DataLoader)"),
    Format("torch", r"No executable batch size found, reached zero"),  # Accelerate
    Doubtful("torch", r"(?:CUDA|HIP) (?:driver )?error ?: ?out of memory"),
    Format("torch", r"cuda runtime error ?\(2\) ?: ?out of memory"),
    Doubtful("torch", r"(?:CUBLAS|CUDNN|CUSPARSE|CUSOLVER|CUFFT)_(?:STATUS_)?ALLOC_FAILED"),
    Doubtful("torch", r"NCCL .{0,300}cuda failure (?:\d{1,4} )?'out of memory'"),
    Format(
        "tensorflow", r"OOM when allocating tensor (?:with|of) shape", device=rf"device:GPU:{INDEX}"
    ),
    Format(
        "tensorflow",
        r"bfc_allocator.{0,300}(?:ran out of memory trying to allocate|total of in-use chunks)",
        requested=rf"trying to allocate {SIZE}",
        device=r"\(GPU_(\d{1,4})_bfc\)",
    ),
    Format("tensorflow", r"from device: CUDA_ERROR_OUT_OF_MEMORY", requested=rf"\({COUNT} bytes\)"),
    Format(
        "tensorflow",
        r"failed to allocate memory(?: \[Op:|$)|Resource.exhausted: failed to allocate memory"
        r"|failed\. Status: out of memory",
    ),
    Format("tensorflow", r"Dst tensor is not initialized", device=rf"device:GPU:{INDEX}"),
    Doubtful("tensorflow", r"failed to create cublas handle: CUBLAS_STATUS_NOT_INITIALIZED"),
    Format("tensorflow", r"Resource exhausted: OOM when allocating tensor"),
    Format(
        "jax",
        r"Out of memory while trying to allocate"
        r"|RESOURCE_EXHAUSTED: Out of memory allocating"
        r"|Failed to allocate request for [\d.]{1,30} ?\w{1,9} ?\(\d{1,30}B\)",
        requested=rf"(?:request for [\d.]{{1,30}} ?\w{{1,9}} \({SIZE}\)"
        rf"|(?:to allocate|allocating) {SIZE})",
        device=rf"device ordinal {INDEX}",
    ),
    Format(
        "cupy",
        r"^Out of memory allocating [\d,]{1,30} bytes",
        requested=rf"allocating {COUNT} bytes",
    ),
    Format("torch", r"ERROR_OUT_OF_DEVICE_MEMORY"),
    Format("torch", r"CommandBufferCallbackErrorOutOfMemory"),
    Format(
        "cuda",
        r"CUDA_ERROR_OUT_OF_MEMORY|cudaErrorMemoryAllocation|cuMemAlloc failed: out of memory"
        r"|CUDA failure 2 ?: out of memory|\[CUDA\] out of memory",
    ),
)

# Other shortages and other faults that speak of memory or of a device, in lower case.
_REFUSED = (
    "defaultcpuallocator",
    "cpuallocator.cpp",
    "alloc_cpu.cpp",
    "posix_memalign",
    "for an array with shape",
    "unable to allocate array",
    "[errno 12]",
    "cannot allocate memory",
    "native memory allocation",
    "shared memory",
    "bus error",
    "killed by signal",
    "no space left on device",
    "device-side assert triggered",
    "illegal memory access",
    "no kernel image",
    "memory on node",
    "memory on the node",
    "java heap",
    "heap out of memory",
    "heap limit",
    "not a failure",
    "pinned memory",
    "pin memory thread",
    "cudahostalloc",
    "cudahostregister",
    "device:cpu:0 by allocator",
    "allocator cpu",
    "allocator mklcpu",
    "_nchwc'",
    "has no attribute",
    "failed to allocate block of",
)


def is_refused(text: str) -> bool:
    """Whether a text in lower case speaks of something else."""
    return any(each in text for each in _REFUSED)
