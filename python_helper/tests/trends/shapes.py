"""Healthy training loops, as people write them, with sizes drawn at random."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

    Shape = Callable[[Random], str]

MIB = 2**20


def mlp(draw: Random, *, batch: int | None = None) -> str:
    """Return a model and a batch; what it needs at its peak is well below 4 GiB."""
    width, layers = draw.choice([1024, 2048, 3072]), draw.randint(2, 6)
    batch = batch or draw.choice([256, 1024, 4096])
    return f"""
import torch
from torch import nn
torch.manual_seed(0)
width, layers, batch = {width}, {layers}, {batch}
def block():
    return nn.Sequential(nn.Linear(width, width), nn.ReLU())
model = nn.Sequential(*[block() for _ in range(layers)], nn.Linear(width, 10)).cuda()
x = torch.randn(batch, width, device="cuda")
y = torch.zeros(batch, dtype=torch.long, device="cuda")
loss_of = nn.CrossEntropyLoss()
"""


def plain(draw: Random) -> str:
    """AdamW on an MLP."""
    return f"""{mlp(draw)}
optimizer = torch.optim.AdamW(model.parameters())
for step in range({draw.randint(80, 200)}):
    optimizer.zero_grad()
    loss_of(model(x), y).backward()
    optimizer.step()
"""


def transformer(draw: Random) -> str:
    """A transformer with clipped gradients."""
    return f"""
import torch
from torch import nn
layer = nn.TransformerEncoderLayer({draw.choice([256, 512])}, 8, batch_first=True)
model = nn.TransformerEncoder(layer, {draw.randint(2, 4)}, enable_nested_tensor=False).cuda()
optimizer = torch.optim.AdamW(model.parameters())
x = torch.randn({draw.choice([8, 32])}, 128, layer.linear1.in_features, device="cuda")
for step in range({draw.randint(30, 60)}):
    optimizer.zero_grad()
    model(x).mean().backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
"""


def random_lengths(draw: Random) -> str:
    """Batches of any length: every step has another peak."""
    return f"""{mlp(draw)}
import random
lengths = random.Random({draw.randint(0, 9)})
optimizer = torch.optim.Adam(model.parameters())
for step in range({draw.randint(100, 200)}):
    batch = lengths.randint(64, {draw.choice([2048, 8192])})
    x = torch.randn(batch, width, device="cuda")
    optimizer.zero_grad()
    model(x).sum().backward()
    optimizer.step()
"""


def sorted_lengths(draw: Random) -> str:
    """Short batches first: peaks rise all the time, what stays does not."""
    return f"""{mlp(draw)}
optimizer = torch.optim.Adam(model.parameters())
for step in range({draw.randint(100, 200)}):
    x = torch.randn(64 + 16 * step, width, device="cuda")
    optimizer.zero_grad()
    model(x).sum().backward()
    optimizer.step()
"""


def thawing(draw: Random) -> str:
    """Layers are trained one after the other: the optimizer's state comes in stages."""
    return f"""{mlp(draw)}
for parameter in model.parameters():
    parameter.requires_grad_(False)
optimizer = torch.optim.Adam([nn.Parameter(torch.zeros(1, device="cuda"))])
for stage in reversed(range(len(model))):
    for parameter in model[stage].parameters():
        parameter.requires_grad_(True)
    optimizer.add_param_group({{"params": list(model[stage].parameters())}})
    for step in range({draw.randint(15, 40)}):
        optimizer.zero_grad()
        loss_of(model(x), y).backward()
        optimizer.step()
"""


def epochs(draw: Random) -> str:
    """Predictions are collected on the GPU during each evaluation and let go after it."""
    steps = draw.randint(20, 60)
    rows = draw.randint(100, 300) * MIB // steps // 4 // 1000
    return f"""{mlp(draw)}
optimizer = torch.optim.AdamW(model.parameters())
def evaluate():
    found = []
    with torch.no_grad():
        for step in range({steps}):
            model(x)
            found.append(torch.zeros({rows}, 1000, device="cuda"))
    return len(found)
for epoch in range(4):
    for step in range({draw.randint(20, 50)}):
        optimizer.zero_grad()
        loss_of(model(x), y).backward()
        optimizer.step()
    evaluate()
"""


