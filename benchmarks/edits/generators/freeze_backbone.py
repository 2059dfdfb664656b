"""Trainings of a head on a backbone that no optimizer has."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.edits.pieces.draw import Writing, inner
from benchmarks.edits.pieces.training import IMPORTS

if TYPE_CHECKING:
    from benchmarks.edits.pieces.draw import Draw

_PARTS = ("nn.Tanh()", "nn.BatchNorm1d(6)", "nn.Dropout(0.2)", "nn.ReLU()")
_BESIDES = (
    "loss = loss + 0.01 * sum(p.pow(2).sum() for p in {b}.parameters())",
    "total = nn.utils.clip_grad_norm_([*{b}.parameters(), *head.parameters()], 1.0)",
    "norms.append(sum(p.grad.norm().item() for p in {b}.parameters() if p.grad is not None))",
    "for p in {b}.parameters():\n    if p.grad is not None:\n        p.data -= 0.01 * p.grad",
    "g = torch.autograd.grad(loss, x, retain_graph=True)[0]\nnorms.append(g.norm().item())",
    "norms.append(h.requires_grad)",
)
_BEHIND = (
    (
        "later = torch.optim.SGD({b}.parameters(), lr=0.1)\nhead({b}(sample)).sum().backward()\n"
        "later.step()"
    ),
    "trains = [p.requires_grad for p in {b}.parameters()]",
    "features = {b}(sample).detach()",
    "weights = sum(p.sum().item() for p in {b}.parameters())",
    "print(head({b}(sample)).sum().item())",
    "grads = [p.grad is None for p in head.parameters()]",
    "for p in {b}.parameters():\n    p.requires_grad = True",
)


def program(draw: Draw) -> str:
    """Write such a training."""
    made = Writing("A generated head")
    name = draw.pick("name", ["backbone", "encoder", "body"])
    made.cell(IMPORTS, "torch.manual_seed(4)", "torch.set_default_dtype(torch.float64)")
    part = draw.pick("part", _PARTS)
    made.cell(
        f"{name} = nn.Sequential(nn.Linear(5, 6), {part})",
        draw.pick("head", ["head = nn.Linear(6, 2)", "head = nn.Sequential(nn.Linear(6, 2))"]),
        draw.pick("tied", ["", "", "", f"head_norm = {name}[0].bias"]),
    )
    trained = draw.pick(
        "trained",
        ["head.parameters()"] * 4
        + [f"[*head.parameters(), {name}[0].bias]", "[p for p in head.parameters()]"],
    )
    kind = draw.pick(
        "optimizer", ["SGD({}, lr=0.1)", "Adam({}, lr=0.01)", "SGD({}, 0.1, momentum=0.9)"]
    )
    made.cell(
        f"optimizer = torch.optim.{kind.format(trained)}", "norms = []", "sample = torch.ones(3, 5)"
    )
    x = draw.pick("input", ["", "", "x.requires_grad_()"])
    besides = draw.pick("besides", ["", "", "", *_BESIDES]).replace("{b}", name)
    if "autograd" in besides:
        x = "x.requires_grad_()"
    before = besides if "loss" in besides else ""
    after = "" if before else besides
    body = [
        x,
        f"h = {name}(x) #@forward",
        "loss = F.cross_entropy(head(h), y)",
        *before.split("\n"),
        "optimizer.zero_grad()",
        "loss.backward()",
        *after.split("\n"),
        "optimizer.step()",
    ]
    made.cell(
        "data = list(zip(torch.randn(12, 5).split(4), torch.randint(0, 2, (12,)).split(4)))",
        ["for x, y in data:", *inner([each for each in body if each])],
        draw.pick("log", ["", "print(round(loss.item(), 6))"]),
    )
    for n in range(draw.number("behind", 0, 2)):
        made.cell(draw.pick(f"cell {n}", _BEHIND).replace("{b}", name))
    return made.text({"name": name, "trained": []})
