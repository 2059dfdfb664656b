"""What the tests of the package's lifecycle share."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.conftest import interpreter

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="session")
def older_python() -> Path:
    """The Python of the environment that never has the helper."""
    return interpreter("ipykernel-6.17")
