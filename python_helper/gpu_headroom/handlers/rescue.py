"""The request to save a training that failed: a file, and the cell that goes on from it."""

from __future__ import annotations

import shutil
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..concurrency.turns import Abandoned, Disturbed
from ..edits.resume import resume_code
from ..frameworks.torch.checkpoint import Checkpoint, Stopped, save
from ..holders.inspector import Inspector
from ..holders.training import TrainingState, file_stem
from ..text.format import format_error
from ..text.messages import message
from .dispatcher import Refusal
from .queued import enqueue

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..concurrency.turns import Turn
    from ..protocol.generated import requests, wire
    from .queued import Fields, Served


class RescueRequests:
    """Saves a training between cells; what came of it is told as an event."""

    def __init__(self, life: Served) -> None:
        self._life = life
        self.by_kind: dict[str, Callable[[Any], wire.Reply]] = {"rescue": self._rescue}

    def _rescue(self, request: requests.RescueRequest) -> wire.RescueReply:
        life, report = self._life, self._life.reports.report(request["report_id"])
        if report is None:
            raise Refusal(message("fix.unknown"))
        if life.cuda.stopped is not None:
            raise Refusal(life.cuda.stopped)
        if life.ledger.running:
            raise Refusal(message("rescue.busy"))
        execution_count = report["execution_count"]
        reply: wire.RescueReply = enqueue(
            life,
            request,
            lambda turn: self._run(execution_count, turn),
            cancelled=lambda: _rescued(message("rescue.cancelled")),
            key=report["report_id"],
        )
        return reply

    def _run(self, execution_count: int | None, turn: Turn) -> Fields:
        written, code = None, None
        try:
            with turn.walking():
                inside = turn.company.inside
                state = TrainingState(self._life.shell, Inspector(turn))
            said = _obstacle(state, inside)
            if said is None:
                written = turn.on_main(lambda: _save(state, execution_count, turn))
                file = self._name(written.path)
                code = _code(state, file, execution_count, plain=written.plain)
                names = ", ".join(state.kept)
                size = written.bytes
                said = message("rescue.saved", file_bytes=size, path=file, names=names)
        except Stopped:
            said = message("rescue.cancelled")
        except Disturbed:
            said = message("rescue.changed")
        except Abandoned:
            raise
        except BaseException as error:  # noqa: BLE001  the state of the person's objects is their code
            why = getattr(error, "strerror", None) or format_error(error)
            said = message("rescue.failed", error=why)
        return _rescued(said, written, code)

    def _name(self, file: Path) -> str:
        """Return how a kernel of this notebook finds a file: a new one begins where this did."""
        is_near = str(file.parent) == getattr(self._life.shell, "starting_dir", None)
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
        return message("rescue.beside", name=inside[0])
    if not state.kept:
        return message("rescue.nothing")
    needed, free = state.bytes, shutil.disk_usage(Path.cwd()).free
    if free < needed:
        return message("rescue.room", file_bytes=needed, free_bytes=free)
    return None


def _code(state: TrainingState, file: str, execution_count: int | None, *, plain: bool) -> str:
    failure = "the failure" if execution_count is None else f"cell [{execution_count}] failed"
    told_by = [name for name, each in state.optimizers.items() if state.states(each)]
    return resume_code(state.kept, told_by, file, failure, plain=plain)


def _save(state: TrainingState, execution_count: int | None, turn: Turn) -> Checkpoint:
    """Write the state, on the main thread, which stands still; `state_dict` is the person's."""
    turn.committed = True  # it is not begun anew, whatever comes between
    before = state.versions
    values = {name: each.state_dict() for name, each in state.kept.items()}
    stem = file_stem(execution_count, time.time())
    written = save(values, stem, lambda: turn.cancelled)
    if state.versions != before:
        written.path.unlink()
        raise Disturbed
    return written


PART = RescueRequests
