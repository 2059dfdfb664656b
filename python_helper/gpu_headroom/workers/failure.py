"""What a worker has left of its failure, and what the others tell, for the report of it here."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from ..inspection.kinds import args_of, name_of
from ..own import bring
from ..session.wing import WorkerFailure
from .report import is_of, joined

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..card.report import BuiltReport
    from ..errors.recognise import Recognition
    from ..errors.remote import RemoteWorker
    from .wing import Workers

# What a worker tells may come a little after its error.
_SOON_S, _TRIES = 0.2, 5


class LeftFailure(WorkerFailure):
    """Joins what a worker has `left` to the report of its failure; `take` looks for that again."""

    def __init__(
        self, workers: Workers, left: dict[str, Any], take: Callable[[], dict[str, Any]] | None
    ) -> None:
        self._workers, self._left, self._take = workers, left, take
        self.batch, self.fits = left.get("batch"), left.get("fits")

    def joined(self, built: BuiltReport) -> BuiltReport:
        """Return a report with what its worker has left, and with what the others tell."""
        from ..render import bundle

        with suppress(Exception):  # it comes from another process: what cannot be shown is not used
            whole = joined(built, self._left.get("report"), self._left.get("others", 0))
            whole = self._beside(whole)
            bundle(whole.report, keep=True)
            return whole
        return self._beside(built)

    def await_more(self, update: Callable[[BuiltReport], None], built: BuiltReport) -> None:
        """Look a few times whether the worker is heard of by now."""
        take, schedule = self._take, self._workers.host.schedule

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
        return replace(built, report=others.told_beside(built.report, self._workers.answer().cards))


def left_by(workers: Workers, worker: RemoteWorker, recognition: Recognition) -> LeftFailure:
    """Return what the worker of an error has left; of a command's process if it is its own."""
    left: dict[str, Any] = {}
    take = None
    if worker.engine == "command":
        left = workers.ranks.take(worker.pid, worker.rank)
        if not is_of(left.get("report"), recognition.said):
            left = {}
    elif worker.engine == "rank":
        left = {} if worker.pid is None else workers.ranks.take(worker.pid)
    elif (engine := workers.engine(worker.engine)) is not None:
        take = partial(engine.take, _as_text(recognition.error), worker)
        left = take()
    return LeftFailure(workers, left, take)


def _as_text(error: BaseException) -> str:
    """Return an error as `repr` has it, which its class may have made another of."""
    said = ", ".join([repr(each) for each in args_of(error) if type(each) is str])
    return f"{name_of(type(error))}({said})"
