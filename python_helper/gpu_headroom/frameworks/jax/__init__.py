"""JAX: its allocator and its arrays."""

from __future__ import annotations

NAME = "jax"
TITLE = "JAX"
PACKAGES: tuple[str, ...] = ("jax", "jaxlib")
SOURCES = {"jax": "reading"}
ERROR = ""
SETTING = 'import os; os.environ["XLA_PYTHON_CLIENT_PREALLOCATE"] = "false"'
