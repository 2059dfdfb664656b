"""The texts by which other libraries say that the GPU ran out of memory, as in `formats.py`."""

from __future__ import annotations

from ..frameworks.errortext import COUNT, INDEX, SIZE, Doubtful, Format, Structured

FORMATS = (
    Structured(
        "paddle",
        r"Out of memory error on GPU \d",
        requested=rf"Cannot allocate {SIZE}",
        device=rf"on GPU {INDEX}",
        in_use=rf"{SIZE} memory has been allocated",
        free=rf"available memory is only {SIZE}",
    ),
    Structured(
        "theano",
        r"Error allocating \d{1,30} bytes of device memory",
        requested=rf"allocating {COUNT} bytes",
        free=rf"{COUNT} bytes free",
        capacity=rf"{COUNT} bytes total",
    ),
    Structured("julia", r"Out of GPU memory trying", requested=rf"trying to allocate {SIZE}"),
    # torch_memory_saver, bitsandbytes, SGLang, TGI, ExLlama, Triton, Intel's extension, vLLM, and
    # Transformers, when a quantised model would have to lie in part on the host
    Format(
        "torch",
        r"CUresult error result=2 file=csrc/torch_memory_saver"
        r"|Error out of memory at line \d{1,9} in file .{0,300}\.cu"
        r"|Not enough memory\. Please try to increase --mem-fraction-static"
        r"|Not enough memory to handle \d{1,9} prefill tokens|Insufficient VRAM (?:for|in)\b"
        r"|(?:Decode|Prefill) out of memory\. Try"
        r"|Triton Error \[(?:CUDA|HIP)\]: out of memory|Allocation is out of device memory on"
        r"|No available memory for the cache blocks"
        r"|larger than the (?:maximum number of tokens that can be stored in|available) KV cache"
        r"|Make sure you have enough GPU RAM to fit the quantized model"
        r"|modules are dispatched on the (?:CPU|disk)",
    ),
    Format(  # Stable Diffusion's web interface
        "torch",
        r"Not enough memory, use lower resolution \(max",
        requested=rf"Need: {SIZE} free",
        free=rf"Have: ?{SIZE} free",
    ),
    Format(  # vLLM
        "torch",
        r"Free memory on device .{0,200} is less than desired GPU memory utilization",
        device=rf"device cuda:{INDEX}",
        free=r"\((\d[\d.]{0,30}/\d[\d.]{0,30} GiB)\)",
        capacity=r"\(\d[\d.]{0,30}/(\d[\d.]{0,30} GiB)\)",
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
        r"|ggml_vulkan: Device memory allocation of size \d{1,30} failed"
        r"|CUDA error 2 at .{0,300}ggml|can't allocate \d{1,30} bytes of memory on device",
        requested=rf"(?:(?:buffer|allocation) of size {COUNT}|allocating {SIZE} on device)",
        device=rf"on device {INDEX}",
    ),
    Format("mxnet", r"pooled_storage_manager.{0,300}cudaMalloc (?:retry )?failed: out of memory"),
    Format(  # Thrust and CUB, which many libraries sort and reduce with, OpenCV, Kokkos, OpenCL
        "cuda",
        r"temporary_buffer::allocate: get_temporary_buffer failed"
        r"|(?:parallel_for|for_each|transform|copy_if|radix_sort|merge_sort|reduce(?:_by_key)?"
        r"|unique(?:_by_key)?|(?:in|ex)clusive_scan) ?:? failed(?: on \w{1,9} step"
        r"| to \w{1,12})?: ?out of memory|Gpu API call\) ?out of memory"
        r"|MemorySpace named .(?:Cuda|HIP).{0,9} failed"
        r"|MEM_OBJECT_ALLOCATION_FAILURE|Memory Object Allocation Failure"
        r"|Possibly this is due to sharing the GPU",  # Kaldi
    ),
    Format(
        "catboost",
        r"NCudaLib::TOutOfMem|Out of memory\. Requested \d[\d.]{0,30} ?\w{1,3}; free",
        requested=rf"Requested {SIZE}",
        free=rf"Free {SIZE}",
    ),
    Format(
        "mindspore",
        r"Device\(id:\d{1,4}\) memory isn't enough|current free memory size\[\d{1,30}\] is smaller",
        requested=rf"alloc size: {COUNT}B|required size\[{COUNT}\]",
        free=rf"free memory size\[{COUNT}\]",
    ),
    Format(
        "mlx",
        r"\[malloc(?:_or_wait)?\] Unable to allocate \d{1,30} bytes"
        r"|\[metal::malloc\] Attempting to allocate \d{1,30} bytes",
        requested=rf"(?:Unable to allocate|Attempting to allocate) {COUNT} bytes",
    ),
    Doubtful(
        "onnxruntime",
        r"BFCArena::AllocateRawInternal.{0,300}(?:Failed to allocate memory for requested buffer"
        r"|Available memory of \d{1,30} is smaller than requested)",
        requested=rf"(?:buffer of size|requested bytes of) {COUNT}",
    ),
    Format(
        "rapids",
        r"bad_alloc.{0,300}(?:RMM failure|cudaErrorMemoryAllocation|out_of_memory)"
        r"|RMM_ERROR_OUT_OF_MEMORY|Maximum pool size exceeded",
    ),
    Format(
        "tensorrt",
        r"Requested amount of GPU memory|Cuda Runtime \(out of memory\)|Error Code 2: OutOfMemory",
        requested=rf"GPU memory \({COUNT} bytes\)",
    ),
)
