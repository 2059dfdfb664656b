"""Loops that keep what they should let go, with sizes drawn at random, and the name that does."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tests.trends.shapes import MIB, mlp

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random


class Leak(NamedTuple):
    """A cell that runs until memory is full, and what its growing holder may be called."""

    source: str
    holder: str


def _rows(draw: Random) -> int:
    """Return rows of 1024 numbers, so that a GPU of 4 GiB is full after 60 to 250 steps."""
    return 3000 * MIB // draw.randint(60, 250) // 4096


def graphs_in_a_list(draw: Random) -> Leak:
    """Losses of an evaluation, with all that their graphs hold."""
    return Leak(
        f"""{mlp(draw, batch=_rows(draw) // 8)}
losses = []
for step in range(5000):
    losses.append(loss_of(model(x), y))
""",
        "losses",
    )


def growing_cache(draw: Random) -> Leak:
    """A dictionary of features by number, never asked twice."""
    return Leak(
        f"""{mlp(draw)}
cache = {{}}
with torch.no_grad():
    for number in range(5000):
        model(x)
        cache[number] = torch.zeros({_rows(draw)}, 1024, device="cuda")
""",
        "cache",
    )


def hooks(draw: Random) -> Leak:
    """A forward hook that collects activations for a look that is never taken."""
    return Leak(
        f"""{mlp(draw, batch=_rows(draw) // 4)}
activations = []
model[0].register_forward_hook(lambda module, given, found: activations.append(found.detach()))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(5000):
    optimizer.zero_grad()
    loss_of(model(x), y).backward()
    optimizer.step()
""",
        "activations",
    )


def keys_and_values(draw: Random) -> Leak:
    """A generation without an end: keys and values of all layers grow with each token."""
    rows = _rows(draw) // 4
    return Leak(
        f"""{mlp(draw)}
past = [torch.zeros(1, {rows}, 1024, device="cuda") for layer in range(4)]
with torch.no_grad():
    for token in range(5000):
        model(x)
        for layer in range(4):
            past[layer] = torch.cat([past[layer], past[layer][:1]])
""",
        "past",
    )


def optimizers(draw: Random) -> Leak:
    """An optimizer for each round, the old ones kept."""
    return Leak(
        f"""{mlp(draw)}
optimizers = []
for round_ in range(5000):
    optimizers.append(torch.optim.AdamW(model.parameters()))
    for step in range({draw.randint(2, 4)}):
        optimizers[-1].zero_grad()
        loss_of(model(x), y).backward()
        optimizers[-1].step()
""",
        "optimizers",
    )


def exceptions(draw: Random) -> Leak:
    """Errors kept for a report, each with the frames it came through."""
    return Leak(
        f"""{mlp(draw)}
errors = []
def check(number):
    features = torch.zeros({_rows(draw)}, 1024, device="cuda")
    raise ValueError(number)
with torch.no_grad():
    for number in range(5000):
        model(x)
        try:
            check(number)
        except ValueError as error:
            errors.append(error)
""",
        "errors",
    )


LEAKS: tuple[Callable[[Random], Leak], ...] = (
    graphs_in_a_list,
    growing_cache,
    hooks,
    keys_and_values,
    optimizers,
    exceptions,
)
