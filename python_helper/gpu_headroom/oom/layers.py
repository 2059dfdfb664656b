"""How much of a model's values a failed pass had made, by the numbers that its layers have.

A layer's values are counted as channels times area, the area being 1 at the input: a convolution
of stride 2 leaves a quarter of it. Only shares of each other matter, so no shape has to be known.
"""

from __future__ import annotations

from itertools import accumulate, pairwise
from math import prod
from typing import TYPE_CHECKING, Any, NamedTuple

from ..holders.modules import children, tensors_of
from ..inspection.kinds import name_of

if TYPE_CHECKING:
    from ..holders.inspector import Inspector

_MOST_PARTS = 20_000
_WIDTHS = ("out_channels", "out_features", "num_features", "embedding_dim")
_OF_ATTENTION = 4  # query, key, value and what is made of them
_OF_RECURRENT = 6  # gates, the cell and what it puts out, for each direction and layer
_FLAT = 1e-3  # what is left of an area that is pooled away
# Layers without parameters that keep what they are given, or a mask of bytes besides. ReLU and its
# like keep what they make, in the place of what they were given by a layer with parameters.
_KEEPING = {"GELU": 1.0, "SiLU": 1.0, "LeakyReLU": 1.0, "Hardswish": 1.0, "Mish": 1.0}
_REPLACING = frozenset({"ReLU", "ReLU6", "Sigmoid", "Tanh"})
_DROPOUT = 1.25
_MAXIMA = 3.0  # of a maximum pooling, with its indices of 8 bytes
GRADIENTS = 2  # on the way back: of what a layer has made, and of what it was given


class Layers(NamedTuple):
    """The layers of the model that ran, in its own order: what each makes, and its tensors.

    The first is what the model is given. `at` is the first that may have been running; `is_one`: it
    was just that layer, whose own values were being made.
    """

    values: tuple[float, ...]
    parameters: tuple[int, ...]
    at: int
    is_one: bool

    def done(self, reached: float | None) -> tuple[float, float]:
        """Return the share of all values that was made, with those of the running layer.

        And how much there is at the peak of a training step: all, with the gradients of a layer
        beside what was made before it. `reached` is the share of the model's parameters that a
        graph had come to.
        """
        sums, at = list(accumulate(self.values)), self.at
        if reached and not self.is_one:
            least = reached * sum(self.parameters) + 0.5  # of a whole number, told as a share
            counts = accumulate(self.parameters)
            at = max(at, sum(each <= least for each in counts) - 1)
        total = sums[-1]
        peak = max(kept + GRADIENTS * own for kept, own in zip(sums, self.values, strict=True))
        return sums[at] / total, peak / total

    @property
    def widest(self) -> float:
        """How much two layers that follow each other have at most, of what the running one has."""
        pairs = [one + other for one, other in pairwise((0, *self.values))]
        return max(pairs) / (pairs[self.at] or max(pairs))


def layers_of(running: list[Any], inspector: Inspector) -> Layers | None:
    """Look at the parts of the outermost running model; `None` where nothing can be told.

    `running` are that model and the parts in which it ran, outermost first.
    """
    if not running or running[-1] is running[0]:
        return None  # its own code may be anywhere in it
    values, counts, at, is_one = [0.0], [0], None, False
    size = _Size()
    inner, waiting = [id(each) for each in running[1:]], [running[0]]
    for _ in range(_MOST_PARTS):
        if not waiting:
            break
        part = waiting.pop()
        attributes = inspector.attributes(part)
        own, inside = size.of(attributes, str.__str__(name_of(type(part)))), children(attributes)
        if own and not values[0]:
            values[0] = float(_int(attributes.get("in_channels", attributes.get("in_features"))))
        if id(part) in inner:
            at, is_one = len(values), bool(own)
        if own or not inside:
            values.append(own)
            counts.append(len(tensors_of(attributes, ("_parameters",))))
        if not own or "embed_dim" not in attributes:
            waiting += reversed(inside)
    if waiting or at is None or not sum(values[1:]):
        return None
    return Layers(tuple(values), tuple(counts), min(at, len(values) - 1), is_one)


class _Size:
    """Channels and area of what goes through a model, layer by layer."""

    def __init__(self) -> None:
        self._channels, self._area, self._is_kept = 0, 1.0, True

    def of(self, layer: dict[str, Any], kind: str) -> float:
        """Return the values of a layer with these attributes, and go on behind it."""
        if type(layer.get("hidden_size")) is int and "num_layers" in layer:
            width = layer["hidden_size"] * (1 + bool(layer.get("bidirectional")))
            return self._made(width) * _OF_RECURRENT * _int(layer["num_layers"])
        if type(layer.get("embed_dim")) is int and "num_heads" in layer:
            return self._made(layer["embed_dim"]) * _OF_ATTENTION
        if "normalized_shape" in layer:
            return self._made(self._channels)
        width = next((layer[each] for each in _WIDTHS if type(layer.get(each)) is int), 0)
        given = layer.get("in_channels", layer.get("in_features"))
        if not width:
            return self._without_parameters(layer, kind)
        if "in_features" in layer and self._channels and given != self._channels:
            self._area *= min(1.0, self._channels / max(_int(given), 1))  # it has become one row
        # What is given something else stands beside the way, as a shortcut does.
        if "stride" in layer and given in (self._channels, self._channels or given):
            steps = prod(_ints(layer["stride"]))
            self._area *= steps if layer.get("transposed") else 1 / steps
        return self._made(width)

    def _made(self, channels: int) -> float:
        self._channels, self._is_kept = channels or self._channels, not channels
        return self._channels * self._area

    def _without_parameters(self, layer: dict[str, Any], kind: str) -> float:
        if "Pool" in kind and "output_size" in layer:
            self._area *= _FLAT
        elif "Pool" in kind:
            self._area /= prod(_ints(layer.get("stride") or layer.get("kernel_size")))
            return self._made(0) * (_MAXIMA if "Max" in kind else 1)
        elif "scale_factor" in layer:
            self._area *= prod(_ints(layer["scale_factor"]))
        elif "Dropout" in kind and layer.get("p") and layer.get("training"):
            return self._made(0) * _DROPOUT
        if layer.get("inplace"):
            return 0.0
        of_its_own = 1.0 if kind in _REPLACING and self._is_kept else _KEEPING.get(kind, 0)
        self._is_kept |= kind in _REPLACING
        return self._channels * self._area * of_its_own


def _int(value: object) -> int:
    return value if type(value) is int else 1


def _ints(value: object) -> list[int]:
    """Return the steps along both sides: one number stands for two."""
    given = value if type(value) in (tuple, list) else (value, value)
    return [max(_int(each) if type(each) is not float else round(each), 1) for each in given]  # type: ignore[attr-defined]  # a tuple or list by its type
