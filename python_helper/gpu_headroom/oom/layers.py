"""Share of a model's values that a failed pass had made, and their amount at its peak."""

from __future__ import annotations

from itertools import accumulate
from math import prod
from typing import TYPE_CHECKING, Any, NamedTuple

from ..holders.modules import named_children, tensors_of
from ..inspection.kinds import name_of
from .shapes import LayerShapes, whole

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..holders.inspector import Inspector

_MOST_PARTS = 20_000
_END = object()  # of a part
_WITH_CONDITION = 2  # an image beside the one that it is made of
GRADIENTS = 2  # on the way back: of what a layer has made, and of what it was given


class Layers(NamedTuple):
    """Layers of the model that ran, in the model's order: the values and tensors of each.

    The first entry is the model's input. `held`: inputs of the parts around each layer. `at` is
    the first layer that may have been running, 0 if none was. `is_one`: exactly that layer was
    running, and its own values were being made. `has_parts`: the innermost code was that of a part,
    between its layers. From `trained` on a parameter requires gradients; values made before it need
    not be kept. `followers`: number of other trained models among them whose input is, by its
    channels, the output of the one before, as with a discriminator. `trained_share` is the share of
    parameter values that require gradients, `to_move` the ratio of parameters on the host to the
    others. `joins`: some values are kept to be joined with later ones.
    """

    values: tuple[float, ...]
    held: tuple[float, ...]
    parameters: tuple[int, ...]
    at: int
    is_one: bool
    trained: int
    has_parts: bool
    followers: int = 0
    trained_share: float = 1.0
    to_move: float = 0.0
    joins: bool = False

    def done(
        self, reached: float | None, *, keeps: bool, trains: bool = True
    ) -> tuple[float, float]:
        """Return how much there is of values at the running layer, and at the peak of the pass.

        With the running layer's own. `reached` is the share of the model's parameters that a graph
        had come to, `keeps` whether there is one; of a pass that `trains` the peak may be on the
        way back, when a layer's gradients exist in addition to what was made before it.
        """
        at = self.at
        if reached and self.has_parts:
            least = reached * sum(self.parameters) + 0.5  # of a whole number, given as a share
            counts = accumulate(self.parameters)
            at = max(at, sum(count <= least for count in counts) - 1)
        totals, peak = [], 0.0
        activations, given = self.values[0], 0.0
        for number, own in enumerate(self.values[1:], 1):
            if keeps and number >= self.trained:
                activations += own
                totals.append(activations + given)
                given = 0.0
                peak = max(peak, activations + GRADIENTS * own * trains)
            else:
                totals.append(activations + given + own + self.held[number])
                given = own or given
        is_before = at < len(self.values) - 1 and not self.has_parts
        if keeps and trains and is_before and self.parameters[-1]:  # what a loss makes of logits
            peak = max(peak, activations + (1 + GRADIENTS) * self.values[-1])
        return totals[max(at, 1) - 1], max(peak, *totals)

    def kept_before(self) -> float:
        """Return the values that a pass that keeps them has made before the running layer."""
        return sum(self.values[self.trained : self.at])


def layers_of(
    running: list[Any], inspector: Inspector, beside: Sequence[Any] = ()
) -> Layers | None:
    """Look at the parts of the outermost running model; `None` if they show nothing.

    `running` are that model and its parts that were running, outermost first; `beside` the other
    models that the calling code names.
    """
    if not running:
        return None
    walk = _Walk(inspector, [id(module) for module in running if module is not running[0]])
    if not walk.through(running[0]) or not sum(walk.values[1:]):
        return None
    followers = 0
    for other in beside:
        before = walk.trained_size
        if walk.leads_to(other) and walk.through(other):
            followers += walk.trained_size > before
    last = len(walk.values) - 1
    return Layers(
        values=tuple(walk.values),
        held=tuple(walk.held),
        parameters=tuple(walk.parameters),
        at=min(walk.at, last),
        is_one=walk.is_one,
        trained=last + 1 if walk.trained is None else walk.trained,
        has_parts=walk.has_parts or not walk.at,
        followers=followers,
        trained_share=walk.trained_size / walk.size if walk.size else 1.0,
        joins=walk.shapes.joins,
        to_move=walk.host_size / max(walk.size - walk.host_size, 1),
    )