def building(draw: Random) -> str:
    """A model is made layer by layer on the GPU, and takes most of it."""
    width = 512
    layers = int(draw.uniform(0.6, 0.85) * 3.5 * 1024 * MIB / (4 * width**2))
    return f"""
import torch
from torch import nn
model = nn.Sequential(*[
    nn.Linear({width}, {width}, device="cuda") for _ in range({layers})
])
x = torch.randn(16, {width}, device="cuda")
with torch.no_grad():
    for step in range(2):
        model(x)
"""


def generation(draw: Random) -> str:
    """A cache of keys and values grows with each token, and goes with each prompt."""
    return f"""{mlp(draw)}
with torch.no_grad():
    for prompt in range({draw.randint(5, 12)}):
        past = torch.zeros({draw.choice([4, 8])}, 1, width, device="cuda")
        for token in range({draw.randint(30, 80)}):
            model(x[:8])
            past = torch.cat([past, past[:, :1]], 1)
        del past
"""


def replay(draw: Random) -> str:
    """A replay buffer fills up to its limit."""
    entries = draw.randint(20, 80)
    rows = draw.randint(100, 400) * MIB // entries // 4096
    return f"""{mlp(draw)}
from collections import deque
optimizer = torch.optim.Adam(model.parameters())
buffer = deque(maxlen={entries})
for step in range({entries * draw.randint(2, 4)}):
    buffer.append(torch.zeros({rows}, 1024, device="cuda"))
    optimizer.zero_grad()
    loss_of(model(x), y).backward()
    optimizer.step()
"""


def averaged(draw: Random) -> str:
    """A second, averaged model comes after a while."""
    first = draw.randint(30, 80)
    return f"""{mlp(draw)}
import copy
optimizer = torch.optim.AdamW(model.parameters())
for step in range({first + draw.randint(50, 100)}):
    optimizer.zero_grad()
    loss_of(model(x), y).backward()
    optimizer.step()
    if step == {first}:
        average = copy.deepcopy(model)
    if step > {first}:
        with torch.no_grad():
            for mean, now in zip(average.parameters(), model.parameters()):
                mean.lerp_(now, 0.01)
"""


def nearly_full(draw: Random) -> str:
    """One batch more would not fit."""
    return f"""{mlp(draw)}
free, total = torch.cuda.mem_get_info()
ballast = torch.zeros(int(free * {draw.uniform(0.1, 0.3):.3f}), dtype=torch.uint8, device="cuda")
optimizer = torch.optim.AdamW(model.parameters())
def step(rows):
    optimizer.zero_grad()
    model(torch.zeros(rows, width, device="cuda")).sum().backward()
    optimizer.step()
step(16)
rest = torch.cuda.mem_get_info()[0] * {draw.uniform(0.4, 0.6):.3f}
rows = int(rest / (4 * width * (3 * layers + 4)))
for number in range({draw.randint(80, 150)}):
    step(rows)
"""


def cached_data(draw: Random) -> str:
    """The data come to the GPU first, one batch after the other."""
    batches = draw.randint(30, 90)
    rows = draw.randint(300, 700) * MIB // batches // 4096
    return f"""{mlp(draw)}
data = []
for batch in range({batches}):
    data.append(torch.zeros({rows}, 1024).cuda())
    model(x)
optimizer = torch.optim.AdamW(model.parameters())
for step in range({draw.randint(80, 150)}):
    optimizer.zero_grad()
    loss_of(model(x), y).backward()
    optimizer.step()
"""


HEALTHY: tuple[Shape, ...] = (
    plain,
    transformer,
    random_lengths,
    sorted_lengths,
    thawing,
    epochs,
    building,
    generation,
    replay,
    averaged,
    nearly_full,
    cached_data,
)
"""GPU of 4 GiB; what some collect for a while stays below a third of it."""
