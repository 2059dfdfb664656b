"""A cell runs out of GPU memory: its report, and giving the memory back."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.cycles import FAIL
from tests.live import REPORT, LiveKernel, attached

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.conftest import Start
    from tests.live import Pack, Run

MIB = 2**20


@pytest.fixture(scope="module")
def gpu(python: Path, pack: Pack, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveKernel]:
    """A kernel of each generation with an installed helper and a simulated GPU."""
    folder = tmp_path_factory.mktemp("gpu")
    with attached(python, folder, pack, installed=True, GPU_HEADROOM_SIMULATE="4GiB") as kernel:
        kernel.run("import torch; kept = torch.empty(2**20, device='cuda')")
        yield kernel


@pytest.fixture
def failed(gpu: LiveKernel) -> Run:
    """A cell that ran out of memory just now, on a GPU that no earlier failure fills."""
    gpu.attach()
    gpu.free()
    return gpu.run(FAIL, cell_id="failing", stop_on_error=False)


@pytest.mark.smoke
def test_the_report_stands_in_the_failing_cell(gpu: LiveKernel, failed: Run) -> None:
    """Below the traceback: the report, complete static HTML and text; and an event about it."""
    assert [kind for kind, _ in failed.outputs][-2:] == ["error", "display_data"]
    report = failed.report
    assert set(failed.bundle) == {REPORT, "text/html", "text/plain"}
    assert report["requested_bytes"] == 512 * MIB
    assert report["simulated"] is True
    assert (report["cell_id"], report["line"]) == ("failing", 4)
    assert report["traceback_bytes"] >= 7 * 512 * MIB
    event = gpu.await_event("oom", report_id=report["report_id"])
    assert event["cell_id"] == "failing"
    assert gpu.attach()["cell"]["status"] == "oom"


@pytest.mark.smoke
def test_freeing_gives_back_what_the_traceback_held(gpu: LiveKernel, failed: Run) -> None:
    """Freed is measured, the variable of the user stays, and the report keeps the result."""
    report = failed.report
    in_use = gpu.sample()["devices"][0]["in_use_bytes"]
    event = gpu.free(items=["traceback"], report_id=report["report_id"])
    assert (event["status"], event["automatic"]) == ("done", False)
    assert event["freed_bytes"] == report["traceback_bytes"]
    after = gpu.sample()["devices"][0]
    assert after["in_use_bytes"] == in_use - event["freed_bytes"] == event["in_use_bytes"]
    assert after["headroom_bytes"] == event["headroom_after_bytes"]
    assert gpu.value("kept.numel()") == MIB
    reply = gpu.ask("report", helper_id=report["helper_id"], report_id=report["report_id"])
    assert reply["released"] == event


def test_what_a_person_frees_by_hand_is_told_as_well(gpu: LiveKernel, failed: Run) -> None:
    """A report offers nothing that the user has freed already by its text."""
    report, since = failed.report, gpu.now
    remedy = next(item for item in report["remedies"] if item["id"] == "free-traceback")
    gpu.run(remedy["type_this"])
    event = gpu.await_event("released", since)
    assert (event["status"], event["automatic"]) == ("done", False)
    assert event["freed_bytes"] == report["traceback_bytes"]
    assert "traceback" in {item["kind"] for item in event["items"]}


@pytest.mark.smoke
def test_two_pages_free_once(gpu: LiveKernel, failed: Run) -> None:
    """The same wish of two pages while one waits is one release with one result."""
    report = failed.report
    since = gpu.now
    wish = {"items": ["traceback"], "confirmed": [], "report_id": report["report_id"]}
    with gpu.busy_cell():
        first, second = gpu.ask("release", **wish), gpu.ask("release", **wish)
    assert first["release_id"] == second["release_id"]
    assert first["status"] == second["status"] == "waiting"
    gpu.await_event("released", since)
    # A second release would be ahead of this plan.
    gpu.await_event("plan", request_id=gpu.ask("plan")["id"])
    assert len(gpu.events("released", since)) == 1


@pytest.mark.parametrize("awaits", [False, True])
def test_a_release_waits_for_the_running_cell(
    gpu: LiveKernel, failed: Run, *, awaits: bool
) -> None:
    """Nothing is freed while a cell runs, one that awaits included."""
    assert failed.report
    since = gpu.now
    ends = gpu.latch()
    after = f"print('later', flush=True)\n{ends.wait_async if awaits else ends.wait}"
    with gpu.busy_cell(after=after, awaits=awaits) as cell:
        reply = gpu.ask("release", items=None, confirmed=[], report_id=None)
        assert reply["status"] == "waiting"
        # A call that the request has put into the event loop comes before the rest of the cell.
        cell.release()
        gpu.until(lambda: "later" in gpu.printed(cell.request))
        assert gpu.events("released", since) == []
        ends.release()
    release_event = gpu.await_event("released", since)
    cell_event = gpu.await_event("cell", since, status="ok")
    assert release_event["time_s"] >= cell_event["end_s"]
    assert release_event["status"] == "done"


def test_a_waiting_release_can_be_taken_back(gpu: LiveKernel, failed: Run) -> None:
    """Cancelled before the cell ends, nothing is freed, and every page is told."""
    assert failed.report
    since = gpu.now
    with gpu.busy_cell():
        release_id = gpu.ask("release", items=None, confirmed=[], report_id=None)["release_id"]
        assert gpu.ask("cancel", cancelled_id=release_id)["cancelled"] is True
        assert gpu.ask("cancel", cancelled_id=release_id)["cancelled"] is False
    gpu.run("1")
    assert [event["status"] for event in gpu.events("released", since)] == ["cancelled"]


def test_a_page_may_ask_for_no_report_or_a_stub(gpu: LiveKernel) -> None:
    """`mark_cells` off displays nothing, `keep_reports` off saves a stub; the report lives."""
    gpu.attach(mark_cells=False)
    run = gpu.run(FAIL, stop_on_error=False)
    assert [kind for kind, _ in run.outputs] == ["error"]
    gpu.attach(keep_reports=False)
    stub = gpu.run(FAIL, stop_on_error=False).report
    assert set(stub) == {"version", "report_id", "helper_id"}
    reply = gpu.ask("report", helper_id=stub["helper_id"], report_id=stub["report_id"])
    assert reply["report"]["requested_bytes"] == 512 * MIB
    gpu.attach()


def test_an_error_in_an_inner_run_is_marked_on_the_cell(gpu: LiveKernel) -> None:
    """A failure that `%%capture` swallowed gets its report in the cell that stands there."""
    run = gpu.run("%%capture\n" + FAIL, cell_id="captured", stop_on_error=False)
    assert run.report["cell_id"] == "captured"


RUN_OUT = """class OutOfMemoryError(RuntimeError): __module__ = 'torch'
class Big: pass
def work():
    big = Big()
    seen.append(weakref.ref(big))
    raise OutOfMemoryError('CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total'
        ' capacity of 16.00 GiB of which 1.00 GiB is free.')
