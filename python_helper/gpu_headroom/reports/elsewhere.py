"""A failure in another process, for the report of it here."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from .model import BuiltReport


class WorkerFailure:
    """Facts about a failure in another process besides its error; this base has none.

    `batch` is the position of the number that scales its memory, `fits` a value that should fit.
    """

    batch: object = None
    fits: object = None

    def joined(self, built: BuiltReport) -> BuiltReport:
        """Return its report with what the process has measured."""
        return built

    def await_more(self, update: Callable[[BuiltReport], None], built: BuiltReport) -> None:
        """Update a displayed report when the process sends more later."""
