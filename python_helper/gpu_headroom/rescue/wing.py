"""The wing that saves a training that failed: a file, and the cell that resumes it."""

from __future__ import annotations

import shutil
import time
from pathlib import Path
from typing import TYPE_CHECKING

from ..concurrency.turns import ConcurrentUseError, WalkCanceled
from ..handlers.dispatcher import RefusedError
from ..handlers.queued import enqueue, known_report
from ..holders.inspector import Inspector
from ..holders.training import TrainingState, file_stem
from ..session.wing import Wing
from ..text.format import format_error
from ..text.messages import message
from .checkpoint import Checkpoint, SaveCanceled, save
from .resume import resume_code

if TYPE_CHECKING:
    from ..concurrency.turns import Turn
    from ..handlers.dispatcher import Handlers
    from ..handlers.queued import Fields
    from ..protocol.generated import requests, wire

TEXTS = {
    "rescue.saved": "Saved {file_bytes} to `{path}`: `{names}`.",
    "rescue.busy": "A cell is running: the training can be saved when it has ended.",
    "rescue.cancelled": "Canceled: nothing was saved.",
    "rescue.nothing": "Nothing was saved: no variable leads to a model with its optimizer.",
    "rescue.beside": (
        "Nothing was saved: a thread or task of yours is inside a framework (`{name}`)."
    ),
    "rescue.changed": "Nothing was saved: another thread changed the weights meanwhile.",
    "rescue.room": ("Nothing was saved: it needs about {file_bytes}, {free_bytes} are left."),
    "rescue.failed": "Nothing was saved: {error}.",
}


class SavedTraining(Wing):
    """Wing that saves a training between cells, and sends the result as an event."""

    def handlers(self) -> Handlers:
        """Return what answers the request to save it."""
        return {"rescue": self._rescue}

    def _rescue(self, request: requests.RescueRequest) -> wire.RescueReply:
        host, report = self.host, known_report(self.host, request["report_id"])
        if host.cuda.stopped is not None:
            raise RefusedError(host.cuda.stopped)
        if host.ledger.running:
            raise RefusedError(message("rescue.busy", TEXTS))
        execution_count = report["execution_count"]
        reply: wire.RescueReply = enqueue(
            host,
            request,
            lambda turn: self._run(execution_count, turn),
            cancelled=lambda: _rescued(message("rescue.cancelled", TEXTS)),
            key=report["report_id"],
        )
        return reply

    def _run(self, execution_count: int | None, turn: Turn) -> Fields:
        written, code = None, None
        try:
            with turn.walking():
                inside = turn.company.inside
                state = TrainingState(self.host.shell, Inspector(turn))
            outcome = _obstacle(state, inside)
            if outcome is None:
                written = turn.on_main(lambda: _save(state, execution_count, turn))
                file = self._name(written.path)
                code = _code(state, file, execution_count, plain=written.plain)
                names = ", ".join(state.kept)
                size = written.bytes
                outcome = message("rescue.saved", TEXTS, file_bytes=size, path=file, names=names)
        except SaveCanceled:
            outcome = message("rescue.cancelled", TEXTS)
        except ConcurrentUseError:
            outcome = message("rescue.changed", TEXTS)
        except WalkCanceled:
            raise
        except BaseException as error:  # noqa: BLE001  the state of the person's objects is their code
            why = getattr(error, "strerror", None) or format_error(error)
            outcome = message("rescue.failed", TEXTS, error=why)
        return _rescued(outcome, written, code)

    def _name(self, file: Path) -> str:
        """Return how a kernel of this notebook finds a file: a new one begins where this did."""
        is_near = str(file.parent) == getattr(self.host.shell, "starting_dir", None)
        return file.name if is_near else str(file)


def _rescued(
    said: wire.Message, written: Checkpoint | None = None, code: str | None = None
) -> Fields:
    return {
        "path": None if written is None else str(written.path),
        "bytes": None if written is None else written.bytes,
        "code": code,
        "message": said,
    }


def _obstacle(state: TrainingState, inside: tuple[str, ...]) -> wire.Message | None:
    if inside:
        return message("rescue.beside", TEXTS, name=inside[0])
    if not state.kept:
        return message("rescue.nothing", TEXTS)
    needed, free = state.bytes, shutil.disk_usage(Path.cwd()).free
    if free < needed:
        return message("rescue.room", TEXTS, file_bytes=needed, free_bytes=free)
    return None


def _code(state: TrainingState, file: str, execution_count: int | None, *, plain: bool) -> str:
    failure = "the failure" if execution_count is None else f"cell [{execution_count}] failed"
    told_by = [name for name, optimizer in state.optimizers.items() if state.states(optimizer)]
    return resume_code(state.kept, told_by, file, failure, plain=plain)


def _save(state: TrainingState, execution_count: int | None, turn: Turn) -> Checkpoint:
    """Write the state on the main thread, which waits; `state_dict` runs the user's code."""
    turn.committed = True  # not started again after an interruption
    before = state.versions
    values = {name: value.state_dict() for name, value in state.kept.items()}
    stem = file_stem(execution_count, time.time())
    written = save(values, stem, lambda: turn.cancelled)
    if state.versions != before:
        written.path.unlink()
        raise ConcurrentUseError
    return written


WING = SavedTraining
