"""Evidence of a failure: what filled the GPU, what retains it, and what would fit."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING

from ..code.batch import Code, is_of_others, size_literals
from ..code.facts import Live
from ..code.notebook import Notebook
from ..concurrency.turns import ConcurrentUseError, TimeLimitError
from ..holders.groups import groups_of
from ..holders.inspector import Inspector
from ..holders.ledger import StorageLedger
from ..holders.live import filled_attribute, live
from ..holders.names import user_names
from ..holders.parts import add_up
from ..holders.survey import survey
from ..holders.training import Training, TrainingState
from ..text.format import MIB
from ..text.messages import message
from .batch_number import at_once, batch_of
from .failing_line import failing_line
from .failure_memory import failure_memory, from_device, from_statement
from .others import MUCH_OUTSIDE, NO_OTHERS, others_on
from .peak import A_LAYERS, Peak
from .scene import Scene, scene

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Literal

    from ..code.literals import SizeLiteral
    from ..concurrency.turns import Turn
    from ..holders.graphs import Longer, Saver
    from ..holders.groups import Group
    from ..holders.modules import Model
    from ..holders.survey import Survey
    from ..protocol.generated.wire import Holder, HolderKind, Message, PartKind
    from .batch_number import AtOnce
    from .failure import Failure
    from .failure_memory import FailureMemory
    from .others import Others

_NAMED_BYTES = MIB
_SEVERAL = 3
_NAMED_SHARE = 0.01  # of what the traceback keeps in use
_ROLES: Sequence[Literal["image", "length"]] = ("image", "length")
# Chosen by trial, without a theory: `benchmarks/causes` shows the effect.
_PROVEN_INPUT = 0.3  # of what is in use has a side as long as a literal says


@dataclass(frozen=True, slots=True)
class Evidence:
    """All facts that rules and remedies use; sizes in bytes, `None` for unknown values.

    `failure` has readings of other GPUs than the failed one in its `other_devices` only. `kinds`
    are the bytes found by kind; `parts` all bytes in use, in the order of the bar. `let_go_bytes`
    were freed between the failure and the end of the cell: the error that this one replaced
    retained some of it, the rest had no name yet.

    `batch` scales `batch_bytes` of the memory in use, or `batch_twin` does, an equally likely
    number. `input_size`, the length of the input or the side of an image, scales `input_bytes`.
    `at_once` describes a batch that no literal sets. `halves_bytes` is what autocast would save of
    the memory that graphs retain, `saver` the operation that retains most of it, `longer` what is
    longer now than in the previous iteration.

    `groups` are the groups of storages under one name, `models` those with memory. `others` are
    only read if much memory is not this process's. `training` is what can be saved of a training
    that has made a step. `notebook` are all cells as they ran, `live` facts about the values.
    `fitting_batch` is the suggestion of another process that has measured it; `most_batch` the
    suggestion at an earlier failure of the same code. `advised` is better evidence to take advice
    from, that of the first failure of the cell. `complete` is false if the survey was cut short;
    `ended` is why memory may be missing from it.
    """

    failure: Failure
    memory: FailureMemory
    device_index: int
    requested_bytes: int | None
    scene: Scene
    kinds: Mapping[HolderKind, int]
    parts: Mapping[PartKind, int]
    traceback_bytes: int | None = None
    traceback_variables: tuple[Holder, ...] = ()
    holders: tuple[Holder, ...] = ()
    fits_after_free: bool | None = None
    earlier_traceback_bytes: int | None = None
    complete: bool = False
    ended: Message | None = None
    let_go_bytes: int | None = None
    batch: SizeLiteral | None = None
    batch_bytes: int = 0
    batch_twin: SizeLiteral | None = None
    at_once: AtOnce | None = None
    input_size: SizeLiteral | None = None
    input_bytes: int = 0
    halves_bytes: int = 0
    saver: Saver | None = None
    longer: Longer | None = None
    groups: tuple[Group, ...] = ()
    models: tuple[Model, ...] = ()
    training: Training | None = None
    others: Others = NO_OTHERS
    notebook: Notebook = field(default_factory=lambda: Notebook(()))
    live: Live = field(default_factory=Live)
    advised: Evidence | None = None
    fitting_batch: int | None = None
    most_batch: int | None = None

    @property
    def not_attributed_bytes(self) -> int | None:
        """Bytes in use that no walk found; `None` if the bytes in use are unknown."""
        return self.parts.get("not_attributed")

    @property
    def unnamed_bytes(self) -> int:
        """Bytes in use that no walk found, or found without a name that leads to them."""
        unnamed = sum(group.bytes for group in self.groups if not group.root)
        return (self.not_attributed_bytes or 0) + unnamed

    @property
    def temporary_bytes(self) -> int:
        """Values that had no name yet, and were gone at the end of the cell."""
        return self.parts.get("temporaries", 0)

    @property
    def model_bytes(self) -> int:
        """Parameters, gradients and optimizer state: what does not shrink with the batch."""
        return sum(self.kinds.get(kind, 0) for kind in _OF_THE_MODEL)

    @property
    def being_made_bytes(self) -> int:
        """Bytes of a model that was being created, which were freed as it failed."""
        makes = any(module.function == "__init__" for module in self.scene.modules)
        return self.temporary_bytes if makes else 0

    @property
    def collected_bytes(self) -> int:
        """Bytes that a comprehension, or `list(…)`, has made so far, if more than one value.

        0 if tasks run at the same time, whose values these may be.
        """
        size, running = self.temporary_bytes - self.being_made_bytes, self.scene.running
        gathers = running.gathering and not running.at_once and not self.scene.in_backward
        return size if gathers and size > A_LAYERS * (self.requested_bytes or 0) else 0

    def is_batch(self, group: Group) -> bool:
        """Whether a plain tensor has as many rows as the batch of the model that ran."""
        shape, _, _ = group.commonest
        rows = self.batch.value if self.batch is not None and self.scene.modules else None
        return group.kind == "tensor" and group.count == 1 and shape[:1] == (rows,)

    def is_of_round(self, group: Group) -> bool:
        """Whether the round, or function, that runs has made it: no part of what was there."""
        bound = self.scene.running.bound
        named = {key for key in group.keys if key.isidentifier()}
        return bool(group.keys & bound) and named <= bound

    @property
    def missing_bytes(self) -> int | None:
        """Bytes missing for the request if free memory were in one piece; negative if none are."""
        requested, headroom = self.requested_bytes, self.memory.headroom_bytes
        return None if requested is None or headroom is None else requested - headroom

    @property
    def failed_at_bytes(self) -> int | None:
        """Bytes in use plus the request; `None` if one of them is unknown."""
        in_use, requested = self.memory.in_use_bytes, self.requested_bytes
        return None if in_use is None or requested is None else in_use + requested

    @property
    def earlier_bytes(self) -> int:
        """Bytes that an earlier error or the first try of this cell retains, maybe as garbage."""
        return max(self.earlier_traceback_bytes or 0, self.failure.left_bytes)

    def share(self, size: int) -> float:
        """Return `size` as a share of what was in use."""
        in_use = self.memory.in_use_bytes
        return size / in_use if in_use else 0.0

    @property
    def peak(self) -> Peak:
        """Estimated peak of the failed cell, had its request succeeded."""
        return Peak(self)

    @property
    def in_step(self) -> bool:
        """Whether an optimizer made its step; not where it had the model run in it."""
        return self.scene.running.in_optimizer and self.scene.layers is None

    @property
    def pass_bytes(self) -> int:
        """Bytes that the failed pass retains so far for its backward pass.

        Without variables of the function that called the model, which may be of another pass.
        """
        callers = self.scene.running.callers
        return sum(
            group.kinds.get("activations", 0)
            for group in self.groups
            if group.origin == "traceback" and group.function.rpartition(".")[2] not in callers
        )


_OF_THE_MODEL: tuple[HolderKind, ...] = ("parameters", "gradients", "optimizer_state")
_PART_OF: Mapping[HolderKind, PartKind] = {
    "parameters": "parameters",
    "optimizer_state": "optimizer_state",
    "gradients": "gradients",
    "activations": "activations",
    "tensor": "other_tensors",
}


def measure(failure: Failure, turn: Turn, known: Scene | None = None) -> Evidence:
    """Survey the kernel after a failure. No reference to its frames or tensors is kept.

    `known` is the scene of an earlier call, used if that is complete. The memory is surveyed
    before the code is read.
    """
    here = known if known is not None and known.complete else None
    try:
        inner = failure.recognition.error.__traceback__ if here is None else None
        memory_survey, ended = survey(failure.shell, turn, for_account=True, failed=inner), None
    except ConcurrentUseError:
        memory_survey, ended = None, message("holders.disturbed")
    here = here or scene(failure, turn)
    ledger = memory_survey.ledger if memory_survey else StorageLedger()
    failure = failure.on_one_gpu()
    index = failure.device_index
    memory = _memory(failure, ledger.bytes(index))
    in_use, kinds = memory.in_use_bytes, dict(ledger.bytes_by_kind(index))
    if in_use is not None and sum(kinds.values()) > in_use:
        kinds = {}  # memory of another allocator: better no split than a wrong one
    traceback = ledger.bytes(index, origin="traceback") if memory_survey else None
    notebook, inspector = notebook_of(failure, here), Inspector(turn)
    names = user_names(failure.shell)
    batch, size, size_bytes = None, None, 0
    with suppress(TimeLimitError):
        if memory_survey:
            runs = {run.key: run for run in (*here.files, *failure.cells, failure.cell)}.values()
            literals_of = partial(
                size_literals,
                cells=tuple(runs),
                values=names,
                code=Code(),  # each cell is looked through once for all questions
            )
            numbers = literals_of(("batch", "unnamed", "other"))
            batch = batch_of(numbers, ledger, index, here, notebook)
            size, size_bytes = _proven_input(literals_of(_ROLES), ledger, index, here, notebook)
    let_go = _let_go(failure, memory)
    groups = groups_of(memory_survey, index) if memory_survey else ()
    cell_bytes = (in_use or 0) - (failure.start_bytes or 0)
    rows, facts = None, Live()
    with suppress(TimeLimitError):
        grown = {
            f".{name}"
            for group in groups
            if group.count >= _SEVERAL and cell_bytes >= group.bytes / 2  # most of it by this cell
            if (name := filled_attribute(group.path, names, here.running.calls, inspector))
        }
        here = replace(here, running=replace(here.running, growing=here.running.growing | grown))
        rows = None if batch else at_once(ledger, index, here, names)
        facts = live(names, inspector)
    much_outside = (memory.outside_bytes or 0) >= MUCH_OUTSIDE * (memory.capacity_bytes or 0)
    return Evidence(
        failure=failure,
        memory=memory,
        device_index=index,
        requested_bytes=failure.requested_bytes,
        scene=here,
        kinds=kinds,
        parts=_parts(failure, memory_survey, index, in_use, kinds, let_go),
        traceback_bytes=traceback,
        traceback_variables=_traceback_variables(ledger, index),
        holders=tuple(ledger.largest(index, "names", "modules", "outputs", "elsewhere")),
        fits_after_free=_fits(failure, memory, index, traceback, here),
        earlier_traceback_bytes=_earlier(failure, memory_survey, index),
        complete=memory_survey is not None and memory_survey.complete,
        ended=ended if memory_survey is None else memory_survey.ended,
        let_go_bytes=let_go,
        batch=batch and batch.literal,
        batch_bytes=batch.bytes if batch else 0,
        batch_twin=batch and batch.twin,
        at_once=rows,
        input_size=size,
        input_bytes=size_bytes,
        halves_bytes=memory_survey.halves.get(index, 0) if memory_survey else 0,
        saver=memory_survey.savers.get(index) if memory_survey else None,
        longer=memory_survey.longer if memory_survey else None,
        groups=groups,
        models=_models(memory_survey, groups) if memory_survey else (),
        training=_training(failure, turn, here) if here.running.trains else None,
        others=others_on(failure.device) if much_outside else NO_OTHERS,
        notebook=notebook,
        live=facts,
    )


def notebook_of(failure: Failure, here: Scene) -> Notebook:
    """Return the cells of a failure as they ran, with the files that ran with them."""
    cells = {run.key: run for run in (*failure.cells, failure.cell)}.values()
    return Notebook.of([(run.key, run.source) for run in cells], here.files)


def as_said(failure: Failure) -> Evidence:
    """Return the evidence in the error alone, without any of this kernel."""
    statement = failure.recognition.said
    return Evidence(
        failure=replace(failure, capture=None, device=None, cells=(), runs=()),
        memory=from_statement(statement),
        device_index=statement.device_index or 0,
        requested_bytes=statement.requested_bytes,
        scene=Scene(line=failing_line(failure.error, failure.cell)),
        kinds={},
        parts={} if statement.in_use_bytes is None else {"not_attributed": statement.in_use_bytes},
    )


def _earlier(failure: Failure, found: Survey | None, index: int) -> int | None:
    """Return what an error before this one keeps: of an earlier cell, or one being handled."""
    handled = 0 if found is None else found.earlier.get(index, 0)
    shown = failure.earlier_traceback_bytes
    return max(shown or 0, handled) if handled else shown


def _models(found: Survey, groups: Sequence[Group]) -> tuple[Model, ...]:
    """Return the named models that retain memory, without those that a library has."""
    here = {group.path for group in groups if group.kinds.get("parameters")}
    return tuple([model for model in found.models if model.name and model.name in here])


def _training(failure: Failure, turn: Turn, here: Scene) -> Training | None:
    state = TrainingState(failure.shell, Inspector(turn))
    is_worth_it = state.kept and state.has_trained(in_step=here.running.in_optimizer)
    return Training(tuple(state.kept), state.bytes) if is_worth_it else None


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


def _parts(  # noqa: PLR0913, PLR0917  all that the sum is made of
    failure: Failure,
    found: Survey | None,
    index: int,
    in_use: int | None,
    kinds: Mapping[HolderKind, int],
    let_go: int | None,
) -> dict[PartKind, int]:
    """Split what was in use in the order of the bar."""
    parts = {part: kinds[kind] for kind, part in _PART_OF.items() if kind in kinds}
    if in_use is None:
        return parts
    parts |= found.unheld_on(index) if found is not None else {}
    freed_bytes = let_go or 0
    earlier = min(freed_bytes, failure.earlier_traceback_bytes or 0)
    parts |= {"earlier_error": earlier, "temporaries": freed_bytes - earlier}
    return add_up(in_use, parts.items())


def _fits(
    failure: Failure, memory: FailureMemory, index: int, traceback: int | None, here: Scene
) -> bool | None:
    """Whether the same cell would complete once its traceback is freed; `None` if uncertain.

    The cell will take what it took, then make the same request, then more requests. So failing
    again may be certain, but success only if it has completed before, or the request was the last.
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
    if taken + requested > headroom + traceback + let_go:
        return False
    if here.is_last:
        return True
    needed = _needed_before(failure, index)
    room = memory.in_use_bytes + headroom - (device.in_use_bytes - traceback)
    return True if needed is not None and needed <= room else None


