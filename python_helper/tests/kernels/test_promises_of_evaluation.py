"""What evaluates, predicts or freezes is edited only where nothing that trains is changed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.live import LiveKernel
from tests.programs import applied, completed

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.live import Pack

START = """import torch
from torch import nn
import torch.nn.functional as F
"""


@pytest.fixture
def kernel(newest_python: Path, pack: Pack, tmp_path: Path) -> Iterator[LiveKernel]:
    """A kernel with a simulated GPU of 1 GiB."""
    options: dict[str, Any] = {"installed": True, "GPU_HEADROOM_SIMULATE": "1GiB"}
    with LiveKernel(newest_python, tmp_path, **options) as kernel:
        kernel.inject(pack)
        kernel.attach()
        yield kernel


def failed(kernel: LiveKernel, *cells: str) -> dict[str, Any]:
    """Run cells, the last of which runs out of memory; return its card's report, completed."""
    for n, source in enumerate(cells, 1):
        kernel.attach()
        run = kernel.run(source, cell_id=f"cell-{n}", stop_on_error=False)
    return completed(kernel, run)


def remedy(report: dict[str, Any], remedy_id: str) -> dict[str, Any] | None:
    """Return what the card offers under an id."""
    return next((each for each in report["remedies"] if each["id"] == remedy_id), None)


def is_button(report: dict[str, Any], remedy_id: str) -> bool:
    """Whether the card offers an edit that is made by a click."""
    found = remedy(report, remedy_id)
    return found is not None and found["kind"] == "edit"


def fixed(
    kernel: LiveKernel, report: dict[str, Any], remedy_id: str, *cells: str
) -> dict[str, str]:
    """Ask for an edit and return the cells as it leaves them."""
    sources = {f"cell-{n}": source for n, source in enumerate(cells, 1)}
    reply = kernel.ask("fix", report_id=report["report_id"], remedy_id=remedy_id, sources=sources)
    assert reply["status"] == "ok", reply
    return applied(sources, reply["edits"])


MODEL = """class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(512, 4096), nn.Linear(4096, 8)

    def forward(self, x):
        h = self.a(x).relu()
        if self.training:
            h = h + 0 * h.tanh() * h.sigmoid()
        return self.b(h)


model = Net().cuda()
opt = torch.optim.SGD(model.parameters(), lr=0.1)
modes = []
"""
VALIDATE = """def validate(rows):
    with torch.no_grad():
        return model(torch.zeros(rows, 512, device="cuda")).shape


def fit(rows):
    for epoch in range(2):
        for _ in range(2):
            modes.append(model.training)
            opt.zero_grad()
            model(torch.zeros(8, 512, device="cuda")).pow(2).mean().backward()
            opt.step()
        validate(rows)
"""


def test_training_goes_on_in_training_mode(kernel: LiveKernel) -> None:
    """`validate()` is called by `fit()` each epoch, and nobody says `train()` again."""
    cells = (START, MODEL, VALIDATE, "fit(12_000)")
    report = failed(kernel, *cells)
    assert is_button(report, "eval-mode"), report["remedies"]
    sources = fixed(kernel, report, "eval-mode", *cells)
    kernel.run(sources["cell-3"])
    kernel.run("modes.clear(); fit(64)")
    assert kernel.value("modes") == [True] * 4
    assert kernel.value("model.training")


MIXER = """class Mixer(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(64, 64)

    def forward(self, x):
        h = self.lin(x)
        return (h @ h.T).softmax(1) @ h


model = Mixer().cuda().eval()
x = torch.zeros(30_000, 64, device="cuda")
"""
PREDICT = "with torch.no_grad():\n    out = model(x)"
PLAIN = """model = nn.Sequential(nn.Linear(64, 16_384), nn.ReLU(), nn.Linear(16_384, 4))
model.cuda().eval()
x = torch.zeros(30_000, 64, device="cuda")
"""


@pytest.mark.parametrize(("model", "offered"), [(MIXER, False), (PLAIN, True)])
def test_rows_that_know_of_each_other_stay_together(
    kernel: LiveKernel, model: str, *, offered: bool
) -> None:
    """Attention over the batch is made at once; plain layers may go in parts."""
    report = failed(kernel, START, model, PREDICT)
    assert is_button(report, "split-request") is offered, report["remedies"]


OBJECT = """from dataclasses import dataclass


@dataclass
class Output:
    logits: torch.Tensor


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(64, 16_384), nn.Linear(16_384, 4)

    def forward(self, x):
        return Output(self.b(self.a(x).relu()))


model = Classifier().cuda().eval()
x = torch.zeros(30_000, 64, device="cuda")
"""


