"""What a scenario is, and the cell that every scenario begins with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Need = Literal["nothing", "release", "consent"]

PRELUDE = """
import torch

def tensor(mib):
    return torch.empty(mib * 2**20, dtype=torch.uint8, device="cuda")

def fail():
    return tensor(2**20)  # 1 TiB: no GPU has it

weights = tensor(64)
warm = torch.ones(8, 8, device="cuda", requires_grad=True)
(warm @ warm).sum().backward()  # cuBLAS makes its workspace and keeps it
del warm
"""
PRELUDE_VARIABLES = ("fail", "tensor", "weights")
PRELUDE_KEPT_MIB = 64


@dataclass(frozen=True)
class Scenario:
    """A notebook in which memory stays in use after an error.

    The user's variables are all names that the cells bind at notebook level, those of the failing
    cell before it failed included; not modules, which an import brings back, and not `Out`, `_`.
    Where the kernel asks (a debugger does), `q` is answered.
    """

    id: str
    title: str
    cells: tuple[str, ...]
    holder: str
    """What is expected to keep the memory."""
    variables: tuple[str, ...] = ()
    """The user's variables besides those of the prelude."""
    kept_mib: int = 0
    """What the variables hold besides those of the prelude.

    An error that the user kept counts as itself: what its traceback holds is not the user's data.
    """
    need: Need = "release"
    """What a restart would help with: nothing, memory that is not used any more, or that and the
    tracebacks of errors that the user or a library kept, which is asked for first."""
    alive: str = ""
    """An expression that must be true afterwards: what the user has running goes on."""
