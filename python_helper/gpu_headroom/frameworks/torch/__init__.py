"""PyTorch: its allocators on CUDA, ROCm, XPU and MPS, and its tensors."""

from __future__ import annotations

NAME = "torch"
TITLE = "PyTorch"
PACKAGES: tuple[str, ...] = ("torch",)
SOURCES = {"torch.xpu": "xpu", "torch.mps": "mps"}  # that of CUDA is always read
ERROR = "OutOfMemoryError"
SETTING = ""
