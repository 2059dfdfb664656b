"""A notebook without a server: a real IPython shell, a simulated GPU, our ledger of cells."""

from __future__ import annotations

import atexit
import contextlib
import gc
import io
import re
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final
from unittest import mock

from gpu_headroom.cells.runs import CellRun, Ledger
from gpu_headroom.concurrency.other_threads import of_kernel
from gpu_headroom.concurrency.turns import Turn
from gpu_headroom.errors.recognise import recognise
from gpu_headroom.frameworks.torch.cuda import TorchCuda
from gpu_headroom.frameworks.torch.observer import Observer
from gpu_headroom.holders import suspended
from gpu_headroom.holders.frames import drop_tracebacks
from gpu_headroom.kernel import running_cell
from gpu_headroom.oom.earlier import EarlierError
from gpu_headroom.oom.failure import Failure, last_shown
from gpu_headroom.readings.merge import merge
from gpu_headroom.readings.snapshot import DeviceSnapshot
from gpu_headroom.release import code as cleanup
from gpu_headroom.release import items as freeable_items
from gpu_headroom.release import outcome as releasing
from gpu_headroom.release.situation import Situation
from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpu_headroom.protocol.generated.wire import Item

_PYTEST: Final = re.compile(r"site-packages.(_pytest|pluggy|pytest_timeout|xdist|execnet)\b")


class Notebook:
    """Runs cells as a kernel does, and hands out what the session would see of a failure."""

    def __init__(self) -> None:
        config = Config()
        config.HistoryManager.enabled = False
        self.shell: Any = InteractiveShell.instance(config=config)
        self.source = TorchCuda()
        self.ledger = Ledger()
        self.observer = Observer()
        self.earlier = EarlierError()
        self.shown_before = 0
        self.printed = ""
        self.kept: dict[str, Any] = {}

    def run(self, source: str, *, cell_id: str | None = None) -> Any:
        """Run a cell; returns IPython's result, whose error is left where IPython leaves it."""
        self.earlier.measure(self.shell, None, Turn(30.0))
        self.shown_before = last_shown()
        token = object()
        name = cell_id or f"cell-{self.shell.execution_count}"
        run = CellRun(name, self.shell.execution_count, source, None, time.time())
        self.ledger.begin(token, run, self.read())
        stream = io.StringIO()
        with contextlib.redirect_stdout(stream), contextlib.redirect_stderr(stream):
            result = self.shell.run_cell(source, store_history=True)
        self.printed = stream.getvalue()
        status: Any = "ok" if result.success else "error"
        self.ledger.end(0, status, result.execution_count, time.time(), self.read())
        if self.source.state() == "live":
            self.observer.attach()
        return result

    def read(self) -> DeviceSnapshot | None:
        """Measure the GPU; `None` before it is up."""
        state = self.source.state()
        if state != "live":
            return None
        return DeviceSnapshot(0, time.time(), state, merge(self.source.read(), ()))

    def situation(self) -> Situation:
        """Return what items are found from, as the session would, with time enough."""
        cells = tuple(self._named(run) for run in self.ledger.cells())
        return Situation(self.shell, Turn(30.0), cells, self.kept)

    def plan(self) -> dict[str, Item]:
        """Return what can be freed, by its ids."""
        return {item["id"]: item for item in freeable_items.plan(self.situation())}

    def free(self, *items: str) -> releasing.Outcome:
        """Free these items, each of them confirmed, or without any what is safe."""
        return releasing.run(items or None, self.situation(), self.read, items)

    def clean_up(self, *items: str) -> None:
        """Run the clean-up cell of these items, or of what is safe."""
        assert self.run(cleanup.cleanup_code(self.situation(), items or None)).success

    def in_use(self) -> int:
        """Return the bytes in live tensors, as PyTorch counts them."""
        import torch

        return torch.cuda.memory_allocated()

    def failure(self, result: Any) -> Failure:
        """Return the failure of a cell that ran out of memory."""
        recognition = recognise(result.error_in_exec)
        assert recognition is not None, result.error_in_exec
        snapshot = self.read()
        cells = tuple(self._named(run) for run in self.ledger.cells())
        return Failure(
            error=result.error_in_exec,
            recognition=recognition,
            capture=self.observer.take(),
            helper_id="helper",
            cell=cells[-1],
            cells=cells,
            device=snapshot.device(0) if snapshot else None,
            shell=self.shell,
            time_s=time.time(),
            earlier_traceback_bytes=self.earlier.held(self.shown_before, 0),
        )

    def _named(self, run: CellRun) -> CellRun:
        return replace(
            run, filename=running_cell.code_name(self.shell, run.source, run.execution_count)
        )

    def file_of(self, result: Any) -> str | None:
        """Return the file name a cell was compiled under."""
        return running_cell.code_name(self.shell, result.info.raw_cell, result.execution_count)

    def close(self) -> None:
        """Leave nothing behind, remembered errors included."""
        self.observer.detach()
        drop_tracebacks(self.shell)
        self.shell.last_execution_result = None
        for names in (
            self.shell.user_ns,
            self.shell.user_ns_hidden,
            self.shell.user_module.__dict__,
        ):
            names.clear()
        self.shell.history_manager.output_hist.clear()
        for name in ("_", "__", "___"):
            setattr(self.shell.displayhook, name, None)
        InteractiveShell.clear_instance()
        # Each shell would stay until Python ends, and collect garbage then.
        atexit.unregister(self.shell.atexit_operations)


@contextlib.contextmanager
def open_notebook() -> Iterator[Notebook]:
    """Open a notebook, and close it whatever happens.

    What Python has loaded so far is frozen, and stays so: each of the many collections of these
    tests would go through all of PyTorch again. Nor is pytest walked through: what it has
    suspended leads to thousands of tests and all that they import.
    """
    gc.freeze()
    notebook = Notebook()
    try:
        with mock.patch.object(suspended, "of_kernel", _of_kernel_or_pytest):
            yield notebook
    finally:
        notebook.close()
        gc.collect()


def _of_kernel_or_pytest(filename: str) -> bool:
    return of_kernel(filename) or _PYTEST.search(filename) is not None
