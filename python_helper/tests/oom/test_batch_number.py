"""Which number sets the batch, by what ran: on programs of other people's shapes."""

from __future__ import annotations

import types
from typing import TYPE_CHECKING

import pytest
from gpu_headroom.concurrency.turns import Turn
from gpu_headroom.oom import evidence as evidences
from gpu_headroom.oom.batch_number import numbers_in

if TYPE_CHECKING:
    from tests.notebook import Notebook

GPU = "600 MiB"
START = """
import argparse
from dataclasses import dataclass
from types import SimpleNamespace
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

data = TensorDataset(torch.zeros(400_000, 256))
model = nn.Sequential(*[nn.Linear(256, 256) for _ in range(24)]).cuda()

def step(x):
    return model(x.cuda()).square().mean()

def run(loader):
    for (x,) in loader:
        loss = step(x)
        loss.backward()
"""
# A library that makes its own batch, from an argument with a name of its own.
LIBRARY = """
class Explainer:
    def __init__(self, model):
        self.model = model
    def shap_values(self, sample, nsamples=200):
        inputs = sample.expand(nsamples, -1).contiguous()
        for _ in range(3):
            inputs = self.model(inputs) + inputs
        return inputs
"""
BIG = 40_000


def batch(notebook: Notebook, *cells: str) -> tuple[str, int, int] | None:
    """Run cells of which the last runs out of memory; return name, value and line of the batch."""
    for cell in cells[:-1]:
        assert notebook.run(cell).success, notebook.printed
    result = notebook.run(cells[-1])
    assert not result.success
    literal = evidences.measure(notebook.failure(result), Turn(30.0)).batch
    return None if literal is None else (literal.name, literal.value, literal.line)


@pytest.mark.parametrize(
    ("cells", "name", "line"),
    [
        pytest.param([f"B = {BIG}", "run(DataLoader(data, B))"], "B", 1, id="constant"),
        pytest.param([f"run(DataLoader(data, {BIG}))"], "batch_size", 1, id="argument"),
        pytest.param(
            [
                f"CFG = {{'lr': 1, 'train': {{'bsz': {BIG}}}}}",
                "run(DataLoader(data, CFG['train']['bsz']))",
            ],
            "bsz",
            1,
            id="nested-dict",
        ),
        pytest.param(
            [
                f"@dataclass\nclass C:\n    lr: float = 1.0\n    batch: int = {BIG}\nc = C()",
                "run(DataLoader(data, c.batch))",
            ],
            "batch",
            4,
            id="dataclass",
        ),
        pytest.param(
            [
                (
                    "p = argparse.ArgumentParser()\n"
                    f"p.add_argument('--batch-size', type=int, default={BIG})\n"
                    "args = p.parse_args([])"
                ),
                "run(DataLoader(data, args.batch_size))",
            ],
            "batch_size",
            2,
            id="argparse",
        ),
        pytest.param(
            [
                (
                    f"a = SimpleNamespace(per_device_train_batch_size={BIG}, "
                    f"per_device_eval_batch_size={BIG})\n"
                    "loader = DataLoader(data, a.per_device_train_batch_size)"
                ),
                "run(loader)",
            ],
            "per_device_train_batch_size",
            1,
            id="arguments-of-a-trainer",
        ),
        pytest.param(
            [
                (
                    f"test = DataLoader(data, batch_size={BIG})\n"
                    f"train = DataLoader(data, batch_size={BIG})"
                ),
                "run(train)",
            ],
            "batch_size",
            2,
            id="two-loaders-alike",
        ),
        pytest.param(
            [
                f"def loaders(a=64, b={BIG}):\n    return DataLoader(data, a), DataLoader(data, b)",
                "train, test = loaders()",
                "run(test)",
            ],
            "b",
            1,
            id="default-of-a-function",
        ),
        pytest.param(
            [f"hidden = {BIG}\nn = {BIG}", "x = torch.zeros(n, 256)\nrun([(x,)])"],
            "n",
            2,
            id="read-by-the-failing-cell",
        ),
        pytest.param(
            [
                f"width, n_rows = 256, {BIG}",
                "def work():\n    x = torch.zeros(n_rows, 256)\n    run([(x,)])\nwork()",
            ],
            "n_rows",
            1,
            id="any-name",
        ),
        pytest.param(
            [
                f"batch_size, tokens = {BIG // 100}, 100",
                "x = torch.zeros(batch_size * tokens, 256)\nrun([(x,)])",
            ],
            "batch_size",
            1,
            id="flattened",
        ),
        pytest.param(
            [
                LIBRARY,
                f"Explainer(model).shap_values(torch.zeros(1, 256).cuda(), nsamples={3 * BIG})",
            ],
            "nsamples",
            1,
            id="argument-of-a-library",
        ),
        pytest.param(
            [
                f"chunk = {BIG // 4}",
                "x = torch.zeros(chunk, 256).cuda()\nrun([(x.repeat(4, 1),)])",
            ],
            "chunk",
            1,
            id="samples-of-a-chunk",
        ),
        pytest.param(
            [
                f"pick = lambda size: torch.zeros(size, 256).cuda()\nback = pick(size={BIG // 2})",
                "run([(torch.cat([back, back]),)])",
            ],
            "size",
            2,
            id="one-of-two-that-are-joined",
        ),
        pytest.param(
            ["x = torch.zeros(400, 100, 256).cuda()", "model(x).sum().backward()"],
            None,
            0,
            id="no-number",
        ),
    ],
)
def test_finds_the_number(
    notebook: Notebook, cells: list[str], name: str | None, line: int
) -> None:
    """By its value and the names that the run knew it by, wherever it is written."""
    result = batch(notebook, *cells)
    assert (result and (result[0], result[2])) == (name and (name, line))


