"""Reading what other threads run keeps none of it alive."""

from __future__ import annotations

import gc
import threading
import weakref
from typing import TYPE_CHECKING

import pytest
from gpu_headroom.concurrency import other_threads
from gpu_headroom.frameworks.torch import observer
from gpu_headroom.kernel import running_cell
from gpu_headroom.release import tracebacks
from gpu_headroom.trends import loading

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


class Tensor:
    """Stands in for what a function of the user's has in a variable."""


READERS: dict[str, Callable[[], object]] = {
    "loads a model": loading.loads_model,
    "runs a cell": lambda: running_cell.runs_cell(None),
    "looks at other threads": other_threads.look,
    "stacks at an error": observer._threads,
    "debugs": tracebacks.debugging,
}


@pytest.fixture
def no_collection() -> Iterator[None]:
    """Nothing collects cycles during the test, as in a loop of the user's."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


@pytest.mark.usefixtures("no_collection")
@pytest.mark.parametrize("name", READERS)
def test_a_function_lets_its_variables_go_although_its_frame_was_read(name: str) -> None:
    """A cycle through the reader's own frame would keep tensors on the GPU until a collection."""

    def work() -> weakref.ref[Tensor]:
        tensor = Tensor()
        reader = threading.Thread(target=READERS[name])
        reader.start()
        reader.join()
        return weakref.ref(tensor)

    assert work()() is None
