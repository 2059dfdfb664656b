"""A notebook on a simulated GPU, with what its cells need, and the account of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from gpu_headroom.concurrency.turns import Turn
from gpu_headroom.holders.account import Account, take
from gpu_simulator import simulate
from tests.notebook import Notebook, open_notebook

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Measure = Callable[[str], Account]

BASE = """
import collections, contextlib, dataclasses, functools, gc, itertools, sys, threading, types, torch
from torch import nn
def tensor(mib):
    return torch.empty(mib * 2**20, dtype=torch.uint8, device="cuda")
"""


@pytest.fixture
def notebook() -> Iterator[Notebook]:
    """A notebook on a simulated GPU of 4 GiB."""
    with simulate("4 GiB"), open_notebook() as notebook:
        assert notebook.run(BASE).success
        yield notebook


@pytest.fixture
def measure(notebook: Notebook) -> Measure:
    """Run a cell that must succeed, and take the account."""

    def run(source: str) -> Account:
        assert notebook.run(source).success, notebook.printed
        account = take(notebook.shell, notebook.read(), Turn(30.0))
        assert account.complete
        return account

    return run


def sizes(account: Account, origin: str = "names") -> dict[str, int]:
    """Return the bytes of each row of one origin, on the first device."""
    return {row.name: row.bytes for row in account.devices[0].rows if row.origin == origin}
