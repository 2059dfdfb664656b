"""What the tests of frames run on."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
from tests.conftest import GENERATIONS, interpreter

if TYPE_CHECKING:
    from pathlib import Path

COLAB = "ipykernel-6.17"
NEWEST = next(iter(GENERATIONS))
WANTED = GENERATIONS if os.environ.get("GPU_HEADROOM_COLAB") == "full" else [NEWEST, COLAB]


@pytest.fixture(scope="session", params=WANTED)
def python(request: pytest.FixtureRequest) -> Path:
    """The Python of Colab's kernels and of the newest; all with `GPU_HEADROOM_COLAB=full`."""
    return interpreter(request.param)
