"""A worker's own report of its failure, joined with the other workers' readings."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from ..inspection.kinds import args_of, name_of
from ..own import bring
from ..reports.elsewhere import WorkerFailure
from .report import joined

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..protocol.generated.wire import WorkerGpu
    from ..reports.model import BuiltReport
    from ..session.wing import Host

# A worker's report may arrive a little after its error.
_SOON_S, _TRIES = 0.2, 5


class LeftFailure(WorkerFailure):
    """Joins the report that a worker has `left` to the kernel's report of the failure.

    `take` looks for that report again, where it may still arrive. `gpus` returns the last known
    readings of all workers' GPUs.
    """

    def __init__(
        self,
        host: Host,
        gpus: Callable[[], list[WorkerGpu]],
        left: dict[str, Any],
        take: Callable[[], dict[str, Any]] | None,
    ) -> None:
        self._schedule, self._gpus = host.schedule, gpus
        self._left, self._take = left, take
        self.batch, self.fits = left.get("batch"), left.get("fits")

    def joined(self, built: BuiltReport) -> BuiltReport:
        """Return `built` with the worker's own report and the other workers' readings."""
        from ..render.bundle import bundle

        with suppress(Exception):  # data of another process: discarded if it cannot be shown
            result = joined(built, self._left.get("report"), self._left.get("others", 0))
            result = self._beside(result)
            bundle(result.report, keep=True)
            return result
        return self._beside(built)

    def await_more(self, update: Callable[[BuiltReport], None], built: BuiltReport) -> None:
        """Call `update` if the worker's report arrives within a few attempts."""
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
        """Return a report with the other workers' causes, if that module is installed."""
        module = bring(".workers.beside")
        if module is None:
            return built
        return replace(built, report=module.told_beside(built.report, self._gpus()))


def as_text(error: BaseException) -> str:
    """Return the default `repr` of an error, without calling an override of its class."""
    arguments = ", ".join([repr(argument) for argument in args_of(error) if type(argument) is str])
    return f"{name_of(type(error))}({arguments})"
