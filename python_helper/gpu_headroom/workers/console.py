"""The functions `follow`, `unfollow` and `workers`, and what they print."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..terminal.tables import Text, heads, size, table
from ..text.counted import counted
from ..text.headline import named
from ..text.messages import say
from .words import TEXTS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..protocol.generated.wire import Followed, GpuWorker, WorkerGpu
    from .wing import Workers


def follow(host: Any) -> Text:
    """Send the helper to the workers of each running engine, without waiting.

    Raises `RuntimeError` where the settings forbid it.
    """
    if host.options["measure_workers"] == "never":
        raise RuntimeError(say("worker.never", TEXTS))
    statuses = [status for status in _followed(host) if status["engine"] != "rank"]
    for status in statuses:
        _workers(host).engine(status["engine"]).follow()
    lines = [
        say(f"workers.goes_{engine}", TEXTS, workers=counted(engine, status["total"]))
        for status in statuses
        for engine in [status["engine"]]
    ]
    return Text("\n".join([*lines, say("workers.takes_back", TEXTS)] if lines else [_none()]))


def ray_environment(host: Any) -> dict[str, Any]:
    """Return a `runtime_env` with which Ray installs the helper in its worker processes.

    Also starts following them. Raises `RuntimeError` where the settings forbid it.
    """
    if host.options["measure_workers"] == "never":
        raise RuntimeError(say("worker.never", TEXTS))
    from .ray import environment

    ray = _workers(host).engine("ray")
    if ray is not None:
        ray.follow()
    return environment()


def unfollow(host: Any) -> Text:
    """Remove the helper from all workers."""
    _workers(host).unfollow()
    return Text(say("workers.taken_back", TEXTS))


def summarise(host: Any) -> Text:
    """Return the last known use of the workers' GPUs as text."""
    lines = [
        say(f"workers.{status['state']}", TEXTS, workers=counted(status["engine"], status["total"]))
        for status in _followed(host)
    ]
    lines += [status["message"]["text"] for status in _followed(host) if status["message"]]
    answer = _workers(host).answer()
    if answer.gpus:
        rows = [row for gpu in answer.gpus for row in _rows(gpu)]
        lines.append(table(heads("workers.gpus", TEXTS), rows, right=3))
    more = answer.total - sum(len(gpu["workers"]) for gpu in answer.gpus)
    if more:
        lines.append(say("workers.more", TEXTS, count=more))
    return Text("\n".join(lines or [_none()]))


def _followed(host: Any) -> list[Followed]:
    summary = _workers(host).short(())
    return [] if summary is None else summary["engines"]


def _workers(host: Any) -> Workers:
    workers: Workers = host.wings.named("workers")
    return workers


def _none() -> str:
    return say("workers.none", TEXTS)


def _rows(gpu: WorkerGpu) -> Iterator[tuple[str, ...]]:
    yield (
        f"{gpu['host']}, GPU {gpu['index']}",
        size(gpu["in_use_bytes"]),
        size(gpu["cached_bytes"]),
        size(gpu["capacity_bytes"]),
    )
    for worker in gpu["workers"]:
        yield f"  {_name(worker)}", size(worker["in_use_bytes"]), size(worker["cached_bytes"]), ""


def _name(worker: GpuWorker) -> str:
    name = worker["name"] or named(worker["engine"], worker["rank"])
    return name if worker["state"] == "live" else f"{name} ({worker['state']})"
