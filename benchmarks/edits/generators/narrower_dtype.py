"""Data in double precision that may be single, and models that may be halved."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.edits.pieces.draw import Writing, inner

if TYPE_CHECKING:
    from benchmarks.edits.pieces.draw import Draw

_MAKES = (
    "torch.tensor(array, dtype=torch.float64)",
    "torch.from_numpy(array)",
    "torch.randn(8, 4, dtype=torch.float64)",
    "torch.randn(8, 4).double()",
    "torch.randn(8, 4).to(torch.float64)",
    "torch.as_tensor(array.astype('float64'))",
    "torch.as_tensor(array.astype(np.float64))",
)
_BEHIND = (
    "total = X.sum().item()",
    "same = X.dtype == torch.float64",
    "kind = str(X.dtype)",
    "back = X.numpy() + array",
    "solved = torch.linalg.solve(X[:4] + 4 * torch.eye(4, dtype=X.dtype), X[4:])",
    "mixed = X @ torch.ones(4, 2, dtype=torch.float64)",
    "table = {'float64': 1, 'other': 2}\nfound = table.get('float64')",
    "mean, spread = X.mean(0), X.std(0)\nscaled = (X - mean) / spread",
    "answers = model(X.to(next(model.parameters()).dtype)).detach()",
    "weight = sum(p.sum() for p in model.parameters()).item()",
    "tiny = (X * 1e-12).sum().item() > 0",
    "print(round(out.sum().item(), 2))",
)


def program(draw: Draw) -> str:
    """Write one or the other."""
    made = Writing("A generated precision")
    draw.mostly(0.6, cast="", behind=0, trains=False, part="nn.Tanh()")
    imports = ["import numpy as np", "import torch", "from torch import nn"]
    imports += draw.pick("more imports", [[], [], [], ["from torch.utils.data import DataLoader"]])
    made.cell(imports, "torch.manual_seed(6)")
    made.cell("array = np.random.randn(8, 4)")
    if draw.chance("half", 0.4):
        return _half(draw, made)
    mark = draw.pick("cast", ["", "", "X = X.double()"])
    model = draw.pick("model", ["nn.Linear(4, 2).double()", "nn.Linear(4, 2, dtype=torch.float64)"])
    made.cell(f"X = {draw.pick('make', _MAKES)}", mark, f"model = {model}")
    if draw.chance("optimizes", 0.3):
        made.cell("optimizer = torch.optim.SGD(model.parameters(), lr=0.01)")
    steps = ["out = model(X) #@forward", "loss = out.pow(2).mean()"]
    if draw.chosen["optimizes"] and draw.chance("trains"):
        steps += ["optimizer.zero_grad()", "loss.backward()", "optimizer.step()"]
    made.cell(["for step in range(3):", *inner(steps)])
    for n in range(draw.number("behind", 0, 2)):
        made.cell(draw.pick(f"cell {n}", _BEHIND))
    names = draw.pick("names", [["X", "model"], ["X", "model"], ["X"], ["model"]])
    return made.text({"way": "single", "names": names})


def _half(draw: Draw, made: Writing) -> str:
    part = draw.pick(
        "part", ["nn.Tanh()", "nn.LayerNorm(8)", "nn.BatchNorm1d(8)", "nn.Dropout(0.1)"]
    )
    tokens = draw.chance("tokens", 0.7)
    first = "nn.Embedding(9, 8)" if tokens else "nn.Linear(4, 8)"
    made.cell(f"model = nn.Sequential({first}, {part}, nn.Linear(8, 2))")
    if draw.chance("frozen", 0.4):
        made.cell("model.requires_grad_(False)")
    made.cell(draw.pick("mode", ["model.eval()", "model.eval()", "mode = model.training"]))
    trains = draw.chance("trains", 0.3)
    if trains:
        made.cell("optimizer = torch.optim.Adam(model.parameters(), lr=0.01)")
    x = draw.pick("input", ["X = torch.randn(8, 4)", "X = torch.from_numpy(array).float()"])
    x = "X = torch.randint(0, 9, (8,))" if tokens else x
    made.cell(x)
    call = ["out = model(X) #@forward"]
    if trains and draw.chance("steps", 0.8):
        call += ["out.sum().backward()", "optimizer.step()"]
    elif draw.chance("no grad"):
        call = ["with torch.no_grad():", *inner(call)]
    made.cell(call)
    readers = (
        "scores = out.detach().softmax(-1)",
        "array_out = out.detach().numpy()",
        "joined = torch.cat([out.detach(), torch.zeros(1, 2)])",
        "kind = out.dtype == torch.float32",
        "best = out.argmax(-1)[0].item() >= 0",
        "error = nn.functional.mse_loss(out.detach(), torch.zeros(8, 2)).item()",
        "later = torch.optim.SGD(model.parameters(), lr=0.1)",
    )
    for n in range(draw.number("behind", 0, 2)):
        made.cell(draw.pick(f"cell {n}", readers))
    return made.text({"way": "half", "model": "model"})
