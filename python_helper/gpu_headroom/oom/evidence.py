"""From a failure to its evidence: what filled the card, who holds it, what would fit."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ..cells.batch import batch_literals
from ..concurrency.turns import Disturbed
from ..holders.ledger import StorageLedger
from ..holders.names import user_names
from ..holders.survey import survey
from ..text.format import MIB
from .failure_memory import failure_memory, from_device, from_statement
from .place import failed_in_backward, failing_line

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..cells.literals import SizeLiteral
    from ..concurrency.turns import Turn
    from ..holders.ledger import Retained
    from ..holders.modules import Model
    from ..holders.survey import Survey
    from ..protocol.wire import Holder, HolderKind
    from .failure import Failure
    from .failure_memory import FailureMemory

_NAMED_BYTES = MIB
_NAMED_SHARE = 0.01  # of what the traceback keeps in use
_PROVEN_SHARE = 0.1  # of what is in use must have as many rows as a literal says


@dataclass(frozen=True, slots=True)
class Evidence:
    """All that rules and remedies may reason from; sizes in bytes, `None` is not known.

    `failure` has no reading of another card than the one that failed. `let_go_bytes` came back
    between the failure and the end of the cell. `batch` is proven to scale `batch_bytes` of what
    is in use. `complete` is false where the survey ran out of time.
    """

    failure: Failure
    memory: FailureMemory
    device_index: int
    requested_bytes: int | None
    line: int | None
    kinds: Mapping[HolderKind, int]
    not_attributed_bytes: int | None
    traceback_bytes: int | None = None
    traceback_variables: tuple[Holder, ...] = ()
    holders: tuple[Holder, ...] = ()
    fits_after_free: bool | None = None
    earlier_traceback_bytes: int | None = None
    in_backward: bool = False
    complete: bool = False
    let_go_bytes: int | None = None
    batch: SizeLiteral | None = None
    batch_bytes: int = 0
    retained: tuple[Retained, ...] = ()
    models: tuple[Model, ...] = ()

    @property
    def model_bytes(self) -> int:
        """Parameters, gradients and optimizer state: what does not shrink with the batch."""
        return sum(self.kinds.get(kind, 0) for kind in _OF_THE_MODEL)

    def share(self, size: int) -> float:
        """Return `size` as a share of what was in use."""
        in_use = self.memory.in_use_bytes
        return size / in_use if in_use else 0.0


_OF_THE_MODEL: tuple[HolderKind, ...] = ("parameters", "gradients", "optimizer_state")


def measure(failure: Failure, turn: Turn) -> Evidence:
    """Survey the kernel after a failure. Leaves no reference to its frames or tensors behind.

    Of a failure of another process only what the error says is taken.
    """
    if failure.elsewhere:
        recognition = replace(failure.recognition, elsewhere=True)
        return as_said(replace(failure, recognition=recognition))
    try:
        found = survey(failure.shell, turn)
    except Disturbed:
        found = None
    ledger = found.ledger if found else StorageLedger()
    failure = failure.on_one_card()
    index = failure.device_index
    memory = _memory(failure, ledger.bytes(index))
    in_use, kinds = memory.in_use_bytes, dict(ledger.bytes_by_kind(index))
    if in_use is not None and sum(kinds.values()) > in_use:
        kinds = {}  # memory of another allocator: better no split than a wrong one
    traceback = ledger.bytes(index, origin="traceback") if found else None
    inner, cell = failure.recognition.error, failure.cell
    line = failing_line(inner, cell) or failing_line(failure.error, cell)
    batch, batch_bytes = _proven_batch(failure, ledger, index, line) if found else (None, 0)
    return Evidence(
        failure=failure,
        memory=memory,
        device_index=index,
        requested_bytes=failure.requested_bytes,
        line=line,
        kinds=kinds,
        not_attributed_bytes=None if in_use is None else in_use - sum(kinds.values()),
        traceback_bytes=traceback,
        traceback_variables=_traceback_variables(ledger, index),
        holders=tuple(ledger.largest(index, "names", "outputs")),
        fits_after_free=_fits(failure, memory, index, traceback),
        earlier_traceback_bytes=failure.earlier_traceback_bytes,
        in_backward=failed_in_backward(inner),
        complete=found is not None and found.complete,
        let_go_bytes=_let_go(failure, memory),
        batch=batch,
        batch_bytes=batch_bytes,
        retained=ledger.retained(index),
        models=_models(found, index) if found else (),
    )


def as_said(failure: Failure) -> Evidence:
    """Return what only the error says of a failure, and nothing of this kernel."""
    said = failure.recognition.said
    return Evidence(
        failure=replace(failure, capture=None, device=None, cells=(), runs=()),
        memory=from_statement(said),
        device_index=said.device_index or 0,
        requested_bytes=said.requested_bytes,
        line=failing_line(failure.error, failure.cell),
        kinds={},
        not_attributed_bytes=said.in_use_bytes,
    )


def _models(found: Survey, index: int) -> tuple[Model, ...]:
    """Take the models with parameters on the card; what a library keeps elsewhere says nothing."""
    here = found.ledger.roots_of(index, "parameters")
    return tuple([each for each in found.models if each.name in here])


def _memory(failure: Failure, attributed: int) -> FailureMemory:
    """Take the observer's numbers unless they are of another failure: less than is found now."""
    device = failure.device
    memory = failure_memory(failure.recognition, failure.capture, device)
    if device is not None and memory.in_use_bytes is not None and attributed > memory.in_use_bytes:
        return from_device(device)
    return memory


