"""Loops that make models which refer to themselves, of each of which something is kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.edits.pieces.draw import Writing, inner
from benchmarks.edits.pieces.training import IMPORTS

if TYPE_CHECKING:
    from benchmarks.edits.pieces.draw import Draw

_CYCLES = ("self.me = self", "self.parts = [self.layer, self]", "self.hook = self.forward", "")
_KEPT = (
    "results[{v}] = loss.item()",
    "results.setdefault('all', []).append(round(loss.item(), 6))",
    "results[{v}] = net\nprint(len(results))",
    "print({v}, round(loss.item(), 6))",
    "results[{v}] = weakref.ref(net)\nalive = sum(each() is not None for each in results.values())",
)
_IMPORTS = (
    "",
    "import gc",
    "import gc",
    "",
    "import gc\ngc.disable()",
    "gc = 0.5",
    "import weakref",
    "import weakref, gc",
)


def program(draw: Draw) -> str:
    """Write a sweep."""
    made = Writing("A generated sweep")
    kept = draw.pick("kept", [*_KEPT, *_KEPT[:2]])
    aloud = draw.chance("dies aloud", 0.1)
    if aloud or "weakref" in kept:
        draw.force(imports="import weakref, gc")
    made.cell(IMPORTS, draw.pick("imports", _IMPORTS))
    body = ["super().__init__()", "self.layer = nn.Linear(4, 2)", draw.pick("cycle", _CYCLES)]
    if aloud:
        body.append("self.end = weakref.finalize(self.layer, GONE.append, 1)")
    cls = ["class Net(nn.Module):", *inner(["def __init__(self):", *inner(body)])]
    made.cell(
        "GONE = []" if aloud else "",
        [*cls, "    def forward(self, x):", "        return self.layer(x)"],
    )
    name = draw.pick("variable", ["lr", "seed", "fold"])
    kept = kept.replace("{v}", name)
    round_ = [
        "net = Net() #@forward",
        draw.pick("optimizer", ["opt = torch.optim.SGD(net.parameters(), lr=0.1)"]),
        "loss = net(torch.ones(3, 4)).pow(2).mean()",
        "loss.backward()",
        "opt.step()",
        *kept.split("\n"),
    ]
    values = draw.pick("values", ["(1, 2, 3)", "range(3)", "[3, 4]"])
    if name == "gc":
        values = "range(2)"
    loop = [f"for {name} in {values}:", *inner(round_)]
    if draw.chance("in a function", 0.3):
        loop = [
            "def sweep():",
            *inner(["results = {}", *loop, "return results"]),
            "results = sweep()",
        ]
    made.cell("torch.manual_seed(0)", "results = {}", loop)
    behind = ["n = len(results)", "best = str(results)[:9]", "g = str('gc')", "last = net.layer"]
    behind += ["gone = len(GONE)"] * aloud + ["h = str(gc)[:4]"] * ("gc" in made.cells[0])
    for n in range(draw.number("cells", 0, 2)):
        made.cell(draw.pick(f"cell {n}", behind))
    return made.text({})
