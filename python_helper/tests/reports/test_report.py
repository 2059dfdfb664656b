"""The whole way of a failure on a simulated GPU, from the error to its report."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from gpu_headroom import testing
from gpu_headroom.advice.registry import Diagnosis, diagnose
from gpu_headroom.concurrency.turns import Turn
from gpu_headroom.oom.evidence import measure
from gpu_headroom.render.html import html
from gpu_headroom.render.text import text
from gpu_headroom.reports import model as reports
from gpu_headroom.reports.model import BuiltReport, report_of
from gpu_headroom.text.format import GIB
from gpu_simulator import simulate
from gpu_simulator.blocks import Segment
from tests.notebook import Notebook, open_notebook

if TYPE_CHECKING:
    from gpu_headroom.oom.evidence import Evidence

GPU = "2 GiB"
START = """
import torch
from torch import nn
from torch.utils.data import DataLoader
model = nn.Sequential(*[nn.Linear(1024, 1024) for _ in range(8)]).cuda()
optimizer = torch.optim.Adam(model.parameters())
def train(loader):
    for x in loader:
        optimizer.zero_grad()
        loss = model(x.cuda()).sum()
        loss.backward()
        optimizer.step()
data = torch.randn(200_000, 1024)
"""


def failed_report(notebook: Notebook, source: str, cell_id: str = "failing") -> BuiltReport:
    """Run a cell that runs out of memory, and build its report."""
    result = notebook.run(source, cell_id=cell_id)
    assert not result.success
    evidence = measure(notebook.failure(result), Turn(30.0))
    return report_of(evidence)


BLOCKS = """
blocks = [torch.empty(5 * 2**20, dtype=torch.uint8, device='cuda') for _ in range(280)]
del blocks[::2]
x = torch.empty(600 * 2**20, dtype=torch.uint8, device='cuda')
"""
CAUSES = {
    "a request at the top of a cell": (
        "x = torch.empty(2**40, device='cuda')",
        "huge-request",
        ["split-request"],
    ),
    "graphs that a list keeps": (
        (
            "losses = []\nfor _ in range(1000):\n"
            "    losses.append(model(torch.randn(8192, 1024, device='cuda')).sum())"
        ),
        "retained-graph",
        ["keep-numbers"],
    ),
    "room, but in no one piece": (BLOCKS, "fragmentation", ["expandable-segments"]),
    "a model that is too large": (
        (
            "big = nn.Sequential(*[nn.Linear(4096, 4096) for _ in range(10)]).cuda()\n"
            "adam = torch.optim.Adam(big.parameters())\n"
            "big(torch.randn(4, 4096, device='cuda')).sum().backward()\nadam.step()"
        ),
        "model-too-large",
        [],
    ),
    "an evaluation with gradients": (
        "model.eval()\nout = model(torch.randn(100_000, 1024, device='cuda'))",
        "evaluation-with-gradients",
        ["no-grad"],
    ),
}


@pytest.mark.parametrize("case", CAUSES)
def test_finds_the_cause_and_what_helps(notebook: Notebook, case: str) -> None:
    """What filled the GPU, without a guess at what the code means."""
    source, rule, remedies = CAUSES[case]
    built = failed_report(notebook, source)
    testing.check(built.report, "report")
    assert built.report["cause"] is not None
    assert built.report["cause"]["rule"] == rule
    assert set(remedies) <= {row["id"] for row in built.report["remedies"]}
    if rule == "huge-request":  # nothing is held: no remedy pretends otherwise
        assert built.report["traceback_bytes"] == 0
        assert len(built.report["remedies"]) == 1


def test_does_not_offer_what_is_set_already(
    notebook: Notebook, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where holes are smaller than a page, segments that expand are fragmented, too."""
    describe = Segment.describe
    monkeypatch.setattr(
        Segment, "describe", lambda *args: {**describe(*args), "is_expandable": True}
    )
    built = failed_report(notebook, BLOCKS)
    assert built.report["cause"] is not None
    assert built.report["cause"]["rule"] == "fragmentation"
    assert "expandable-segments" not in [row["id"] for row in built.report["remedies"]]


@pytest.mark.parametrize(
    ("more", "name"),
    [
        ("", "tiny in work"),
        (
            (
                "    small = torch.ones(2**21, dtype=torch.uint8, device='cuda')\n"
                "    large = torch.ones(2**30, dtype=torch.uint8, device='cuda')\n"
            ),
            "large in work",
        ),
    ],
)
def test_names_only_what_counts_in_the_traceback(notebook: Notebook, more: str, name: str) -> None:
    """Nothing below 1 MiB or 1 % of it but the largest, however small that is."""
    tiny = "def work():\n    tiny = torch.ones(8, device='cuda')\n"
    built = failed_report(notebook, f"{tiny}{more}    torch.empty(2**40, device='cuda')\nwork()")
    assert [row["name"] for row in built.report["traceback_variables"]] == [name]


