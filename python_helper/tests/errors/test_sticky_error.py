"""Which errors say that CUDA has stopped in this process; messages composed here."""

from __future__ import annotations

import asyncio
import ctypes
import sys
import types
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest
import torch
from gpu_headroom.errors.recognise import recognise
from gpu_headroom.errors.sticky_error import recognise_fault

if TYPE_CHECKING:
    from collections.abc import Callable

ADVICE = (
    "\nCUDA kernel errors might be asynchronously reported at some other API call, so the "
    "stacktrace below might be incorrect.\nFor debugging consider passing CUDA_LAUNCH_BLOCKING=1"
    "\nCompile with `TORCH_USE_CUDA_DSA` to enable device-side assertions.\n"
)
ASSERT = f"CUDA error: device-side assert triggered{ADVICE}"


def error_class(name: str, module: str, *bases: type) -> Any:
    """Make the class of a library that is not installed here."""
    return type(name, bases or (RuntimeError,), {"__module__": module})


CupyError = error_class("CUDARuntimeError", "cupy_backends.cuda.api.runtime")
NumbaError = error_class("CudaAPIError", "numba.cuda.cudadrv.driver", Exception)
JaxError = error_class("XlaRuntimeError", "jaxlib._jax")
LaunchError = error_class("LaunchError", "pycuda._driver", Exception)

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
    "misaligned": (RuntimeError("CUDA error: misaligned address"), "kernel"),
    "ECC": (RuntimeError("CUDA error: uncorrectable ECC error encountered"), "hardware"),
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
    "faiss": (
        RuntimeError(
            "Error in void faiss::gpu::f() at /x.cu:9: Error: 'err == cudaSuccess' failed: "
            "CUDA error 700 an illegal memory access was encountered"
        ),
        "access",
    ),
}
OTHER_ERRORS: dict[str, BaseException] = {
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


def natively(error: BaseException) -> BaseException:
    """Have C code raise an error, as a framework's functions do."""
    raising = ctypes.pythonapi.PyErr_SetObject
    try:
        raising(ctypes.py_object(type(error)), ctypes.py_object(error))
    except type(error) as raised:
        return raised
    raise AssertionError


def in_module(name: str, source: str, **names: Any) -> BaseException:
    """Run code in a module of that name, and return what it raises."""
    module = types.ModuleType(name)
    vars(module).update(names)
    try:
        exec(source, vars(module))  # noqa: S102  a frame of that module is the case
    except BaseException as error:  # noqa: BLE001  whatever it is
        return error
    raise AssertionError


def raised(error: BaseException, name: str = "__main__") -> BaseException:
    """Have Python code of a module raise an error."""
    return in_module(name, "raise error", error=error)


@pytest.mark.parametrize("name", FAULTS)
def test_recognises_a_cuda_that_has_stopped(name: str) -> None:
    """By the words of CUDA itself, where native code raised them."""
    error, claim = FAULTS[name]
    fault = recognise_fault(natively(error))
    assert fault is not None
    assert fault.claim == f"sticky_error.{claim}"
    assert fault.error is error


@pytest.mark.parametrize("name", FAULTS)
def test_takes_none_for_a_shortage(name: str) -> None:
    """What stops CUDA is no lack of memory."""
    assert recognise(FAULTS[name][0]) is None


@pytest.mark.parametrize("name", OTHER_ERRORS)
def test_leaves_other_errors_alone(name: str) -> None:
    """CUDA goes on after these, or it is another process's CUDA."""
    assert recognise_fault(natively(OTHER_ERRORS[name])) is None


@pytest.mark.parametrize("name", FAULTS)
def test_python_code_may_say_what_it_likes(name: str) -> None:
    """A cell that raises the very words stops nothing, nor does an error that was not raised."""
    text = str(FAULTS[name][0])
    assert recognise_fault(raised(RuntimeError(text))) is None
    assert recognise_fault(raised(torch.AcceleratorError(text))) is None
    assert recognise_fault(RuntimeError(text)) is None


@pytest.mark.parametrize("name", FAULTS)
@pytest.mark.parametrize(
    "before", ["task train-3 failed: ", "RuntimeError: ", "\n\n-- Process 1: "]
)
def test_a_quotation_is_no_error_of_cuda(name: str, before: str) -> None:
    """A framework begins with its own words; others put theirs before."""
    assert recognise_fault(natively(RuntimeError(f"{before}{FAULTS[name][0]}"))) is None


@pytest.mark.parametrize(
    ("module", "counts"),
    [("torch._utils", True), ("cupy.cuda", True), ("numba.cuda.driver", True), ("trainer", False)],
)
def test_a_framework_may_raise_in_python(module: str, *, counts: bool) -> None:
    """It passes on what a function of CUDA's returned; other code does not."""
    assert (recognise_fault(raised(RuntimeError(ASSERT), module)) is not None) is counts


@pytest.mark.parametrize(
    ("where", "counts"),
    [
        ("in replica 1 on device 1", True),
        ("in pin memory thread for device 0", True),
        ("in DataLoader worker process 0", False),
    ],
)
def test_a_thread_of_pytorch_passes_its_error_on(where: str, *, counts: bool) -> None:
    """PyTorch's own way to raise again what a thread of this process, or a worker, raised."""
    from torch._utils import ExceptionWrapper

    error = natively(RuntimeError(ASSERT))
    wrapper = ExceptionWrapper((type(error), error, error.__traceback__), where=where)
    with pytest.raises(RuntimeError) as caught:
        wrapper.reraise()
    assert str(caught.value).startswith(f"Caught RuntimeError {where}")
    assert (recognise_fault(caught.value) is not None) is counts


def again_bare(error: BaseException) -> None:
    """Catch what native code raises, and raise it again."""
    try:
        raise natively(error)
    except RuntimeError as caught:
        str(caught)
        raise


def again_by_name(error: BaseException) -> None:
    """Catch it, and raise it by its name."""
    try:
        raise natively(error)
    except RuntimeError as caught:
        str(caught)
        raise caught  # noqa: TRY201  by its name is the case


def behind_finally(error: BaseException) -> None:
    """Let it pass through what runs in any case."""
    try:
        raise natively(error)
    finally:
        str(error)


def in_a_thread(error: BaseException) -> None:
    """Raise it in a thread, and take it over from there."""
    with ThreadPoolExecutor() as pool:
        raise pool.submit(natively, error).result()


def in_a_task(error: BaseException) -> None:
    """Raise it in a task that others await."""

    async def work() -> None:
        raise natively(error)

    async def main() -> None:
        await asyncio.gather(work())

    asyncio.run(main())


@pytest.mark.parametrize("way", [again_bare, again_by_name, behind_finally, in_a_thread, in_a_task])
def test_knows_it_however_it_is_passed_on(way: Callable[[BaseException], None]) -> None:
    """Where an error began stays in its traceback."""
    with pytest.raises(RuntimeError) as caught:
        way(RuntimeError(ASSERT))
    assert recognise_fault(caught.value) is not None


def told_to_a_future(error: BaseException) -> None:
    """Await what other code says has failed, at once or later."""

    async def main() -> None:
        future = asyncio.get_running_loop().create_future()
        asyncio.get_running_loop().call_soon(future.set_exception, error)
        await future

    asyncio.run(main())


def thrown_into_a_generator(error: BaseException) -> None:
    """Throw it into a generator that waits."""
    generator = (number for number in range(3))
    next(generator)
    generator.throw(error)


@pytest.mark.parametrize("way", [told_to_a_future, thrown_into_a_generator])
def test_an_error_that_is_handed_over_was_not_raised_here(
    way: Callable[[BaseException], None],
) -> None:
    """It may have come from anywhere: it was not raised yet."""
    with pytest.raises(RuntimeError) as caught:
        way(RuntimeError(ASSERT))
    assert recognise_fault(caught.value) is None


def test_finds_it_behind_another_error() -> None:
    """A library may wrap it."""
    error = ValueError("the step failed")
    error.__cause__ = natively(RuntimeError(ASSERT))
    fault = recognise_fault(error)
    assert fault is not None
    assert fault.error is error.__cause__


@pytest.mark.parametrize(
    "name",
    [
        "RemoteTraceback",
        "RemoteError",
        "RayError",
        "ProcessException",
    ],
)
def test_knows_that_it_came_from_another_process(name: str) -> None:
    """A pool of processes raises a worker's error here, with the worker's traceback behind it."""
    error = natively(RuntimeError(ASSERT))
    error.__cause__ = error_class(f"{name}(X)", "pool", error_class(name, "pool", Exception))("...")
    assert recognise_fault(error) is None


@pytest.mark.parametrize("module", ["distributed.client", "ray._private.worker", "ipyparallel"])
def test_what_passed_through_a_cluster_is_not_ours(module: str) -> None:
    """Its library rebuilds the error, sometimes with frames that look like the worker's own."""
    error = in_module(
        module, "raise natively(error)", natively=natively, error=RuntimeError(ASSERT)
    )
    assert recognise_fault(error) is None


def test_knows_it_under_a_debugger() -> None:
    """What traces the code changes its instructions, not what they are."""
    sys.settrace(lambda *_: None)
    try:
        error = natively(RuntimeError(ASSERT))
        quoted = raised(RuntimeError(ASSERT))
    finally:
        sys.settrace(None)
    assert recognise_fault(error) is not None
    assert recognise_fault(quoted) is None


def test_knows_frames_of_cython() -> None:
    """NumPy's random module is one; its frames have no instructions of their own."""
    numpy_random = pytest.importorskip("numpy.random")
    try:
        numpy_random.rand(-1)
    except ValueError as error:
        innermost = error.__traceback__
    while innermost is not None and innermost.tb_next is not None:
        innermost = innermost.tb_next
    assert innermost is not None
    assert innermost.tb_frame.f_code.co_filename.endswith(".pyx")
    assert recognise_fault(RuntimeError(ASSERT).with_traceback(innermost)) is not None


def test_a_rebuilt_traceback_is_no_proof() -> None:
    """`tblib` makes frames with the names of those of another process, which may be PyTorch's."""
    error = in_module("torch.nn", "raise __traceback_maker", __traceback_maker=RuntimeError(ASSERT))
    assert recognise_fault(error) is None
