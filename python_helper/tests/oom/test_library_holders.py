"""What classes of libraries keep: their own methods fill it, and no text of the notebook does."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest
from gpu_headroom.advice.registry import diagnose
from gpu_headroom.concurrency.turns import Turn
from gpu_headroom.oom import evidence as evidences
from gpu_simulator import simulate
from tests.notebook import Notebook, open_notebook

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

LIBRARY = """
from functools import lru_cache
import torch
from torch import nn

class Scores:
    def __init__(self):
        self.kept = []
    def on_batch_end(self, y):
        self.kept.append(y)

class Net:
    def __init__(self, callbacks):
        self.callbacks = callbacks
    def fit(self, batches):
        for x in batches:
            self.validate(x)
    def validate(self, x):
        y = x.cuda() * 2
        for callback in self.callbacks:
            callback.on_batch_end(y)

class Sessions:
    states = {}
    @torch.no_grad()
    def track(self, key, frames):
        state = self.states.setdefault(key, {"out": {}})
        for n, frame in enumerate(frames):
            state["out"][n] = frame.cuda() * 2
            yield n

class Engine:
    def __init__(self, width):
        self.model = nn.Linear(width, 1024, device="cuda")
        self.cache = [torch.empty(width, 1024, device="cuda") for _ in range(8)]

class World:
    def __init__(self):
        self.models = [nn.Linear(8192, 1024, device="cuda") for _ in range(11)]
    @lru_cache(maxsize=1)
    def length(self):
        return 1

def create_task():
    return World()

def separate(mix):
    estimates = 0
    for n in range(9):
        out = torch.zeros(4, *mix.shape, device=mix.device)
        estimates = estimates + out
    return estimates

def prepare(model):
    for parameter in model.parameters():
        parameter.data = parameter.data.to(torch.float32)
    return model
"""
START = "import torch\nfrom gathers import *\n"
WAVES = "waves = [torch.rand(10**6)] * 900"
GRADIENTS = """x, found = torch.rand(4, 4096, device="cuda"), []
for n in range(40):
    found.append(torch.autograd.grad(net(x).sum(), list(net.parameters())))
"""
CASES: dict[str, tuple[list[str], str, str, str]] = {
    "callback": (
        [f"{WAVES}\nnet = Net([Scores()])", "net.fit(waves)"],
        "kept-tensors",
        "net.callbacks[0].kept",
        "to-host",
    ),
    "class": (
        [f"{WAVES}\nsessions = Sessions()", "for n in sessions.track('a', waves):\n    n"],
        "growing-cache",
        "Sessions.states",
        "to-host",
    ),
    "engine": (
        ["llm = Engine(12_000)", "llm = Engine(16_000)"],
        "kept-copies",
        "`llm` from before",
        "delete-leftovers",
    ),
    "lru-cache": (
        ["world = create_task()\nworld.length()", "del world\nother = create_task()"],
        "kept-in-module",
        "World.length",
        "shut-down",
    ),
    "gradients": (
        [
            "net = nn.Sequential(nn.Linear(4096, 4096), nn.Linear(4096, 1)).cuda()",
            GRADIENTS,
        ],
        "kept-tensors",
        "`found`",
        "to-host",
    ),
    "track": (
        ["mix = torch.rand(2, 7_000_000)", "parts = separate(mix.to('cuda'))"],
        "data-on-gpu",
        "All of it is on the GPU",
        "move-per-batch",
    ),
    "cast": (
        [
            "net = nn.Sequential(*[nn.Linear(4096, 4096) for _ in range(10)]).half().cuda()",
            "net = prepare(net)",
        ],
        "wide-dtype",
        "`float32`",
        "narrower-dtype",
    ),
}


@pytest.fixture
def notebook(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Notebook]:
    """A notebook on a simulated GPU of 1 GiB, and a library beside it."""
    installed = tmp_path / "site-packages"
    installed.mkdir()
    (installed / "gathers.py").write_text(LIBRARY, "utf-8")
    monkeypatch.syspath_prepend(installed)
    with simulate("1 GiB"), open_notebook() as notebook:
        assert notebook.run(START).success
        yield notebook
    sys.modules.pop("gathers", None)


@pytest.mark.parametrize("case", CASES)
def test_names_what_a_library_keeps(notebook: Notebook, case: str) -> None:
    """By the object that keeps it, with what frees it."""
    (first, last), rule, says, remedy = CASES[case]
    assert notebook.run(first).success, notebook.printed
    result = notebook.run(last)
    assert not result.success
    causes, offers = diagnose(evidences.measure(notebook.failure(result), Turn(30.0)))
    sentences = causes[0]["claim"]["text"] + causes[0]["evidence"]["text"]
    assert (causes[0]["rule"], remedy in [row.id for row in offers]) == (rule, True)
    assert says in sentences
    assert "several-tasks" not in [row["rule"] for row in causes]
