"""Before cells run again nothing that a person named goes unasked, and no training unsaid."""

from __future__ import annotations

from textwrap import indent
from typing import TYPE_CHECKING, Any

import pytest
from tests.kernels.test_unfinished import until
from tests.live import LiveKernel

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.live import Pack

# One cell makes the model, trains it, and runs out of memory in the evaluation.
TRAIN = """import torch
from torch import nn

model = nn.Sequential(nn.Linear(512, 1024), nn.ReLU(), nn.Linear(1024, 8)).cuda()
opt = torch.optim.AdamW(model.parameters())
history = []
for n in range(5):
    loss = model(torch.randn(64, 512, device="cuda")).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    history.append(loss.detach())
batch_size = 1 << 19
out = model(torch.randn(batch_size, 512, device="cuda"))
"""
SIMULATE = "__import__('gpu_headroom').simulate('1 GiB', compute='cpu')"
ALIVE = "[name in globals() for name in ('model', 'opt', 'history')]"
STEPS = "[float(each['step']) for each in opt.state.values()]"
FREE = ["traceback", "garbage", "cache"]
MODEL = """import torch
from torch import nn
model = nn.Linear(512, 512).cuda()
opt = torch.optim.AdamW(model.parameters())

def step(n):
    loss = model(torch.randn(n, 512, device="cuda")).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
"""
GOES_ON = "for n in (8, 8, 1 << 21):\n    step(n)"
AFTER = """for n in (8, 8):
    step(n)
out = model(torch.empty(1 << 21, 512, device="cuda"))"""
AT_ONCE = "for n in (1 << 21, 8):\n    step(n)"


@pytest.fixture(scope="module")
def process(newest_python: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveKernel]:
    """A kernel with an installed helper."""
    with LiveKernel(newest_python, tmp_path_factory.mktemp("rerun"), installed=True) as kernel:
        yield kernel


@pytest.fixture
def kernel(process: LiveKernel, pack: Pack) -> Iterator[LiveKernel]:
    """The same kernel for each test, with a new simulated GPU of 1 GiB that computes."""
    process.run(SIMULATE, silent=True, store_history=False)
    process.inject(pack)
    process.attach()
    yield process
    process.renew()


def fail(kernel: LiveKernel, source: str, cell_id: str = "failing") -> dict[str, Any]:
    """Run out of memory; return the report."""
    return kernel.run(source, cell_id=cell_id, stop_on_error=False).report


def costs(kernel: LiveKernel, report: dict[str, Any], **sources: str) -> dict[str, Any]:
    """Ask what running these cells again would cost."""
    ids = {"report_id": report["report_id"], "run": list(sources)}
    reply = kernel.ask("rerun", **ids, sources=sources)
    assert reply["type"] == "rerun", reply
    return kernel.await_event("rerun", request_id=reply["id"])


def release(kernel: LiveKernel, items: list[str], confirmed: list[str]) -> dict[str, Any]:
    """Free, and wait for what came of it."""
    reply = kernel.ask("release", items=items, confirmed=confirmed, report_id=None)
    if reply["type"] == "refused":
        return dict(reply)
    return kernel.await_event("released", release_id=reply["release_id"])


def cautions(cost: dict[str, Any]) -> list[str]:
    """What a person is told, as they read it."""
    return [caution["text"] for caution in cost["cautions"]]


def test_a_trained_model_outlives_all_but_a_yes(kernel: LiveKernel) -> None:
    """What a page did before, and what it does until the person has agreed."""
    report = fail(kernel, TRAIN)
    cost = costs(kernel, report, failing=TRAIN)
    assert kernel.value(f"({ALIVE}, {STEPS})") == ([True] * 3, [5.0] * 4)
    (item,) = cost["items"]
    assert {"model", "opt"} <= set(item["names"])
    assert item["confirm"]["text"].startswith("Deleted first: `")
    start = "In [1] trains again from the start."
    assert cautions(cost) == [f"What `model, opt` learned in training is lost: {start}"]
    assert cost["saves"]

    # A page that agrees for the person, and one that does not.
    assert release(kernel, [*FREE, "rerun:failing"], ["rerun:failing"])["status"] == "failed"
    assert release(kernel, [*FREE, item["id"]], [])["type"] == "refused"
    assert release(kernel, FREE, [])["status"] in {"done", "nothing"}
    assert kernel.value(f"({ALIVE}, {STEPS})") == ([True] * 3, [5.0] * 4)

    # The person.
    assert release(kernel, [*FREE, item["id"]], [item["id"]])["status"] == "done"
    assert kernel.value("[name in globals() for name in ('model', 'opt')]") == [False] * 2


