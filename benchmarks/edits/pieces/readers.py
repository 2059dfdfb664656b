"""Cells behind a training at top level that read, or make anew, what it left."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from benchmarks.edits.pieces.draw import Draw

# With {out}, {loss} and so on, the names of the training.
_AT_TOP = (
    "print({out}.shape)",
    "final = loss.item()",
    "print(tuple({x}.shape), round({x}.sum().item(), 4))",
    "def last():\n    return {out}.mean().item()\nlast_mean = last()",
    "def kept():\n    global loss\n    loss = loss.detach() * 2\n    return loss\nkept()",
    "show = lambda: loss.item()\nshown = show()",
    "while {out}.abs().max() > 1e-3:\n    {out} = {out} * 0.1\nsmall = {out}.sum().item()",
    "try:\n    spread = {out}.std().item()\nfinally:\n    size = {y}.numel()",
    "scores = [float(v) for v in {out}.flatten()[:4]]",
    "for {x}, {y} in [(torch.zeros(2), torch.ones(2))]:\n    pass\nzero = {x}.sum().item()",
    "if {out}.requires_grad:\n    wanted = 1\nelse:\n    wanted = 0",
    "grads = [p.grad.norm().item() for p in {model}.parameters() if p.grad is not None]",
    "class Result:\n    value = loss.item()\nresult = Result()",
    "%time checked = {out}.sum().item()",
    "gen = (float(v) * 2 for v in {out}.flatten()[:3])\nfirst_of = next(gen)",
    "del {out}",
)
_ANYWHERE = (
    "norm = sum(p.norm() for p in {model}.parameters()).item()",
    "mode = {model}.training",
    "state = {model}.state_dict()\nkeys = sorted(state)",
    "rate = {optimizer}.param_groups[0]['lr']",
    "noise = torch.randn(3)",
    "{model}.eval()\nwith torch.no_grad():\n    predicted = {model}(sample)\n{model}.train()",
    "{model}.eval()\npredicted = {model}(sample).argmax(-1)",
    "predicted = {model}(sample).detach()",
    (
        "{optimizer}.zero_grad()\n{model}(sample).pow(2).mean().backward()\n{optimizer}.step()\n"
        "after = {model}(sample).sum().item()"
    ),
    (
        "features = {model}(sample)\nfeatures.sum().backward()\n"
        "norms = [p.grad.norm().item() for p in {model}.parameters()]"
    ),
    "import math\nwanted_value = math.sqrt(4)",
)


def readers(draw: Draw, *, at_top: bool) -> list[str]:
    """Choose some cells; `at_top` where the loop's names are the notebook's."""
    options = [*_ANYWHERE, *(_AT_TOP if at_top else ())]
    return [draw.pick(f"cell {n}", options) for n in range(draw.number("cells behind", 0, 3))]
