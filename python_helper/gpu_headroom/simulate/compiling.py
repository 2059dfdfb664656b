"""`torch.compile` has nothing to compile for: it says so and runs the program as it is."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import torch

if TYPE_CHECKING:
    from .patches import Patches


def put_compile(patches: Patches) -> None:
    """Let `torch.compile` return what it is given, with a warning."""
    patches.put(torch, "compile", _compile)


def _compile(model: Any = None, *, fullgraph: bool = False, **options: Any) -> Any:
    if fullgraph:
        raise RuntimeError("The simulated GPU cannot compile, so fullgraph=True cannot be kept.")
    warnings.warn(
        "torch.compile does nothing on the simulated GPU: the program runs uncompiled.",
        stacklevel=2,
    )
    if model is None:
        return lambda function: _compile(function, **options)
    return model