def _let_go(failure: Failure, memory: FailureMemory) -> int | None:
    """Return what came back by itself: an earlier error's, and what no name held yet."""
    device = failure.device
    if device is None or memory.in_use_bytes is None:
        return None
    return max(0, memory.in_use_bytes - device.in_use_bytes)


def _fits(
    failure: Failure, memory: FailureMemory, index: int, traceback: int | None
) -> bool | None:
    """Whether the same cell would come past the failing request once its traceback is freed.

    Run again, it takes what it had taken and then asks for the same. What held memory before
    it began and is freed with the rest is what can make the difference.
    """
    requested, headroom = failure.requested_bytes, memory.headroom_bytes
    if requested is None or headroom is None or traceback is None:
        return None
    device, run = failure.device, failure.cell.on(index)
    change = None if run is None else run["change_bytes"]
    if device is None or change is None or memory.in_use_bytes is None:
        return None if requested <= headroom + traceback else False
    came_back = memory.in_use_bytes - device.in_use_bytes
    taken = max(0, came_back + change)
    # An earlier error went when this one took its place, or waits to be collected.
    let_go = max(came_back, failure.earlier_traceback_bytes or 0)
    return taken + requested <= headroom + traceback + let_go


def _proven_batch(
    failure: Failure, ledger: StorageLedger, index: int, line: int | None
) -> tuple[SizeLiteral | None, int]:
    """Return the literal that tensors in memory have as many rows as, and their bytes."""
    least = _PROVEN_SHARE * ledger.bytes(index)
    values = user_names(failure.shell)
    literals = batch_literals(failure.cell, failure.cells, values, line=line)
    for multiples in (False, True):  # tokens and heads multiply the rows; many numbers divide them
        for literal in literals:
            scaling = ledger.bytes_of_rows(index, literal.value, multiples=multiples)
            if scaling and scaling >= least:
                return literal, scaling
    return None, 0


def _traceback_variables(ledger: StorageLedger, index: int) -> tuple[Holder, ...]:
    """Return the variables that are worth a word, and the largest in any case."""
    largest = ledger.largest(index, "traceback")
    least = max(_NAMED_BYTES, _NAMED_SHARE * ledger.bytes(index, origin="traceback"))
    return tuple([each for n, each in enumerate(largest) if n == 0 or each["bytes"] >= least])
