"""A workbench for each test."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest
from tests.lookout.workbench import Workbench

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def workbench(monkeypatch: pytest.MonkeyPatch) -> Iterator[Workbench]:
    """A workbench whose seed a failing test prints."""
    seed = time.time_ns() % 2**32
    print(f"seed {seed}")
    bench = Workbench(monkeypatch, seed)
    yield bench
    bench.close()
