"""PyTorch's tensors and their memory, read without running overrides of subclasses."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from ...inspection.classes import defines
from ..imported import imported
from ..storage import Storage
from . import private
from .blocks import blocks_in_use

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from contextlib import AbstractContextManager

    from .blocks import UsedBlock

_ROUNDING = 512  # PyTorch's allocator rounds sizes up to multiples of this
_GPUS = frozenset({"cuda", "xpu", "mps"})  # PyTorch's name for ROCm is cuda, too
_SPARSE = (
    "_indices",
    "_values",
    "crow_indices",
    "ccol_indices",
    "col_indices",
    "row_indices",
    "values",
)
_PER_CHANNEL = ("q_per_channel_scales", "q_per_channel_zero_points")
UNREADABLE = (RuntimeError, NotImplementedError, TypeError, AttributeError)


class Torch:
    """PyTorch as already imported: its classes, and the attributes of `torch.Tensor` itself.

    A subclass may override `is_cuda` or `grad` with its own code, which is not run here.
    """

    def __init__(
        self,
        module: Any,
        blocks: Mapping[object, UsedBlock],
        quiet: Callable[[], AbstractContextManager[object]],
    ) -> None:
        self.module = module
        self.blocks = blocks
        self.tensor: type = module.Tensor
        self.kinds: tuple[type, ...] = (self.tensor,)
        self.parameter: type | None = _class("torch.nn.parameter", "Parameter")
        self.nn_module: type | None = _class("torch.nn.modules.module", "Module")
        self.optimizer: type | None = _class("torch.optim.optimizer", "Optimizer")
        self.quiet = quiet
        self._getters: dict[str, Any] = {}
        self._holds_objects: bool | None = None
        self._natures: dict[int, tuple[type, bool, bool]] = {}

    @classmethod
    def loaded(cls, *, whole_blocks: bool = False) -> Torch | None:
        """Return PyTorch if it is completely imported and its tensors may be read, else `None`."""
        module, quiet = imported("torch"), private.no_overrides()
        if module is None or quiet is None or not hasattr(module, "Tensor"):
            return None
        return cls(module, blocks_in_use() if whole_blocks else {}, quiet)

    def get(self, tensor: Any, attribute: str) -> Any:
        """Read an attribute of `torch.Tensor` itself."""
        getter = self._getters.get(attribute)
        if getter is None:
            getter = self._getters[attribute] = getattr(self.tensor, attribute).__get__
        return getter(tensor)

    def gradient_of(self, tensor: Any) -> Any:
        """Return the gradient of a tensor that may have one; reading others' makes PyTorch warn."""
        may_have = self.get(tensor, "is_leaf") or self.get(tensor, "retains_grad")
        return self.get(tensor, "grad") if may_have else None

    def on_gpu(self, tensor: Any) -> bool:
        """Whether a tensor is on a GPU; also true if only its own code could say."""
        wraps, dispatches = self._nature(type(tensor))
        return wraps or dispatches or self.get(tensor, "device").type in _GPUS

    def wraps(self, tensor: Any) -> bool:
        """Whether its memory is in tensors that are its attributes: DTensor, jagged, torchao."""
        return self._nature(type(tensor))[0]

    def kept_by_itself(self, tensor: Any) -> int:
        """Return how many of the references to a tensor are PyTorch's own: 0 or 1.

        Newer versions hold the Python object while C++ needs the tensor (`_use_count` above 1).
        Older ones do so once Python's references are gone: then Python is made the owner for the
        time of the walk. The references to a storage show which version it is.
        """
        if self._holds_objects is None:
            memory = self.tensor.untyped_storage(tensor)  # type: ignore[attr-defined]  # known at run time
            fresh = object()
            self._holds_objects = sys.getrefcount(memory) > sys.getrefcount(fresh)
        if not self._holds_objects:
            private.take_back(tensor)
            return 0
        return int((self.uses(tensor) or 0) > 1)

    def uses(self, tensor: Any) -> int | None:
        """Return the number of C++ references, the Python object's included; `None` is unknown."""
        count = getattr(self.tensor, "_use_count", None)
        return None if count is None else int(count(tensor))

    def sharing(self, tensor: Any) -> int | None:
        """Return how many C++ tensors share the storage; `None` is unknown."""
        try:
            uses = private.storage_uses(self.tensor.untyped_storage(tensor))  # type: ignore[attr-defined]  # known at run time
        except UNREADABLE:
            return None  # a tensor made of several
        return None if uses is None else uses - 1

    def storages(self, tensor: Any) -> Iterator[Storage]:
        """Yield the GPU memory behind a tensor, in parts if it has several."""
        wraps, dispatches = self._nature(type(tensor))
        if wraps:
            return
        try:
            if dispatches:
                yield from self._of_dispatching(tensor)
                return
            device = self.get(tensor, "device")
            if device.type not in _GPUS:
                return
            if self.get(tensor, "layout") is not self.module.strided:
                yield from self._of_parts(tensor, _SPARSE)
                return
            yield from self._storage(tensor, device, self._shape(tensor))
            if self.get(tensor, "is_quantized"):
                yield from self._of_parts(tensor, _PER_CHANNEL)
        except UNREADABLE:
            return  # functional and batched tensors have no storage of their own

    def look_of(self, tensor: Any) -> tuple[tuple[int, ...], str]:
        """Return shape and dtype of a tensor; empty where its own code would have to run."""
        shape = None if any(self._nature(type(tensor))) else self._shape(tensor)
        return ((), "") if shape is None else (shape, self._dtype(tensor))

    def _dtype(self, tensor: Any) -> str:
        return str(self.get(tensor, "dtype")).removeprefix("torch.")

    def _storage(
        self, tensor: Any, device: Any, shape: tuple[int, ...] | None, part: str = ""
    ) -> Iterator[Storage]:
        memory = self.tensor.untyped_storage(tensor)  # type: ignore[attr-defined]  # known at run time
        size = memory.nbytes()
        if size:
            key = _key(memory)
            rounded = -(-size // _ROUNDING) * _ROUNDING
            block = self.blocks.get(key)
            yield Storage(
                key=key,
                device_index=device.index or 0,
                bytes=max(rounded, block.bytes if block is not None else 0),
                shape=shape,
                dtype=self._dtype(tensor),
                part=part,
            )

    def _shape(self, tensor: Any) -> tuple[int, ...] | None:
        try:
            return tuple(self.tensor.size(tensor))  # type: ignore[attr-defined]  # known at run time
        except UNREADABLE:
            return None  # a nested tensor has none

    def _of_dispatching(self, tensor: Any) -> Iterator[Storage]:
        """Yield the memory of a tensor whose class may override device and shape."""
        memory = self.tensor.untyped_storage(tensor)  # type: ignore[attr-defined]  # known at run time
        if memory.device.type in _GPUS and memory.data_ptr():
            yield from self._storage(tensor, memory.device, None)

    def _of_parts(self, tensor: Any, names: tuple[str, ...]) -> Iterator[Storage]:
        for name in names:
            try:
                part = getattr(self.tensor, name)(tensor)
                yield from self._storage(part, self.get(part, "device"), self._shape(part), name)
            except UNREADABLE:
                continue  # each layout has only some of these

    def _nature(self, kind: type) -> tuple[bool, bool]:
        entry = self._natures.get(id(kind))
        if entry is None:
            wraps = defines(kind, "__tensor_flatten__", until=self.tensor)
            dispatches = defines(kind, "__torch_dispatch__", until=self.tensor)
            entry = self._natures[id(kind)] = kind, wraps, dispatches
        return entry[1:]


def _class(module: str, name: str) -> type | None:
    return getattr(imported(module), name, None)


def _key(memory: Any) -> object:
    return memory.data_ptr() or ("storage", private.storage_identity(memory))
