"""Whether classes may be compared without running anybody's code."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from tests.live import SOURCES

if TYPE_CHECKING:
    from pathlib import Path

PLAINLY = "from gpu_headroom.inspection.classes import compare_plainly as plainly\n"


@pytest.mark.parametrize(
    ("program", "expected"),
    [
        ("class Meta(type):\n    pass", True),
        ("import typing_extensions", True),
        ("import torch, sympy", True),
        ("class Meta(type):\n    def __hash__(cls): raise SystemExit(cls)", False),
        ("class Meta(type):\n    __eq__ = None", False),
        (
            "class Mixin:\n    def __eq__(cls, _): return 1\nclass Meta(Mixin, type):\n    pass",
            False,
        ),
        (
            """
import typing_extensions
class Meta(type(typing_extensions.Protocol)):
    def __eq__(cls, _): return True
""",
            False,
        ),
    ],
)
def test_only_metaclasses_with_code_of_their_own_count(
    tmp_path: Path, program: str, *, expected: bool
) -> None:
    """Those that PyTorch brings are known to be harmless, an heir of theirs with code is not."""
    script = tmp_path / "script.py"
    script.write_text(f"{program}\n{PLAINLY}print(plainly())", encoding="utf-8")
    environment = {"PYTHONPATH": str(SOURCES), "PATH": ""}
    result = subprocess.run(
        [sys.executable, script], check=True, capture_output=True, text=True, env=environment
    )
    assert result.stdout.strip() == str(expected)
