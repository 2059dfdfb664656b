"""Wing that measures the cost of running cells again: memory to free first, and lost training."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from ..cells.runs import CellRun
from ..code.beside import with_scripts
from ..handlers.queued import enqueue, known_report
from ..holders.inspector import Inspector
from ..holders.training import TrainingState
from ..oom.running import LIBRARIES_TRAIN
from ..release.items import as_wire, measured
from ..session.wing import Wing
from ..text.messages import message
from .code import makes_anew, trained_before, trains_again
from .overwritten import label, offer, settle

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ..cells.runs import Ledger
    from ..concurrency.turns import Turn
    from ..handlers.dispatcher import Handlers
    from ..handlers.queued import Fields
    from ..oom.scene import Scene
    from ..protocol.generated import requests, wire

TEXTS = {
    "rerun.lost": "What `{names}` learned in training is lost: {cells} starts again.",
    "rerun.lost_trains": (
        "What `{names}` learned in training is lost: {cells} trains again from the start."
    ),
    "rerun.goes_on": "{cells} trains again, on from what `{names}` learned so far.",
    "rerun.trains": "{cells} trains again: what it has trained so far may be lost.",
}
_CANCELLED = {"status": "cancelled", "items": [], "cautions": [], "saves": False}


class Learnt(NamedTuple):
    """The names of all that was trained; `None` if that is unknown.

    `begun`: the failed cell may have made training steps itself. `failed` is the cell's id.
    """

    names: tuple[str, ...] | None
    failed: str | None
    begun: bool


class Reruns(Wing):
    """Finds out between cells what running some again would cost; nothing is freed here."""

    def handlers(self) -> Handlers:
        """Return what answers the request for it."""
        return {"rerun": self._rerun}

    def _rerun(self, request: requests.RerunRequest) -> wire.RerunReply:
        known_report(self.host, request["report_id"])
        reply: wire.RerunReply = enqueue(
            self.host,
            request,
            lambda turn: self._run(request, turn),
            cancelled=lambda: _CANCELLED,
            key=request["id"],
        )
        return reply

    def _run(self, request: requests.RerunRequest, turn: Turn) -> Fields:
        helper = self.host
        ran = {cell_run.key: cell_run for cell_run in helper.ledger.cells()}
        cells = {**{key: cell_run.source for key, cell_run in ran.items()}, **request["sources"]}
        cells = {key: with_scripts(cell) for key, cell in cells.items()}
        run = [
            replace(ran.get(key) or CellRun(key, None, "", None, 0.0), source=cells[key])
            for key in request["run"]
            if key in cells
        ]
        learnt = self._learnt(request["report_id"], cells, turn)
        cautions = list(_cautions(learnt, run, cells, helper.ledger))
        situation = helper.situation(turn)
        freeables = measured(situation, offer(situation, run, cells))
        settle(situation, freeables)
        return {
            "status": "ready",
            "items": [as_wire(item) for item in freeables],
            "cautions": cautions,
            "saves": bool(learnt.names and cautions),
        }

    def _learnt(self, report_id: str, cells: Mapping[str, str], turn: Turn) -> Learnt:
        """Return what has been trained, from the state of the kernel and not from the code."""
        helper, report = self.host, self.host.reports.report(report_id)
        scene, last = helper.reports.scene(report_id), helper.ledger.current()
        failed = None if report is None else report["cell_id"]
        is_as_failed = scene is not None and last is not None and last.cell_id == failed
        in_step = is_as_failed and scene is not None and scene.running.in_optimizer
        unknown = Learnt(None, failed, scene is None or _begun(scene, cells.values()))
        if helper.cuda.stopped is not None:
            return unknown
        with turn.walking():
            if turn.company.inside:
                return unknown
            state = TrainingState(helper.shell, Inspector(turn))
            if not state.kept:
                return unknown
            names = tuple(state.kept) if state.has_trained(in_step=in_step) else ()
            return unknown._replace(names=names)


def _cautions(
    learnt: Learnt, run: Sequence[CellRun], cells: Mapping[str, str], ledger: Ledger
) -> Iterable[wire.Message]:
    """Yield messages on what is lost without new training, and on cells that train again."""
    trainers = [cell_run for cell_run in run if trains_again(cell_run.source, cells.values())]
    if learnt.names is None:
        if trainers:
            yield message("rerun.trains", TEXTS, cells=_labels(trainers))
        return
    makers = {
        name: [cell_run for cell_run in run if makes_anew(cell_run.source, name, cells.values())]
        for name in learnt.names
    }
    lost = [name for name, runs in makers.items() if runs]
    if lost:
        causes = [cell_run for cell_run in run if any(cell_run in makers[name] for name in lost)]
        message_id = "rerun.lost_trains" if trainers else "rerun.lost"
        yield message(message_id, TEXTS, names=", ".join(lost), cells=_labels(causes))
    rest = [name for name in learnt.names if name not in lost]
    again = [cell_run for cell_run in trainers if learnt.begun or cell_run.cell_id != learnt.failed]
    if rest and again:
        yield message("rerun.goes_on", TEXTS, names=", ".join(rest), cells=_labels(again))
    # Of a training that no name leads to a cell that came to its end tells.
    done = {cell_run.key for cell_run in ledger.cells() if cell_run.status == "ok"}
    ended = [cell_run for cell_run in trainers if cell_run.key in done]
    if ended and not learnt.names:
        yield message("rerun.trains", TEXTS, cells=_labels(ended))


def _begun(scene: Scene, cells: Iterable[str]) -> bool:
    """Whether the failed cell may have made steps: in a loop, in a library, or before."""
    now = scene.running
    return (
        (now.loops and not now.first_round)
        or not LIBRARIES_TRAIN.isdisjoint(now.functions)
        or any(trained_before(cell.source, line, cells) for cell, line in scene.steps)
    )


def _labels(cells: Iterable[CellRun]) -> str:
    return ", ".join([label(run) for run in cells])


WING = Reruns
