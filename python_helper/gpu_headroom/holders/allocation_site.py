"""Line of code that made each storage, from PyTorch's recording, on only at the user's request.

Facts as of PyTorch 2.13: `_record_memory_history` is private, cannot be queried for whether it is
on, and a second call replaces the settings of the first. Memory made in a backward pass has no
Python stack, so gradients have no line.
"""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

from ..frameworks.imported import imported
from ..kernel import running_cell

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ..cells.runs import CellRun
    from ..protocol.generated.wire import AllocationSite

    Block = tuple[int, object]
    """A block in use: its device and its address, which is the key of the storage in it."""


class Recording:
    """Recording of who allocates what: Python stacks of live memory only, without a history."""

    def __init__(self) -> None:
        self.on = False
        self._refused = False

    def follow(self, wanted: bool) -> None:
        """Be on or off, as the settings ask."""
        if wanted:
            self.begin()
        else:
            self.end()

    def begin(self) -> None:
        """Start recording; does nothing after the first call, or if other code already records.

        Only a block in use shows whether other code records: without one, recording does not start
        yet. Call only once PyTorch is initialized.
        """
        memory = _memory()
        if self.on or self._refused or memory is None:
            return
        blocks = list(_blocks(memory))
        if not blocks:
            return
        self._refused = any(frames for _, frames in blocks)
        if self._refused:
            return
        try:
            memory._record_memory_history(  # noqa: SLF001 -- there is no public way
                "state", context="state", stacks="python", max_entries=1
            )
        except (TypeError, RuntimeError):  # an older PyTorch, or an allocator that cannot
            self._refused = True
        else:
            self.on = True

    def end(self) -> None:
        """Stop recording, unless other code has started a recording since.

        A history of events is from other code and is left on: this recording keeps only the last
        event of each device used since, which is the least that PyTorch keeps.
        """
        memory, on = _memory(), self.on
        self.on = self._refused = False
        if not on or memory is None:
            return
        if all(len(events) <= 1 for events in memory._snapshot()["device_traces"]):  # noqa: SLF001
            memory._record_memory_history(None)  # noqa: SLF001

    def sites(self, shell: Any, runs: Iterable[CellRun]) -> dict[Block, AllocationSite]:
        """Return where each block in use was made: its innermost line in a cell."""
        memory = _memory()
        if not self.on or memory is None:
            return {}
        files = _files(shell, runs)
        sites: dict[Block, AllocationSite] = {}
        for block, frames in _blocks(memory):
            place = next((frame for frame in frames if frame["filename"] in files), None)
            if place is not None:
                sites[block] = {**files[place["filename"]], "line": place["line"]}
        return sites


def _memory() -> Any:
    """Return `torch.cuda.memory` once PyTorch is initialised, and not before."""
    cuda, memory = imported("torch.cuda"), imported("torch.cuda.memory")
    if cuda is None or not hasattr(memory, "_record_memory_history") or not cuda.is_initialized():
        return None
    return memory


def _blocks(memory: Any) -> Iterator[tuple[Block, list[dict[str, Any]]]]:
    """Yield the blocks in use with the stacks they were made under, innermost frame first.

    The history of events is left out where PyTorch can do that: it may be huge.
    """
    light = "include_traces" in inspect.signature(memory.memory_snapshot).parameters
    for segment in memory.memory_snapshot(**({"include_traces": False} if light else {})):
        address = segment["address"]
        for block in segment["blocks"]:
            if block["state"] == "active_allocated":
                yield (segment["device"], address), block.get("frames") or []
            address += block["size"]


def _files(shell: Any, runs: Iterable[CellRun]) -> dict[str, AllocationSite]:
    """Return the cell behind each file name that code of a cell was compiled under.

    Kernels name a cell by its text. Of a cell that ran twice, the later run is returned; cells of
    the same text cannot be distinguished, so their site has no cell.
    """
    files: dict[str, AllocationSite] = {}
    for run in runs:
        name = run.filename or running_cell.code_name(shell, run.source, run.execution_count)
        if name is None:
            continue
        site: AllocationSite = {
            "cell_id": run.cell_id,
            "execution_count": run.execution_count,
            "line": None,
        }
        if name in files and files[name]["cell_id"] != run.cell_id:
            site = {"cell_id": None, "execution_count": None, "line": None}
        files[name] = site
    return files
