"""Tiny models, as people write them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from benchmarks.edits.pieces.draw import block

if TYPE_CHECKING:
    from benchmarks.edits.pieces.draw import Draw

_OUT = 3


@dataclass(frozen=True)
class Model:
    """The code that makes a model; `shape` is that of one sample, `outputs` how many it has."""

    name: str
    code: str
    shape: tuple[int, ...]
    outputs: int = _OUT


def model(draw: Draw) -> Model:
    """Write a model."""
    name = draw.pick("model name", ["model", "net", "model", "classifier"])
    kind = draw.pick(
        "model", ["linear", "mlp", "conv", "norm", "dropout", "attention", "class", "class"]
    )
    if kind == "class":
        return Model(name, f"{_class(draw)}\n\n{name} = Net()", (6,))
    layers, shape = _SEQUENTIAL[kind]
    if kind == "linear":
        return Model(name, f"{name} = nn.Linear(6, 3)", shape)
    if kind == "blocks":
        return Model(name, f"{block(_BLOCKS).format(_part(draw))}\n\n{name} = Deep()", shape)
    if kind == "attention":
        return Model(name, f"{block(_ATTENTION)}\n\n{name} = Attending()", shape)
    return Model(name, f"{name} = nn.Sequential({layers})", shape)


_SEQUENTIAL = {
    "linear": ("", (6,)),
    "mlp": ("nn.Linear(6, 8), nn.Tanh(), nn.Linear(8, 3)", (6,)),
    "conv": (
        "nn.Conv2d(1, 2, 3, padding=1), nn.ReLU(), nn.Flatten(), nn.Linear(32, 3)",
        (1, 4, 4),
    ),
    "norm": ("nn.Linear(6, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 3)", (6,)),
    "dropout": ("nn.Linear(6, 8), nn.ReLU(), nn.Dropout(0.3), nn.Linear(8, 3)", (6,)),
    "attention": ("", (5, 4)),
    "blocks": ("", (6,)),
}
_BLOCKS = """
    class Deep(nn.Module):
        def __init__(self):
            super().__init__()
            self.blocks = nn.ModuleList(
                nn.Sequential(nn.Linear(6, 6), {}, nn.Tanh()) for _ in range(4)
            )
            self.head = nn.Linear(6, 3)

        def forward(self, x):
            for block in self.blocks:
                x = block(x)
            return self.head(x)
"""
_ATTENTION = """
    class Attending(nn.Module):
        def __init__(self):
            super().__init__()
            self.qkv = nn.Linear(4, 12)
            self.head = nn.Linear(4, 3)

        def forward(self, x):
            q, k, v = self.qkv(x).chunk(3, dim=-1)
            weights = (q @ k.transpose(-2, -1) / 2.0).softmax(-1)
            return self.head((weights @ v).mean(1))
"""


def _class(draw: Draw) -> str:
    """Write a class with or without something that its `forward` does besides."""
    effect = draw.pick(
        "side effect",
        ["none", "none", "none", "counts", "keeps", "lists", "global", "training", "noise"],
    )
    made = {"counts": "self.calls = 0", "lists": "self.penalties = []"}.get(effect, "")
    does = {
        "none": "",
        "counts": "self.calls += 1",
        "keeps": "self.last = h",
        "lists": "self.penalties.append(h.pow(2).mean())",
        "global": "SEEN.append(len(x))",
        "training": "if self.training:\n                h = h * 0.9",
        "noise": "h = h + 0.01 * torch.randn_like(h)",
    }[effect]
    head = "SEEN = []\n" if effect == "global" else ""
    part = _part(draw)
    return head + block(f"""
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.body = nn.Linear(6, 8)
            self.part = {part}
            self.head = nn.Linear(8, 3)
            {made}

        def forward(self, x):
            h = self.part(torch.tanh(self.body(x)))
            {does}
            return self.head(h)
    """)


def _part(draw: Draw) -> str:
    norm = "nn.BatchNorm1d(8)" if draw.chosen["model"] == "class" else "nn.BatchNorm1d(6)"
    return draw.pick("part", ["nn.Identity()", "nn.Identity()", norm, "nn.Dropout(0.2)"])
