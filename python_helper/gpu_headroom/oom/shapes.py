"""Number of values that each layer of a model makes, estimated from the layer's sizes.

Channels times area, where the area is 1 at the input: a convolution of stride 2 leaves a quarter
of it. Only ratios matter, so no shape has to be known. The number of channels shows which earlier
result is a layer's input: mostly that of the layer before.
"""

from __future__ import annotations

from math import prod
from typing import Any

_WIDTHS = ("out_channels", "out_features", "num_features", "embedding_dim", "nf")
_NORMS = frozenset({"BatchNorm2d", "BatchNorm3d", "GroupNorm", "InstanceNorm2d", "SyncBatchNorm"})
_OF_ATTENTION = 4  # query, key, value and what is made of them
_OF_RECURRENT = 6  # gates, the cell and what it puts out, for each direction and layer
_PLAIN = (1, (1, 1))  # strides of a convolution that leaves the area
_MERGED = 4  # neighbours, as transformers of images merge them: they stay an image
_TWICE = 4  # along both sides
_FLAT = 1e-3  # what is left of an area that is pooled away
# Layers without parameters that keep what they are given. ReLU and its like keep what they make, in
# the place of what they were given by a layer with parameters.
_KEEPING = frozenset({"GELU", "SiLU", "LeakyReLU", "Hardswish", "Mish"})
_REPLACING = frozenset({"ReLU", "ReLU6", "Sigmoid", "Tanh"})
_OF_TRANSFORMERS = "Activation"  # GELUActivation …: registered behind the layer that it is before
_DROPOUT = 1.25  # with a mask of bytes
_MAXIMA = 3.0  # of a maximum pooling, with its indices of 8 bytes


