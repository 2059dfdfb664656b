"""Frames of a page that no extension of ours is in, over real kernels."""

from __future__ import annotations

import time
from itertools import chain
from typing import TYPE_CHECKING, Any

import pytest
from gpu_headroom.frames.beacon import _FIRST_GAP_S
from tests.conftest import NEWEST_AND_COLAB
from tests.frames.page import FramePage, beacons, html_of, ids_in
from tests.live import LiveKernel

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = NEWEST_AND_COLAB

PREPARE = """
import gpu_headroom, time, torch
gpu_headroom.simulate("4 GiB", compute="cpu")
gpu_headroom.start()
gpu_headroom.show(frontend="colab")
"""
GIB = 2**30
RELEASED = ["traceback", "garbage", "cache"]
MODEL = "model = torch.nn.Sequential(*[torch.nn.Linear(1024, 1024) for _ in range(4)]).cuda()"
FAILING = """batch_size = 131_072
x = torch.randn(batch_size, 1024, device="cuda")
model(x).sum().backward()"""
# More than a report's first look has time for.
MANY_NAMES = "globals().update({f'name_{n}': {'a': {'b': [n]}} for n in range(200_000)})"

# What holds half of the second GPU until it is told that it is over.
HOLD = """
import multiprocessing, os, time, torch
import gpu_headroom
gpu_headroom.show(frontend="colab")

def hold():
    kept = torch.empty(2**29, dtype=torch.uint8, device="cuda:1")
    while not os.path.exists("over"):
        time.sleep(0.05)
"""
RANK = """
rank = multiprocessing.get_context("fork").Process(target=hold)
rank.start()
"""


@pytest.fixture(scope="module")
def process(python: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveKernel]:
    """A kernel of each generation."""
    with LiveKernel(python, tmp_path_factory.mktemp("frames"), installed=True) as started:
        yield started


@pytest.fixture
def kernel(process: LiveKernel) -> Iterator[LiveKernel]:
    """The same kernel for each test, with a new helper, on whose page a gauge was shown."""
    assert process.run(PREPARE).status == "ok"
    yield process
    process.renew()


def run(kernel: LiveKernel, code: str, cell_id: str = "a") -> str:
    """Run a cell as Colab's page does, and return its request."""
    metadata = {"colab": {"cell_id": cell_id}}
    request = kernel.submit(code, metadata=metadata, stop_on_error=False)
    kernel.result(request)
    return request


def test_a_gauge_is_told_how_things_stand_at_rest(kernel: LiveKernel) -> None:
    """Each poll is answered with a reading of that moment, and nothing goes anywhere else."""
    page = FramePage(kernel)
    assert page.await_event("sample")["busy"] is False
    run(kernel, "kept = torch.empty(2**30, dtype=torch.uint8, device='cuda')")
    (sample,) = [event for _, event in page.poll()["events"] if event["type"] == "sample"]
    assert sample["devices"][0]["in_use_bytes"] == GIB
    assert page.dropped == []


def test_a_gauge_follows_a_cell_that_runs(kernel: LiveKernel) -> None:
    """Under the request of the cell, since nothing else is under way then."""
    page = FramePage(kernel)
    page.poll()

    def is_told() -> bool:
        during = [sample for sample in page.events("sample") if sample["busy"]]
        return any(sample["devices"][0]["in_use_bytes"] == GIB for sample in during)

    with kernel.busy_cell("kept = torch.empty(2**30, dtype=torch.uint8, device='cuda')"):
        kernel.until(is_told)
    assert page.dropped == []