def test_a_default_that_was_not_used_is_none(notebook: Notebook) -> None:
    """The frames know the name with another value."""
    cell = f"def train(batch_size=512):\n    run(DataLoader(data, batch_size))\ntrain({BIG})"
    result = batch(notebook, cell)
    assert result is not None
    assert result[:2] == ("batch_size", BIG)
    assert result[2] == 3


def test_the_size_of_data_is_no_batch(notebook: Notebook) -> None:
    """A number that is none by its name, and stands where the data are made as well."""
    data = f"x = torch.zeros({BIG}, 256, device='cuda')"
    makes = "def pairs(num_rows):\n    return torch.zeros(num_rows, num_rows, device='cuda')\n"
    assert batch(notebook, data, f"{makes}pairs(num_rows={BIG})") is None


def test_of_two_that_are_as_likely_both_are_known(notebook: Notebook) -> None:
    """Where frames know neither by its name, and both say as little."""
    twins = f"n = {BIG}\nm = {BIG}\n"
    result = notebook.run(f"{twins}x, y = torch.zeros(n, 256), torch.zeros(m, 256)\nstep(x + y)")
    assert not result.success
    evidence = evidences.measure(notebook.failure(result), Turn(30.0))
    assert evidence.batch is not None
    assert evidence.batch_twin is not None
    assert {evidence.batch.name, evidence.batch_twin.name} == {"n", "m"}


def test_knows_what_frames_hold() -> None:
    """Variables, entries and attributes, two steps in; nothing is asked of an object."""

    class Loud:
        def __init__(self) -> None:
            self.batch_size = 77

        def __getattr__(self, name: str) -> object:
            raise AssertionError(name)

        @property
        def rows(self) -> int:
            raise AssertionError

    def fails(n: int) -> None:
        config, module = {"train": {"bs": 33}, "deep": {"er": {"x": 44}}}, types.ModuleType("m")
        many = {str(number): number for number in range(1000)}
        loud, flag = Loud(), True
        raise ValueError(config, module, many, loud, flag, n)

    try:
        fails(55)
    except ValueError as error:
        names = numbers_in(error)
    assert names[55] == {"n"}
    assert names[33] == {"bs"}
    assert names[77] == {"batch_size"}
    assert 44 not in names
    assert 999 not in names
    assert 1 not in names
