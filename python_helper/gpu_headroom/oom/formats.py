"""The texts by which frameworks say that the GPU ran out of memory, one entry per format.

A format is told by its `sign`; each number is then read by a clause of its own, because every
clause may be missing, wrapped or followed by advice. Sizes are powers of 1024 whatever the
spelling (PyTorch's MPS backend and Paddle print "GB" and divide by 1024).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

SIZE = r"(\d[\d.,]*\s*(?:bytes|[KMGT]i?B\b|[KMGT]\b|B\b))"
COUNT = r"(\d[\d,]*)"


@dataclass(frozen=True)
class Format:
    """One way to say it. `certain` is false where the same text also means something else."""

    id: str
    framework: str
    sign: re.Pattern[str]
    clauses: Mapping[str, re.Pattern[str]]
    certain: bool = True


def _format(name: str, framework: str, sign: str, **clauses: str) -> Format:
    patterns = {key: re.compile(value, re.IGNORECASE) for key, value in clauses.items()}
    return Format(name, framework, re.compile(sign, re.IGNORECASE), MappingProxyType(patterns))


def _unsure(name: str, framework: str, sign: str, **clauses: str) -> Format:
    return replace(_format(name, framework, sign, **clauses), certain=False)


_TORCH = {
    "requested": rf"Tried to allocate {SIZE}",
    "device": r"GPU\s*(\d+)",
    "capacity": rf"(?:{SIZE}\s*total capac|total capaci?ty of {SIZE})",
    "free": rf"(?:of which {SIZE} is free|{SIZE}\s*free\s*[;)])",
    "in_use": rf"{SIZE}\s*(?:already allocated|is allocated by PyTorch)",
    "reserved": rf"{SIZE}\s*reserved in total",
    "cached": rf"{SIZE}\s*cached",
    "unallocated": rf"{SIZE} is reserved by PyTorch but unallocated",
    "process": rf"this process has {SIZE} memory in use",
    "allowed": rf"{SIZE} allowed",
}
_TRIED = r"Tried to allocate \d[\d.,]*\s*\w+"

# Texts whose structure leaves no doubt; read before anything is refused.
STRUCTURED = (
    _format("torch-2", "torch", rf"{_TRIED}\.?\s*GPU\s*\d+ has a total capac", **_TORCH),
    _format("torch-1.4", "torch", rf"{_TRIED} \(GPU.*reserved in total", **_TORCH),
    _format("torch-1.0", "torch", rf"{_TRIED} \(GPU\s*\d+;.*cached", **_TORCH),
    _format(
        "torch-async",
        "torch",
        r"Allocation on device \d* ?would exceed allowed memory",
        requested=rf"Requested\s*: {SIZE}",
        device=r"Allocation on device (\d+)",
        capacity=rf"Device limit\s*: {SIZE}",
        free=rf"Free \(according to CUDA\)\s*: {SIZE}",
        in_use=rf"Currently allocated\s*: {SIZE}",
        allowed=rf"PyTorch limit .*?: {SIZE}",
    ),
    _format(
        "torch-mps",
        "torch",
        r"MPS backend out of memory",
        requested=_TORCH["requested"],
        in_use=rf"MPS allocated: {SIZE}",
        allowed=rf"max allowed: {SIZE}",
    ),
    _format("torch-mps-buffer", "torch", r"Invalid buffer size: \d", requested=rf"size: {SIZE}"),
    _format("torch-1eb", "torch", r"Tried to allocate more than 1EB"),
    _format("torch", "torch", rf"out of memory ?\.? ?{_TRIED}", **_TORCH),
    _format(
        "cupy",
        "cupy",
        r"out of memory (?:allocating [\d,]+ bytes \(allocated so far"
        r"|to allocate [\d,]+ bytes \(total)",
        requested=rf"memory (?:allocating|to allocate) {COUNT} bytes",
        in_use=rf"allocated so far: {COUNT} bytes",
        allowed=rf"limit set to: {COUNT} bytes",
    ),
    _format(
        "paddle",
        "paddle",
        r"Out of memory error on GPU \d+",
        requested=rf"Cannot allocate {SIZE}",
        device=r"on GPU (\d+)",
        in_use=rf"{SIZE} memory has been allocated",
        free=rf"available memory is only {SIZE}",
    ),
    _format(
        "theano",
        "theano",
        r"Error allocating \d+ bytes of device memory",
        requested=rf"allocating {COUNT} bytes",
        free=rf"{COUNT} bytes free",
        capacity=rf"{COUNT} bytes total",
    ),
    _format(
        "julia",
        "julia",
        r"Out of GPU memory\b",
        requested=rf"trying to allocate {SIZE}",
    ),
)

# Looked at only after the refusals: shorter texts, some of which other faults share.
LOOSE = (
    _format(
        "torch-bare", "torch", r"(?:^|[:>*(-] ?)(?:CUDA|HIP|XPU) out of memory(?:[.,: ]*$|[.,])"
    ),
    _format(
        "torch-replica", "torch", r"Caught (?:CUDA)?OutOfMemoryError in (?:replica|DataLoader)"
    ),
    _format("torch-accelerate", "torch", r"No executable batch size found, reached zero"),
    _unsure(
        "cuda-error",
        "torch",
        r"(?:CUDA|HIP) (?:driver )?error\s*:\s*out of memory",
    ),
    _format("thc", "torch", r"cuda runtime error\s*\(2\)\s*:\s*out of memory"),
    _unsure(
        "math-library",
        "torch",
        r"(?:CUBLAS|CUDNN|CUSPARSE|CUSOLVER|CUFFT)_(?:STATUS_)?ALLOC_FAILED",
    ),
    _unsure("nccl", "torch", r"NCCL .*cuda failure (?:\d+ )?'out of memory'"),
    _format(
        "torch-memory-saver", "torch", r"CUresult error\s+result=2 file=csrc/torch_memory_saver"
    ),
    _format("bitsandbytes", "torch", r"Error out of memory at line \d+ in file .*\.cu"),
    _format(
        "vllm-startup",
        "torch",
        r"Free memory on device .* is less than desired GPU memory utilization",
        device=r"device cuda:(\d+)",
        free=r"\((\d[\d.]*/\d[\d.]* GiB)\)",
        capacity=r"\(\d[\d.]*/(\d[\d.]* GiB)\)",
    ),
    _format(
        "vllm-cache",
        "torch",
        r"No available memory for the cache blocks"
        r"|larger than the (?:maximum number of tokens that can be stored in|available) KV cache",
    ),
    _format(
        "tensorflow",
        "tensorflow",
        r"OOM when allocating tensor (?:with|of) shape",
        device=r"device:GPU:(\d+)",
    ),
    _format(
        "tensorflow-log",
        "tensorflow",
        r"bfc_allocator.*(?:ran out of memory trying to allocate|total of in-use chunks)",
        requested=rf"trying to allocate {SIZE}",
        device=r"\(GPU_(\d+)_bfc\)",
    ),
    _format(
        "tensorflow-driver",
        "tensorflow",
        r"from device: CUDA_ERROR_OUT_OF_MEMORY",
        requested=rf"\({COUNT} bytes\)",
    ),
    _format(
        "tensorflow-short",
        "tensorflow",
        r"failed to allocate memory(?: \[Op:|$)|Resource.exhausted: failed to allocate memory"
        r"|failed\. Status: out of memory",
    ),
    _format(
        "tensorflow-copy",
        "tensorflow",
        r"Dst tensor is not initialized",
        device=r"device:GPU:(\d+)",
    ),
    _unsure(
        "tensorflow-cublas",
        "tensorflow",
        r"failed to create cublas handle: CUBLAS_STATUS_NOT_INITIALIZED",
    ),
    _format(
        "tensorflow-old",
        "tensorflow",
        r"Resource exhausted: OOM when allocating tensor",
    ),
    _format(
        "jax",
        "jax",
        r"Out of memory while trying to allocate"
        r"|RESOURCE_EXHAUSTED: Out of memory allocating"
        r"|Failed to allocate request for [\d.]+\s*\w+ ?\(\d+B\)",
        requested=rf"(?:request for [\d.]+\s*\w+ \({SIZE}\)|(?:to allocate|allocating) {SIZE})",
        device=r"device ordinal (\d+)",
    ),
    _format(
        "xgboost",
        "xgboost",
        r"Memory allocation error on worker \d+.*cudaErrorMemoryAllocation",
        requested=rf"Requested memory: {COUNT}",
        free=rf"Free memory: {COUNT}",
    ),
    _format(
        "faiss",
        "faiss",
        r"StandardGpuResources: alloc fail|failed to cudaMalloc \d+ bytes",
        requested=rf"(?:size {COUNT} bytes|cudaMalloc {COUNT} bytes)",
        device=r"dev (\d+)",
    ),
    _format(
        "ggml",
        "ggml",
        r"ggml.*(?:cudaMalloc failed: out of memory|failed to allocate CUDA\d buffer)"
        r"|CUDA error 2 at \S*ggml",
        requested=rf"allocating {SIZE} on device",
        device=r"on device (\d+)",
    ),
    _format("mxnet", "mxnet", r"cudaMalloc (?:retry )?failed: out of memory"),
    _unsure(
        "onnxruntime",
        "onnxruntime",
        r"BFCArena::AllocateRawInternal.*(?:Failed to allocate memory for requested buffer"
        r"|Available memory of \d+ is smaller than requested)",
        requested=rf"buffer of size {COUNT}",
    ),
    _format(
        "rmm",
        "rapids",
        r"bad_alloc.*(?:RMM failure|cudaErrorMemoryAllocation|out_of_memory)"
        r"|Maximum pool size exceeded",
    ),
    _format(
        "cupy-short",
        "cupy",
        r"^Out of memory allocating [\d,]+ bytes",
        requested=rf"allocating {COUNT} bytes",
    ),
    _format(
        "tensorrt",
        "tensorrt",
        r"Requested amount of GPU memory|Cuda Runtime \(out of memory\)",
        requested=rf"GPU memory \({COUNT} bytes\)",
    ),
    _format("torch-xpu-runtime", "torch", r"ERROR_OUT_OF_DEVICE_MEMORY"),
    _format("torch-mps-runtime", "torch", r"CommandBufferCallbackErrorOutOfMemory"),
    _format(
        "cuda-api",
        "cuda",
        r"CUDA_ERROR_OUT_OF_MEMORY|cudaErrorMemoryAllocation|cuMemAlloc failed: out of memory"
        r"|CUDA failure 2\s*: out of memory|\[CUDA\] out of memory",
    ),
)

# Other shortages and other faults that speak of memory or of a device.
REFUSED = re.compile(
    r"DefaultCPUAllocator|CPUAllocator\.cpp|alloc_cpu\.cpp|posix_memalign"
    r"|for an array with shape|Unable to allocate array"
    r"|\[Errno 12\]|Cannot allocate memory|Native memory allocation"
    r"|shared memory|Bus error|killed by signal"
    r"|No space left on device"
    r"|device-side assert triggered|illegal memory access|no kernel image"
    r"|memory on (?:the )?node|Java heap|heap out of memory|heap limit"
    r"|not a failure"
    r"|pinned memory|pin memory thread|cudaHostAlloc|cudaHostRegister"
    r"|device:CPU:\d+ by allocator|allocator (?:mkl)?cpu|_nchwc'"
    r"|has no attribute|Failed to allocate block of",
    re.IGNORECASE,
)
