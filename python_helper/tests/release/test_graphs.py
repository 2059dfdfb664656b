"""Autograd graphs that variables keep: detaching gives them back, the values stay."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from gpu_headroom.frameworks.torch import private
from gpu_headroom.release import graphs
from gpu_headroom.release.items import SAFE
from gpu_headroom.text.format import MIB
from tests.release.conftest import found

if TYPE_CHECKING:
    from tests.notebook import Notebook

# A step keeps two activations of 8 MiB: the input of the layer, and the result of `relu`.
STEP = """
model = nn.Linear(1024, 1024, bias=False).cuda()
x = torch.randn(2048, 1024, device="cuda")
def step():
    return torch.relu(model(x * 2)).sum()
"""
CASES = {
    "a loss": ("loss = step()", "loss", 16),
    "a list": ("losses = [step() for _ in range(4)]", "losses", 64),
    "a dictionary": ("losses = {n: step() for n in range(2)}", "losses", 32),
    "a running total": ("total = 0\nfor _ in range(3):\n    total = total + step()", "total", 48),
    "an attribute": ("class A: pass\na = A()\na.loss = step()", "a", 16),
    "on the host": ("loss = step().cpu()", "loss", 16),
}


@pytest.mark.parametrize("case", CASES)
def test_gives_back_what_the_graph_alone_keeps(notebook: Notebook, case: str) -> None:
    """As much as theory says; the variable stays, detached."""
    source, name, size = CASES[case]
    assert notebook.run(STEP + source).success, notebook.printed
    before = notebook.in_use()
    (item,) = found(notebook, graphs.items).values()
    assert (item.id, item.expected_bytes) == (f"graph:{name}", size * MIB)
    assert item.kind not in SAFE
    assert item.confirm is not None
    del item
    assert notebook.free(f"graph:{name}").freed_bytes == size * MIB
    assert before - notebook.in_use() == size * MIB
    assert name in notebook.shell.user_ns
    assert found(notebook, graphs.items) == {}


def test_of_a_graph_that_does_not_show_what_it_saved(
    notebook: Notebook, monkeypatch: pytest.MonkeyPatch
) -> None:
    """PyTorch up to 2.9: what Python once knew, and only a graph still holds, is foretold."""
    monkeypatch.setattr(private, "shows_saved", lambda: False)
    notebook.run(f"{STEP}loss = model(model(x).exp().sin()).sum()")
    (item,) = found(notebook, graphs.items).values()
    assert (item.id, item.expected_bytes) == ("graph:loss", 16 * MIB)
    del item
    assert (notebook.free("graph:loss").freed_bytes or 0) >= 16 * MIB


def test_variables_of_one_graph_are_one_item(notebook: Notebook) -> None:
    """An output and its loss: one of them alone would keep the graph for the other."""
    notebook.run(f"{STEP}out = torch.relu(model(x * 2))\nloss = out.sum()\nother = step()")
    items = found(notebook, graphs.items)
    assert set(items) == {"graph:out", "graph:other"}
    assert items["graph:out"].title["params"] == {"names": "out, loss"}
    assert items["graph:out"].expected_bytes == 8 * MIB  # the result of `relu` is `out` itself
    items.clear()
    assert notebook.free("graph:out").freed_bytes == 8 * MIB
    assert notebook.run("loss.requires_grad or out.requires_grad").result is False


def test_backward_still_runs_through_what_was_not_chosen(notebook: Notebook) -> None:
    """Each graph is its own: the parameters that both lead to are not touched."""
    notebook.run(f"{STEP}one = step()\nother = step()")
    notebook.free("graph:one")
    assert notebook.run("other.backward()").success
    assert not notebook.run("one.backward()").success


def test_a_view_is_blocked_with_the_reason(notebook: Notebook) -> None:
    """PyTorch refuses to detach it in place; nothing is tried."""
    notebook.run(f"{STEP}row = torch.relu(model(x * 2))[0]")
    (item,) = found(notebook, graphs.items).values()
    assert item.blocked is not None
    assert item.blocked["params"] == {"path": "row"}
    del item
    outcome = notebook.free("graph:row")
    assert outcome.freed_bytes == 0
    assert notebook.run("row.requires_grad").result is True


def test_says_what_is_left_of_a_mixed_list(notebook: Notebook) -> None:
    """Views among others stay; the others are detached."""
    notebook.run(f"{STEP}kept = [step(), torch.relu(model(x * 2))[0]]")
    (item,) = found(notebook, graphs.items).values()
    assert (item.blocked, item.expected_bytes) == (None, 16 * MIB)
    del item
    outcome = notebook.free("graph:kept")
    assert outcome.freed_bytes == 16 * MIB
    message = outcome.items[0]["message"]
    assert message is not None
    assert message["params"] == {"count": 1}


def test_runs_no_hook_of_the_tensor(notebook: Notebook) -> None:
    """Detaching is no backward pass, and a subclass is not asked either."""
    notebook.run(
        f"{STEP}calls = []\nloss = step()\nloss.register_hook(calls.append)\n"
        "class Own(torch.Tensor):\n"
        "    @classmethod\n"
        "    def __torch_function__(cls, *args, **kwargs):\n"
        "        calls.append(args[0])\n"
        "        return super().__torch_function__(*args, **kwargs)\n"
        "own = step().as_subclass(Own)\ncalls.clear()"
    )
    notebook.free("graph:loss")
    notebook.free("graph:own")
    assert notebook.shell.user_ns["calls"] == []


def test_says_nothing_of_small_graphs(notebook: Notebook) -> None:
    """A graph that keeps next to nothing is not worth a line."""
    notebook.run("w = torch.ones(8, 8, device='cuda', requires_grad=True)\nloss = (w * w).sum()")
    assert found(notebook, graphs.items) == {}
