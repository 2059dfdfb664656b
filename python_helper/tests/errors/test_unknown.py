"""A shortage in words of no known format: whose memory it is, by the words beside."""

from __future__ import annotations

import pytest
from gpu_headroom.errors.pasted import recognise_text
from gpu_headroom.errors.recognise import is_credible, recognise
from gpu_headroom.text.format import GIB
from tests.errors.test_recognise import reading_of

# Composed here, each in the manner of a library.
OF_A_GPU = [
    "Failed to allocate 4294967296 bytes on device 'cuda:0'",
    "error loading model: unable to allocate CUDA0 buffer",
    "Allocation of 1.50 GB failed on CUDA:1. Used: 22.10 GB",
    "gpu_memory.h:12 cudaMalloc(&rawptr, n_bytes+SIZE*2) failed with error out of memory",
    "cudaMalloc GpuBuffer::Allocate failed out of memory",
    "out of memory in /x/acc/cuda/cuda_mem_utils.h at line 103 (error-code 2)",
    "Out of memory in cuMemAlloc(&device_pointer, size)",
    "GPU memory is overflow, please reduce your batch_size or data size!",
    "nvjpeg error (5): NVJPEG_STATUS_ALLOCATOR_FAILURE",
    "curand: CURAND_STATUS_ALLOCATION_FAILED",
    "In Device::create_buffer of wgpu: Not enough memory left.",
    "GpuRetryOOM: GPU OutOfMemory",
    "GPU out of memory",
    "The GPU ran out of memory. Try a smaller batch size.",
    "There is not enough GPU memory available",
    "Insufficient GPU memory: need 20 GiB",
    "GPU memory allocation failed (might be due to insufficient memory)",
    "CUDA graph instantiation failed: out of memory",
    "after cub_::DeviceRadixSort: out of memory",
    "DmlExecutionProvider 8007000E Not enough memory resources are available",
    "ggml_metal_add_buffer: error: failed to allocate 'data' buffer, size = 8192.00 MiB",
    "rocblas_status_memory_error",
    "miopenStatusAllocFailed in miopenConvolutionForward",
    "[dali] Can't allocate 4096 bytes on device 0",
    "CUDA error (file.cu:10): out of memory",
    "Cuda error in file 'x.cu' in line 10 : out of memory.",
    "cudaCheckError() failed at x.cu:10 : out of memory",
    "rmm: Exceeded memory limit (failed to allocate 3.000 GiB)",
    "CUDA out of the memory. Look for other programs.",
]
OF_ANYTHING_ELSE = [
    "If you run out of GPU memory, reduce the batch size. Bad shape",
    "Tip: when out of GPU memory use gradient checkpointing. 'x'",
    "Your GPU has only 4 GiB of memory: you may run out of memory.",
    "the batch must be even (a CUDA out of memory error was handled before)",
    "Trial was pruned because of CUDA out of memory",
    "CUDA memory allocation failed; attempting to free up memory...",
    "CUDA memory allocation failed, skipping this batch",
    "cuMemHostAlloc failed: out of memory",
    "cuda: failed to allocate 4096 bytes of host memory",
    "[nvenc] OpenEncodeSessionEx failed on gpu 0: out of memory (10)",
    "CUDA: could not allocate the CPU buffer",
    "failed to allocate a GPU: none is available",
    "LLVM ERROR: out of memory",
    "could not connect to the GPU backend. Allocation failed",
    "sqlite3: out of memory",
    "except torch.cuda.OutOfMemoryError:",
    "CUDA error: invalid device ordinal",
]


@pytest.mark.parametrize("text", OF_A_GPU)
def test_a_word_beside_says_that_it_is_the_gpus(text: str) -> None:
    """In an error and in a log; never for certain, as host memory has such words, too."""
    for result in (recognise(RuntimeError(text)), recognise_text(f"step 1\n{text}\nend")):
        assert result is not None
        assert not result.said.certain or result.said.framework == "torch"


@pytest.mark.parametrize("text", OF_ANYTHING_ELSE)
def test_advice_and_other_memory_are_no_failure(text: str) -> None:
    """Nor is what the program has seen to itself."""
    assert recognise(RuntimeError(text)) is None
    assert recognise_text(f"step 1\n{text}\nend") is None


def test_code_that_a_traceback_quotes_says_nothing() -> None:
    """Only what the error itself says counts."""
    step = '  File "x.py", line 3, in f\n    raise_if("the GPU ran out of memory")\n'
    text = f"Traceback (most recent call last):\n{step}KeyError: 'x'"
    assert recognise_text(text) is None


def test_a_request_larger_than_what_is_free_is_believed() -> None:
    """Of a GPU that is not full such words are believed where the request would not fit."""
    result = recognise(RuntimeError("Failed to allocate 4294967296 bytes on device 'cuda:0'"))
    assert result is not None
    assert result.said.requested_bytes == 4 * GIB
    assert is_credible(result.said, reading_of(3 * GIB))
    assert not is_credible(result.said, reading_of(15 * GIB))
