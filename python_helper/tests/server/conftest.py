"""Servers and pages, for each test that asks what a server believes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.liveserver import Page, Server

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture(scope="module")
def server(python: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server whose kernels are of each generation in turn."""
    started = Server(python, tmp_path_factory.mktemp("server"))
    yield started
    started.close()


@pytest.fixture
def page(server: Server) -> Iterator[Page]:
    """A page with a fresh kernel."""
    opened = Page(server)
    yield opened
    opened.close()
