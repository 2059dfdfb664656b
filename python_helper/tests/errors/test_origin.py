"""Which errors come from another process."""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any

import pytest
from tests.errors.test_recognise import recognised, torch_2


def run_out() -> None:
    """Fail as PyTorch does, in whatever process this is."""
    raise RuntimeError(torch_2())


def raised(call: Any) -> BaseException:
    """Return what a call raises."""
    with pytest.raises(RuntimeError) as caught:
        call()
    return caught.value


def test_an_error_of_this_process_is_its_own() -> None:
    """Raised here, whatever it is wrapped in."""
    assert not recognised(raised(run_out)).in_other_process


def test_an_error_of_a_pool_is_of_its_worker() -> None:
    """Both kinds of pools put a text in the place of the traceback there."""
    context = get_context("fork")
    with ProcessPoolExecutor(1, mp_context=context) as pool:
        result = recognised(raised(pool.submit(run_out).result))
    assert result.in_other_process
    assert result.said.device_index == 1
    assert f'File "{__file__}", line ' in result.traceback
    with context.Pool(1) as workers:
        result = recognised(raised(lambda: workers.apply(run_out)))
    assert result.in_other_process


@pytest.mark.parametrize(
    "name", ["RayError", "WorkerGroupError", "ProcessException", "RemoteError"]
)
def test_classes_that_bring_errors_are_known(name: str) -> None:
    """Those of Ray, ipyparallel and PyTorch's own processes, by their names."""
    text = f"-- Process 1 terminated with the following error:\n{torch_2()}"
    result = recognised(type(name, (RuntimeError,), {})(text))
    assert result.in_other_process


@pytest.mark.parametrize("module", ["distributed.client", "ray._private.worker"])
def test_frames_of_who_brings_them_are_known(module: str) -> None:
    """Dask's errors have no class of their own."""
    scope: dict[str, Any] = {"__name__": module, "run_out": run_out}
    exec("def gather():\n    run_out()", scope)  # noqa: S102 -- a frame of that module is the case
    result = recognised(raised(scope["gather"]))
    assert result.in_other_process
