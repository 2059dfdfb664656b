"""Trainings that evaluate in between, with gradients and in whatever mode."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.edits.pieces.training import training

if TYPE_CHECKING:
    from benchmarks.edits.pieces.draw import Draw

_BEHIND = (
    "last = {called}",
    "for _ in range(2):\n    found = {called}",
    "scorer = validate\nscored = scorer({given})",
    (
        "{optimizer}.zero_grad()\ngoal = {called}\nif torch.is_tensor(goal) and goal.requires_grad:"
        "\n    goal.sum().backward()\n    {optimizer}.step()"
    ),
    "before = {model}.training\nfound = {called}\nkept_mode = before == {model}.training",
)
_KEEPS = (
    ("total = total + out_.abs().mean()", "total"),
    ("scores.append(out_.mean())", "sum(scores) / len(scores)"),
    ("scores.append(out_.pow(2).mean())", "torch.stack(scores).max()"),
    ("total += float(out_.mean())", "total"),
)
_TERMS = (
    "loss = loss + 0.1 * {called}",
    "loss += {called}",
    "term = {called}\nloss = loss + term * 0.5",
    "weight = float({called})\nloss = loss * (1 + weight ** 2)",
    "seen_at = float({called})",
    "terms = [loss, {called}]\nloss = sum(terms)",
)
_CELLS = (
    (
        "total = 0\nfor part in sample.split(2):\n    found = {model}(part) #@evaluated\n"
        "    total = total + found.pow(2).mean()"
    ),
    (
        "parts = []\nfor part in sample.split(2):\n    parts.append({model}(part)) #@evaluated\n"
        "total = torch.cat(parts).pow(2).mean()"
    ),
    (
        "total = 0.0\nfor part in sample.split(2):\n"
        "    total += {model}(part).max().item() #@evaluated"
    ),
    "parts = [{model}(part) for part in sample.split(2)] #@evaluated\ntotal = sum(parts).mean()",
    "found = {model}(sample) #@evaluated\ntotal = found.abs().mean()",
)
_AFTER = (
    ["print(round(float(total), 6))"],
    ["best = float(total) > 0"],
    [
        (
            "{optimizer}.zero_grad()\nif torch.is_tensor(total):\n    total.backward()\n"
            "    {optimizer}.step()"
        )
    ],
    ["def learn(value):\n    value.backward()\nif torch.is_tensor(total):\n    learn(total)"],
    ["needs = torch.is_tensor(total) and total.requires_grad"],
    ["scale = nn.Parameter(torch.ones(()))\ngoal = total * scale\ngoal.backward()\ng = scale.grad"],
)


def program(draw: Draw) -> str:
    """Write a training that calls an evaluation."""
    draw.force(validates=True)
    if draw.chance("plain evaluation", 0.7):
        draw.force(**{"evaluation no_grad": False, "evaluation eval": False})
    behind = list[str]()
    if draw.chance("called again", 0.4):
        takes = draw.pick("evaluation takes", ["", "net_"])
        draw.force(**{"evaluation takes": takes})
        given = "{model}" if takes else ""
        text = draw.pick("again", _BEHIND).replace("{called}", f"validate({given})")
        behind.append(text.replace("{given}", given))
    within = list[str]()
    way = draw.pick("way", ["call", "call", "trains on it", "in a cell"])
    if way == "trains on it":
        takes = draw.pick("evaluation takes", ["", "net_"])
        keeps = draw.pick("keeps", _KEEPS)
        draw.force(**{"evaluation takes": takes, "evaluation keeps": keeps})
        draw.force(logged="before backward", validates=True)
        given = "{model}" if takes else ""
        within.append(draw.pick("term", _TERMS).replace("{called}", f"validate({given})"))
    elif way == "in a cell":
        draw.force(validates=False)
        behind = [draw.pick("cell", _CELLS), *draw.pick("after the cell", _AFTER)]
    made = training(draw, within_loop=within, behind=behind)
    return made.writing.text({}, "evaluated")
