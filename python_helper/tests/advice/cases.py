"""Evidence for the tests of rules and remedies: a GPU of 16 GiB, and what a test changes of it."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from gpu_headroom.advice.registry import diagnose
from gpu_headroom.cells.runs import CellRun
from gpu_headroom.code.literals import literals_in
from gpu_headroom.code.notebook import Notebook
from gpu_headroom.errors.recognise import recognise
from gpu_headroom.errors.remote import RemoteWorker
from gpu_headroom.frameworks.torch.observer import Capture
from gpu_headroom.frameworks.view import FrameworkReading
from gpu_headroom.holders.groups import Group
from gpu_headroom.oom.evidence import Evidence
from gpu_headroom.oom.failure import Failure
from gpu_headroom.oom.failure_memory import FailureMemory
from gpu_headroom.oom.running import Running
from gpu_headroom.oom.scene import RunningModule, Scene
from gpu_headroom.readings.snapshot import DeviceReading
from gpu_headroom.text.format import GIB

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gpu_headroom.advice.remedy import Offer
    from gpu_headroom.holders.place import Origin
    from gpu_headroom.oom.operation import FailedOperation
    from gpu_headroom.protocol.generated.wire import HolderKind

CAPACITY = 16 * GIB


def cell(source: str = "", name: str = "failing", count: int = 7) -> CellRun:
    """Make the run of a cell."""
    return CellRun(name, count, source, None, 0.0)


def group(  # noqa: PLR0913  all that a test may vary
    path: str,
    size: int,
    kind: HolderKind = "tensor",
    *,
    count: int = 1,
    graphs: int = 0,
    origin: Origin = "names",
    dtype: str = "float32",
    shape: tuple[int, ...] = (64, 64),
    **changes: Any,
) -> Group:
    """Make what one name holds; with graphs all of it is in these."""
    root = path.partition("[")[0].partition(".")[0] if " in " not in path else path
    shapes = Counter({(shape, dtype, size // count): count}) if not graphs else Counter()
    base = Group(
        root, path, origin, None, count, size, size if graphs else 0, graphs, {kind: size}, shapes
    )
    return replace(base, **changes)


def device(*frameworks: str) -> DeviceReading:
    """Make the reading of a GPU on which each framework has 4 GiB that it does not use."""
    readings = [FrameworkReading(name, GIB, 4 * GIB) for name in frameworks]
    unknown: Any = {"uuid": None, "free_bytes": None, "outside_bytes": None, "others_bytes": None}
    return DeviceReading(
        index=0,
        backend="cuda",
        name="GPU",
        simulated=True,
        capacity_bytes=CAPACITY,
        capacity_limited=False,
        shared_with_host=False,
        frameworks=tuple(readings),
        **unknown,
    )


def evidence(  # noqa: PLR0913  all that a test may vary
    *,
    requested: int | None = 2 * GIB,
    free: int = GIB,
    cached: int = GIB // 2,
    outside: int = GIB // 2,
    kinds: dict[str, int] | None = None,
    source: str = "",
    cells: Sequence[CellRun] = (),
    largest_block: int | None = None,
    segments_expand: bool = False,
    in_other_process: bool = False,
    in_backward: bool = False,
    is_last: bool = False,
    line: int | None = None,
    running: Running | None = None,
    operation: FailedOperation | None = None,
    call: FailedOperation | None = None,
    modules: tuple[RunningModule, ...] = (),
    usable: int | None = None,
    device: DeviceReading | None = None,
    other_devices: tuple[DeviceReading, ...] = (),
    temporary_bytes: int = 0,
    **changes: Any,
) -> Evidence:
    """Make the evidence of a failure; what is in use is the rest of the GPU."""
    in_use = CAPACITY - free - cached - outside
    failing = cell(source)
    recognition = recognise(RuntimeError("CUDA out of memory."))
    assert recognition is not None
    capture = Capture(0.0, 0, CAPACITY, free, {}, largest_block, segments_expand, ())
    failure = Failure(
        error=RuntimeError(),
        recognition=replace(
            recognition, worker=RemoteWorker("process") if in_other_process else None
        ),
        capture=capture,
        helper_id="helper",
        cell=failing,
        cells=(*cells, failing),
        device=device,
        shell=None,
        time_s=0.0,
        other_devices=other_devices,
    )
    memory = FailureMemory(
        capacity_bytes=CAPACITY,
        free_bytes=free,
        usable_bytes=free if usable is None else usable,
        in_use_bytes=in_use,
        cached_bytes=cached,
        outside_bytes=outside,
        source="memory_stats()",
    )
    sizes: Any = kinds or {}
    rest = in_use - sum(sizes.values())
    base = Evidence(
        failure=failure,
        memory=memory,
        device_index=0,
        requested_bytes=requested,
        scene=Scene(
            line,
            in_backward,
            running or Running(),
            operation,
            call,
            is_last=is_last,
            modules=modules,
            steps=((failing, line),) if line is not None else (),
        ),
        kinds=sizes,
        parts={"temporaries": temporary_bytes, "not_attributed": rest - temporary_bytes},
        complete=True,
        notebook=Notebook.of([(run.key, run.source) for run in (*cells, failing)]),
    )
    return replace(base, **changes)


def offers(facts: Evidence) -> list[Offer]:
    """Return what is offered, in order."""
    return diagnose(facts).offers


def smaller_batch(source: str = "batch_size = 1024\ntrain(batch_size)", **changes: Any) -> Any:
    """Offer a smaller batch for a cell whose batch takes 9 GiB."""
    (literal, *_) = literals_in(cell(source), source)
    choices = offers(
        evidence(
            source=source,
            batch=literal,
            **{"batch_bytes": 9 * GIB, "kinds": {"activations": 9 * GIB}, **changes},
        )
    )
    return next((offer for offer in choices if offer.remedy["id"] == "smaller-batch"), None)
