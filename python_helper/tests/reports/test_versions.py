"""What took part in a failure, read without asking anybody."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

import torch
from gpu_headroom.reports import versions as module
from gpu_headroom.reports.versions import versions

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def by_name() -> dict[str, str]:
    """Return the versions by name."""
    return {row["name"]: row["version"] for row in versions()}


def test_names_python_the_framework_and_the_helper() -> None:
    """As plain texts, whatever class they are of."""
    texts = by_name()
    assert next(iter(texts)) == "Python"
    assert sys.version.startswith(texts["Python"])
    assert texts["PyTorch"] == torch.__version__
    assert type(texts["PyTorch"]) is str
    assert "GPU Headroom" in texts


def test_asks_no_module_for_what_it_does_not_have(monkeypatch: pytest.MonkeyPatch) -> None:
    """A lazy module would import something; a version that is no text is left out."""

    class Lazy(ModuleType):
        def __getattr__(self, name: str) -> Any:
            raise AssertionError(name)

    monkeypatch.setitem(sys.modules, "transformers", Lazy("transformers"))
    odd = ModuleType("accelerate")
    odd.__version__ = (1, 2)  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "accelerate", odd)
    long = ModuleType("peft")
    long.__version__ = "9" * 10_000  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "peft", long)
    texts = by_name()
    assert "Transformers" not in texts
    assert "Accelerate" not in texts
    assert len(texts["PEFT"]) < 100


def test_reads_the_driver_where_there_is_one(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """As its kernel module says it."""
    path = tmp_path / "version"
    path.write_text(
        "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.95.05  Release Build\n"
        "GCC version:  gcc version 12.3.0\n",
        encoding="utf-8",
    )
    monkeypatch.setattr(module, "_DRIVER", path)
    assert by_name()["NVIDIA driver"] == "580.95.05"
    monkeypatch.setattr(module, "_DRIVER", tmp_path / "none")
    assert "NVIDIA driver" not in by_name()
