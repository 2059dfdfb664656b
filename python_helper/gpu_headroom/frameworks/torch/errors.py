"""PyTorch's messages that the GPU ran out of memory, one entry per format."""

from __future__ import annotations

from ..errortext import COUNT, INDEX, SIZE, Doubtful, Format, Structured

# PyTorch 2.3 prints the number of a GPU as a character of that code.
_CODE = r"[\x00-\x08]"
_GPU = rf"GPU ?(?:\d{{1,4}}|{_CODE})"
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

FORMATS = (
    Structured("torch", rf"{_TRIED}\.? ?{_GPU} has a total capac", **_TORCH),  # 2.0 on
    Structured("torch", rf"{_TRIED} \(GPU.{{0,300}}reserved in total", **_TORCH),  # 1.4 on
    Structured("torch", rf"{_TRIED} \(GPU ?\d{{1,4}};.{{0,300}}cached", **_TORCH),  # 1.0 on
    Structured(
        "torch",
        r"Allocation on device \d{0,4} ?would exceed allowed memory",
        requested=rf"Requested ?: {SIZE}",
        device=rf"Allocation on device {INDEX}",
        capacity=rf"Device limit ?: {SIZE}",
        free=rf"Free \(according to CUDA\) ?: {SIZE}",
        in_use=rf"Currently allocated ?: {SIZE}",
        allowed=rf"PyTorch limit [^:]{{0,90}}: {SIZE}",
    ),
    Structured(
        "torch",
        r"MPS backend out of memory",
        requested=_TORCH["requested"],
        in_use=rf"MPS allocated: {SIZE}",
        allowed=rf"max allowed: {SIZE}",
    ),
    Structured("torch", r"Invalid buffer size: \d", requested=rf"size: {SIZE}"),
    Structured("torch", r"Tried to allocate more than 1EB"),
    Structured("torch", rf"out of memory ?\.? ?{_TRIED}", **_TORCH),
    # After the prefix of a worker's line, "[rank1]" or "(pid=99)", and within a `repr`.
    Format(
        "torch",
        r"(?:^|[:>*()\]|=-] ?|error\(['\"]|with ['\"])(?:CUDA|HIP|XPU) out of memory"
        r"(?: on (?:GPU|device|CUDA:) ?\d{1,4}| \(GPU ?\d{1,4}\))?"
        r"(?:[.,: '\")\]]{0,9}$|[.,]| occurred\b)",
        requested=_TORCH["requested"],
        device=rf"(?:on (?:GPU|device|CUDA:)|\(GPU) ?{INDEX}",
    ),
    # ComfyUI and others print only this part of the cudaMallocAsync backend's message.
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
    Doubtful(  # NCCL
        "torch", r"cuda failure (?:\d{1,4} )?'out of memory'|Failed to CUDA calloc (?:async )?\d"
    ),
    Doubtful("torch", r"cublas runtime error ?: ?resource allocation failed"),
    Doubtful("torch", r"CUBLAS_STATUS_NOT_INITIALIZED when calling .?cublasCreate"),
    Format(  # DirectML
        "torch",
        r"Could not allocate tensor with \d{1,30} bytes\. There is not enough GPU video memory",
        requested=rf"tensor with {COUNT} bytes",
    ),
    Format("torch", r"(?:ERROR_OUT_OF_DEVICE_MEMORY|ErrorOutOfDeviceMemory)"),
    Format("torch", r"CommandBufferCallbackErrorOutOfMemory"),
)
