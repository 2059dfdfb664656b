"""Who holds what, asked by a page of real kernels on a simulated GPU."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.kernels.test_numbers import SIMULATE
from tests.live import LiveKernel, attached

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.live import Pack

MIB = 2**20
MAKE = "{name} = torch.empty({mib} * 2**20, dtype=torch.uint8, device='cuda')"


@pytest.fixture(scope="module")
def gpu(python: Path, pack: Pack, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveKernel]:
    """A kernel of each generation with 64 MiB in `kept`, shared by the tests of this module."""
    with attached(python, tmp_path_factory.mktemp("holders"), pack) as kernel:
        assert kernel.run(SIMULATE).status == "ok"
        assert (
            kernel.run("kept = [torch.zeros(2**24, device='cuda')]", cell_id="keep").status == "ok"
        )
        yield kernel


def row(event: dict[str, Any], name: str) -> dict[str, Any]:
    """Return the holder of that name on the only device."""
    (device,) = event["devices"]
    holder = next((item for item in device["rows"] if item["name"] == name), None)
    assert holder is not None, "\n".join(f"{k}: {str(v)[:1500]}" for k, v in event.items())
    return dict(holder)


@pytest.mark.smoke
def test_says_who_holds_what_between_cells(gpu: LiveKernel) -> None:
    """At rest the account comes at once: its parts add up to what PyTorch has in use."""
    since = gpu.now
    reply = gpu.ask("holders")
    assert reply["status"] == "queued"
    event = gpu.await_event("holders", since, request_id=reply["id"])
    (device,) = event["devices"]
    in_use = gpu.value("torch.cuda.memory_allocated()")
    assert sum(part["bytes"] for part in device["parts"]) == device["in_use_bytes"] == in_use
    assert row(event, "kept")["bytes"] == 64 * MIB
    assert event["complete"] is True
    assert event["recording"] is False


def test_waits_while_a_cell_runs(gpu: LiveKernel) -> None:
    """A busy kernel answers with its last account, and measures when the cell has ended."""
    last = gpu.asked("holders")
    make = MAKE.format(name="late", mib=8)
    with gpu.busy_cell(after=make) as cell:
        since = gpu.now
        first, second = gpu.ask("holders"), gpu.ask("holders")
        assert (first["status"], second["status"]) == ("waiting", "waiting")
        assert first["last"]["request_id"] == last["request_id"]
        assert gpu.events("holders", since) == []
    run = cell.result()
    for reply in (first, second):
        event = gpu.await_event("holders", since, request_id=reply["id"])
        assert row(event, "late")["bytes"] == 8 * MIB
        assert event["execution_count"] == run.reply["execution_count"]
    gpu.run("del late")


def test_says_the_way_to_what_no_walk_reached(gpu: LiveKernel) -> None:
    """What hangs deeper than the walk goes is searched from the object back to a name."""
    gpu.run(f"{MAKE.format(name='nest', mib=96)}\nfor _ in range(15): nest = [nest]")
    holder = row(gpu.asked("holders"), "nest")
    assert (holder["origin"], holder["bytes"]) == ("names", 96 * MIB)
    event = gpu.asked("path", holder_id=holder["id"])
    assert event["paths"], event
    assert [step["text"] for step in event["paths"][0]] == ["`nest`", "list", *["item 0"] * 15]
    gpu.run("del nest")


def test_says_nothing_in_the_notebook(gpu: LiveKernel) -> None:
    """A measurement and a search leave no output, no name, and no count behind."""
    names, count = gpu.value("sorted(globals())"), gpu.value("get_ipython().execution_count")
    since = gpu.now
    (part,) = row(gpu.asked("holders"), "kept")["parts"]
    gpu.asked("path", holder_id=part["id"])
    gpu.ask("snapshot", path=None)
    gpu.await_event("snapshot", since)
    kinds = {message["msg_type"] for message in gpu.messages(since)}
    assert kinds <= {"comm_msg", "status"}
    assert gpu.value("sorted(globals())") == names
    assert gpu.value("get_ipython().execution_count") == count


def test_writes_a_snapshot_between_cells(gpu: LiveKernel) -> None:
    """The snapshot lands in the kernel's working directory when the running cell has ended."""
    with gpu.busy_cell():
        since = gpu.now
        reply = gpu.ask("snapshot", path=None)
        assert reply["status"] == "waiting"
        assert gpu.events("snapshot", since) == []
    event = gpu.await_event("snapshot", since, request_id=reply["id"])
    file = Path(event["path"])
    assert str(file.parent) == gpu.value("__import__('os').getcwd()")
    assert event["bytes"] == file.stat().st_size
    snapshot = pickle.loads(file.read_bytes())  # noqa: S301  our own file
    assert sum(segment["allocated_size"] for segment in snapshot["segments"]) >= 64 * MIB


def test_a_release_that_looks_around_can_be_cancelled(gpu: LiveKernel) -> None:
    """What it was to free is there still, to the byte: freeing is one step at its end."""
    many = "from itertools import pairwise\nnodes = [[each] for each in range(3_000_000)]\n"
    many += "for node, following in pairwise(nodes):\n    node.append(following)\n"
    assert gpu.run(many + MAKE.format(name="picked", mib=32)).status == "ok"
    before = gpu.value("torch.cuda.memory_allocated()")
    since = gpu.now
    wish = {"items": ["variable:picked", "outputs"], "confirmed": ["variable:picked"]}
    reply = gpu.ask("release", **wish, report_id=None)
    gpu.await_event("progress", since, request_id=reply["id"])
    assert gpu.ask("cancel", cancelled_id=reply["release_id"])["cancelled"]
    event = gpu.await_event("released", since, release_id=reply["release_id"])
    assert (event["status"], event["message"]["id"]) == ("cancelled", "released.cancelled")
    assert gpu.value("torch.cuda.memory_allocated()") == before
    assert gpu.value("picked.numel()") == 32 * MIB
    assert len(gpu.events("released", since)) == 1
    assert gpu.run("del nodes, node, following, picked").status == "ok"


def test_records_allocations_only_when_asked(gpu: LiveKernel) -> None:
    """With the setting on, a holder says which cell and line made it; off again, it does not."""
    assert (
        gpu.value("any(b['frames'] for s in torch.cuda.memory_snapshot() for b in s['blocks'])")
        is False
    )
    gpu.attach(record_allocations=True)
    run = gpu.run(f"# first\n\n{MAKE.format(name='made', mib=4)}", cell_id="maker")
    event = gpu.asked("holders")
    assert event["recording"] is True
    (part,) = row(event, "made")["parts"]
    assert part["allocation_site"] == {
        "cell_id": "maker",
        "execution_count": run.reply["execution_count"],
        "line": 3,
    }
    (part,) = row(event, "kept")["parts"]
    assert part["allocation_site"] is None
    gpu.attach(record_allocations=False)
    gpu.run(MAKE.format(name="made", mib=4))
    event = gpu.asked("holders")
    assert event["recording"] is False
    (part,) = row(event, "made")["parts"]
    assert part["allocation_site"] is None
