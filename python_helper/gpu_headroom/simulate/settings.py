"""Settings of PyTorch's allocator: what is simulated takes effect, and the rest says it does not.

They are written "name:value,name:value", in the environment or by a call.
"""

from __future__ import annotations

import os
import warnings
from typing import TYPE_CHECKING

import torch

from .sizes import MIB

if TYPE_CHECKING:
    from .machine import Machine
    from .patches import Patches

_VARIABLES = ("PYTORCH_ALLOC_CONF", "PYTORCH_CUDA_ALLOC_CONF")
_CALLS = ("_accelerator_setAllocatorSettings", "_cuda_cudaCachingAllocator_set_allocator_settings")
_LARGEST_SPLIT = "max_split_size_mb"
_SMALLEST_LIMIT_MB = 20


def put_settings(patches: Patches, machine: Machine) -> None:
    """Let all cards have the settings of the environment, and those of calls."""

    def change(settings: str = "") -> None:
        _change(machine, settings)

    for name in _CALLS:
        patches.put(torch._C, name, change)  # noqa: SLF001 -- the seam itself
    of_environment = next(filter(None, map(os.environ.get, _VARIABLES)), "")
    if _LARGEST_SPLIT in of_environment:
        _change(machine, of_environment)


def _change(machine: Machine, settings: str) -> None:
    """Take settings over; one that is not named has its default again."""
    pairs = [each.strip().partition(":")[::2] for each in settings.split(",") if each.strip()]
    limit = None
    for name, value in pairs:
        if name == _LARGEST_SPLIT:
            limit = int(value)
        else:
            _leave_out(f"{name}:{value}")
    if limit is not None and limit < _SMALLEST_LIMIT_MB:
        raise ValueError(
            f"CachingAllocator option {_LARGEST_SPLIT} too small, must be >= {_SMALLEST_LIMIT_MB}"
        )
    for card in machine.all_cards:
        card.allocator.largest_split = None if limit is None else limit * MIB


def _leave_out(setting: str) -> None:
    warnings.warn(
        f"The simulated GPU keeps PyTorch's default allocator settings: {setting!r} has no effect.",
        stacklevel=4,
    )
