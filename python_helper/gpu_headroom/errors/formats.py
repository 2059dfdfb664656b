"""Texts that report a full GPU, in the order in which they are tried.

Those of a framework are in its folder, those of other libraries in `libraries.py`, and here are
those of any program that calls the runtime or the driver itself.
"""

from __future__ import annotations

import re

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
    *[pattern for framework in FRAMEWORKS for pattern in part(framework, "errors").FORMATS],
    Format(
        "cuda",
        r"CUDA_ERROR_OUT_OF_MEMORY|cudaErrorMemoryAllocation|hipError(?:OutOfMemory|MemoryAllocation)"
        r"|\[CUDA\] out of memory|CUDA ?: ?out of memory"
        # Calls of the runtime and the driver, but for those that ask for host memory.
        r"|\b(?:(?:cuda|hip)(?!MallocHost|HostAlloc|HostRegister|HostMalloc)[a-z]\w{2,30}"
        r"|cu(?!MemAllocHost|MemHost)(?:Mem|Ctx|Module|Stream|Launch|Graph)\w{0,30})"
        r"\(?\)? (?:retry )?(?:failed|error) ?(?::|with|\() ?(?:error )?out of memory"
        r"|CUDA (?:runtime|driver) error in .{0,200}: out of memory"  # TensorRT-LLM
        # Error 2 of the runtime and of the driver says it without words.
        r"|CUDA (?:failed|execution failed|failure|error|runtime error|driver error)"
        r"(?: with error)?(?: code)?[ =:]{0,3}\(?2\)?(?: ?[:,] ?| )(?:out of memory|$)"
        r"|CUDA (?:execution )?failed with error (?:2(?![\d.])|out of memory)"
        r"|cuda(?:Success|Stat)\w{0,9}\.? ?\(?(?:2 vs\.? 0|0 vs\.? 2)\b"
        r"|code: ?2, reason: out of memory|GPUassert: ?out of memory",
    ),
)

STRUCTURED = [pattern for pattern in (*_OWN, *libraries.FORMATS) if pattern.structured]
LOOSE = [pattern for pattern in (*libraries.FORMATS, *_OWN) if not pattern.structured]

# Other shortages and other faults that speak of memory or of a device, in lower case.
_REFUSED = re.compile(
    r"defaultcpuallocator|cpuallocator\.cpp|alloc_cpu\.cpp|posix_memalign|for an array with shape"
    r"|unable to allocate array|\[errno 12]|cannot allocate memory|native memory allocation"
    r"|shared memory|bus error|killed by signal|no space left on|device-side assert triggered"
    r"|illegal memory access|no kernel image|memory on (?:the )?node|java heap|heap out of memory"
    r"|heap limit|not a failure|pinned(?: host)? memory|pinned_host_memory|bytes on host"
    r"|pin memory thread|cudahostalloc|cudamallochost|cudahostregister|device:cpu:0 by allocator"
    r"|allocator (?:mkl)?cpu|_nchwc'|has no attribute|failed to allocate block of|mem_get_info"
    # A copy allocates nothing: oneAPI's code on one is another fault.
    r"|\[opencl:cpu]|memcpy.{0,300}error_out_of_device_memory"
    r"|error_out_of_device_memory.{0,300}memcpy"
)


def is_refused(text: str) -> bool:
    """Whether a text in lower case speaks of something else."""
    return _REFUSED.search(text) is not None
