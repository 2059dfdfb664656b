"""The wing for the processes that this notebook sends work to, of all engines."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from .. import system
from ..frameworks.imported import imported
from ..own import bring
from ..readings.merge import plain_uuid
from ..session.wing import Wing
from .gpus import MOST, Answer, engine_of, share
from .ranks import Ranks

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from ..errors.recognise import Recognition
    from ..handlers.dispatcher import Handlers
    from ..protocol.generated import wire
    from ..protocol.generated.wire import Followed, FollowedWorkers, GpuShare, WorkerGpu
    from ..readings.snapshot import DeviceReading, DeviceSnapshot
    from ..session.wing import Host
    from .failure import LeftFailure

# Module that the user imports, and its engine: class `Engine` of `workers/<engine>.py`. Engines
# come with a pack of their own.
_ENGINES = {"distributed": "dask", "ipyparallel": "ipyparallel", "ray": "ray"}
_RANK_S = 2.0  # of processor time in a rank that ends


class Workers(Wing):
    """All workers, in their last known state; usable from any thread."""

    def __init__(self, host: Host) -> None:
        super().__init__(host)
        self.ranks = Ranks(host.helper_id, host.ledger, host.await_cuda, self._explain_rank)
        self._engines: dict[str, Any] = {"rank": self.ranks}

    # --- The interface of a wing ------------------------------------------------

    def prepare(self) -> None:
        """Make processes that start from now on report their GPU use."""
        self.ranks.open()

    def close(self) -> None:
        """Stop following all workers."""
        self.unfollow()
        self.ranks.close()

    def handlers(self) -> Handlers:
        """Return the handlers of requests about workers; empty if that module is not installed."""
        requests = bring(".workers.requests")
        handlers: Handlers = {} if requests is None else requests.WorkerRequests(self).by_kind
        return handlers

    def complete_sample(self, sample: wire.Sample, snapshot: DeviceSnapshot) -> None:
        """Add the summary of the workers to a sample."""
        sample["workers"] = self.short(snapshot.devices)

    def in_use_elsewhere(self) -> int | None:
        """Return the bytes in use by all workers; `None` where none are measured."""
        engines = [engine for engine in self._engines.values() if engine.followed()]
        return sum(engine.answer("").in_use_bytes for engine in engines) if engines else None

    def worker_failure(self, recognition: Recognition) -> LeftFailure | None:
        """Return the report that a worker left of its failure; `None` if no worker raised it."""
        from .failure import LeftFailure, as_text
        from .report import is_of

        worker = recognition.worker
        if worker is None:
            return None
        fields: dict[str, Any] = {}
        take = None
        if worker.engine == "command":
            fields = self.ranks.take(worker.pid, worker.rank)
            if not is_of(fields.get("report"), recognition.said):
                fields = {}
        elif worker.engine == "rank":
            fields = {} if worker.pid is None else self.ranks.take(worker.pid)
        elif (engine := self.engine(worker.engine)) is not None:
            take = partial(engine.take, as_text(recognition.error), worker)
            fields = take()
        return LeftFailure(self.host, lambda: self.answer().gpus, fields, take)

    def status(self) -> str:
        """Return the last known use of the workers' GPUs as text."""
        console = bring(".workers.console")
        return "" if console is None or self.short(()) is None else console.summarise(self.host)

    # --- The engines ------------------------------------------------------------

    def engine(self, name: str) -> Any:
        """Return an engine by name, created on first use; `None` where it is not imported."""
        for module, kind in _ENGINES.items():
            if kind == name and kind not in self._engines and imported(module) is not None:
                engine_module = bring(f".workers.{kind}")
                if engine_module is None:
                    return None
                self._engines[kind] = engine_module.Engine(
                    self.host.helper_id, lambda: self.host.ledger.running
                )
        return self._engines.get(name)

    def unfollow(self) -> None:
        """Remove the helper from the workers of all engines."""
        for name, engine in list(self._engines.items()):
            if name != "rank":
                engine.unfollow()

    def short(self, devices: Sequence[DeviceReading]) -> FollowedWorkers | None:
        """Return a summary of the workers, and their share of the kernel's `devices`.

        `None` where no engine is running.
        """
        engines = list(self._followed())
        if not engines:
            return None
        answer = self.answer()
        return {
            "engines": engines,
            "in_use_bytes": answer.in_use_bytes,
            "fullest": answer.gpus[0] if answer.gpus else None,
            "here": list(_here(answer.gpus, devices)),
        }

    def answer(self, text: str = "") -> Answer:
        """Return the GPUs of all engines that match a filter; each GPU once, by its id."""
        answers = [engine.answer(text) for engine in self._engines.values()]
        gpus = {gpu["id"]: gpu for reply in answers for gpu in reply.gpus}
        return Answer(
            sum(reply.in_use_bytes for reply in answers),
            sorted(gpus.values(), key=lambda gpu: -share(gpu))[:MOST],
            sum(reply.total for reply in answers),
        )

    def _followed(self) -> Iterator[Followed]:
        for name in ("rank", *_ENGINES.values()):
            engine = self.engine(name)
            status: Any = engine and engine.followed()
            if status:
                yield status
        for module, kind in _ENGINES.items():
            if imported(module) is not None and kind not in self._engines:
                yield engine_of(kind, (0, 0), "not_measured")

    def _explain_rank(self, error: BaseException) -> dict[str, Any] | None:
        """Return the report of the error that ends a rank, measured in that rank."""
        from .explained import explained

        failure_of = partial(self.host.failures.failure_of, error)
        return explained(error, failure_of, self.host.turn(_RANK_S, asked=False))


def _here(gpus: Iterable[WorkerGpu], devices: Sequence[DeviceReading]) -> Iterable[GpuShare]:
    """Yield the workers' share of each device of the kernel.

    Left out where it exceeds the device's use by other processes.
    """
    host = system.host_name()
    by_uuid = {plain_uuid(device.uuid): device for device in devices if device.uuid}
    for gpu in gpus:
        device = by_uuid.get(plain_uuid(gpu["uuid"] or ""))
        held = gpu["in_use_bytes"] + gpu["cached_bytes"]
        if device and gpu["host"] == host and 0 < held <= (device.outside_bytes or 0):
            workers = [worker for worker in gpu["workers"] if worker["state"] != "ended"]
            count = len(workers) + gpu["more_workers"]
            yield {"device_index": device.index, "workers": count, "bytes": held}


WING = Workers
