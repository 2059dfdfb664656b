"""IPython in a terminal: there is no page, so everything is text."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from typing import TYPE_CHECKING

from tests.live import SOURCES

if TYPE_CHECKING:
    from pathlib import Path

LINES = """%load_ext gpu_headroom
%gpu_headroom simulate 4GiB
import torch
held = torch.empty(2**30, dtype=torch.uint8, device="cuda")
%gpu_headroom
torch.empty(2**33, dtype=torch.uint8, device="cuda")
"""


def test_gauge_and_card_are_text(tmp_path: Path) -> None:
    """`%gpu_headroom` prints the table, and a card stands below the traceback."""
    done = subprocess.run(
        [sys.executable, "-m", "IPython", "--no-banner", "--simple-prompt", "--colors=NoColor"],
        input=LINES,
        env={**os.environ, "PYTHONPATH": str(SOURCES), "IPYTHONDIR": str(tmp_path)},
        capture_output=True,
        check=True,
        text=True,
    )
    assert re.search(r"^0 +Simulated GPU +1\.4 GiB", done.stdout, re.MULTILINE)
    _, traceback, card = re.split(
        r"(?=^OutOfMemoryError: CUDA)|(?=^Out of simulated GPU memory)",
        done.stdout,
        flags=re.MULTILINE,
    )
    assert "8.00 GiB" in traceback
    assert "What you can do" in card
    assert "<" not in card
