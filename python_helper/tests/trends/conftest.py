"""A workbench for each test."""

from __future__ import annotations

import os
import zlib
from typing import TYPE_CHECKING

import pytest
from tests.trends.workbench import Workbench

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def workbench(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Workbench]:
    """A workbench whose seed a failing test prints; `GPU_HEADROOM_SEED` draws other shapes.

    Others may fill a GPU before the ten seconds and twenty readings that a trend takes.
    """
    seed = zlib.crc32(f"{request.node.name} {os.environ.get('GPU_HEADROOM_SEED', '')}".encode())
    print(f"seed {seed}")
    bench = Workbench(monkeypatch, seed)
    yield bench
    bench.close()
