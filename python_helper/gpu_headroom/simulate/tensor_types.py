"""`torch.cuda.FloatTensor` and its kin, which old programs construct and ask for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

if TYPE_CHECKING:
    from .patches import Patches

_DTYPES = {
    "FloatTensor": torch.float32,
    "DoubleTensor": torch.float64,
    "HalfTensor": torch.float16,
    "BFloat16Tensor": torch.bfloat16,
    "LongTensor": torch.int64,
    "IntTensor": torch.int32,
    "ShortTensor": torch.int16,
    "CharTensor": torch.int8,
    "ByteTensor": torch.uint8,
    "BoolTensor": torch.bool,
}


class _CardType(type):
    """The type of these types: to call one makes a tensor, and `isinstance` asks a tensor."""

    dtype: torch.dtype

    def __call__(cls, *sizes_or_values: Any, device: Any = "cuda") -> torch.Tensor:
        """Make a tensor of sizes, without values, or of values."""
        if all(isinstance(each, (int, torch.Size)) for each in sizes_or_values):
            return torch.empty(*sizes_or_values or (0,), dtype=cls.dtype, device=device)
        (values,) = sizes_or_values
        return torch.as_tensor(values, dtype=cls.dtype, device=device)

    def __instancecheck__(cls, value: object) -> bool:
        return isinstance(value, torch.Tensor) and value.is_cuda and value.dtype is cls.dtype


def put_tensor_types(patches: Patches) -> None:
    """Let `torch.cuda`'s tensor types be ones that a simulated card can make."""
    for name, dtype in _DTYPES.items():
        kind = _CardType(name, (), {"dtype": dtype, "__module__": "torch.cuda"})
        patches.put(torch.cuda, name, kind)
