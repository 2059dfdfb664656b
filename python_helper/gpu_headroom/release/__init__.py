"""Giving memory back: what can be freed, freeing it, and what came of it, measured.

The safe set is `traceback`, `outputs`, `garbage`, `cache`: no variable that the user named is
removed. Everything else has to be confirmed by its id. Call between cells, or from a cell, on
the main thread.
"""

from __future__ import annotations

from .code import cleanup_code
from .items import find, plan
from .outcome import Outcome, run
from .situation import Situation

__all__ = ["Outcome", "Situation", "cleanup_code", "find", "plan", "run"]
