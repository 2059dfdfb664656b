"""Data that are put on the card as a whole, and gone through in batches."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.edits.pieces.draw import Writing, inner

if TYPE_CHECKING:
    from benchmarks.edits.pieces.draw import Draw

_MOVES = (
    "X, y = X.cuda(), y.cuda()",
    "X = X.to('cuda')\ny = y.to('cuda')",
    "X = X.to(device)\ny = y.to(device)",
    "X = X.cuda().double().float()\ny = y.cuda()",
)
_LOOPS = (
    ("for i in range(0, 24, 6):", "xb, yb = X[i:i + 6], y[i:i + 6]"),
    ("for i in range(0, len(X), bs):", "xb, yb = X[i:i + bs], y[i:i + bs]"),
    ("for idx in torch.randperm(24).split(8):", "xb, yb = X[idx], y[idx]"),
    ("for xb, yb in zip(X.split(8), y.split(8)):", ""),
    ("for xb, yb in DataLoader(TensorDataset(X, y), batch_size=8):", ""),
    ("for n, (xb, yb) in enumerate(DataLoader(TensorDataset(X, y), batch_size=8)):", ""),
    ("for xb, yb in zip(X, y):", ""),
)
_WITHIN = (
    "scale = X.std()",
    "total = total + X[:2].sum().item()",
    "m = (xb - X.mean(0)).sum().item()",
    "X[:2] = X[:2] + 1",
    "n_left = len(X) - 1",
)
_BEHIND = (
    "mean = X.mean().item()",
    "rows = len(X)",
    "out_all = net(X)",
    "where = X.device.type",
    "again = net(X[:4]).sum().item()",
    "X = X.cpu()\nback = X.numpy().sum()",
    "def score(data):\n    return net(data).sum().item()\nscored = score(X)",
    "print(X.shape, round(loss.item(), 5))",
    "wanted = 1",
)


def program(draw: Draw) -> str:
    """Write a training on such data."""
    made = Writing("A generated data set on a card")
    draw.mostly(0.5, **{"within": "", "cell 0": "wanted = 1", "cell 1": "rows = len(X)"})
    imports = ["import torch", "from torch.utils.data import DataLoader, TensorDataset"]
    made.cell(imports, "torch.manual_seed(5)", "device = 'cuda'", "bs = 6", "total = 0.0")
    made.cell(
        "net = torch.nn.Linear(4, 1).to(device)",
        "opt = torch.optim.SGD(net.parameters(), lr=0.1)",
        "X, y = torch.randn(24, 4), torch.randn(24, 1)",
    )
    moves, (head, first) = draw.pick("moves", _MOVES), draw.pick("loop", _LOOPS)
    body = [
        first,
        "loss = ((net(xb) - yb) ** 2).mean() #@forward",
        draw.pick("within", ["", "", *_WITHIN]),
        "opt.zero_grad()",
        "loss.backward()",
        "opt.step()",
    ]
    loop = [head, *inner([each for each in body if each])]
    if draw.chance("epochs", 0.4):
        loop = ["for epoch in range(2):", *inner(loop)]
    if draw.chance("one cell"):
        made.cell(moves, loop)
    else:
        made.cell(moves)
        made.cell(loop)
    for n in range(draw.number("behind", 0, 2)):
        made.cell(draw.pick(f"cell {n}", _BEHIND))
    return made.text({"data": ["X", "y"], "gpu": []})
