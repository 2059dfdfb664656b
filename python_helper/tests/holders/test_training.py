"""What has to be saved of a training, on a simulated GPU that computes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from gpu_headroom.concurrency.turns import Turn
from gpu_headroom.holders.inspector import Inspector
from gpu_headroom.holders.training import TrainingState
from gpu_simulator import simulate
from tests.notebook import open_notebook

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.notebook import Notebook

SETUP = """
import copy, types, torch
from torch import nn, optim
def net():
    return nn.Sequential(nn.Linear(4, 4), nn.BatchNorm1d(4)).cuda()
def train(model, *optimizers, steps=1):
    for _ in range(steps):
        model(torch.randn(8, 4, device="cuda")).sum().backward()
        for each in optimizers:
            each.step()
"""
ADAM = "model = net(); optimizer = optim.Adam(model.parameters())\n"
STATES: dict[str, tuple[str, list[str]]] = {
    "one": (ADAM, ["model", "optimizer"]),
    "not what nobody trains": (
        f"{ADAM}best = copy.deepcopy(model); teacher = net(); x = torch.ones(4).cuda()",
        ["model", "optimizer"],
    ),
    "the whole of it": (
        (
            "body = net()\nmodel = nn.Sequential(body, net())\n"
            "optimizer = optim.Adam(body.parameters())"
        ),
        ["model", "optimizer"],
    ),
    "what goes with it": (
        (
            f"{ADAM}schedule = optim.lr_scheduler.StepLR(optimizer, 2)\n"
            "scaler = torch.amp.GradScaler()\n"
            "average = optim.swa_utils.AveragedModel(model); mixed = torch.autocast('cuda')"
        ),
        ["model", "average", "optimizer", "schedule", "scaler"],
    ),
    "attributes": (
        (
            "class Agent(nn.Module):\n"
            "    def __init__(self):\n"
            "        super().__init__()\n"
            "        self.body = net()\n"
            "        self.optimizer = optim.Adam(self.parameters())\n"
            "agent = Agent()"
        ),
        ["agent", "agent.optimizer"],
    ),
    "containers": (
        (
            "nets = {'g': net(), 'd': net()}\n"
            "optimizers = [optim.Adam(each.parameters()) for each in nets.values()]"
        ),
        ["nets['g']", "nets['d']", "optimizers[0]", "optimizers[1]"],
    ),
    "not what containers keep of earlier runs": (
        f"earlier = []\n{ADAM}earlier.append((model, optimizer))\n{ADAM}",
        ["model", "optimizer"],
    ),
    "an optimizer in another": (
        (
            "class Wrapped(optim.Optimizer):\n"
            "    __module__ = 'accelerate.optimizer'\n"
            "    def __init__(self, inner): self.optimizer = inner\n"
            f"{ADAM}optimizer = Wrapped(optimizer)"
        ),
        ["model", "optimizer"],
    ),
    "another is half": (
        f"{ADAM}other = optim.Adam(net().parameters())\nlate = optim.lr_scheduler.StepLR(other, 2)",
        ["model", "optimizer"],
    ),
    "no model": ("optimizer = optim.Adam(net().parameters())", []),
    "spread over processes": (
        (
            f"{ADAM}class Sharded(nn.Module): __module__ = 'torch.distributed.fsdp'\n"
            "model.add_module('more', Sharded())"
        ),
        [],
    ),
}
TRAINED: dict[str, tuple[str, bool, bool]] = {
    "never": (ADAM, False, False),
    "once": (f"{ADAM}train(model, optimizer)", True, False),
    "twice": (f"{ADAM}train(model, optimizer, steps=2)", True, True),
    "only the way back": (f"{ADAM}train(model)", False, False),
    "without state": (
        (
            "model = net().cpu(); optimizer = optim.SGD(model.parameters())\n"
            "for _ in range(20): model(torch.randn(8, 4)).sum().backward(); optimizer.step()"
        ),
        True,
        True,
    ),
    "counted on the GPU": (
        (
            "model = net(); optimizer = optim.Adam(model.parameters(), capturable=True)\n"
            "train(model, optimizer, steps=2)"
        ),
        True,
        True,
    ),
}


@pytest.fixture
def notebook() -> Iterator[Notebook]:
    """A notebook on a simulated GPU with values."""
    with simulate("4 GiB", compute="cpu"), open_notebook() as notebook:
        assert notebook.run(SETUP).success
        yield notebook


def state(notebook: Notebook, source: str) -> TrainingState:
    """Run a cell, and look."""
    result = notebook.run(source)
    assert result.success, result.error_in_exec
    return TrainingState(notebook.shell, Inspector(Turn()))


@pytest.mark.parametrize("case", STATES)
def test_finds_what_belongs_together(notebook: Notebook, case: str) -> None:
    """Whatever is kept, code can be written for."""
    source, names = STATES[case]
    training = state(notebook, source)
    assert list(training.kept) == names
    for name, value in training.kept.items():
        assert notebook.shell.ev(name) is value


@pytest.mark.parametrize("case", TRAINED)
def test_tells_whether_a_step_was_made(notebook: Notebook, case: str) -> None:
    """One that failed in its middle does not count."""
    source, trained, before = TRAINED[case]
    training = state(notebook, source)
    assert training.has_trained(in_step=False) is trained
    assert training.has_trained(in_step=True) is before


def test_tells_that_a_model_trains(notebook: Notebook) -> None:
    """The versions of its tensors differ after a step."""
    training = state(notebook, f"{ADAM}train(model, optimizer)")
    before = training.versions
    assert training.versions == before
    notebook.run("train(model, optimizer)")
    assert training.versions != before


def test_counts_each_storage_once(notebook: Notebook) -> None:
    """Weights, buffers and what the optimizer remembers; tied ones are one."""
    source = (
        "model = nn.Sequential(nn.Linear(512, 512, bias=False), nn.Linear(512, 512, bias=False))\n"
    )
    tied = "model[1].weight = model[0].weight; model.cuda()\n"
    adam = (
        "optimizer = optim.Adam(model.parameters()); train512 = model(torch.ones(1, 512).cuda())\n"
    )
    training = state(notebook, f"{source}{tied}{adam}train512.sum().backward(); optimizer.step()")
    assert training.bytes == pytest.approx(3 * 512 * 512 * 4, abs=64)
