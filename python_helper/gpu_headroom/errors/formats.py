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

CLASSES = {
    ("torch", "OutOfMemoryError"): "torch",
    ("cupy", "OutOfMemoryError"): "cupy",
    ("tensorflow", "ResourceExhaustedError"): "tensorflow",
    ("cuda", "CUDAOutOfMemoryError"): "cuda",
}
"""The frameworks whose class of error says it, by the package and the name of the class."""

HOST_FUNCTIONS = frozenset({"pin_memory", "_pin_memory_loop", "mem_get_info", "cudart"})
"""Functions that hit the same text for pinned host memory, or without any shortage."""

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
        self.framework, self.sign = framework, _compiled(sign)
        self.clauses = {key: _compiled(value) for key, value in clauses.items()}


def _compiled(pattern: str) -> re.Pattern[str]:
    if re.search(r"\\[A-Z]", pattern):
        raise ValueError(f"in lower case an escape of {pattern!r} means its opposite")
    return re.compile(pattern.lower())


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
    "private_pools": rf"{SIZE} ?allocated in private pools",
    "own_process": rf"this process has {SIZE} ?(?:memory )?in use",
}
OTHER_PROCESS = _compiled(rf"Process (\d{{1,10}}) has {SIZE} ?(?:memory )?in use")
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
    # Behind what a worker's line begins with, "[rank1]" or "(pid=99)", and as a `repr` has it.
    Format(
        "torch",
        r"(?:^|[:>*()\]|=-] ?|error\(['\"]|with ['\"])(?:CUDA|HIP|XPU) out of memory"
        r"(?: on (?:GPU|device|CUDA:) ?\d{1,4}| \(GPU ?\d{1,4}\))?(?:[.,: '\")\]]{0,9}$|[.,])",
        requested=_TORCH["requested"],
        device=rf"(?:on (?:GPU|device|CUDA:)|\(GPU) ?{INDEX}",
    ),
    # ComfyUI and others print no more of the cudaMallocAsync backend's message.
    Format(
        "torch",
        r"(?:^|OutOfMemoryError: )Allocation on device(?: \d{1,4})?(?:[. ]{0,3}$|[.:] )",
        device=rf"Allocation on device {INDEX}",
    ),
    Format("torch", r"Caught (?:CUDA)?OutOfMemoryError in (?:replica|DataLoader)"),
    Format("torch", r"No executable batch size found, reached zero"),  # Accelerate
    Doubtful("torch", r"(?:CUDA|HIP) (?:driver |runtime )?error ?: ?out of memory"),
    Format("torch", r"cuda runtime error ?\(2\) ?: ?out of memory"),
    Format("torch", r"THCudaCheck FAIL .{0,300}error=2 ?: ?out of memory"),
    Doubtful(
        "torch",
        r"(?:CUBLAS|CUDNN|CUSPARSE|CUSOLVER|CUFFT|HIPBLAS|MIOPEN)_(?:STATUS_)?ALLOC_FAILED",
    ),
    Doubtful("torch", r"cuda failure (?:\d{1,4} )?'out of memory'"),  # NCCL
    Doubtful("torch", r"CUBLAS_STATUS_NOT_INITIALIZED when calling .?cublasCreate"),
    Format(  # DirectML
        "torch",
        r"Could not allocate tensor with \d{1,30} bytes\. There is not enough GPU video memory",
        requested=rf"tensor with {COUNT} bytes",
    ),
    Format(
        "tensorflow",
        r"OOM when allocating tensor (?:with|of) shape",
        device=rf"(?:device:|/)GPU:{INDEX}",
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
    Format("torch", r"(?:ERROR_OUT_OF_DEVICE_MEMORY|ErrorOutOfDeviceMemory)"),
    Format("torch", r"CommandBufferCallbackErrorOutOfMemory"),
    Format(
        "cuda",
        r"CUDA_ERROR_OUT_OF_MEMORY|cudaErrorMemoryAllocation|hipError(?:OutOfMemory|MemoryAllocation)"
        r"|\[CUDA\] out of memory|CUDA ?: ?out of memory",
    ),
    # Calls of the runtime and the driver, but for those that ask for host memory.
    Format(
        "cuda",
        r"\b(?:(?:cuda|hip)(?!MallocHost|HostAlloc|HostRegister|HostMalloc)[a-z]\w{2,30}"
        r"|cu(?!MemAllocHost|MemHost)(?:Mem|Ctx|Module|Stream|Launch|Graph)\w{0,30})"
        r"\(?\)? (?:retry )?(?:failed|error) ?(?::|with|\() ?(?:error )?out of memory",
    ),
    # Error 2 of the runtime and of the driver says it without words.
    Format(
        "cuda",
        r"CUDA (?:failed|execution failed|failure|error|runtime error|driver error)"
        r"(?: with error)?(?: code)?[ =:]{0,3}\(?2\)?(?: ?[:,] ?| )(?:out of memory|$)"
        r"|CUDA (?:execution )?failed with error (?:2(?![\d.])|out of memory)"
        r"|cuda(?:Success|Stat)\w{0,9} ?\((?:2 vs\. 0|0 vs\. 2)\)",
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
    "pinned host memory",
    "pinned_host_memory",
    "bytes on host",
    "pin memory thread",
    "cudahostalloc",
    "cudamallochost",
    "cudahostregister",
    "device:cpu:0 by allocator",
    "allocator cpu",
    "allocator mklcpu",
    "_nchwc'",
    "has no attribute",
    "failed to allocate block of",
    "mem_get_info",
    "[opencl:cpu]",
)


def is_refused(text: str) -> bool:
    """Whether a text in lower case speaks of something else."""
    return any(each in text for each in _REFUSED)
