"""One large request: of a model that predicts, or of all pairs of rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.edits.pieces import models, readers
from benchmarks.edits.pieces.draw import Writing, inner
from benchmarks.edits.pieces.training import IMPORTS, Names, filled

if TYPE_CHECKING:
    from benchmarks.edits.pieces.draw import Draw

_PAIRS = (
    "(a @ b.T).sum(1)",
    "(a @ b.T).softmax(1) @ b",
    "torch.cdist(a, b).min(1).values",
    "torch.cdist(a, b).argmin(dim=1)",
    "(a[:, None] - b[None]).pow(2).sum(-1).amin(1)",
    "(a @ b.T).mean()",
    "(a @ b.T).topk(2, dim=-1).indices",
    "(a @ b.T).sum(0)",
    "a @ b.T",
    "(a @ a.T).amax(1)",
    "(a @ b.T).std(1)",
    "torch.cdist(a, b).sort().values",
    "(a - b[:1]).norm(dim=1)",
    "torch.argmax(a @ b.T, dim=1)",
)
_BEHIND = (
    "found = out.sum().item()",
    "shape = tuple(out.shape)",
    "part = 3\nprint(part)",
    "kept = out[:3].clone()",
    "noise = torch.rand(2)",
)


def program(draw: Draw) -> str:
    """Write one of both."""
    made = Writing("A generated request")
    made.cell(IMPORTS, "torch.manual_seed(8)", "torch.set_default_dtype(torch.float64)")
    rows = draw.number("rows", 1, 7)
    if draw.chance("pairs"):
        written = draw.pick("of", _PAIRS)
        made.cell("a, b = torch.randn(12, 4), torch.randn(9, 4)")
        made.cell(f"out = {written} #@forward")
        about = {"way": "compared", "rows": rows, "tables": ["a", "b"]}
    else:
        model = models.model(draw)
        about = {"way": "predicted", "model": model.name, "rows": rows}
        made.cell(model.code)
        made.cell(f"sample = torch.randn({', '.join(map(str, (12, *model.shape)))})")
        if draw.chance("eval", 0.8):
            made.cell(f"{model.name}.eval()")
        call = [f"out = {model.name}(sample) #@forward"]
        if draw.chance("no grad", 0.8):
            call = ["with torch.no_grad():", *inner(call)]
        made.cell(call)
        names = Names(model.name, "optimizer", "sample", "sample", "out", "out")
        for each in readers.readers(draw, at_top=False)[:1]:
            if "optimizer" not in each:
                made.cell(filled(each, names))
    for n in range(draw.number("behind", 0, 2)):
        made.cell(draw.pick(f"more {n}", _BEHIND))
    return made.text(about)
