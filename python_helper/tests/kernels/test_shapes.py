"""Programs in which a static look is not enough: none has a button beside the smaller batch.

Each is the shape of a real fault that an outside review found: an edit changed its results. The
suggestion is there, with code to copy.
"""

from __future__ import annotations

from textwrap import indent

import pytest
from tests.programs import START, Programs

GPU = "1GiB"
LAYERS = """layers = [nn.Sequential(nn.Linear(1024, 1024), nn.ReLU()) for _ in range(8)]
model = nn.Sequential(*layers).cuda()
opt = torch.optim.SGD(model.parameters(), lr=0.1)
def data(rows=4000):
    return torch.randn(rows, 1024, device="cuda")
"""
# What is kept with its graph in a loop, and goes backward where no name of it stands.
KEEPS = "for n in range(40):\n    loss = model(data()).mean()\n    losses.append(loss)\n"
LOSSES: dict[str, tuple[str, str]] = {
    "property": (
        "class Run:\n    @property\n    def total(self):\n        return torch.stack(losses).sum()",
        "Run().total.backward()",
    ),
    "call": (
        "class Add:\n    def __call__(self):\n        return sum(losses)\nadd = Add()",
        "add().backward()",
    ),
    "iter": (
        "class Each:\n    def __iter__(self):\n        return iter(losses)",
        "for x in Each():\n    x.backward()",
    ),
    "dict of functions": (
        "steps = {'back': lambda: sum(losses).backward()}",
        "steps['back']()",
    ),
    "map": ("def back(x):\n    x.backward()", "list(map(back, losses))"),
    "imported helper": ("from functools import reduce", "reduce(torch.add, losses).backward()"),
    "library object of the same name": ("import types", "types.SimpleNamespace(all=losses)"),
    "attribution": ("", "torch.autograd.grad(losses[0], model[0][0].weight)"),
    "GAN": (
        "judge = nn.Linear(1, 1).cuda()",
        "judge(torch.stack(losses)[:, None]).mean().backward()",
    ),
    "RL": ("returns = [1.0] * 40", "sum(r * p for r, p in zip(returns, losses)).backward()"),
    "EMA": ("average = 0", "for x in losses:\n    average = 0.9 * average + 0.1 * x"),
    "annealed global": ("weight = 1.0", "def loss_of():\n    return weight * losses[-1]"),
}
# What is evaluated with gradients, and they are its purpose, or may be.
EVALUATIONS: dict[str, tuple[str, str]] = {
    "attribution": (
        "x = data(60_000).requires_grad_()",
        "score = model(x)",
    ),
    "adversarial examples": (
        "x = data(60_000)\nnoise = torch.zeros_like(x[:1], requires_grad=True)",
        "score = model(x + noise)",
    ),
    "gradient penalty": (
        "x = data(60_000)",
        "score = model(x)\npenalty = torch.autograd.grad(score.sum(), x)",
    ),
    "property": (
        (
            "x = data(60_000)\nclass Run:\n    @property\n    def loss(self):\n"
            "        return score.mean()\nrun = Run()"
        ),
        "score = model(x)\nrun.loss.backward()",
    ),
    "dict of functions": (
        "x = data(60_000)\nsteps = {'back': lambda s: s.mean().backward()}",
        "score = model(x)\nsteps['back'](score)",
    ),
    "hooks": (
        (
            "x = data(60_000)\nseen = []\n"
            "model[0].register_forward_hook(lambda m, i, o: seen.append(o))"
        ),
        "score = model(x)\nif seen:\n    seen[0].mean().backward()",
    ),
    "call": (
        (
            "x = data(60_000)\nclass Step:\n    def __call__(self):\n        out = model(x)\n"
            "        out.mean().backward()\n        return out\nstep = Step()"
        ),
        "score = step()",
    ),
    "torch.compile": (
        "x = data(60_000)\nfast = lambda v: model(v)\ndef train(v):\n    fast(v).mean().backward()",
        "score = train(x)",
    ),
}


@pytest.mark.parametrize("shape", LOSSES)
def test_values_that_are_kept_with_their_graphs(programs: Programs, shape: str) -> None:
    """They may go backward: how they could be kept without is a suggestion."""
    more, later = LOSSES[shape]
    behind = f"if 0:\n{indent(later, '    ')}"
    cell = programs.fail(f"{START}{LAYERS}losses = []\n{more}", KEEPS, also=behind)
    assert cell.report["cause"]["rule"] == "retained-graph"
    assert cell.buttons <= {"smaller-batch"}
    remedy = cell.remedy("keep-numbers")
    assert remedy["diffs"] or remedy["note"]


@pytest.mark.parametrize("shape", EVALUATIONS)
def test_evaluations_whose_gradients_may_be_meant(programs: Programs, shape: str) -> None:
    """`no_grad` is no button where an input has gradients, or anything may go backward."""
    more, fails = EVALUATIONS[shape]
    cell = programs.fail(f"{START}{LAYERS}model.eval()\n{more}", fails)
    assert cell.buttons <= {"smaller-batch"}


def test_a_plain_evaluation_has_the_button(programs: Programs) -> None:
    """Around the statement; then the cell passes."""
    cell = programs.fail(f"{START}{LAYERS}model.eval()\nx = data(24_000)", "score = model(x)")
    assert cell.report["cause"]["rule"] == "evaluation-with-gradients"
    assert cell.edited("no-grad")[-1] == "with torch.no_grad():\n    score = model(x)"


def test_plain_losses_have_the_button(programs: Programs) -> None:
    """Where they are only printed."""
    start = f"{START}{LAYERS}losses = []"
    train = f"{KEEPS}print(sum(losses) / len(losses))"
    cell = programs.fail(start, train)
    assert "losses.append(loss.detach())" in cell.edited("keep-numbers")[-1]
