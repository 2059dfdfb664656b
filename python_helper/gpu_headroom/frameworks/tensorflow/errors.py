"""TensorFlow's messages that the GPU ran out of memory, one entry per format."""

from __future__ import annotations

from ..errortext import COUNT, INDEX, SIZE, Doubtful, Format

FORMATS = (
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
    Format("tensorflow", r"Ran out of GPU memory when alloc", requested=rf"allocating {COUNT} byt"),
)
