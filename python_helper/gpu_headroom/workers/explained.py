"""The report that a worker makes of its own failure, for the kernel to show."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from ..code.reading import each_parsed_once
from ..errors.recognise import recognise
from ..oom.evidence import measure
from ..oom.fitting import fitting
from ..readings.snapshot import DeviceSnapshot
from ..readings.sources import Sources
from ..reports.model import report_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..concurrency.turns import Turn
    from ..errors.recognise import Recognition
    from ..oom.failure import Failure

    FailureOf = Callable[[Recognition, DeviceSnapshot], Failure | None]


def explained(error: BaseException, failure_of: FailureOf, turn: Turn) -> dict[str, Any] | None:
    """Return the report of an error, measured in the process that raised it.

    `None` unless a GPU of this process was full: after a fork that PyTorch forbids, for example.
    """
    recognition, sources = recognise(error), Sources(lambda *_: None)
    if recognition is None or recognition.in_other_process:
        return None
    if sources.torch.state() != "live":
        return None
    snapshot = DeviceSnapshot(0, time.time(), *sources.read()[:3])
    failure = failure_of(recognition, snapshot)
    if failure is None:
        return None
    with each_parsed_once(turn, 1.0):
        evidence = measure(failure, turn)
        built = report_of(evidence)
    batch = evidence.batch
    place = None if batch is None else [batch.cell.key, batch.line, batch.column]
    return {"report": built.report, "batch": place, "fits": fitting(evidence)}
