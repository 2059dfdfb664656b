"""Readings made while a model comes to the GPU are told apart, and nothing is kept of them."""

from __future__ import annotations

import sys
import threading
from typing import TYPE_CHECKING, Any

import torch
from gpu_headroom.trends.loading import loads_model
from torch import nn

if TYPE_CHECKING:
    from collections.abc import Callable


class Asking(nn.Module):
    """Asks from another thread, as the sampler does, whenever its state comes or moves."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(1))
        self.answers: list[bool] = []

    def ask(self) -> None:
        """Ask now."""
        asking = threading.Thread(target=lambda: self.answers.append(loads_model()))
        asking.start()
        asking.join()

    def _apply(self, change: Callable[[torch.Tensor], torch.Tensor], recurse: bool = True) -> Any:
        def apply(tensor: torch.Tensor) -> torch.Tensor:
            self.ask()
            return change(tensor)

        return super()._apply(apply, recurse)  # type: ignore[no-untyped-call]  # PyTorch's own

    def forward(self) -> None:
        """Ask in the middle of a step."""
        self.ask()


def test_knows_a_model_on_its_way() -> None:
    """Moving a module is loading; using it is not."""
    module = Asking()
    module.half()
    module()
    assert module.answers == [True, False]


def test_keeps_no_frame() -> None:
    """A look at the frames leaves their reference counts as they were."""
    frame = sys._getframe()
    before = sys.getrefcount(frame)
    loads_model()
    assert sys.getrefcount(frame) == before
