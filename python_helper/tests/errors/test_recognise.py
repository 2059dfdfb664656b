"""Which errors say that the GPU ran out of memory, and what they say; messages composed here."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
from gpu_headroom.errors.recognise import errors_within, is_credible, recognise
from gpu_headroom.readings.snapshot import DeviceReading
from gpu_headroom.text.format import GIB, MIB

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gpu_headroom.errors.recognise import Recognition

SENTINEL = "17179869184.00 GiB"
ADVICE = " If reserved but unallocated memory is large try setting PYTORCH_ALLOC_CONF=x:True"
OWN = " Including non-PyTorch memory, this process has 7.00 GiB memory in use."
SPLIT = (
    " Of the allocated memory 5.00 GiB is allocated by PyTorch,"
    " and 1.50 GiB is reserved by PyTorch but unallocated."
)


def torch_2(word: str = "capacity", between: str = OWN, split: str = SPLIT) -> str:
    """Compose the message of PyTorch since 2.1."""
    return (
        f"CUDA out of memory. Tried to allocate 2.00 GiB. GPU 1 has a total {word} of 8.00 GiB"
        f" of which 512.00 MiB is free.{between}{split}{ADVICE}"
    )


def torch_1(last: str) -> str:
    """Compose the message of PyTorch 1."""
    return (
        "CUDA out of memory. Tried to allocate 2.00 GiB (GPU 1; 8.00 GiB total capacity;"
        f" 5.00 GiB already allocated; 512.00 MiB free; {last})"
    )


KNOWN = {
    "requested_bytes": 2 * GIB,
    "capacity_bytes": 8 * GIB,
    "free_bytes": 512 * MIB,
    "in_use_bytes": 5 * GIB,
    "device_index": 1,
}
RESERVED = {"reserved_bytes": 6 * GIB + 512 * MIB, "unallocated_bytes": GIB + 512 * MIB}
ALL = {**KNOWN, **RESERVED}


class Message(NamedTuple):
    """What an error says: of which framework, in which words, and with which numbers."""

    framework: str
    text: str
    numbers: Mapping[str, int | None] = MappingProxyType({})


MESSAGES = {
    "2.2": Message("torch", torch_2(), ALL),
    "2.1 and its typo": Message("torch", torch_2("capacty"), ALL),
    "2.3 and its number": Message("torch", torch_2().replace("GPU 1", "GPU \x01"), ALL),
    "no process clause": Message("torch", torch_2(between=""), ALL),
    "other processes": Message(
        "torch",
        torch_2(between=f" Process 7 has 1.00 GiB memory in use.{OWN} Process 8 has 2.00 GiB"),
        KNOWN,
    ),
    "private pools": Message(
        "torch",
        torch_2(
            split=SPLIT.replace(
                "by PyTorch, and",
                "by PyTorch, with 1.00 GiB allocated in private pools (e.g., CUDA Graphs), and",
            )
        ),
        ALL,
    ),
    "memory fraction": Message(
        "torch", torch_2(between=" 4.00 GiB allowed;"), {**KNOWN, "allowed_bytes": 4 * GIB}
    ),
    "WSL2 sentinel": Message(
        "torch",
        torch_2(
            between=f" Including non-PyTorch memory, this process has {SENTINEL} memory in use."
        ),
        KNOWN,
    ),
    "HIP": Message("torch", torch_2().replace("CUDA", "HIP", 1), KNOWN),
    "XPU without free": Message(
        "torch",
        "XPU out of memory. Tried to allocate 2.00 GiB (GPU 1; 8.00 GiB total capacity;"
        " 5.00 GiB already allocated; 6.50 GiB reserved in total by PyTorch)",
        {**ALL, "free_bytes": None},
    ),
    "1.4": Message("torch", torch_1("6.50 GiB reserved in total by PyTorch"), ALL),
    "1.0: cached excludes in use": Message("torch", torch_1("1.50 GiB cached"), ALL),
    "without its prefix": Message(
        "torch", torch_1("6.50 GiB reserved in total by PyTorch").split(". ", 1)[1], KNOWN
    ),
    "wrapped": Message(
        "torch",
        torch_2().replace(" is allocated", "\n   is allocated").replace("8.00 G", "8.00\nG"),
        KNOWN,
    ),
    "request below what is free": Message(
        "torch",
        torch_2().replace("512.00 MiB is free", "7.50 GiB is free"),
        {**KNOWN, "free_bytes": 7 * GIB + 512 * MIB},
    ),
    "async allocator": Message(
        "torch",
        "Allocation on device 1 would exceed allowed memory. (out of memory)\n"
        "Currently allocated     : 5.00 GiB\nRequested               : 2.00 GiB\n"
        "Device limit            : 8.00 GiB\nFree (according to CUDA): 512.00 MiB\n"
        f"PyTorch limit (set by user-supplied memory fraction)\n: {SENTINEL}",
        {**KNOWN, "allowed_bytes": None},
    ),
    "MPS": Message(
        "torch",
        "MPS backend out of memory (MPS allocated: 5.00 GB, other allocations: 1.00 MB,"
        " max allowed: 8.00 GB). Tried to allocate 2.00 GB on private pool. Use PYTORCH",
        {"in_use_bytes": 5 * GIB, "allowed_bytes": 8 * GIB, "requested_bytes": 2 * GIB},
    ),
    "MPS buffer": Message("torch", "Invalid buffer size: 2.00 GB", {"requested_bytes": 2 * GIB}),
    "replica": Message(
        "torch",
        "Caught OutOfMemoryError in replica 0 on device 0.\nOriginal Traceback (most recent"
        f' call last):\n  File "x.py", line 1, in f\ntorch.OutOfMemoryError: {torch_2()}',
        ALL,
    ),
    "TF": Message(
        "tensorflow",
        "OOM when allocating tensor with shape[2,3] and type float on "
        "/job:localhost/replica:0/task:0/device:GPU:1 by allocator GPU_1_bfc",
        {"device_index": 1},
    ),
    "TF copy": Message(
        "tensorflow",
        "Failed copying input tensor from /job:x/device:CPU:0 to "
        "/job:x/device:GPU:0 in order to run Eager: Dst tensor is not initialized.",
        {"device_index": 0},
    ),
    "TF driver": Message(
        "tensorflow",
        "failed to allocate 2.00G (2147483648 bytes) from device: "
        "CUDA_ERROR_OUT_OF_MEMORY: out of memory",
        {"requested_bytes": 2 * GIB},
    ),
    "TF bfc": Message(
        "tensorflow",
        "W x/bfc_allocator.cc:1] Allocator (GPU_0_bfc) ran out of memory trying"
        " to allocate 2.00GiB (rounded to 2147483648)requested by op Add",
        {"requested_bytes": 2 * GIB, "device_index": 0},
    ),
    "JAX": Message(
        "jax",
        "RESOURCE_EXHAUSTED: Out of memory while trying to allocate 2147483648 bytes.",
        {"requested_bytes": 2 * GIB},
    ),
    "JAX device": Message(
        "jax",
        "RESOURCE_EXHAUSTED: Failed to allocate request for 2.00GiB (2147483648B)"
        " on device ordinal 1",
        {"requested_bytes": 2 * GIB, "device_index": 1},
    ),
    "CuPy": Message(
        "cupy",
        "Out of memory allocating 2,147,483,648 bytes (allocated so far: 5,368,709,120"
        " bytes, limit set to: 8,589,934,592 bytes).",
        {"requested_bytes": 2 * GIB, "in_use_bytes": 5 * GIB, "allowed_bytes": 8 * GIB},
    ),
    "Paddle": Message(
        "paddle",
        "Out of memory error on GPU 1. Cannot allocate 2.000000GB memory on GPU 1,"
        " 5.000000GB memory has been allocated and available memory is only 512.000000MB.",
        {
            "requested_bytes": 2 * GIB,
            "in_use_bytes": 5 * GIB,
            "free_bytes": 512 * MIB,
            "device_index": 1,
        },
    ),
    "onnxruntime": Message(
        "onnxruntime",
        "bfc_arena.cc:1 void* onnxruntime::BFCArena::AllocateRawInternal("
        "size_t) Failed to allocate memory for requested buffer of size 2147483648",
        {"requested_bytes": 2 * GIB},
    ),
    "vLLM start": Message(
        "torch",
        "Free memory on device cuda:1 (0.50/8.00 GiB) on startup is less than "
        "desired GPU memory utilization (0.9, 7.2 GiB).",
        {"free_bytes": 512 * MIB, "capacity_bytes": 8 * GIB, "device_index": 1},
    ),
    "ggml": Message(
        "ggml",
        "ggml_backend_cuda_buffer_type_alloc_buffer: allocating 2048.00 MiB on device 1:"
        " cudaMalloc failed: out of memory",
        {"requested_bytes": 2 * GIB, "device_index": 1},
    ),
    "XGBoost": Message(
        "xgboost",
        "Memory allocation error on worker 0: std::bad_alloc: "
        "cudaErrorMemoryAllocation: out of memory\n- Free memory: 536870912\n"
        "- Requested memory: 2147483648",
        {"requested_bytes": 2 * GIB, "free_bytes": 512 * MIB},
    ),
    "faiss": Message(
        "faiss",
        "StandardGpuResources: alloc fail type Flat dev 1 space Device stream 0x1 "
        "size 2147483648 bytes (cudaMalloc error out of memory [2])",
        {"requested_bytes": 2 * GIB, "device_index": 1},
    ),
    "Theano": Message(
        "theano",
        "Error allocating 2147483648 bytes of device memory (out of memory). Driver"
        " report 536870912 bytes free and 8589934592 bytes total",
        {"requested_bytes": 2 * GIB, "free_bytes": 512 * MIB, "capacity_bytes": 8 * GIB},
    ),
    "Julia": Message(
        "julia", "Out of GPU memory trying to allocate 2.00 GiB", {"requested_bytes": 2 * GIB}
    ),
    "a number of a GPU, 1": Message("torch", "CUDA out of memory on GPU 1", {"device_index": 1}),
    "a number of a GPU, 3": Message(
        "torch", "CUDA out of memory (GPU 1). Tried to allocate 20.00 MiB", {"device_index": 1}
    ),
    "one exabyte": Message(
        "torch",
        "CUDA out of memory. Tried to allocate more than 1EB memory.",
        {"requested_bytes": None},
    ),
    "garbage size": Message(
        "onnxruntime",
        "BFCArena::AllocateRawInternal(x) Failed to allocate memory for requested buffer of size "
        "4611686018427387904",
        {"requested_bytes": None},
    ),
    "zero bytes": Message(
        "torch",
        torch_1("6.50 GiB reserved in total by PyTorch").replace("512.00 MiB free", "0 bytes free"),
        {**KNOWN, "free_bytes": 0},
    ),
    "shared memory of Windows": Message(
        "torch",
        torch_1("18.50 GiB reserved in total by PyTorch").replace("5.00 GiB al", "17.00 GiB al"),
        {**KNOWN, "in_use_bytes": 17 * GIB},
    ),
    "JAX with tags": Message(
        "jax",
        "RESOURCE_EXHAUSTED: Out of memory while trying to allocate 2.00GiB. "
        "[tf-allocator-allocation-error='']",
        {"requested_bytes": 2 * GIB},
    ),
}
# What libraries say of no numbers: a number of CUDA's, a function of the driver, a sentence.
WORDS = {
    "torch": {
        "cut after the first sentence": "CUDA out of memory.",
        "driver": (
            "CUDA error: out of memory\n"
            "Compile with `TORCH_USE_CUDA_DSA` to enable device-side assertions."
        ),
        "driver, no blank": "CUDA error:out of memory",
        "THC": "cuda runtime error (2) : out of memory at /tmp/THCStorage.cu:58",
        "THC, no blanks": "cuda runtime error(2):out of memory",
        "cuBLAS": "CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`",
        "cuDNN": "cuDNN error: CUDNN_STATUS_ALLOC_FAILED",
        "NCCL": "host:1:1 [0] enqueue.cc:1 NCCL WARN Cuda failure 'out of memory'",
        "accelerate": "No executable batch size found, reached zero.",
        "bitsandbytes": "Error out of memory at line 88 in file /src/csrc/ops.cu",
        "Triton": "Triton Error [CUDA]: out of memory",
        "Intel's extension": "Allocation is out of device memory on current platform.",
        "ExLlama": "Insufficient VRAM for model and cache",
        "a web interface": "Not enough memory, use lower resolution (max approx. 640x640).",
        "Transformers, cut": "Some modules are dispatched on the CPU or the disk.",
        "cuBLAS of PyTorch 0.4": "cublas runtime error : resource allocation failed at x.cpp:1",
        "THC check": "THCudaCheck FAIL file=/x/THCStorage.cu line=58 error=2 : out of memory",
        "cuBLAS's handle": (
            "CUDA error: CUBLAS_STATUS_NOT_INITIALIZED when calling `cublasCreate(handle)`"
        ),
        "ComfyUI": "Allocation on device",
        "quantised": "Make sure you have enough GPU RAM to fit the quantized model. If you",
        "SGLang": "Not enough memory. Please try to increase --mem-fraction-static.",
        "TGI": "Not enough memory to handle 4096 prefill tokens. You need to decrease",
        "NCCL's buffer": (
            "ncclInternalError: Internal check failed. Last error: Failed to CUDA calloc async 4 "
            "bytes"
        ),
        "vLLM's sampler": "CUDA out of memory occurred when warming up sampler",
        "SGLang's pool": "Decode out of memory. Try to lower your batch size.",
        "of a rank": "[rank1] CUDA out of memory.",
        "of a worker": "(pid=99) CUDA out of memory.",
        "of a table": "Rank 1 | CUDA out of memory.",
        "of a field": "Worker 2 error=CUDA out of memory.",
        "as a repr": "RuntimeError('CUDA out of memory.')",
        "as a quotation": "worker 3 failed with 'CUDA out of memory.'",
    },
    "tensorflow": {
        "TF graph": "Graph execution error:\n\nOOM when allocating tensor with shape[2]",
        "TF short": "failed to allocate memory [Op:AddV2]",
        "an operation of TF": "Ran out of GPU memory when allocating 1294336 bytes for",
    },
    "cuda": {
        "Numba": "[2] Call to cuMemAlloc results in CUDA_ERROR_OUT_OF_MEMORY",
        "dlib": "Error while calling cudaMalloc(&p, n) in x.cpp: 1. code: 2, reason: out of memory",
        "Caffe2": "error == cudaSuccess. 2 vs 0. Error at: x/context_gpu.cu:343: out of memory",
        "GPUassert": "GPUassert: out of memory kernel.cu 33",
        "OpenCL": "clEnqueueNDRangeKernel failed: MEM_OBJECT_ALLOCATION_FAILURE",
        "Kokkos": (
            'failed to allocate memory: MemorySpace named "Cuda" failed with the following error'
        ),
        "spconv": "TensorStorage /io/tensor.h 168\ncuda failed with error 2 out of memory. use",
        "spconv, no words": "indice_cuda.cu 124 cuda execution failed with error 2",
        "CTranslate2": "CUDA failed with error out of memory",
        "Paddle's number": "Cuda error(2), out of memory.",
        "Caffe": "Check failed: error == cudaSuccess (2 vs. 0) out of memory",
        "onnxruntime's number": "CUDA failure 2: out of memory ; GPU=0 ; expr=cudaMalloc",
        "DGL": "Check failed: e == cudaSuccess: CUDA: out of memory",
        "PyCUDA": "cuCtxCreate failed: out of memory",
        "Thrust": "parallel_for failed: out of memory",
        "Thrust's sort": "radix_sort: failed on 1st step: out of memory",
        "Thrust's buffer": "temporary_buffer::allocate: get_temporary_buffer failed",
        "OpenCV": "error: (-217:Gpu API call) out of memory in function 'allocate'",
        "HIP alone": "hipErrorOutOfMemory",
        "TensorRT-LLM": (
            "CUDA runtime error in ::cudaMallocAsync(ptr, n, stream->get()): out of memory "
            "(x.h:112)"
        ),
        "Thrust's wait": "for_each: failed to synchronize: out of memory",
    },
    "rapids": {
        "RMM": "std::bad_alloc: out_of_memory: RMM failure at:x.hpp:1: Maximum pool size exceeded",
        "RMM's number": "RMM_ERROR_OUT_OF_MEMORY",
    },
    "mxnet": {
        "MXNet": "pooled_storage_manager.h:1: cudaMalloc retry failed: out of memory",
        "MXNet's pool": (
            "src/storage/pooled_storage_manager.h:143: cudaMalloc failed: out of memory"
        ),
    },
    "ggml": {
        "Vulkan": "ggml_vulkan: Device memory allocation of size 1610612736 failed.",
        "ggml for SYCL": "ggml_sycl: can't allocate 4096 Bytes of memory on device",
    },
    "jax": {
        "a constant of JAX": "INTERNAL: Failed to allocate 12884901888 bytes for new constant",
    },
    "catboost": {
        "CatBoost": "Error: Out of memory. Requested 1232.51 MB; Free 800.34 MB",
    },
    "mindspore": {
        "MindSpore": "Device(id:0) memory isn't enough and alloc failed",
    },
    "tensorrt": {
        "TensorRT": "[defaultAllocator.cpp::allocate::31] Error Code 2: OutOfMemory",
    },
}
MESSAGES |= {
    name: Message(framework, text)
    for framework, texts in WORDS.items()
    for name, text in texts.items()
}


NOT_THE_GPU = [
    "RESOURCE_EXHAUSTED: Failed to allocate request for 24B (24B) on device ordinal 0",
    "[malloc] Unable to allocate 24 bytes.",
    "stream->memcpy(to, from, n): Native API returns: 39 (UR_RESULT_ERROR_OUT_OF_DEVICE_MEMORY)",
    "cuMemHostAlloc failed: out of memory",
    "cudaMallocHost failed: out of memory",
    "cudaHostAlloc() failed: out of memory",
    "CUDA failed with error 201",
    "CUDA error (2 of 4 kernels launched)",
    "Native API failed. Native API returns: -5 (PI_ERROR_OUT_OF_RESOURCES)",
    "Native API returns: -6 (PI_ERROR_OUT_OF_HOST_MEMORY)",
    "ggml_backend_cpu_buffer_type_alloc_buffer: failed to allocate buffer of size 137438953504",
    "custom step failed: out of memory",
    "Allocation on device 0 succeeded after a retry",
    (
        "[enforce fail at alloc_cpu.cpp:81] data. DefaultCPUAllocator: not enough memory: you tried"
        " to allocate 9 bytes.\nIf you encounter CUDA out of memory, try a smaller tile."
    ),
    "Unable to allocate 58.0 GiB for an array with shape (1, 2) and data type uint16",
    "[Errno 12] Cannot allocate memory",
    "DataLoader worker (pid 3) is killed by signal: Bus error. out of shared memory",
    "out of resource: shared memory, Required: 65538, Hardware limit: 65536.",
    'IoError(Os { code: 28, kind: StorageFull, message: "No space left on device" })',
    "CUDA error: device-side assert triggered",
    "CUDA error: an illegal memory access was encountered",
    "CUDA error: no kernel image is available for execution on the device",
    "More than 95% of the memory on node x is used (11.8 / 12.3 GB).",
    "java.lang.OutOfMemoryError: Java heap space",
    "FATAL ERROR: Allocation failed - JavaScript heap out of memory",
    (
        "Allocator (GPU_0_bfc) ran out of memory trying to allocate 2.16GiB with freed_by_count=0."
        " The caller indicates that this is not a failure, but may mean that there could be gains."
    ),
    "OOM when allocating tensor with shape[2] and type float on /job:x/device:CPU:0 by allocator",
    "failed to allocate 1900,00 MiB of pinned memory: invalid argument",
    "Caught RuntimeError in pin memory thread for device 0.",
    "module 'torch' has no attribute 'OutOfMemoryError'",
    "Out of Memory Error: Failed to allocate block of 2048 bytes (bad allocation)",
    "If the build failed due to an out-of-memory error, you may disable `minimize`.",
    "SYCL exception: host allocation of 123 bytes failed: out of memory",
    "UR_RESULT_ERROR_OUT_OF_DEVICE_MEMORY on device [opencl:cpu]",
    "ggml_aligned_malloc: insufficient memory (attempted to allocate 12.00 MB)",
    "ggml_gallocr_reserve_n: failed to allocate CPU buffer of size 123",
    "ggml-cuda.cu: cudaMalloc failed: out of memory, falling back to CPU",
    "std::bad_alloc: out_of_memory: CUDA error at: pinned_host_memory_resource.hpp",
    "failed to alloc 4294967296 bytes on host: CUDA_ERROR_OUT_OF_MEMORY: out of memory",
    "cudaErrorMemoryAllocation of cudaMallocHost",
    "CUDA out of memory with batch=16. Retrying with batch=8 (1/3). ValueError: bad label",
    "attempt 1: CUDA out of memory. attempt 2 succeeded. KeyError: 'x'",
    (
        "ran out of memory with exception: CUDA out of memory. Tried to allocate 1.20 GiB;"
        " attempting to recover from OOM. RuntimeError: sizes do not match"
    ),
    "CUDA out of memory. Tried to allocate 2.00 GiB, using CPU. IndexError: too many indices",
    "CUDA driver version is insufficient for CUDA runtime version",
    "expected scalar type Float but found Half",
]


def recognised(error: BaseException) -> Recognition:
    """Return what is recognised in an error that says that a GPU is full."""
    result = recognise(error)
    assert result is not None
    return result


@pytest.mark.parametrize("name", MESSAGES)
def test_reads_every_message(name: str) -> None:
    """Of whose GPU memory, with the numbers that it prints, and nothing else."""
    message = MESSAGES[name]
    statement = recognised(RuntimeError(message.text)).said
    assert statement.framework == message.framework
    assert {key: getattr(statement, key) for key in message.numbers} == message.numbers


def test_an_attempt_that_failed_for_good_is_told() -> None:
    """What was tried again and failed again is no attempt that was survived."""
    text = (
        "CUDA out of memory. Retrying with batch=8. CUDA out of memory. Tried to allocate 1.00 GiB"
    )
    result = recognised(RuntimeError(text))
    assert result.said.requested_bytes == GIB


@pytest.mark.parametrize("text", NOT_THE_GPU)
def test_keeps_out_other_shortages(text: str) -> None:
    """Host memory, disks, asserts and advice are no GPU that is full."""
    assert recognise(RuntimeError(text)) is None


def error_class(module: str, name: str, *bases: type) -> Any:
    """Make an error class as a library would."""
    return type(name, bases or (RuntimeError,), {"__module__": module})


def test_knows_classes_by_module_and_name() -> None:
    """A class is known through its MRO even where the message says nothing."""
    wrapped = error_class("mine", "Wrapped", error_class("torch", "OutOfMemoryError"))
    result = recognised(wrapped("something"))
    assert (result.said.framework, result.error_name) == ("torch", "Wrapped")
    assert result.said.requested_bytes is None


@pytest.mark.parametrize("module", ["ray.exceptions", "duckdb", "triton.runtime"])
def test_is_not_misled_by_a_name(module: str) -> None:
    """Other libraries have an OutOfMemoryError of their own."""
    assert recognise(error_class(module, "OutOfMemoryError")("out of memory")) is None


def chained(kind: str) -> BaseException:
    """Raise an out-of-memory error and lose it inside another."""
    inner = RuntimeError(torch_2())
    try:
        try:
            raise inner
        except RuntimeError:
            if kind == "cause":
                raise ValueError("training failed") from inner
            if kind == "hidden":
                raise ValueError("training failed") from None
            raise ValueError("training failed")  # noqa: B904  the implicit chain is the case
    except ValueError as error:
        return error


@pytest.mark.parametrize("kind", ["cause", "context", "hidden"])
def test_finds_the_error_inside_a_chain(kind: str) -> None:
    """The error that says it is found behind the one that came out of the cell."""
    result = recognised(chained(kind))
    assert result.said.requested_bytes == 2 * GIB
    assert str(result.error).startswith("CUDA out of memory")


def test_finds_the_error_inside_a_group() -> None:
    """Members of groups are looked at, nested ones as well."""
    group_class = getattr(__import__("builtins"), "ExceptionGroup", None)
    if group_class is None:
        pytest.skip("Python 3.10 has no exception groups")
    group = group_class("all", [ValueError(1), group_class("inner", [RuntimeError(torch_2())])])
    result = recognised(group)
    assert result.said.requested_bytes == 2 * GIB


def test_walks_a_circle_of_errors_once() -> None:
    """Errors that name each other as cause end the search."""
    first, second = ValueError(1), ValueError(2)
    first.__cause__, second.__cause__ = second, first
    assert list(errors_within(first)) == [first, second]


@pytest.mark.parametrize("function", ["pin_memory", "mem_get_info"])
def test_asks_the_frames_where_the_text_does_not_tell(function: str) -> None:
    """The driver's text stands for pinned host memory, too: its frames say so."""
    scope: dict[str, Any] = {}
    exec(f"def {function}():\n    raise RuntimeError('CUDA error: out of memory')", scope)  # noqa: S102  a frame of that name is the case
    with pytest.raises(RuntimeError) as caught:
        scope[function]()
    assert recognise(caught.value) is None


def test_runs_no_code_of_the_error() -> None:
    """The text is taken from the arguments: `str` and `repr` belong to the user."""

    class LoudError(RuntimeError):
        def __str__(self) -> str:
            raise AssertionError

        __repr__ = __str__

    assert recognise(LoudError(torch_2())) is not None


def reading_of(free_bytes: int | None) -> DeviceReading:
    """Make a reading of a GPU of 16 GiB."""
    return DeviceReading(0, capacity_bytes=16 * GIB, free_bytes=free_bytes)


@pytest.mark.parametrize(
    ("text", "free_bytes", "credible"),
    [
        ("CUDA error: out of memory", 100 * MIB, True),
        ("CUDA error: out of memory", 15 * GIB, False),
        ("CUDA error: out of memory", None, True),
        (torch_2(), 15 * GIB, True),
    ],
)
def test_believes_a_doubtful_text_only_of_a_full_gpu(
    text: str, free_bytes: int | None, *, credible: bool
) -> None:
    """Where the text also means other things, a GPU with room speaks against it."""
    result = recognised(RuntimeError(text))
    assert is_credible(result.said, reading_of(free_bytes)) is credible
    assert is_credible(result.said, None)