def test_names_the_argument_of_the_persons_own_layer(notebook: Notebook) -> None:
    """PyTorch's own frames hold the same activations under names that say nothing."""
    assert notebook.run(
        "class Block(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        "        self.layer = nn.Linear(1024, 1024)\n"
        "    def forward(self, x):\n        return x + self.layer(x)\n"
        "blocks = nn.Sequential(*[Block() for _ in range(8)]).cuda()"
    ).success
    built = failed_report(notebook, "loss = blocks(torch.randn(2**16, 1024, device='cuda'))")
    names = [row["name"] for row in built.report["traceback_variables"]]
    assert names[0] == "x in Block.forward"


def test_says_in_plain_words_where_each_number_is_from(notebook: Notebook) -> None:
    """A person can look each of them up; nothing is called by a name of ours."""
    built = failed_report(notebook, "x = torch.empty(2**40, device='cuda')")
    assert {row["source"]["text"] for row in built.report["details"]} == {
        "error message",
        "cudaMemGetInfo",
        "memory_stats()",
        "memory_snapshot()",
        "capacity − free − reserved",
        "measured by walking the notebook's objects",
        "in use − what was found there",
        "in use − in use when the cell had ended",
    }


def test_leaves_out_parts_of_nothing() -> None:
    """Nothing cached needs no line in any form; what is free always has one."""
    with simulate("2 GiB"), open_notebook() as fresh:
        fresh.run("import torch")
        report = failed_report(fresh, "x = torch.empty(2**40, device='cuda')").report
    assert [row["kind"] for row in report["parts"]] == ["outside", "free"]
    assert report["cached_bytes"] == 0
    for form in (text(report), html(report)):
        assert "cached" not in form
        assert "free" in form


@pytest.mark.parametrize(
    ("source", "line"),
    [
        ("\n\n  \nx = 1\ntorch.empty(2**40, device='cuda')", 5),
        ("\ntorch.empty(2**40, device='cuda')\n\n", 2),
        ("\n%time torch.empty(2**40, device='cuda')", 2),
        ("\n%time 1\nx = 1\ntorch.empty(2**40, device='cuda')", 4),
        ("!true \\\n  a\ntorch.empty(2**40, device='cuda')", 3),
        ("\n%%time\n\nx = 1\ntorch.empty(2**40, device='cuda')", 5),
        ("%%time\ntorch.empty(2**40, device='cuda')", 2),
        ("  x = 1\n  torch.empty(2**40, device='cuda')", 2),
        ("\ndef f():\n    return torch.empty(2**40, device='cuda')\nf()", 3),
    ],
)
def test_counts_lines_as_the_notebook_shows_them(
    notebook: Notebook, source: str, line: int
) -> None:
    """IPython drops leading blank lines and rewrites magics before it compiles a cell."""
    assert failed_report(notebook, source).report["line"] == line


def test_what_no_arithmetic_allows_is_withheld(
    notebook: Notebook, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No saving larger than the GPU, no cause below nothing; what is left out is told."""
    diagnosis: Diagnosis = Diagnosis([], [])

    def diagnosed(evidence: Evidence) -> Diagnosis:
        nonlocal diagnosis
        diagnosis = diagnose(evidence)
        (first, *causes), (offer, *offers) = diagnosis
        too_much = (evidence.failed_at_bytes or 0) + 4 * GIB
        larger = replace(offer, shown=offer.shown._replace(bytes=too_much))
        impossible = Diagnosis([{**first, "bytes": -1}, first], [larger])
        return Diagnosis([*impossible.causes, *causes], [*impossible.offers, *offers])

    monkeypatch.setattr(reports, "diagnose", diagnosed)
    built = failed_report(notebook, "batch_size = 128 * 1024\ntrain(DataLoader(data, batch_size))")
    assert built.report["cause"] == diagnosis.causes[0]
    offered = [row["id"] for row in built.report["remedies"]]
    assert offered == [row.id for row in diagnosis.offers[1:]]
    assert len(built.withheld) == 2
    testing.check(built.report, "report")


def test_what_a_limit_keeps_back_may_be_more_than_the_limit(notebook: Notebook) -> None:
    """Of a GPU of which PyTorch may use a fifth, the rest is what the cause explains."""
    limit = "torch.cuda.set_per_process_memory_fraction(0.2)"
    built = failed_report(
        notebook, f"{limit}\nx = torch.empty(2**29, dtype=torch.uint8, device='cuda')"
    )
    assert built.withheld == ()
    causes = [built.report["cause"], *built.report["further_causes"]]
    (bytes_,) = [row["bytes"] for row in causes if row and row["rule"] == "memory-fraction"]
    assert bytes_ is not None
    assert bytes_ > (built.report["capacity_bytes"] or 0)
