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
_EXPANDS = "expandable_segments"
_SMALLEST_LIMIT_MB = 20


def put_settings(patches: Patches, machine: Machine) -> None:
    """Let all cards have the settings of the environment, and those of calls."""

    def change(settings: str = "") -> None:
        _change(machine, settings)

    for name in _CALLS:
        patches.put(torch._C, name, change)  # noqa: SLF001 -- the seam itself
    of_environment = next(filter(None, map(os.environ.get, _VARIABLES)), "")
    if _LARGEST_SPLIT in of_environment or _EXPANDS in of_environment:
        _change(machine, of_environment)


def _change(machine: Machine, settings: str) -> None:
    """Take settings over. One that is not named has its default again, but for expandable segments.

    Those stay as they are, as in PyTorch.
    """
    pairs = [each.strip().partition(":")[::2] for each in settings.split(",") if each.strip()]
    limit = expands = None
    for name, value in pairs:
        if name == _LARGEST_SPLIT:
            limit = int(value)
        elif name == _EXPANDS:
            expands = _truth(value)
        else:
            _leave_out(f"{name}:{value}")
    if limit is not None and limit < _SMALLEST_LIMIT_MB:
        raise ValueError(
            f"CachingAllocator option {_LARGEST_SPLIT} too small, must be >= {_SMALLEST_LIMIT_MB}"
        )
    for card in machine.all_cards:
        card.allocator.largest_split = None if limit is None else limit * MIB
        if expands is not None:
            card.allocator.expands = expands


def _truth(value: str) -> bool:
    if value not in ("True", "False"):
        raise ValueError(f"Expected 'True' or 'False' for {_EXPANDS} but got '{value}'")
    return value == "True"


def _leave_out(setting: str) -> None:
    warnings.warn(
        f"The simulated GPU keeps PyTorch's default allocator settings: {setting!r} has no effect.",
        stacklevel=4,
    )
