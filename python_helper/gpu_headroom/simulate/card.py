"""The simulated card: what an operation on it does to memory, devices and values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from .generator import CardGenerator
from .memory import CardMemory
from .operations import operation
from .shapes import Shapes
from .torch_internals import (
    is_card_device,
    is_plain_meta_device,
    tensors_in,
    thread_state,
    without_torch_function,
)
from .tracebacks import without_own_frames
from .values import Values

if TYPE_CHECKING:
    from .allocator import CachingAllocator
    from .operations import Operation


class Card:
    """One card: its memory, its random numbers, and the way it computes."""

    def __init__(self, allocator: CachingAllocator, *, values: bool) -> None:
        self.memory = CardMemory(allocator)
        self.generator = CardGenerator("cuda")
        shapes = Shapes(self.memory)
        self.compute: Shapes | Values = (
            Values(self.memory, shapes, self.generator) if values else shapes
        )
        self.present = True

    def holds(self, tensor: torch.Tensor) -> bool:
        """Whether `tensor` is on the card."""
        with without_torch_function():
            return self.memory.holds(tensor)

    def execute(self, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Run one operator call of any device: on the card if it belongs there."""
        tensors = tensors_in(args, [])
        if kwargs:
            tensors_in(kwargs.values(), tensors)
        on_card = [tensor for tensor in tensors if self.memory.holds(tensor)]
        device = kwargs.get("device")
        to_card = _targets_card(device) if device is not None else bool(on_card)
        if not to_card and not on_card:
            return func(*args, **kwargs)
        what = operation(func)
        if what.name.startswith(("_to_sparse", "_sparse")):
            raise NotImplementedError("The simulated GPU has no sparse tensors.")
        if len(on_card) != len(tensors) and device is None:
            self._check_devices(what, args, tensors)
        if on_card and what.multiplies_matrices:
            self.memory.use_workspace()
        if on_card and to_card and device is not None and _is_no_copy(what, args[0], kwargs):
            return torch.ops.aten.alias.default(args[0])
        return self.compute.run(what, args, kwargs, to_card=to_card)

    def _check_devices(
        self, what: Operation, args: tuple[Any, ...], tensors: list[torch.Tensor]
    ) -> None:
        """Raise PyTorch's error where an operation mixes tensors of the card and of the host."""
        if what.name == "index" and not self.memory.holds(args[0]):
            raise RuntimeError(
                "indices should be either on cpu or on the same device as the indexed tensor (cpu)"
            )
        if what.mixes_devices:
            return
        for tensor in tensors:
            if tensor.dim() > 0 and tensor.numel() > 0 and not self.memory.holds(tensor):
                name = next(
                    (n for n, a in zip(what.arguments, args, strict=False) if a is tensor), ""
                )
                raise RuntimeError(
                    "Expected all tensors to be on the same device, but found at least two "
                    "devices, cuda:0 and cpu! (when checking argument for argument "
                    f"{name or 'tensors'} in method wrapper_CUDA_{what.name})"
                )


class CardMode(TorchDispatchMode):
    """Brings every operator call of its thread to the card."""

    def __init__(self, card: Card) -> None:
        super().__init__()  # type: ignore[no-untyped-call]  # PyTorch does not annotate it
        self._card = card

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        """Leave `__torch_dispatch__` as it is: the wrapper costs more than the handler."""
        return False

    @classmethod
    def ignore_compile_internals(cls) -> bool:
        """Let PyTorch's compiler see that a mode is active, and step aside."""
        return False

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        """Run one operator call; see `Card.execute`."""
        __tracebackhide__ = True
        if not self._card.present:
            return func(*args, **(kwargs or {}))
        try:
            with without_torch_function():
                return self._card.execute(func, args, kwargs or {})
        except torch.OutOfMemoryError as error:
            # A frame of ours must not keep a tensor alive that a real card would have let go.
            args, kwargs = (), None
            raise without_own_frames(error)  # noqa: B904 -- it is the same error


def _targets_card(device: torch.device) -> bool:
    if is_plain_meta_device(device):
        return not thread_state.plain_meta
    return is_card_device(device)


def _is_no_copy(what: Operation, tensor: torch.Tensor, kwargs: dict[str, Any]) -> bool:
    """Whether a copy to the card is one from the card to itself that changes nothing.

    It is asked for by PyTorch's own Python code, where `x.to(y.device)` reads "cuda:0" and not
    the device that the C++ side compares with.
    """
    return (
        what.name == "_to_copy"
        and kwargs["device"].type == "cuda"
        and kwargs.get("dtype") in (None, tensor.dtype)
        and kwargs.get("memory_format") in (None, torch.preserve_format)
    )
