"""Names without a shell: what functions that look at a kernel are handed elsewhere."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any


def shell_of(names: dict[str, Any]) -> Any:
    """Return a substitute for a shell where there is none: names, and nothing else."""
    return SimpleNamespace(
        user_ns=names,
        user_global_ns=names,
        user_ns_hidden={name: value for name, value in names.items() if name.startswith("__")},
        history_manager=SimpleNamespace(output_hist={}),
        displayhook=SimpleNamespace(),
    )
