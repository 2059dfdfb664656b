"""After an out-of-memory error: what the setting asks for, and the clean-up cell without us."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from gpu_headroom.concurrency.mainloop import _AFTER_CELL_S
from tests.cycles import FAIL

if TYPE_CHECKING:
    from tests.conftest import Start
    from tests.live import LiveKernel, Pack

MIB = 2**20
GPU = "4GiB"
KEEP = "import torch; kept = torch.empty(2**20, device='cuda')"
IN_USE = "torch.cuda.memory_allocated()"


@pytest.fixture(scope="module")
def gpu(simulated: LiveKernel) -> LiveKernel:
    """A kernel with 4 MiB in a variable."""
    simulated.run(KEEP)
    return simulated


def begin(kernel: LiveKernel, pack: Pack) -> None:
    """Start the helper, and PyTorch with it."""
    kernel.inject(pack)
    kernel.attach()
    kernel.run(KEEP)


def fail(kernel: LiveKernel, after_oom: str) -> tuple[dict[str, Any], int]:
    """Run out of memory under a setting; return the report and what the cell had held."""
    kernel.attach(after_oom=after_oom)
    kernel.free()
    run = kernel.run(FAIL, cell_id="failing", stop_on_error=False)
    return run.report, 7 * 512 * MIB


def remedies(report: dict[str, Any]) -> dict[str, str]:
    """The notes of the remedies by their ids."""
    return {remedy["id"]: remedy["note"]["id"] for remedy in report["remedies"]}


def test_frees_at_once_where_the_setting_says_so(gpu: LiveKernel) -> None:
    """The report comes first, says that `%debug` is lost, and learns what came back."""
    since = gpu.now
    report, held_bytes = fail(gpu, "free")
    event = gpu.await_event("released", since, report_id=report["report_id"])
    assert remedies(report)["free-traceback"] == "remedy.free-traceback.note_at_once"
    assert (event["status"], event["freed_bytes"]) == ("done", held_bytes)
    assert event["automatic"]
    assert event["message"]["id"] == "released.by_itself"
    assert "%debug" in event["message"]["text"]
    assert gpu.value(f"({IN_USE}, kept.numel())") == (4 * MIB, MIB)
    reply = gpu.ask("report", helper_id=report["helper_id"], report_id=report["report_id"])
    assert reply["released"] == event


def test_waits_for_the_cells_that_run_already(gpu: LiveKernel) -> None:
    """Cells queued behind the failing one lose nothing while they run."""
    gpu.attach(after_oom="free")
    gpu.free()  # an IPython that holds the error before to the end would leave this one nothing
    since = gpu.now
    failing = gpu.submit(FAIL, stop_on_error=False)
    latch = gpu.latch()
    behind = gpu.submit(
        f"before = {IN_USE}\nprint('begun', flush=True)\n{latch.wait}\n"
        f"__import__('time').sleep({2 * _AFTER_CELL_S})\nafter = {IN_USE}"
    )
    report = gpu.result(failing).report
    gpu.until(lambda: "begun" in gpu.printed(behind))
    latch.release()
    gpu.result(behind)
    event = gpu.await_event("released", since, report_id=report["report_id"])
    assert event["status"] == "done"
    assert gpu.value("after - before") == 0
    assert gpu.value(IN_USE) == 4 * MIB


@pytest.mark.parametrize(("setting", "offered"), [("ask", True), ("never", False)])
def test_frees_nothing_unasked_otherwise(gpu: LiveKernel, setting: str, *, offered: bool) -> None:
    """`ask` offers it in the report, `never` does not even offer it; nothing is freed by itself."""
    report, held_bytes = fail(gpu, setting)
    since = gpu.now
    gpu.run("1")
    gpu.sample()
    assert gpu.events("released", since) == []
    assert gpu.value(IN_USE) == 4 * MIB + held_bytes
    assert ("free-traceback" in remedies(report)) is offered


def test_the_clean_up_cell_is_right_without_the_helper(start: Start, pack: Pack) -> None:
    """In each generation of kernels it frees errors and displayed values, and leaves no name."""
    kernel = start(installed=True, GPU_HEADROOM_SIMULATE="4GiB")
    begin(kernel, pack)
    kernel.run("torch.empty(64 * 2**20, dtype=torch.uint8, device='cuda')")
    kernel.run("[torch.empty(32 * 2**20, dtype=torch.uint8, device='cuda')]")
    kernel.run(FAIL, stop_on_error=False)
    assert kernel.value(IN_USE) >= (3072 + 96 + 4) * MIB
    code = kernel.cleanup()
    kernel.run("import gpu_headroom; gpu_headroom.stop(); del gpu_headroom")
    names = kernel.value("sorted(name for name in globals() if name[0] != '_')")
    run = kernel.run(code)
    assert (run.status, run.text) == ("ok", "Freed 3,168.0 MiB of GPU memory.\n")
    assert kernel.value(IN_USE) == 4 * MIB
    assert kernel.run(code).text == "Freed 0.0 MiB of GPU memory.\n"
    assert kernel.value("sorted(name for name in globals() if name[0] != '_')") == names
    assert kernel.run("6 * 7").status == "ok"
    assert kernel.value("_") == 42


TRAIN_BESIDE = """from torch import nn
model = nn.Sequential(*[nn.Linear(2048, 2048) for _ in range(6)]).cuda()
opt = torch.optim.SGD(model.parameters())
key = "hunter2"; batch_size = 96000; password = "hunter2"  # hunter2
def step(x, key):
    model(x).sum().backward()
    opt.step()
for _ in range(3):
    step(torch.randn(batch_size, 2048, device="cuda"), "hunter2")"""


def test_a_report_shows_of_a_line_what_is_said_about_it(gpu: LiveKernel) -> None:
    """It is saved with the notebook; the rest of the line stays out of it."""
    gpu.attach()
    gpu.free()
    run = gpu.run(TRAIN_BESIDE, cell_id="secret", stop_on_error=False)
    rows = [
        row["text"]
        for remedy in run.report["remedies"]
        for diff in remedy["diffs"]
        for row in diff["rows"]
    ]
    assert any("batch_size = 96000" in text for text in rows), run.bundle["text/plain"]
    assert "hunter2" not in str(run.bundle)


def test_a_clean_up_cell_of_a_choice_is_of_its_session(start_newest: Start, pack: Pack) -> None:
    """After a restart the same name is another model's: it is left alone, and that is said."""
    kernel = start_newest(installed=True, GPU_HEADROOM_SIMULATE="4GiB")
    begin(kernel, pack)
    code = kernel.cleanup(["variable:kept", "traceback"])
    kernel.restart()
    begin(kernel, pack)
    notice = "Chosen in an earlier session, and so left alone: kept\n"
    assert kernel.run(code).text == f"{notice}Freed 0.0 MiB of GPU memory.\n"
    assert kernel.value("tuple(kept.shape)") == (2**20,)
    kernel.run("import gpu_headroom; gpu_headroom.stop()")
    run = kernel.run(code.replace(code.split('== "')[1].split('"')[0], "another"))
    assert run.text.startswith(notice)
    kernel.inject(pack)
    assert kernel.run(kernel.cleanup(["variable:kept"])).text == "Freed 4.0 MiB of GPU memory.\n"


def test_no_clean_up_cell_is_written_while_a_cell_runs(gpu: LiveKernel) -> None:
    """What to free is not known then: one sentence says so."""
    with gpu.busy_cell():
        reply = gpu.ask("cleanup", items=None)
    assert (reply["type"], reply["message"]["id"]) == ("refused", "cleanup.busy")