def test_a_gauge_says_what_ranks_hold(python: Path, tmp_path: Path) -> None:
    """A poll has the fullest GPU of the workers: only the live gauge shows it."""
    with LiveKernel(python, tmp_path, installed=True, GPU_HEADROOM_SIMULATE="1GiB*2") as kernel:
        assert kernel.run(HOLD).status == "ok"
        # The helper follows what is forked once it has had a moment between cells.
        kernel.until(lambda: kernel.value("'GPU_HEADROOM_RANKS' in os.environ"))
        assert kernel.run(RANK).status == "ok"
        page = FramePage(kernel)
        kernel.until(lambda: fullest(page.poll()) is not None)
        gpu = fullest(page.poll())
        assert (gpu["index"], gpu["in_use_bytes"]) == (1, GIB // 2)
        assert kernel.run("open('over', 'w').close(); rank.join()").status == "ok"


def fullest(envelope: dict[str, Any]) -> Any:
    """The fullest GPU of workers that the last reading tells of; `None`: it tells of none."""
    samples = [event for _, event in envelope["events"] if event["type"] == "sample"]
    workers = samples[-1]["workers"] if samples else None
    return workers and workers["fullest"]


def test_a_gauge_lives_in_its_own_cell(kernel: LiveKernel) -> None:
    """Its frame cannot be heard before the cell ends: it is told on comms that the kernel opens."""
    begun_s = time.monotonic()
    code = "gpu_headroom.show(); kept = torch.empty(2**20, device='cuda')"
    with kernel.busy_cell(code) as cell:
        uid = ids_in(html_of(kernel, cell.request))["uid"]
        kernel.until(lambda: len(beacons(kernel, uid)) > 1)
    comms = beacons(kernel, uid)
    assert 2 <= len(comms) <= 1 + (time.monotonic() - begun_s) / _FIRST_GAP_S
    assert [bool(comm[-1].get("closed")) for comm in comms] == [True] * (len(comms) - 1) + [False]
    events = [event for comm in comms for envelope in comm for _, event in envelope["events"]]
    assert {event["type"] for event in events} == {"sample", "cell"}
    assert events[-1]["type"] == "cell"
    assert events[-1]["status"] == "ok"


def test_a_gauge_lives_in_the_cells_after_its_own(kernel: LiveKernel) -> None:
    """They wait already, as in a run of all: its frame cannot be heard before they have ended."""
    hold = "kept = torch.empty(2**30, dtype=torch.uint8, device='cuda')"
    request = kernel.submit("gpu_headroom.show()")
    latch, ends = kernel.latch(), kernel.latch()
    following = kernel.submit(f"{latch.wait}\n{hold}\n{ends.wait}")
    kernel.result(request)
    uid = ids_in(html_of(kernel, request))["uid"]
    kernel.until(lambda: bool(in_use(kernel, uid)))
    latch.release()
    kernel.until(lambda: in_use(kernel, uid)[-1:] == [GIB])
    ends.release()
    kernel.result(following)
    assert in_use(kernel, uid)[-1] == GIB
    page = FramePage(kernel, f"{uid}/1")
    page.poll()
    assert all(comm[-1].get("closed") for comm in beacons(kernel, uid))
    since = page.seen
    with kernel.busy_cell():
        # Two heartbeats are further apart than two comms of a beacon.
        kernel.until(lambda: page.seen > since + 3)
    assert all(comm[-1].get("closed") for comm in beacons(kernel, uid))


def beacon_samples(kernel: LiveKernel, uid: str) -> list[dict[str, Any]]:
    """Readings that an output was sent on the last comm of its beacon."""
    events = [envelope["events"] for comm in beacons(kernel, uid)[-1:] for envelope in comm]
    return [event for _, event in chain(*events) if event["type"] == "sample"]


def in_use(kernel: LiveKernel, uid: str) -> list[int]:
    """Bytes in use by those readings."""
    return [sample["devices"][0]["in_use_bytes"] for sample in beacon_samples(kernel, uid)]


def age_s(kernel: LiveKernel, uid: str) -> float:
    """Seconds between the first and the last of those readings."""
    times = [sample["time_s"] for sample in beacon_samples(kernel, uid)]
    return times[-1] - times[0] if times else 0.0


def test_where_no_frame_was_heard_the_last_comm_is_told_all_the_same(kernel: LiveKernel) -> None:
    """Comms that no page takes are answered on the busy shell; what comes on one of them is not."""
    # The gauge of the cell before has not been heard either, and would take the last one.
    few = "frames = gpu_headroom.session.current().wings.named('frames').frames"
    few = f"{few}; frames._beacons.clear(); frames._unheard = 1"
    assert kernel.run(few).status == "ok"
    hold = "kept = torch.empty(2**30, dtype=torch.uint8, device='cuda')"
    ends = kernel.latch()
    with kernel.busy_cell("gpu_headroom.show()", f"{hold}\n{ends.wait}") as cell:
        uid = ids_in(html_of(kernel, cell.request))["uid"]
        # So long that another comm would be due.
        kernel.until(lambda: age_s(kernel, uid) > _FIRST_GAP_S)
        cell.release()
        kernel.until(lambda: in_use(kernel, uid)[-1:] == [GIB])
        ends.release()
    (_,) = beacons(kernel, uid)
    assert in_use(kernel, uid)[-1] == GIB


def test_free_says_in_its_answer_what_came_back(kernel: LiveKernel) -> None:
    """A release asked for at rest is made before its request ends: later no page would hear."""
    page = FramePage(kernel)
    request = run(kernel, "kept = torch.empty(2**30, dtype=torch.uint8, device='cuda'); 1/0")
    assert request
    run(kernel, "del kept")
    answer = page.ask("release", items=RELEASED, confirmed=[], report_id=None)
    assert answer["reply"]["status"] == "queued"
    released = page.await_event("released")
    assert released["status"] == "done"
    assert released["returned_bytes"] == GIB
    assert page.dropped == []


def test_a_report_is_confirmed_and_its_fix_is_a_whole_cell(kernel: LiveKernel) -> None:
    """The frame has no cells to send: those that ran are known by Colab's ids."""
    run(kernel, "gpu_headroom.simulate('2 GiB'); " + MODEL)
    html = html_of(kernel, run(kernel, FAILING, cell_id="the failing one"))
    page, info = FramePage(kernel, ids_in(html)["uid"]), ids_in(html)
    assert info["kind"] == "report"
    answer = page.ask("report", helper_id=info["helper_id"], report_id=info["report_id"])
    report = answer["reply"]["report"]
    assert report["cell_id"] == "the failing one"
    remedy = next(item for item in report["remedies"] if item["kind"] == "edit")
    ids = {"report_id": info["report_id"], "remedy_id": remedy["id"]}
    (fixed,) = page.ask("fix", **ids, sources={})["fixed"]
    assert fixed["cell_id"] == "the failing one"
    assert fixed["source"].splitlines()[1:] == FAILING.splitlines()[1:]
    page.ask("release", items=RELEASED, confirmed=[], report_id=info["report_id"])
    page.await_event("released")
    assert kernel.run(fixed["source"]).status == "ok"


def test_a_report_is_told_that_it_was_completed(python: Path, tmp_path: Path) -> None:
    """By the event that tells an extension: without one no page would ask for the report again."""
    # Objects of earlier tests would be walked as well.
    with LiveKernel(python, tmp_path, installed=True) as kernel:
        assert kernel.run(PREPARE).status == "ok"
        run(kernel, f"gpu_headroom.simulate('2 GiB'); {MODEL}; {MANY_NAMES}")
        page = FramePage(kernel)
        page.poll()
        info = ids_in(html_of(kernel, run(kernel, FAILING)))
        ids = {"helper_id": info["helper_id"], "report_id": info["report_id"]}
        # A poll would interrupt the walk that it waits for.
        completed = "update_display_data"
        kernel.until(lambda: completed in [message["msg_type"] for message in kernel.messages()])
        page.poll()
        assert len(page.events("oom")) > 1
        assert {event["report_id"] for event in page.events("oom")} == {info["report_id"]}
        assert not page.ask("report", **ids)["reply"]["report"]["looking"]


def test_a_release_is_of_the_newest_report_alone(kernel: LiveKernel) -> None:
    """Whoever asks: of two reports the one says so whose error was let go of, later as well."""
    run(kernel, "gpu_headroom.simulate('2 GiB'); " + MODEL)
    older, newest = (ids_in(html_of(kernel, run(kernel, FAILING, entry))) for entry in "bc")
    page = FramePage(kernel)
    page.ask("release", items=None, confirmed=[], report_id=None)
    assert page.await_event("released")["report_id"] == newest["report_id"]
    replies = [
        page.ask("report", helper_id=info["helper_id"], report_id=info["report_id"])["reply"]
        for info in (older, newest)
    ]
    assert [entry["released"] is not None for entry in replies] == [False, True]


def test_what_a_frame_cannot_be_told_at_once_it_is_told_later(kernel: LiveKernel) -> None:
    """Another thread may be at its list for longer than a page waits."""
    page = FramePage(kernel)
    page.poll()
    frames = "gpu_headroom.session.current().wings.named('frames').frames._frames"
    kernel.run(f"locks = [each._lock for each in {frames}.values()]")
    kernel.run(
        "taken = [each.acquire(1) for each in locks]; gpu_headroom.free(); "
        "[each.release() for each in locks]"
    )
    kernel.until(lambda: "released" in {event["type"] for _, event in page.poll()["events"]})


def test_prints_of_threads_stay_in_their_cell(kernel: LiveKernel, tmp_path: Path) -> None:
    """A comm message makes itself the parent of what threads print, unless it is given back."""
    page = FramePage(kernel)
    request = kernel.submit(
        "import pathlib, threading\n"
        "def work():\n"
        "    for each in range(4):\n"
        f"        while not pathlib.Path({str(tmp_path)!r}, str(each)).exists():\n"
        "            time.sleep(0.05)\n"
        "        print('line', each, flush=True)\n"
        "threading.Thread(target=work).start()"
    )
    kernel.result(request)
    for number in range(4):
        page.poll()
        (tmp_path / str(number)).touch()
        kernel.until(lambda line=f"line {number}": line in kernel.printed(request))  # type: ignore[misc]


def test_a_frame_that_vanished_is_forgotten(kernel: LiveKernel) -> None:
    """Its comm goes with its lease; one that polls stays."""
    kernel.run(
        "from gpu_headroom.frames import frame, frames\n"
        "usual = frame.LEASE_S, frames._SWEEP_S\n"
        "frame.LEASE_S, frames._SWEEP_S = 3, 0.2\n"
        "gpu_headroom.session.current().wings.named('frames').frames._sweep()"
    )
    pages = [FramePage(kernel) for _ in range(20)]
    stays = FramePage(kernel)
    alive = "sorted(get_ipython().kernel.comm_manager.comms)"
    while set(kernel.value(alive)) & {page.comm_id for page in pages}:
        stays.poll()
    kernel.run("frame.LEASE_S, frames._SWEEP_S = usual")
    assert stays.comm_id in kernel.value(alive)


def test_what_is_no_message_of_a_frame_is_survived(kernel: LiveKernel) -> None:
    """Whatever arrives, the next poll is answered."""
    page = FramePage(kernel)
    page.await_event("sample")
    strange: tuple[Any, ...] = (
        None,
        3,
        [],
        "poll",
        {"request": 7},
        {"request": {}},
        {"seen": "x", "poll": {}},
    )
    for data in strange:
        kernel.send_shell("comm_msg", {"comm_id": page.comm_id, "data": data})
    kernel.send_shell(
        "comm_open", {"comm_id": "other", "target_name": "gpu-headroom-frame", "data": {"uid": 3}}
    )
    assert page.poll()["events"]


def test_no_trace_where_it_was_not_asked_for(python: Path, tmp_path: Path) -> None:
    """In a kernel of any other page there is no comm target, and `%gpu_headroom` is the table."""
    with LiveKernel(python, tmp_path, installed=True) as kernel:
        kernel.run("%load_ext gpu_headroom")
        targets = kernel.value("sorted(get_ipython().kernel.comm_manager.targets)")
        assert not [name for name in targets if name.startswith("gpu-headroom")]
        outputs = kernel.run("%gpu_headroom").outputs
        assert [kind for kind, _ in outputs] == ["stream"]