def test_outputs_that_are_no_tensors_are_not_joined(kernel: LiveKernel) -> None:
    """`torch.cat` of a model's objects would fail, or lose what is in them."""
    report = failed(kernel, START, OBJECT, PREDICT)
    assert not is_button(report, "split-request"), report["remedies"]


DOUBLE = """import numpy as np
settings = {"float64": 16, "float32": 7}
X = torch.from_numpy(np.zeros((4096, 8192))).cuda()
"""
READS = "digits = settings['float64']\nY = [X * n for n in range(8)]"


def test_a_key_is_no_type(kernel: LiveKernel) -> None:
    """A dict with a key `"float64"` keeps it: the edit is no button, and touches no key."""
    report = failed(kernel, START, DOUBLE, READS)
    found = remedy(report, "narrower-dtype")
    assert not is_button(report, "narrower-dtype"), found
    rows = [row for diff in (found or {}).get("diffs", []) for row in diff["rows"]]
    assert not any("settings" in str(row) and row["kind"] != "same" for row in rows)


ADAPTERS = """class Adapted(nn.Module):
    def __init__(self, n=4096, layers=10, rank=4):
        super().__init__()
        self.base = nn.ModuleList(nn.Linear(n, n) for _ in range(layers))
        for p in self.base.parameters():
            p.requires_grad_(False)
        self.down = nn.ModuleList(nn.Linear(n, rank, bias=False) for _ in range(layers))
        self.up = nn.ModuleList(nn.Linear(rank, n, bias=False) for _ in range(layers))

    def forward(self, x):
        for base, down, up in zip(self.base, self.down, self.up):
            x = base(x) + up(down(x))
        return x


class LoraConfig:
    rank = 4


config = LoraConfig()
model = Adapted().cuda()
adapters = [p for p in model.parameters() if p.requires_grad]
opt = torch.optim.AdamW(adapters)
"""
STEP = """x = torch.zeros(2_000, 4096, device="cuda")
loss = model(x).pow(2).mean()
loss.backward()
opt.step()"""


def test_adapters_that_are_trained_keep_their_precision(kernel: LiveKernel) -> None:
    """An optimizer has parameters of the model: known by identity, under whatever name."""
    report = failed(kernel, START, ADAPTERS, STEP)
    assert not is_button(report, "narrower-dtype"), report["remedies"]


TIED = """def make_backbone():
    layers = []
    for _ in range(12):
        layers += [nn.Linear(1024, 1024), nn.Tanh()]
    return nn.Sequential(*layers)


backbone = make_backbone().cuda()
head = nn.Linear(1024, 1024).cuda()
head.weight = backbone[0].weight
opt = torch.optim.SGD(head.parameters(), lr=0.1, momentum=0.9)
"""
APART = TIED.replace("head.weight = backbone[0].weight\n", "")
TRAIN = """for x in [torch.rand(12_000, 1024)] * 3:
    x = x.cuda()
    feats = backbone(x)
    loss = head(feats).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()"""


@pytest.mark.parametrize(("model", "offered"), [(TIED, False), (APART, True)])
def test_a_weight_that_is_trained_elsewhere_is_not_frozen(
    kernel: LiveKernel, model: str, *, offered: bool
) -> None:
    """The head's weight is the backbone's."""
    report = failed(kernel, START, model, TRAIN)
    said = [(each["id"], each["kind"], each.get("reason")) for each in report["remedies"]]
    assert is_button(report, "freeze-backbone") is offered, said


SCORES = """def predict(x):
    return model(x)


def attack(x, y):
    x = x.clone().requires_grad_(True)
    F.cross_entropy(predict(x), y).backward()
    return x.grad.sign()
"""
NETWORK = """layers = [nn.Linear(1024, 1024) for _ in range(12)]
model = nn.Sequential(*[each for layer in layers for each in (layer, nn.Tanh())]).cuda().eval()
"""
OUTS = "outs = predict(torch.zeros(24_000, 1024, device='cuda'))"


@pytest.mark.parametrize("attacked", [True, False])
def test_gradients_that_another_caller_needs_stay(kernel: LiveKernel, *, attacked: bool) -> None:
    """`predict` evaluates in one cell, and an attack goes backward through it in another."""
    functions = SCORES if attacked else SCORES.partition("\n\n\n")[0]
    report = failed(kernel, START, NETWORK, functions, OUTS)
    assert is_button(report, "no-grad") is not attacked, report["remedies"]
