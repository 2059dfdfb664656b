"""How much of a model's values a failed pass had made, and what it has at its peak."""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING, Any, NamedTuple

from ..holders.modules import named_children, tensors_of
from ..inspection.kinds import name_of
from .shapes import LayerShapes, whole

if TYPE_CHECKING:
    from ..holders.inspector import Inspector

_MOST_PARTS = 20_000
GRADIENTS = 2  # on the way back: of what a layer has made, and of what it was given


class Layers(NamedTuple):
    """The layers of the model that ran, in its own order: what each makes, and its tensors.

    The first is what the model is given. `at` is the first that may have been running; `is_one`: it
    was just that layer, whose own values were being made; `has_parts`: what ran innermost was code
    between the layers of a part. From `trained` on a parameter wants a gradient: what is made
    before that need not be kept.
    """

    values: tuple[float, ...]
    parameters: tuple[int, ...]
    at: int
    is_one: bool
    trained: int
    has_parts: bool

    def done(
        self, reached: float | None, *, keeps: bool, trains: bool = True
    ) -> tuple[float, float]:
        """Return how much there is of values at the running layer, and at the peak of the pass.

        With the running layer's own. `reached` is the share of the model's parameters that a graph
        had come to, `keeps` whether there is one; of a pass that `trains` the peak may be on the
        way back, where a layer's gradients stand beside what was made before it.
        """
        at = self.at
        if reached and self.has_parts:
            least = reached * sum(self.parameters) + 0.5  # of a whole number, told as a share
            counts = accumulate(self.parameters)
            at = max(at, sum(each <= least for each in counts) - 1)
        there, peak = [], 0.0
        kept, given = self.values[0], 0.0
        for number, own in enumerate(self.values[1:], 1):
            if keeps and number >= self.trained:
                kept += own
                there.append(kept + given)
                given = 0.0
                peak = max(peak, kept + GRADIENTS * own * trains)
            else:
                there.append(kept + given + own)
                given = own or given
        return there[max(at, 1) - 1], max(peak, *there)

    def kept_before(self) -> float:
        """Return the values that a pass that keeps them has made before the running layer."""
        return sum(self.values[self.trained : self.at])


def layers_of(running: list[Any], inspector: Inspector) -> Layers | None:
    """Look at the parts of the outermost running model; `None` where nothing can be told.

    `running` are that model and the parts in which it ran, outermost first.
    """
    if not running or running[-1] is running[0]:
        return None  # its own code may be anywhere in it
    values, counts, at, is_one, trained, has_parts = [0.0], [0], None, False, None, False
    shapes = LayerShapes()
    inner, waiting = [id(each) for each in running[1:]], [running[0]]
    for _ in range(_MOST_PARTS):
        if not waiting:
            break
        part = waiting.pop()
        attributes = inspector.attributes(part)
        inside, parameters = _parts(attributes), tensors_of(attributes, ("_parameters",))
        # Models have parameters of their own, and attributes of layers' names, too.
        is_layer = not inside or (
            parameters and not any(_parts(inspector.attributes(each)) for each in inside)
        )
        kind = str.__str__(name_of(type(part)))
        own = shapes.values(attributes, kind) if is_layer else shapes.enter(kind)
        if own and not values[0]:
            values[0] = float(whole(attributes.get("in_channels", attributes.get("in_features"))))
        if id(part) in inner:
            at, is_one, has_parts = len(values), bool(own), bool(inside)
        if trained is None and any(_wants_gradient(each, inspector) for each in parameters):
            trained = len(values)
        if own or not inside:
            values.append(own)
            counts.append(len(parameters))
        if not own or "embed_dim" not in attributes:
            waiting += reversed(inside)
    if waiting or at is None or not sum(values[1:]):
        return None
    last = len(values) - 1
    first = len(values) if trained is None else trained
    return Layers(tuple(values), tuple(counts), min(at, last), is_one, first, has_parts)


def _parts(attributes: dict[str, Any]) -> list[Any]:
    """Return the submodules in their order; what is in the middle of a U-Net runs before its end.

    Diffusers and what is written like it register `down_blocks`, `up_blocks` and `mid_block`.
    """
    named = named_children(attributes)
    up = next((n for n, (name, _) in enumerate(named) if _begins(name, "up")), len(named))
    named[up:] = sorted(named[up:], key=lambda each: not _begins(each[0], "mid"))
    return [part for _, part in named]


def _begins(name: object, word: str) -> bool:
    return type(name) is str and name.startswith(word)


def _wants_gradient(parameter: object, inspector: Inspector) -> bool:
    torch = inspector.torch
    return torch is None or bool(torch.get(parameter, "requires_grad"))