work()"""
LINE = (
    "Out of GPU memory: needed 2.00 GiB more, 1.00 GiB was available. "
    "GPU Headroom could not analyze it: LookupError: lost."
)
BREAK = """import gpu_headroom.reports.model as broken
built = broken.report_of
def fail(*known, **how): raise LookupError('lost')
broken.report_of = fail"""


@pytest.mark.parametrize("attached", [True, False])
def test_a_line_says_what_is_known_where_there_can_be_no_report(
    start: Start, pack: Pack, *, attached: bool
) -> None:
    """Each failure is told in its cell, whoever looks, and keeps nothing of the cell alive."""
    kernel = start()
    kernel.expected_complaints.append("report failed")
    kernel.inject(pack)
    kernel.run(f"import gc, weakref; seen = []\n{BREAK}")
    if attached:
        kernel.attach()
    for _ in range(2):
        run = kernel.run(RUN_OUT, stop_on_error=False)
        assert [kind for kind, _ in run.outputs] == ["error", "display_data"]
        assert run.outputs[-1][1]["data"] == {"text/plain": LINE}
    kernel.run("1 / 0", stop_on_error=False)  # Python and IPython remember this error instead
    kernel.run("gc.collect()")
    assert kernel.value("[each() is None for each in seen]") == [True, True]


# So little processor time that the walk at the end of the cell comes to nothing.
HURRY = """
import gpu_headroom.session.failures as hurried
from gpu_headroom.holders import walk
patience, hurried._WALK_S = hurried._WALK_S, 1e-9
walk._CHECK_EVERY = 1
"""


def test_a_report_is_completed_between_cells(gpu: LiveKernel) -> None:
    """It is there at once, says that it looks further, and then knows all, under the same id."""
    gpu.attach()
    gpu.free()
    gpu.run(HURRY)
    since = gpu.now
    first = gpu.run(FAIL, cell_id="failing", stop_on_error=False).report
    assert first["looking"] is True
    assert first["requested_bytes"] == 512 * MIB
    gpu.until(lambda: len(gpu.events("oom", since)) == 2)
    reply = gpu.ask("report", helper_id=first["helper_id"], report_id=first["report_id"])
    report = reply["report"]
    assert report["looking"] is False
    assert report["report_id"] == first["report_id"]
    assert report["line"] == first["line"] == 4
    assert report["traceback_bytes"] >= 7 * 512 * MIB
    parts = {part["kind"]: part["bytes"] for part in report["parts"]}
    assert parts.get("not_attributed", 0) <= 0.05 * report["in_use_bytes"]
    gpu.run("hurried._WALK_S = patience")


def test_a_report_does_not_look_for_what_no_time_would_find(gpu: LiveKernel) -> None:
    """With millions of objects the gc is not asked for them all: the report does not wait."""
    gpu.attach()
    gpu.free()
    gpu.run("heap = [[number] for number in range(1_000_000)]")
    report = gpu.run(FAIL, cell_id="failing", stop_on_error=False).report
    assert report["looking"] is False
    assert report["remedies"][0]["effect_quality"] == "estimated"
    parts = {part["kind"]: part["bytes"] for part in report["parts"]}
    assert parts.get("not_attributed", 0) <= 0.05 * report["in_use_bytes"]
    gpu.run("del heap")


def test_a_report_stays_as_it_is_where_another_cell_comes_first(gpu: LiveKernel) -> None:
    """What the kernel is then says nothing of the failure; the report does not look for ever."""
    gpu.attach()
    gpu.free()
    gpu.run(HURRY)
    since = gpu.now
    first = gpu.submit(FAIL, stop_on_error=False)
    second = gpu.submit("1 / 0", stop_on_error=False)
    report = gpu.result(first).report
    gpu.result(second)
    gpu.until(lambda: len(gpu.events("oom", since)) == 2)
    reply = gpu.ask("report", helper_id=report["helper_id"], report_id=report["report_id"])
    assert reply["report"]["looking"] is False
    gpu.run("hurried._WALK_S = patience")
