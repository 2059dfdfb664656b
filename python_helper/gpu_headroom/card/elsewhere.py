"""A failure in another process, for the report of it here."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from .report import BuiltReport


class WorkerFailure:
    """What is known of a failure in another process besides its error: here nothing.

    `batch` is the place of the number that scales its memory, `fits` what should fit of it.
    """

    batch: object = None
    fits: object = None

    def joined(self, built: BuiltReport) -> BuiltReport:
        """Return its report with what the process has measured."""
        return built

    def await_more(self, update: Callable[[BuiltReport], None], built: BuiltReport) -> None:
        """Have a report that is displayed updated where the process answers later."""
