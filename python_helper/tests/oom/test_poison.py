"""Which errors say that CUDA has stopped in this process; messages composed here."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from gpu_headroom.oom.poison import recognise_fault
from gpu_headroom.oom.recognise import recognise

ADVICE = (
    "\nCUDA kernel errors might be asynchronously reported at some other API call, so the "
    "stacktrace below might be incorrect.\nFor debugging consider passing CUDA_LAUNCH_BLOCKING=1"
    "\nCompile with `TORCH_USE_CUDA_DSA` to enable device-side assertions.\n"
)
ASSERT = f"CUDA error: device-side assert triggered{ADVICE}"


def made(name: str, module: str, *bases: type) -> Any:
    """Make the class of a library that is not installed here."""
    return type(name, bases or (RuntimeError,), {"__module__": module})


CupyError = made("CUDARuntimeError", "cupy_backends.cuda.api.runtime")
NumbaError = made("CudaAPIError", "numba.cuda.cudadrv.driver", Exception)
JaxError = made("XlaRuntimeError", "jaxlib._jax")
LaunchError = made("LaunchError", "pycuda._driver", Exception)

FAULTS: dict[str, tuple[BaseException, str]] = {
    "PyTorch since 2.8": (torch.AcceleratorError(ASSERT), "assert"),
    "older PyTorch": (RuntimeError(ASSERT), "assert"),
    "PyTorch 1": (
        RuntimeError("cuda runtime error (710) : device-side assert triggered at /pytorch/a.cu:1"),
        "assert",
    ),
    "illegal access": (
        torch.AcceleratorError(f"CUDA error: an illegal memory access was encountered{ADVICE}"),
        "access",
    ),
    "ROCm": (RuntimeError("HIP error: an illegal memory access was encountered"), "access"),
    "launch failure": (RuntimeError("CUDA error: unspecified launch failure"), "kernel"),
    "launch timeout": (
        RuntimeError("CUDA error: the launch timed out and was terminated"),
        "kernel",
    ),
    "misaligned": (RuntimeError("CUDA error: misaligned address"), "kernel"),
    "illegal instruction": (
        RuntimeError("CUDA error: an illegal instruction was encountered"),
        "kernel",
    ),
    "stack": (RuntimeError("CUDA error: hardware stack error"), "kernel"),
    "program counter": (RuntimeError("CUDA error: invalid program counter"), "kernel"),
    "address space": (
        RuntimeError("CUDA error: operation not supported on global/shared address space"),
        "kernel",
    ),
    "ECC": (RuntimeError("CUDA error: uncorrectable ECC error encountered"), "hardware"),
    "NVLink": (
        RuntimeError("CUDA error: uncorrectable NVLink error detected during the execution"),
        "hardware",
    ),
    "CuPy": (
        CupyError("cudaErrorIllegalAddress: an illegal memory access was encountered"),
        "access",
    ),
    "Numba": (
        NumbaError("[700] Call to cuMemcpyDtoH results in CUDA_ERROR_ILLEGAL_ADDRESS"),
        "access",
    ),
    "PyCUDA": (LaunchError("cuMemFree failed: unspecified launch failure"), "kernel"),
    "Triton": (
        RuntimeError("Triton Error [CUDA]: an illegal memory access was encountered"),
        "access",
    ),
    "JAX": (
        JaxError(
            "INTERNAL: CUDA error: Could not synchronize CUDA stream: "
            "CUDA_ERROR_LAUNCH_FAILED: unspecified launch failure"
        ),
        "kernel",
    ),
    "Thrust": (
        RuntimeError(
            "transform: failed to synchronize: cudaErrorAssert: device-side assert triggered"
        ),
        "assert",
    ),
    "NCCL": (
        RuntimeError("NCCL error\nCuda failure 'an illegal memory access was encountered'"),
        "access",
    ),
    "a thread of DataParallel": (
        RuntimeError(f"Caught AcceleratorError in replica 1 on device 1.\nError: {ASSERT}"),
        "assert",
    ),
}
OTHERS: dict[str, BaseException] = {
    "out of memory": torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB."),
    "a driver's refusal": RuntimeError("CUDA error: out of memory"),
    "no kernel": RuntimeError("CUDA error: no kernel image is available for execution"),
    "invalid argument": RuntimeError("CUDA error: invalid argument"),
    "cuBLAS": RuntimeError("CUDA error: CUBLAS_STATUS_NOT_INITIALIZED when calling cublasCreate"),
    "a user's own words": ValueError("CUDA error: device-side assert triggered, as in the book"),
    "another fault of the host": RuntimeError("Illegal instruction (core dumped)"),
    "a worker process": RuntimeError(
        f"Caught AcceleratorError in DataLoader worker process 0.\nError: {ASSERT}"
    ),
    "a spawned process": RuntimeError(
        f"-- Process 1 terminated with the following error:\n{ASSERT}"
    ),
    "the only advice": RuntimeError(ADVICE),
}


@pytest.mark.parametrize("name", FAULTS)
def test_recognises_a_cuda_that_has_stopped(name: str) -> None:
    """By the words of CUDA itself, whoever passes them on."""
    error, claim = FAULTS[name]
    fault = recognise_fault(error)
    assert fault is not None
    assert fault.claim == f"poisoned.{claim}"
    assert fault.error is error


@pytest.mark.parametrize("name", FAULTS)
def test_takes_none_for_a_shortage(name: str) -> None:
    """What stops CUDA is no lack of memory."""
    assert recognise(FAULTS[name][0]) is None


@pytest.mark.parametrize("name", OTHERS)
def test_leaves_other_errors_alone(name: str) -> None:
    """CUDA goes on after these, or it is another process's CUDA."""
    assert recognise_fault(OTHERS[name]) is None


def test_finds_it_behind_another_error() -> None:
    """A library may wrap it."""
    error = ValueError("the step failed")
    error.__cause__ = RuntimeError(ASSERT)
    fault = recognise_fault(error)
    assert fault is not None
    assert fault.error is error.__cause__


def test_knows_that_it_came_from_another_process() -> None:
    """A pool of processes raises a worker's error here, with the worker's traceback behind it."""
    error = RuntimeError(ASSERT)
    error.__cause__ = made("RemoteTraceback", "multiprocessing.pool", Exception)("...")
    assert recognise_fault(error) is None
