"""The ways to get the memory back: ours, the recipes that people pass on, and the restart."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from benchmarks.recovery.kernels import Notebook
    from benchmarks.recovery.scenarios import Scenario

COLLECT = "import gc\nimport torch\ngc.collect()\ntorch.cuda.empty_cache()"

_START_HELPER = "import gpu_headroom\ngpu_headroom.start()\ndel gpu_headroom"
_STOP_HELPER = "import gpu_headroom\ngpu_headroom.stop()\ndel gpu_headroom"


@dataclass(frozen=True)
class Method:
    """One way to free; `run` returns the milliseconds that a person waits for it."""

    id: str
    title: str
    run: Callable[[Notebook, Scenario], float]
    begin: Callable[[Notebook], None] | None = None
    """What has to run before the notebook does, where a method asks for that."""


def start_helper(notebook: Notebook) -> None:
    """Start the helper, as a page does that finds it installed."""
    notebook.quietly(_START_HELPER)
    notebook.attach()


def cells(*sources: str) -> Callable[[Notebook, Scenario], float]:
    """Run these cells; `{names}` stands for the variables that the scenario's cells made."""

    def run(notebook: Notebook, scenario: Scenario) -> float:
        names = ", ".join(scenario.variables)
        start_s = time.perf_counter()
        for source in sources:
            if names or "{names}" not in source:
                notebook.cell(source.replace("{names}", names))
        return 1000 * (time.perf_counter() - start_s)

    return run


def release(notebook: Notebook, _: Scenario) -> float:
    """Do what *Release GPU* does: ask the helper for the safe set, wait for the result."""
    start_s = time.perf_counter()
    _release(notebook, items=None, confirmed=[])
    return 1000 * (time.perf_counter() - start_s)


def release_errors(notebook: Notebook, _: Scenario) -> float:
    """Free the safe set and, as if the person had confirmed it, what kept errors hold."""
    start_s = time.perf_counter()
    request = notebook.ask("plan")["id"]
    plan = notebook.await_event("plan", request_id=request)["items"]
    safe = [item["id"] for item in plan if item["safe"]]
    errors = [item["id"] for item in plan if item["kind"] == "error"]
    _release(notebook, items=safe + errors, confirmed=errors)
    return 1000 * (time.perf_counter() - start_s)


def _release(notebook: Notebook, **wish: object) -> None:
    reply = notebook.ask("release", report_id=None, **wish)
    notebook.await_event("released", release_id=reply["release_id"])


def clean_up_cell(notebook: Notebook, _: Scenario) -> float:
    """Run the cell that *Insert clean-up cell* writes, with the helper gone."""
    code = notebook.cleanup()
    notebook.quietly(_STOP_HELPER)
    start_s = time.perf_counter()
    notebook.cell(code)
    return 1000 * (time.perf_counter() - start_s)


_FORGET_LAST = (
    "import sys\nsys.last_type = sys.last_value = sys.last_traceback = sys.last_exc = None\n"
)
_FORGET_LAST_TB = _FORGET_LAST + "get_ipython().InteractiveTB.tb = None\n"
_CLEAR_FRAMES = (
    "import sys, traceback\n"
    "if getattr(sys, 'last_traceback', None) is not None:\n"
    "    traceback.clear_frames(sys.last_traceback)\n"
)

METHODS = (
    Method("release", "GPU Headroom: Release GPU", release, start_helper),
    Method(
        "release-errors", "GPU Headroom: with kept errors, confirmed", release_errors, start_helper
    ),
    Method("cell", "GPU Headroom: clean-up cell", clean_up_cell, start_helper),
    Method("nothing", "nothing", cells()),
    Method("empty-cache", "`empty_cache()`", cells("torch.cuda.empty_cache()")),
    Method("gc", "`gc.collect()`, `empty_cache()`", cells(COLLECT)),
    Method("del", "`del` of the variables, gc, `empty_cache()`", cells("del {names}", COLLECT)),
    Method("reset", "`%reset -f`, gc, `empty_cache()`", cells("%reset -f", COLLECT)),
    Method("one-zero", "a cell with `1/0`, gc, `empty_cache()`", cells("1/0", COLLECT)),
    # Each in a cell of its own: the best case, for a cell that runs still holds the last error.
    Method("sys-last", "`sys.last_*` = None, gc, `empty_cache()`", cells(_FORGET_LAST, COLLECT)),
    Method(
        "sys-last-tb",
        "`sys.last_*`, `InteractiveTB.tb` = None, gc, `empty_cache()`",
        cells(_FORGET_LAST_TB, COLLECT),
    ),
    Method(
        "clear-frames",
        "`traceback.clear_frames`, gc, `empty_cache()`",
        cells(_CLEAR_FRAMES, COLLECT),
    ),
    Method(
        "clean-mem",
        "the method of fast.ai's `clean_mem()`",
        cells(
            _CLEAR_FRAMES + "for name in ('last_type', 'last_value', 'last_traceback'):\n"
            "    if hasattr(sys, name):\n        delattr(sys, name)\n"
            "get_ipython().displayhook.flush()\n" + COLLECT
        ),
    ),
)

OURS = ("release", "release-errors", "cell")
RECIPES_THAT_WORK = ("one-zero", "sys-last-tb", "clear-frames")
