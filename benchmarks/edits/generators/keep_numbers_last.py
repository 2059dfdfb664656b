"""Loops that keep all of what they make in a list, of which the last are needed, or others too."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.edits.pieces.draw import Writing, inner
from benchmarks.edits.pieces.training import IMPORTS

if TYPE_CHECKING:
    from benchmarks.edits.pieces.draw import Draw

_READS = (
    "last = {v}[-1]",
    "moved = ({v}[-1] - x).sum().item()",
    "print(round({v}[-1].sum().item(), 6))",
    "if len({v}) > 1:\n    step = ({v}[-1] - {v}[-2]).abs().sum().item()",
    "near = sum(each.sum().item() for each in {v}[-2:])",
    "n = len({v})",
    "first = {v}[0]",
    "last = {v}[-k].sum().item()",
)
_BEHIND = (
    "final = {v}[-1].sum().item()",
    "count = len({v})",
    "total = sum({v}).sum().item()",
    "alias = {v}\nfound = alias[0]",
    "end = {v}[-2:]",
    "def show():\n    return {v}[-1].mean().item()\nshown = show()",
    "del {v}",
    "wanted = 1",
    "both = {v} + [x]",
)


def program(draw: Draw) -> str:
    """Write such a loop."""
    made = Writing("A generated list of states")
    made.cell(IMPORTS, "torch.manual_seed(1)")
    name = draw.pick("name", ["states", "outs", "frames"])
    begin = draw.pick("begin", ["[]", "[torch.zeros(3)]", "[torch.ones(3), torch.ones(3)]"])
    make = draw.pick("makes", ["x.square()", "x + 1", "torch.tanh(x) * {v}[-1]"])
    if begin == "[]":
        make = "x * 2"
    draw.mostly(0.7, **{"read 0": "last = {v}[-1].sum().item()", "reads": 1})
    draw.mostly(0.6, **{"cell 0": "wanted = 1", "cell 1": "final = {v}[-1].sum().item()"})
    draw.mostly(0.6, **{"how": "append", "in a function": False})
    reads = [draw.pick(f"read {n}", _READS) for n in range(draw.number("reads", 0, 2))]
    how = draw.pick("how", ["append", "append", "append", "extend", "add"])
    kept = {"append": "{v}.append({m})", "extend": "{v}.extend([{m}])", "add": "{v} += [{m}]"}[how]
    line = kept.replace("{m}", make).replace("{v}", name)
    body = [f"{line} #@forward", *(each.replace("{v}", name) for each in reads)]
    body = [each for line in body for each in line.split("\n")]
    loop = ["for x in torch.randn(6, 3):", *inner(body)]
    start = [f"{name} = {begin}", f"k = {draw.number('k', 1, 2)}"]
    if draw.chance("in a function", 0.25):
        whole = [
            "def roll():",
            *inner([*start, *loop, f"return {name}"]),
            f"{name} = roll()",
            "x = 1",
        ]
        made.cell(whole)
    elif draw.chance("other cell"):
        made.cell(start)
        made.cell(loop)
    else:
        made.cell(start, loop)
    for n in range(draw.number("behind", 0, 2)):
        made.cell(draw.pick(f"cell {n}", _BEHIND).replace("{v}", name))
    return made.text({"name": name})