@pytest.mark.smoke
def test_a_notebook_that_is_run_again_after_a_failure(kernel: LiveKernel) -> None:
    """Its first cell fails beside what the failure left, which waits for Python's collector."""
    # Which comes or not, by how many objects are made meanwhile.
    kernel.run("import gc; gc.disable()", silent=True, store_history=False)
    layers = "*[nn.Linear(1024, 1024) for _ in range(64)]"
    build = f"import torch\nfrom torch import nn\nmodel = nn.Sequential({layers}).cuda()"
    kernel.run(build, cell_id="build")
    fail(kernel, "def train(n):\n    return model(torch.randn(n, 1024).cuda()).sum()\ntrain(4096)")
    # What waits is known for certain once the look for what leads to it has come to its end.
    report = until(kernel, fail(kernel, build, "build"), lambda latest: not latest["looking"])
    assert report["cause"]["rule"] == "earlier-traceback"
    offer = report["remedies"][0]
    assert (offer["kind"], offer["title"]["id"]) == ("release", "remedy.free-traceback.left")
    event = release(kernel, FREE, [])
    kernel.run("gc.enable()", silent=True, store_history=False)
    assert event["freed_bytes"] >= 0.9 * offer["effect_bytes"]
    assert kernel.run(build, cell_id="build").status == "ok"


def test_what_was_agreed_to_is_void_once_a_cell_has_run(kernel: LiveKernel) -> None:
    """Also while it waits for that cell: what it did is no part of the sentence."""
    report = fail(kernel, TRAIN)
    (item,) = costs(kernel, report, failing=TRAIN)["items"]
    wish = {"items": [*FREE, item["id"]], "confirmed": [item["id"]], "report_id": None}
    with kernel.busy_cell():
        reply = kernel.ask("release", **wish)
    event = kernel.await_event("released", release_id=reply["release_id"])
    assert (event["status"], event["message"]["id"]) == ("failed", "released.stale")
    assert kernel.value(ALIVE) == [True] * 3


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (GOES_ON, "In [2] trains again, on from what `model, opt` learned so far."),
        (AT_ONCE, None),
        (AFTER, None),
    ],
)
def test_a_training_never_runs_again_unsaid(
    kernel: LiveKernel, source: str, expected: str | None
) -> None:
    """What the kernel knows of its steps tells; a first step that failed has taught nothing."""
    kernel.run(MODEL, cell_id="model")
    report = fail(kernel, source)
    cost = costs(kernel, report, failing=source)
    if source == AT_ONCE:
        assert (cautions(cost), cost["items"], cost["saves"]) == ([], [], False)
    else:
        (sentence,) = cautions(cost)
        assert sentence == (expected or sentence)
        assert "trains again" in sentence
        assert cost["saves"]
    rerun = costs(kernel, report, model=MODEL, failing=source)
    assert (source == AT_ONCE) is (not any("is lost" in text for text in cautions(rerun)))


def test_a_cell_that_failed_at_its_first_step_runs_again_unasked(kernel: LiveKernel) -> None:
    """What another cell has trained it would only go on with, as it was to."""
    kernel.run(MODEL, cell_id="model")
    kernel.run("step(8)", cell_id="first")
    cost = costs(kernel, fail(kernel, "step(1 << 21)"), failing="step(1 << 20)")
    assert (cautions(cost), cost["items"], cost["saves"]) == ([], [], False)


def test_of_no_report_of_this_helper_nothing_is_told(kernel: LiveKernel) -> None:
    """A saved report asks for nothing."""
    reply = kernel.ask("rerun", report_id="of another helper", run=[], sources={})
    assert reply["type"] == "refused"


def test_what_a_script_left_goes_as_well(kernel: LiveKernel) -> None:
    """`%run` leaves all names of its script in the notebook, also of one that failed."""
    write = f"open('train.py', 'w').write({TRAIN!r})"
    kernel.run(write, silent=True, store_history=False)
    cell = "%run train.py"
    report = fail(kernel, cell)
    assert kernel.value(f"({ALIVE}, {STEPS})") == ([True] * 3, [5.0] * 4)
    cost = costs(kernel, report, failing=cell)
    (item,) = cost["items"]
    assert {"model", "opt"} <= set(item["names"])
    start = "In [1] trains again from the start."
    assert cautions(cost) == [f"What `model, opt` learned in training is lost: {start}"]
    assert release(kernel, [*FREE, item["id"]], [item["id"]])["status"] == "done"
    assert kernel.value("[name in globals() for name in ('model', 'opt')]") == [False] * 2


def test_only_what_the_cells_make_anew_as_they_are_now(kernel: LiveKernel) -> None:
    """A cell that was edited makes no model any more."""
    report = fail(kernel, TRAIN)
    cost = costs(kernel, report, failing="out = model(torch.randn(8, 512, device='cuda'))")
    assert cost["items"] == []
    assert cautions(cost) == []


def test_a_training_that_no_name_leads_to(kernel: LiveKernel) -> None:
    """That it cannot be told what was trained is no reason to say nothing."""
    body = f"{MODEL}for n in (8, 8, 1 << 21):\n    step(n)\n"
    source = f"def main():\n{indent(body, '    ')}main()"
    report = fail(kernel, source)
    cost = costs(kernel, report, failing=source)
    assert cautions(cost) == ["In [1] trains again: what it has trained so far may be lost."]
    assert not cost["saves"]
