"""The texts by which other libraries say that the GPU ran out of memory, as in `formats.py`."""

from __future__ import annotations

from .formats import COUNT, INDEX, SIZE, make, unsure

STRUCTURED = (
    make(
        "paddle",
        r"Out of memory error on GPU \d",
        requested=rf"Cannot allocate {SIZE}",
        device=rf"on GPU {INDEX}",
        in_use=rf"{SIZE} memory has been allocated",
        free=rf"available memory is only {SIZE}",
    ),
    make(
        "theano",
        r"Error allocating \d{1,30} bytes of device memory",
        requested=rf"allocating {COUNT} bytes",
        free=rf"{COUNT} bytes free",
        capacity=rf"{COUNT} bytes total",
    ),
    make("julia", r"Out of GPU memory\b", requested=rf"trying to allocate {SIZE}"),
)

LOOSE = (
    make("torch", r"CUresult error result=2 file=csrc/torch_memory_saver"),
    make("torch", r"Error out of memory at line \d{1,9} in file .{0,300}\.cu"),  # bitsandbytes
    make(  # vLLM
        "torch",
        r"Free memory on device .{0,200} is less than desired GPU memory utilization",
        device=rf"device cuda:{INDEX}",
        free=r"\((\d[\d.]{0,30}/\d[\d.]{0,30} GiB)\)",
        capacity=r"\(\d[\d.]{0,30}/(\d[\d.]{0,30} GiB)\)",
    ),
    make(  # vLLM
        "torch",
        r"No available memory for the cache blocks"
        r"|larger than the (?:maximum number of tokens that can be stored in|available) KV cache",
    ),
    make(
        "xgboost",
        r"Memory allocation error on worker \d.{0,300}cudaErrorMemoryAllocation",
        requested=rf"Requested memory: {COUNT}",
        free=rf"Free memory: {COUNT}",
    ),
    make(
        "faiss",
        r"StandardGpuResources: alloc fail|failed to cudaMalloc \d{1,30} bytes",
        requested=rf"(?:size {COUNT} bytes|cudaMalloc {COUNT} bytes)",
        device=rf"dev {INDEX}",
    ),
    make(
        "ggml",
        r"ggml.{0,300}(?:cudaMalloc failed: out of memory|failed to allocate CUDA\d buffer)"
        r"|CUDA error 2 at [^ ]{0,300}ggml",
        requested=rf"allocating {SIZE} on device",
        device=rf"on device {INDEX}",
    ),
    make("mxnet", r"cudaMalloc (?:retry )?failed: out of memory"),
    unsure(
        "onnxruntime",
        r"BFCArena::AllocateRawInternal.{0,300}(?:Failed to allocate memory for requested buffer"
        r"|Available memory of \d{1,30} is smaller than requested)",
        requested=rf"buffer of size {COUNT}",
    ),
    make(
        "rapids",
        r"bad_alloc.{0,300}(?:RMM failure|cudaErrorMemoryAllocation|out_of_memory)"
        r"|Maximum pool size exceeded",
    ),
    make(
        "tensorrt",
        r"Requested amount of GPU memory|Cuda Runtime \(out of memory\)",
        requested=rf"GPU memory \({COUNT} bytes\)",
    ),
)
