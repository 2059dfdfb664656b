"""Random numbers of a card: a stream of its own, as on a real card."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import torch

from .torch_internals import CPU, device_index, is_card_device

if TYPE_CHECKING:
    from collections.abc import Iterator


class _AnyGenerator(type(torch._C.Generator)):  # type: ignore[misc]  # noqa: SLF001 -- a base that mypy cannot compute; see below
    """Lets the generators that PyTorch made before count as instances of the stand-in."""

    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, torch._C.Generator)  # noqa: SLF001 -- `torch.Generator` itself


class CardGenerator(torch._C.Generator, metaclass=_AnyGenerator):  # noqa: SLF001 -- `torch.Generator` itself
    """Stands in for `torch.Generator`, which refuses device "cuda" in a build without CUDA.

    A generator for the card is one of the host's that says it is the card's: its numbers are not
    those that a real card would draw.
    """

    _device: torch.device

    def __new__(cls, device: Any = "cpu") -> CardGenerator:  # noqa: PYI034 -- typing.Self is 3.11
        """Make a generator for `device`, a card or one that PyTorch knows."""
        on_card = is_card_device(device)
        self = super().__new__(cls, "cpu" if on_card else device)  # type: ignore[call-arg]  # a C class
        self._device = _with_index(device) if on_card else CPU
        return self

    def __init__(self, device: Any = "cpu") -> None:
        del device  # taken by __new__

    @property
    def device(self) -> torch.device:  # type: ignore[override]  # the stubs call it an attribute
        """The device it draws for."""
        return self._device

    @contextmanager
    def in_charge(self) -> Iterator[None]:
        """Let operators that take no generator draw from this one, and leave the host's alone."""
        default = torch.default_generator
        before = default.get_state()
        default.set_state(self.get_state())
        try:
            yield
        finally:
            self.set_state(default.get_state())
            default.set_state(before)


def _with_index(device: Any) -> torch.device:
    index = device if isinstance(device, int) else device_index(device)
    return torch.device("cuda", torch.cuda.current_device() if index is None else index)
