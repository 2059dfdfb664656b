"""The texts by which other libraries say that the GPU ran out of memory, as in `formats.py`."""

from __future__ import annotations

from .formats import COUNT, INDEX, SIZE, Doubtful, Format

STRUCTURED = (
    Format(
        "paddle",
        r"Out of memory error on GPU \d",
        requested=rf"Cannot allocate {SIZE}",
        device=rf"on GPU {INDEX}",
        in_use=rf"{SIZE} memory has been allocated",
        free=rf"available memory is only {SIZE}",
    ),
    Format(
        "theano",
        r"Error allocating \d{1,30} bytes of device memory",
        requested=rf"allocating {COUNT} bytes",
        free=rf"{COUNT} bytes free",
        capacity=rf"{COUNT} bytes total",
    ),
    Format("julia", r"Out of GPU memory\b", requested=rf"trying to allocate {SIZE}"),
)

LOOSE = (
    Format("torch", r"CUresult error result=2 file=csrc/torch_memory_saver"),
    Format("torch", r"Error out of memory at line \d{1,9} in file .{0,300}\.cu"),  # bitsandbytes
    Format(  # vLLM
        "torch",
        r"Free memory on device .{0,200} is less than desired GPU memory utilization",
        device=rf"device cuda:{INDEX}",
        free=r"\((\d[\d.]{0,30}/\d[\d.]{0,30} GiB)\)",
        capacity=r"\(\d[\d.]{0,30}/(\d[\d.]{0,30} GiB)\)",
    ),
    Format(  # vLLM
        "torch",
        r"No available memory for the cache blocks"
        r"|larger than the (?:maximum number of tokens that can be stored in|available) KV cache",
    ),
    Format(
        "xgboost",
        r"Memory allocation error on worker \d.{0,300}cudaErrorMemoryAllocation",
        requested=rf"Requested memory: {COUNT}",
        free=rf"Free memory: {COUNT}",
    ),
    Format(
        "faiss",
        r"StandardGpuResources: alloc fail|failed to cudaMalloc \d{1,30} bytes",
        requested=rf"(?:size {COUNT} bytes|cudaMalloc {COUNT} bytes)",
        device=rf"dev {INDEX}",
    ),
    Format(
        "ggml",
        r"ggml.{0,300}(?:cudaMalloc failed: out of memory|failed to allocate CUDA\d buffer)"
        r"|CUDA error 2 at [^ ]{0,300}ggml",
        requested=rf"allocating {SIZE} on device",
        device=rf"on device {INDEX}",
    ),
    Format("mxnet", r"cudaMalloc (?:retry )?failed: out of memory"),
    Doubtful(
        "onnxruntime",
        r"BFCArena::AllocateRawInternal.{0,300}(?:Failed to allocate memory for requested buffer"
        r"|Available memory of \d{1,30} is smaller than requested)",
        requested=rf"buffer of size {COUNT}",
    ),
    Format(
        "rapids",
        r"bad_alloc.{0,300}(?:RMM failure|cudaErrorMemoryAllocation|out_of_memory)"
        r"|Maximum pool size exceeded",
    ),
    Format(
        "tensorrt",
        r"Requested amount of GPU memory|Cuda Runtime \(out of memory\)",
        requested=rf"GPU memory \({COUNT} bytes\)",
    ),
)
