"""The texts by which the GPU is said to have run out of memory, in the order of looking.

Those of a framework stand in its folder, what other libraries say in `libraries.py`, and here what
any program says that calls the runtime or the driver itself.
"""

from __future__ import annotations

from ..frameworks.errortext import Format
from ..frameworks.registry import FRAMEWORKS, part
from . import libraries

CLASSES = {
    **{(folder.NAME, folder.ERROR): folder.NAME for folder in FRAMEWORKS},
    ("cuda", "CUDAOutOfMemoryError"): "cuda",
}
"""The frameworks whose class of error says it, by the package and the name of the class."""

HOST_FUNCTIONS = frozenset({"pin_memory", "_pin_memory_loop", "mem_get_info", "cudart"})
"""Functions that hit the same text for pinned host memory, or without any shortage."""

# Those of frameworks are shorter, and stand in what libraries quote.
_OWN: tuple[Format, ...] = (
    *[each for framework in FRAMEWORKS for each in part(framework, "errors").FORMATS],
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

STRUCTURED = [each for each in (*_OWN, *libraries.FORMATS) if each.structured]
LOOSE = [each for each in (*libraries.FORMATS, *_OWN) if not each.structured]

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
