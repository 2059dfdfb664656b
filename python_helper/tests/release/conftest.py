"""A notebook on a simulated GPU, for the tests of everything that frees."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from gpu_simulator import simulate
from tests.notebook import Notebook, open_notebook

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from gpu_headroom.release.freeable import Freeable
    from gpu_headroom.release.situation import Situation

BASE = """
import torch
from torch import nn
keep = torch.zeros(64, 2**20, dtype=torch.uint8, device="cuda")  # 64 MiB that the user named
warm = torch.ones(8, 8, device="cuda", requires_grad=True)
(warm @ warm).sum().backward()  # cuBLAS makes its workspace, and keeps it
def tensor(mib):
    return torch.empty(mib * 2**20, dtype=torch.uint8, device="cuda")
def fail():
    return tensor(100 * 1024)  # 100 GiB
"""


@pytest.fixture
def notebook() -> Iterator[Notebook]:
    """A notebook on a simulated GPU of 4 GiB, with 64 MiB in a variable `keep`."""
    with simulate("4 GiB"), open_notebook() as notebook:
        assert notebook.run(BASE).success
        yield notebook


def found(
    notebook: Notebook, items: Callable[[Situation], Iterable[Freeable]]
) -> dict[str, Freeable]:
    """Return items of one kind as a plan finds them, by their ids."""
    situation = notebook.situation()
    with situation.looking():
        return {item.id: item for item in items(situation)}
