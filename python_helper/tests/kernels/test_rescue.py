"""A training that failed is saved and goes on in another kernel, on a simulated GPU with values."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.live import LiveKernel

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.conftest import Start
    from tests.live import Pack

SETUP = """import torch
from torch import nn

class Experiment:
    def __init__(self):
        self.model = nn.Sequential(nn.Linear(64, 128), nn.BatchNorm1d(128), nn.Linear(128, 4))
        self.model.cuda()
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=1e-2)

experiment = Experiment()
scheduler = torch.optim.lr_scheduler.StepLR(experiment.optimizer, 2, 0.5)
scaler = torch.amp.GradScaler()
checkpoint = "a name of the person's"
"""
STEP = """def step(n):
    torch.manual_seed(n)
    x = torch.randn(n, 64, device="cuda")
    loss = experiment.model(x).pow(2).mean()
    experiment.optimizer.zero_grad()
    loss.backward()
    experiment.optimizer.step()
    scheduler.step()
    return loss.item()
"""
TRAIN = "for n in [8, 9, 10, 2**21]:\n    step(n)"
NEXT = "[step(n) for n in (11, 12, 13)]"
# All that the training is, as plain numbers.
STATE = """__import__('json').dumps([
    {name: each.tolist() for name, each in experiment.model.state_dict().items()},
    {n: {name: torch.as_tensor(each).tolist() for name, each in of.items()}
     for n, of in experiment.optimizer.state_dict()['state'].items()},
    scheduler.state_dict()['last_epoch'], scheduler.get_last_lr(), scaler.state_dict(),
])"""
ALLOCATED = "torch.cuda.memory_stats()['allocation.all.allocated']"
NAMES = ["experiment.model", "experiment.optimizer", "scheduler", "scaler"]


def begin(kernel: LiveKernel, pack: Pack) -> LiveKernel:
    """Make model and optimizer on a simulated GPU of 1 GiB that computes."""
    kernel.inject(pack)
    kernel.attach()
    for source in (SETUP, STEP):
        assert kernel.run(source).status == "ok"
    return kernel


@pytest.fixture(scope="module")
def failed(
    newest_python: Path, pack: Pack, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[LiveKernel]:
    """A kernel whose training has failed; each test leaves no file there."""
    folder = tmp_path_factory.mktemp("failed")
    options: dict[str, Any] = {"installed": True, "GPU_HEADROOM_SIMULATE": "1GiB,cpu"}
    with LiveKernel(newest_python, folder, **options) as kernel:
        yield begin(kernel, pack)


def fail(kernel: LiveKernel, source: str = TRAIN) -> dict[str, Any]:
    """Train until the GPU is full; return the report."""
    run = kernel.run(source, stop_on_error=False)
    assert run.status == "error"
    return run.report


def rescue(kernel: LiveKernel, report: dict[str, Any]) -> dict[str, Any]:
    """Press the button, and wait for what came of it."""
    reply = kernel.ask("rescue", report_id=report["report_id"])
    assert reply["type"] == "rescue", reply
    return kernel.await_event("rescue", request_id=reply["id"])


def files(kernel: LiveKernel) -> list[str]:
    """What stands in the working directory, hidden files too, without what the test put there."""
    names: list[str] = kernel.value("sorted(__import__('os').listdir())")
    return [name for name in names if name not in ("ipython", "kernel.log")]


def test_goes_on_in_another_kernel(failed: LiveKernel, start_newest: Start, pack: Pack) -> None:
    """Weights, moments, schedule and scale are the same there, and so are the next losses."""
    report = fail(failed)
    remedy = report["remedies"][-1]
    assert (remedy["id"], remedy["kind"], remedy["effect_bytes"]) == ("save-training", "save", None)
    allocated = failed.value(ALLOCATED)
    event = rescue(failed, report)
    assert failed.value(ALLOCATED) == allocated  # not a byte was asked for on the GPU
    assert event["message"]["id"] == "rescue.saved"
    assert event["message"]["params"]["names"] == ", ".join(NAMES)
    file = Path(event["path"])
    assert files(failed) == [file.name]
    assert event["bytes"] == file.stat().st_size
    estimate = remedy["note"]["params"]["file_bytes"]
    assert estimate == pytest.approx(event["bytes"], rel=0.2)

    kernel = begin(start_newest(installed=True, GPU_HEADROOM_SIMULATE="1GiB,cpu"), pack)
    before = kernel.value(STATE)
    kernel.run(f"import shutil; shutil.move({str(file)!r}, '.')")
    assert "Loaded experiment.model" in kernel.run(event["code"]).text
    assert kernel.value("checkpoint") == "a name of the person's"
    assert "_resume" not in kernel.value("dir()")
    assert before != kernel.value(STATE) == failed.value(STATE)
    assert kernel.value(NEXT) == failed.value(NEXT)


def test_each_press_writes_a_file_of_its_own(failed: LiveKernel) -> None:
    """A file that is there is never written to; the cell loads nothing over what went on."""
    report = fail(failed)
    events = [rescue(failed, report) for _ in range(2)]
    assert files(failed) == sorted(Path(event["path"]).name for event in events)
    assert len(files(failed)) == 2
    failed.run("step(14)")
    before = failed.value(STATE)
    assert "Nothing was loaded" in failed.run(events[0]["code"]).text
    assert failed.value(STATE) == before
    for event in events:
        Path(event["path"]).unlink()


def test_what_its_line_of_text_saves_is_the_same(failed: LiveKernel) -> None:
    """Where there is no button a person runs the line, once."""
    line = fail(failed)["remedies"][-1]["type_this"]
    assert failed.run(line).status == "ok"
    (file,) = files(failed)
    assert failed.run(line, stop_on_error=False).status == "error"  # nothing is overwritten
    assert failed.value(f"list(torch.load({file!r}))") == NAMES
    failed.run(f"import os; os.remove({file!r})")


FAULTS = {
    "full": (
        "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, -1))",
        "File too large",
        "resource.setrlimit(resource.RLIMIT_FSIZE, (-1, -1))",
    ),
    "not-picklable": (
        "experiment.model.register_state_dict_post_hook(lambda *a: a[1].update(f=lambda: 1))",
        "pickle",
        "experiment.model._state_dict_hooks.clear()",
    ),
    "raises": (
        "refuse = lambda *a: {}['mine']; experiment.model.register_state_dict_post_hook(refuse)",
        "mine",
        "experiment.model._state_dict_hooks.clear()",
    ),
    "trained-meanwhile": (
        (
            "steps = [each['step'] for each in experiment.optimizer.state.values()]\n"
            "experiment.model.register_state_dict_post_hook(lambda *a: steps[0].add_(1) and None)"
        ),
        "changed the weights",
        "experiment.model._state_dict_hooks.clear()",
    ),
    **{
        name: (
            (
                f"def refuse(*a): raise {error}\n"
                "experiment.model.register_state_dict_post_hook(refuse)"
            ),
            name,
            "experiment.model._state_dict_hooks.clear()",
        )
        for name, error in {
            "SystemExit": "SystemExit(3)",
            "KeyboardInterrupt": "KeyboardInterrupt",
            "Enough": "type('Enough', (BaseException,), {})('mine')",
        }.items()
    },
    "deleted": (
        "import builtins; builtins.held = experiment; del experiment",
        "no variable leads",
        "experiment = builtins.held; del builtins.held",
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_says_why_nothing_was_saved(failed: LiveKernel, fault: str) -> None:
    """One sentence, no code, and nothing of the file is left."""
    breaks, why, mends = FAULTS[fault]
    report = fail(failed)
    assert failed.run(breaks).status == "ok"
    event = rescue(failed, report)
    assert (event["path"], event["bytes"], event["code"]) == (None, None, None)
    assert event["message"]["text"].startswith("Nothing was saved: ")
    assert why in event["message"]["text"]
    assert failed.run(mends).status == "ok"
    assert files(failed) == []


def test_an_interrupt_ends_the_writing(failed: LiveKernel) -> None:
    """As the button of the notebook sends it, in the middle; nothing is left."""
    report = fail(failed)
    failed.run(
        "import os, signal\n"
        "hook = lambda *a: os.kill(os.getpid(), signal.SIGINT)\n"
        "experiment.model.register_state_dict_post_hook(hook)"
    )
    event = rescue(failed, report)
    failed.run("experiment.model._state_dict_hooks.clear()")
    assert event["message"]["id"] == "rescue.cancelled"
    assert files(failed) == []


def test_waits_for_nothing_and_saves_nothing_half_done(failed: LiveKernel) -> None:
    """Beside a running cell, beside a thread that trains, and for a report of another helper."""
    report = fail(failed)
    with failed.busy_cell():
        reply = failed.ask("rescue", report_id=report["report_id"])
    assert reply["message"]["id"] == "rescue.busy"
    failed.run(
        # Products so large that it is hardly ever between two of them.
        "import threading\nbegun, stop = threading.Event(), threading.Event()\n"
        "large = torch.randn(3000, 3000)\n"
        "def train():\n    while not stop.is_set(): large @ large; begun.set()\n"
        "thread = threading.Thread(target=train, name='trainer'); thread.start(); begun.wait()"
    )
    event = rescue(failed, report)
    failed.run("stop.set(); thread.join()")
    assert event["message"]["id"] in ("rescue.beside", "rescue.changed")
    assert files(failed) == []
    assert failed.ask("rescue", report_id="of another helper")["message"]["id"] == "fix.unknown"