def _needed_before(failure: Failure, index: int) -> int | None:
    """Return the most that earlier runs of just this code needed, where one came to its end."""
    needed = [
        memory["needed_bytes"]
        for run in failure.runs
        if run.key == failure.cell.key
        and run.status == "ok"
        and run.source == failure.cell.source
        and (memory := run.on(index)) is not None
        and memory["peak_bytes"] == memory["peak_at_most_bytes"]
        and memory["needed_bytes"] is not None
    ]
    return max(needed, default=None)


def _proven_input(
    literals: Sequence[SizeLiteral],
    ledger: StorageLedger,
    index: int,
    here: Scene,
    notebook: Notebook,
) -> tuple[SizeLiteral | None, int]:
    """Return the literal that much in memory has as its length, or as both sides of an image.

    Where something trains it is that of the training data: not of a test's, nor of targets.
    """
    least = _PROVEN_INPUT * ledger.bytes(index)
    for role in _ROLES:
        for literal in reversed(literals):
            if literal.role != role or (here.running.trains and is_of_others(notebook, literal)):
                continue
            of_sides = partial(ledger.bytes_of_sides, index, literal.value, both=role == "image")
            if (scaling := of_sides()) and scaling >= least:
                return literal, of_sides(multiples=True)
    return None, 0


def _traceback_variables(ledger: StorageLedger, index: int) -> tuple[Holder, ...]:
    """Return the variables that are worth a word, and the largest in any case."""
    largest = ledger.largest(index, "traceback")
    least = max(_NAMED_BYTES, _NAMED_SHARE * ledger.bytes(index, origin="traceback"))
    return tuple([holder for n, holder in enumerate(largest) if n == 0 or holder["bytes"] >= least])
