"""Names and versions of the software in a failure, read without calling any of it."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..frameworks.imported import imported, simulation
from ..frameworks.registry import TITLES
from ..kernel.injection import helper_version

if TYPE_CHECKING:
    from ..protocol.generated.wire import Version

_PACKAGES = {
    **{title: name for name, title in TITLES.items()},
    "Keras": "keras",
    "Transformers": "transformers",
    "Accelerate": "accelerate",
    "PEFT": "peft",
    "Diffusers": "diffusers",
    "Lightning": "lightning",
    "PyTorch Lightning": "pytorch_lightning",
}
_DRIVER = Path("/proc/driver/nvidia/version")
_NUMBER = re.compile(r"\b\d{3,}(?:\.\d+)+\b")
_LONGEST = 60


def versions() -> list[Version]:
    """Return the versions that are known, Python's first; what is not plain text is left out."""
    table: dict[str, str | None] = {"Python": sys.version.partition(" ")[0]}
    for name, module in _PACKAGES.items():
        table[name] = _text(module, "__version__")
    table["CUDA"] = _text("torch.version", "cuda")
    table["ROCm"] = _text("torch.version", "hip")
    table["NVIDIA driver"] = None if simulation() is not None else _driver()
    table["GPU Headroom"] = helper_version()
    return [
        {"name": name, "version": version[:_LONGEST]} for name, version in table.items() if version
    ]


def _text(module: str, name: str) -> str | None:
    """Return a text that an imported module has itself: no `__getattr__` of its is called."""
    names: dict[str, Any] = getattr(imported(module), "__dict__", {})
    value = names.get(name)
    # PyTorch's is of a class of its own, which is a text.
    return str.__str__(value) if issubclass(type(value), str) else None


def _driver() -> str | None:
    """Return the driver's version, as its kernel module says it."""
    try:
        with _DRIVER.open(encoding="utf-8", errors="replace") as lines:
            match = _NUMBER.search(lines.readline(500))
    except OSError:
        return None
    return match[0] if match else None