class _Walk:
    """Goes through models in their own order, and notes what their layers make."""

    def __init__(self, inspector: Inspector, inner: Sequence[int]) -> None:
        self._inspector, self._inner = inspector, inner
        self.shapes, self._seen = LayerShapes(), set[int]()
        self.values, self.held, self.parameters = [0.0], [0.0], [0]
        self._made = 0  # the last layer that has made something
        self._open = list[tuple[int, float]]()  # of each part: who made its input, and its size
        self.at = 0
        self.trained: int | None = None
        self.size = self.trained_size = self.host_size = 0  # values of parameters
        self.is_one = self.has_parts = False

    def through(self, model: object) -> bool:
        """Go through a model, a part of two names once; False: it has too many parts."""
        waiting = [model]
        for _ in range(_MOST_PARTS):
            if not waiting:
                break
            part = waiting.pop()
            if part is _END:
                self._open.pop()
            elif id(part) not in self._seen:
                self._seen.add(id(part))
                self._open.append((self._made, self.shapes.size))
                waiting += [_END, *reversed(self._enter(part))]
        return not waiting

    def leads_to(self, model: object) -> bool:
        """Whether another model is given what was made last, by the channels of its first layer.

        Mostly just that; a discriminator may be given the condition beside it.
        """
        sizes = self.shapes.channels, _WITH_CONDITION * self.shapes.channels
        waiting = [model]
        for _ in range(_MOST_PARTS):
            if not waiting:
                break
            attributes = self._inspector.attributes(waiting.pop())
            size = attributes.get("in_channels", attributes.get("in_features"))
            if type(size) is int:
                return size in sizes
            waiting += reversed(_parts(attributes))
        return False

    def _enter(self, part: object) -> list[Any]:
        """Note a part; return what is in it, to go on with."""
        inspector, attributes = self._inspector, self._inspector.attributes(part)
        inside, parameters = _parts(attributes), tensors_of(attributes, ("_parameters",))
        # Models have parameters of their own, and attributes of layers' names, too.
        is_layer = not inside or (
            parameters and not any(_parts(inspector.attributes(inner)) for inner in inside)
        )
        kind = str.__str__(name_of(type(part)))
        own = self.shapes.values(attributes, kind) if is_layer else self.shapes.enter(kind)
        if own and not self.values[0]:
            given = attributes.get("in_channels", attributes.get("in_features"))
            self.values[0] = float(whole(given))
        if id(part) in self._inner:
            self.at, self.is_one, self.has_parts = len(self.values), bool(own), bool(inside)
        for parameter in parameters:
            size = prod(inspector.torch.get(parameter, "shape")) if inspector.torch else 0
            self.size += size
            self.host_size += 0 if any(inspector.storages(parameter)) else size
            if _wants_gradient(parameter, inspector):
                self.trained_size += size
                self.trained = len(self.values) if self.trained is None else self.trained
        if own or not inside:
            # The calls of the parts around it hold what these were given.
            inputs = {maker: size for maker, size in self._open if 0 < maker < self._made}
            self.held.append(sum(inputs.values()))
            self._made = len(self.values) if own else self._made
            self.values.append(own)
            self.parameters.append(len(parameters))
        return [] if own and "embed_dim" in attributes else inside


def _parts(attributes: dict[str, Any]) -> list[Any]:
    """Return the submodules in their order; what is in the middle of a U-Net runs before its end.

    Diffusers and what is written like it register `down_blocks`, `up_blocks` and `mid_block`.
    """
    named = named_children(attributes)
    up = next((n for n, (name, _) in enumerate(named) if _begins(name, "up")), len(named))
    named[up:] = sorted(named[up:], key=lambda pair: not _begins(pair[0], "mid"))
    return [part for _, part in named]


def _begins(name: object, word: str) -> bool:
    return type(name) is str and name.startswith(word)


def _wants_gradient(parameter: object, inspector: Inspector) -> bool:
    torch = inspector.torch
    return torch is None or bool(torch.get(parameter, "requires_grad"))
