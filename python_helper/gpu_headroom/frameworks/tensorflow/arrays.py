"""TensorFlow's eager tensors, and the variables that store values.

An eager tensor exposes no address and is identified by its own id, so two that share a buffer count
twice. Reading a variable's value would run an operation: its size is computed from its shape.
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any

from ...inspection.classes import comes_from
from ..imported import imported
from ..storage import Storage

if TYPE_CHECKING:
    from collections.abc import Iterator


_DEVICE = "GPU"


class TensorFlowArrays:
    """Eager tensors and resource variables."""

    def __init__(self, tensor: Any, variable: Any) -> None:
        self.kinds: tuple[type, ...] = (tensor, variable)
        self._tensor = tensor
        self._variable = variable

    def storages(self, array: Any) -> Iterator[Storage]:
        """Yield the memory of a tensor or variable if it is on a GPU."""
        try:
            handle = array
            if comes_from(type(array), self._variable):
                handle = self._variable.handle.__get__(array)
            device = self._tensor.backing_device.__get__(handle).rpartition("device:")[2]
            kind, _, index = device.partition(":")
            dtype = type(array).dtype.__get__(array)
            if kind != _DEVICE or not dtype.size:
                return
            shape = tuple(type(array).shape.__get__(array).as_list())
            yield Storage(
                key=("tensorflow", id(handle)),
                device_index=int(index),
                bytes=dtype.size * prod(shape),
                shape=shape,
                dtype=dtype.name,
                framework="tensorflow",
            )
        except (RuntimeError, ValueError, TypeError, AttributeError):
            return  # it has no shape yet, or its context is gone


def arrays() -> TensorFlowArrays | None:
    """Return TensorFlow's arrays if its context is initialized, else `None`."""
    context = getattr(imported("tensorflow.python.eager.context"), "_context", None)
    if context is None or not getattr(context, "_initialized", False):
        return None
    ops = imported("tensorflow.python.framework.ops")
    variables = imported("tensorflow.python.ops.resource_variable_ops")
    tensor = getattr(ops, "EagerTensor", None)
    variable = getattr(variables, "BaseResourceVariable", None)
    return TensorFlowArrays(tensor, variable) if tensor is not None else None
