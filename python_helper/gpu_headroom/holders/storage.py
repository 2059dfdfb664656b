"""The memory behind one tensor: identity and size."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Any

_ROUNDING = 512  # PyTorch's allocator hands out multiples of this


@dataclass(frozen=True, slots=True)
class Storage:
    """A block of one device's memory; `shape` is that of the tensor it was first seen through."""

    key: object
    device_index: int
    bytes: int
    shape: tuple[int, ...]


class Torch:
    """PyTorch as already imported: its classes, and the attributes of `torch.Tensor` itself.

    A subclass may override `is_cuda` or `grad` with code of its own: read from here it is not run.
    """

    def __init__(self, module: Any) -> None:
        self.module = module
        self.tensor: type = module.Tensor
        self.parameter: type | None = _class("torch.nn.parameter", "Parameter")
        self.nn_module: type | None = _class("torch.nn.modules.module", "Module")
        self.optimizer: type | None = _class("torch.optim.optimizer", "Optimizer")
        self.quiet = module._C.DisableTorchFunction  # noqa: SLF001 — the only switch there is

    @classmethod
    def loaded(cls) -> Torch | None:
        """Return PyTorch if this process has imported all of it."""
        module = sys.modules.get("torch")
        if module is None or not hasattr(module, "Tensor") or not hasattr(module, "_C"):
            return None
        return cls(module)

    def get(self, tensor: Any, attribute: str) -> Any:
        """Read an attribute of `torch.Tensor` itself."""
        return getattr(self.tensor, attribute).__get__(tensor)

    def storage(self, tensor: Any) -> Storage | None:
        """Return the GPU memory behind a tensor, `None` where it has none that can be read."""
        try:
            if not self.get(tensor, "is_cuda") or _wraps_others(type(tensor)):
                return None
            memory = self.tensor.untyped_storage(tensor)  # type: ignore[attr-defined]  # known at run time
            size = memory.nbytes()
            if not size:
                return None
            return Storage(
                key=memory.data_ptr() or ("storage", memory._cdata),  # noqa: SLF001 — identity without an address
                device_index=self.get(tensor, "device").index or 0,
                bytes=-(-size // _ROUNDING) * _ROUNDING,
                shape=tuple(self.tensor.size(tensor)),  # type: ignore[attr-defined]  # known at run time
            )
        except (RuntimeError, NotImplementedError, TypeError, AttributeError):
            return None  # sparse, nested and functional tensors have no storage of their own

    def parts(self, tensor: Any) -> list[tuple[str, Any]]:
        """Return the tensors that a sparse tensor is made of."""
        found = []
        for name in ("_indices", "_values", "crow_indices", "col_indices", "values"):
            try:
                found.append((f"{name}()", getattr(self.tensor, name)(tensor)))
            except (RuntimeError, NotImplementedError, AttributeError):
                continue  # each layout has some of them
        return found


def _class(module: str, name: str) -> type | None:
    return getattr(sys.modules.get(module), name, None)


def _wraps_others(kind: type) -> bool:
    """Whether tensors of this class hold their memory in attributes, or in nothing at all."""
    return hasattr(kind, "__tensor_flatten__") or any(
        each.__name__ == "FakeTensor" for each in kind.__mro__
    )
