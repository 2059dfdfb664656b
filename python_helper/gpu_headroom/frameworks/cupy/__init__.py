"""CuPy: its memory pool and its arrays."""

from __future__ import annotations

NAME = "cupy"
TITLE = "CuPy"
PACKAGES: tuple[str, ...] = ("cupy",)
SOURCES = {"cupy": "reading"}
ERROR = "OutOfMemoryError"
SETTING = ""