class LayerShapes:
    """Channels and area of what goes through a model, as its layers are gone through in order."""

    def __init__(self) -> None:
        self.channels, self._area = 0, 1.0
        self.joins = False  # whether values were put together, as by a U-Net
        self._before = 0  # channels of the layer before the last
        self._is_kept = True  # by what follows
        self._areas: dict[int, list[float]] = {}  # of all that had so many channels, as they came
        self._image: tuple[int, float] | None = None  # of the last convolution, or its norm
        self._is_row = False  # what an image was made into
        self._is_plain = False  # a convolution that leaves the area was the last layer
        self._is_enlarged = False  # by a function, before the next convolution
        self._pooled = (0, 1.0)  # what was made one value of for each channel

    @property
    def size(self) -> float:
        """The values of what was made last."""
        return self.channels * self._area

    def values(self, layer: dict[str, Any], kind: str) -> float:
        """Return the values that a layer with these attributes makes, and go on behind it."""
        if type(layer.get("hidden_size")) is int and "num_layers" in layer:
            width = layer["hidden_size"] * (1 + bool(layer.get("bidirectional")))
            return self._make(width) * _OF_RECURRENT * whole(layer["num_layers"])
        if type(layer.get("embed_dim")) is int and "num_heads" in layer:
            return self._make(layer["embed_dim"]) * _OF_ATTENTION
        widths = ("num_channels",) if kind == "GroupNorm" else _WIDTHS
        width = next((layer[field] for field in widths if type(layer.get(field)) is int), 0)
        if width:
            return self._of_width(layer, kind, width)
        if "normalized_shape" in layer or layer.get("_parameters"):
            self._is_plain = False
            return self._make()
        if "Pool" in kind or "scale_factor" in layer or "upscale_factor" in layer:
            return self._resized(layer, kind)
        return self._activation(layer, kind)

    def enter(self, kind: str) -> float:
        """Go into parts: an `Upsample` of diffusion models calls a function before its own."""
        self._is_enlarged = kind.startswith("Upsample")
        return 0.0

    def _of_width(self, layer: dict[str, Any], kind: str, width: int) -> float:
        given = whole(layer.get("in_channels", layer.get("in_features", width)))
        joined = 0.0
        if "stride" in layer or kind in _NORMS:
            joined = self._take_image(layer, given, width)
            self._image = width, self._area
        elif "in_features" in layer:
            self._take_row(given)
        self._is_plain = layer.get("stride") in _PLAIN and "in_channels" in layer
        output = self._make(width)
        if width == self._pooled[0]:  # a gate of each channel: what it opens is as large as before
            self._area = self._pooled[1]
            self._pooled, self._is_row = (0, 1.0), False
            self._make(width)
        return joined + output

    def _take_image(self, layer: dict[str, Any], given: int, width: int) -> float:
        """Continue with the input of a convolution, or of a norm of channels.

        After a row the input is the last image, or the row reshaped to one. Its channels may show
        that it is another value, such as a shortcut's or one of a layer registered elsewhere, or
        that several values were joined: return the amount of the joined ones.
        """
        steps = prod(_both(layer.get("stride", 1)))
        if self._is_enlarged and steps == 1:
            self._area *= _TWICE
        if self._image is None and self.channels:
            self._area *= max(1.0, self.channels / given)
        elif self._image is not None and self._is_row:
            self.channels, self._area = self._image
        extra, before = given - self.channels, self._areas.get(given, [])
        is_joined = extra > 0 and self.channels > 0 and not before and not self._is_row
        if extra and before[-1:] != [self._area] and (steps == 1 or layer["transposed"]):
            is_joined |= self._area in self._areas.get(extra, ())
        if extra and not is_joined:
            if self._image and self._image[0] == width and steps == 1:
                self._area = self._image[1]  # a result to be added to the earlier one
            elif before:
                self._area = before[-1]
        joined = given * self._area if is_joined else 0.0
        self.joins |= is_joined
        self._is_row = self._is_enlarged = False
        self._area *= steps if layer.get("transposed") else 1 / steps
        return joined

    def _take_row(self, given: int) -> None:
        """Go on with what a product is given: a row of all that an image has, or an earlier one."""
        if self._image is None or self._is_row:
            if given != self.channels:
                self._area = self._areas.get(given, [self._area])[-1]
        elif self._is_plain or given > self.channels:
            # Right behind a convolution that leaves the area it is an embedding, as of a time.
            self._area *= _FLAT if given == self.channels else self.channels / given
            self._is_row = self._is_plain or given != _MERGED * self.channels

    def _resized(self, layer: dict[str, Any], kind: str) -> float:
        if "output_size" in layer:
            self._pooled = self.channels, self._area
            self._area *= _FLAT
            return 0.0
        if "upscale_factor" in layer:
            steps = prod(_both(layer["upscale_factor"]))
            self.channels, self._area = self.channels // steps, self._area * steps
            return 0.0
        if "scale_factor" in layer:
            self._area *= prod(_both(layer["scale_factor"]))
            return self._make()
        self._area /= prod(_both(layer.get("stride") or layer.get("kernel_size")))
        return self._make() * (_MAXIMA if "Max" in kind else 1)

    def _activation(self, layer: dict[str, Any], kind: str) -> float:
        if "Dropout" in kind and layer.get("p") and layer.get("training"):
            return self._make() * _DROPOUT
        if layer.get("inplace"):
            return 0.0
        if kind in _REPLACING:
            is_own, self._is_kept = self._is_kept, True
            return self.channels * self._area * is_own
        if kind.endswith(_OF_TRANSFORMERS):
            return max(self.channels, self._before) * self._area
        return self.channels * self._area * (kind in _KEEPING)

    def _make(self, channels: int = 0) -> float:
        """Note what a layer makes, with as many channels as there were where none are given."""
        self._before = self.channels
        self.channels, self._is_kept = channels or self.channels, not channels
        self._areas.setdefault(self.channels, []).append(self._area)
        return self.size


def whole(value: object) -> int:
    """Return a number that an attribute may be, at least 1."""
    return value if type(value) is int and value > 0 else 1


def _both(value: object) -> list[int]:
    """Return the steps along both sides; one number is used for both."""
    given = value if type(value) in (tuple, list) else (value, value)
    return [whole(number if type(number) is not float else round(number)) for number in given]  # type: ignore[attr-defined]  # a tuple or list by its type
