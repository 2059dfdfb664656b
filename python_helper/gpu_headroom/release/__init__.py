"""Giving memory back: what can be freed, freeing it, and what came of it, measured.

Items are `traceback`, `outputs`, `garbage`, `cache`; all four are safe: no variable that the
user named is ever removed. Call between cells, or from a cell, on the main thread.
"""

from __future__ import annotations

from .code import cleanup_code
from .items import plan
from .outcome import Outcome, run

__all__ = ["Outcome", "cleanup_code", "plan", "run"]
