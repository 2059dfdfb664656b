"""What a worker has left of its failure, and what the others tell, for the report of it here."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from ..card.elsewhere import WorkerFailure
from ..inspection.kinds import args_of, name_of
from ..own import bring
from .report import joined

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..card.report import BuiltReport
    from ..protocol.generated.wire import WorkerCard
    from ..session.wing import Host

# What a worker tells may come a little after its error.
_SOON_S, _TRIES = 0.2, 5


class LeftFailure(WorkerFailure):
    """Joins what a worker has `left` to the report of its failure; `take` looks for that again.

    `cards` returns what is known of all workers' GPUs.
    """

    def __init__(
        self,
        host: Host,
        cards: Callable[[], list[WorkerCard]],
        left: dict[str, Any],
        take: Callable[[], dict[str, Any]] | None,
    ) -> None:
        self._schedule, self._cards = host.schedule, cards
        self._left, self._take = left, take
        self.batch, self.fits = left.get("batch"), left.get("fits")

    def joined(self, built: BuiltReport) -> BuiltReport:
        """Return a report with what its worker has left, and with what the others tell."""
        from ..render.bundle import bundle

        with suppress(Exception):  # it comes from another process: what cannot be shown is not used
            whole = joined(built, self._left.get("report"), self._left.get("others", 0))
            whole = self._beside(whole)
            bundle(whole.report, keep=True)
            return whole
        return self._beside(built)

    def await_more(self, update: Callable[[BuiltReport], None], built: BuiltReport) -> None:
        """Look a few times whether the worker has answered by now."""
        take, schedule = self._take, self._schedule

        def look(left_tries: int) -> None:
            self._left = take() if take is not None else {}
            if self._left:
                update(self.joined(built))
            elif left_tries:
                schedule(partial(look, left_tries - 1), _SOON_S)

        if take is not None and not self._left:
            schedule(partial(look, _TRIES), _SOON_S)

    def _beside(self, built: BuiltReport) -> BuiltReport:
        """Return a report with what the other workers tell of it, where that was brought."""
        others = bring(".workers.beside")
        if others is None:
            return built
        return replace(built, report=others.told_beside(built.report, self._cards()))


def as_text(error: BaseException) -> str:
    """Return an error as `repr` has it, which its class may have made another of."""
    said = ", ".join([repr(argument) for argument in args_of(error) if type(argument) is str])
    return f"{name_of(type(error))}({said})"
