"""What a page may ask, as types, which `checking.py` reads.

Made from `protocol.schema.json` by `python -m scripts.wire`; do not edit. Keys carry their units,
sizes are integer bytes, times are seconds since the epoch. No key is optional: unknown is `None`.
"""

from __future__ import annotations

from typing import Literal, TypedDict


class _Asked(TypedDict):
    """What every request says: its own id, for the reply, and the protocol of who asks."""

    id: str
    protocol_version: str


class Options(TypedDict):
    """What the person's settings ask of the helper.

    Of all that are attached the cautious choice holds; when all have gone, that of the last.
    """

    mark_cells: bool
    keep_reports: bool
    name_others: bool
    record_allocations: bool
    after_oom: Literal["ask", "free", "never"]
    measure_workers: Literal["ask", "asked", "never"]


class AttachRequest(_Asked):
    """Start or renew a lease.

    Events are sent only while some client's lease is fresh. Idempotent.
    """

    type: Literal["attach"]
    client_id: str
    visible: bool
    rate_hz: float
    options: Options


class DetachRequest(_Asked):
    """End a lease."""

    type: Literal["detach"]
    client_id: str


class SampleRequest(_Asked):
    """Ask for a reading: the poll of an idle kernel. Renews the lease."""

    type: Literal["sample"]
    client_id: str


class PlanRequest(_Asked):
    """Measure what can be freed, between cells; the answer comes as a `plan` event."""

    type: Literal["plan"]
    asked: bool


class ReleaseRequest(_Asked):
    """Free.

    Runs on the main thread when no cell runs; the result comes as a `released` event. The same wish
    twice while one waits is one release. An item outside the safe set that is not confirmed is
    refused.
    """

    type: Literal["release"]
    items: list[str] | None
    confirmed: list[str]
    report_id: str | None


class CancelRequest(_Asked):
    """Take back a release that still waits, or end a walk."""

    type: Literal["cancel"]
    cancelled_id: str


class ReportRequest(_Asked):
    """Is this report yours, and is it alive? Buttons appear only after `known`."""

    type: Literal["report"]
    life_id: str
    report_id: str


class FixRequest(_Asked):
    """The edit of a remedy, for the cells as they are now."""

    type: Literal["fix"]
    report_id: str
    remedy_id: str
    sources: dict[str, str]


class CleanupRequest(_Asked):
    """Visible code that frees exactly these items, right when run as is without the helper."""

    type: Literal["cleanup"]
    items: list[str] | None


class RescueRequest(_Asked):
    """Save the training that failed to a new file; answered by a `rescue` event."""

    type: Literal["rescue"]
    report_id: str


class RerunRequest(_Asked):
    """What running cells again would cost, after an edit.

    Answered by a `rerun` event. Nothing is freed by it.
    """

    type: Literal["rerun"]
    report_id: str
    run: list[str]
    sources: dict[str, str]


class HoldersRequest(_Asked):
    """Measure who holds what, between cells; answered by a `holders` event."""

    type: Literal["holders"]
    asked: bool


class PathRequest(_Asked):
    """Find what keeps one object of the last `holders` event alive; answered by a `path` event."""

    type: Literal["path"]
    holder_id: str


class CellsRequest(_Asked):
    """Ask for the runs of cells that the helper remembers: a reloaded page knows none."""

    type: Literal["cells"]


class HistoryRequest(_Asked):
    """Ask for the readings of the session."""

    type: Literal["history"]


class SnapshotRequest(_Asked):
    """Write PyTorch's memory snapshot to a file; answered by a `snapshot` event."""

    type: Literal["snapshot"]
    path: str | None


class ExplainRequest(_Asked):
    """Explain the failure of a process that a command of a cell has started, in that cell."""

    type: Literal["explain"]
    cell_id: str
    parent_id: str
    message: str
    traceback: str


class PresenceRequest(_Asked):
    """Are you there? Asked of other notebooks' kernels while their list is open; takes no lease."""

    type: Literal["presence"]


class WorkersRequest(_Asked):
    """Request the workers on the fullest GPUs."""

    type: Literal["workers"]
    filter: str


class FollowRequest(_Asked):
    """Put the helper into the workers of an engine, or take it back."""

    type: Literal["follow"]
    engine: str
    follow: bool


class WorkerReleaseRequest(_Asked):
    """Free what one worker does not need, or end it: the latter only after the user agreed."""

    type: Literal["worker_release"]
    worker_id: str
    action: Literal["free", "end"]


class DryRunRequest(_Asked):
    """Run cells on a simulated GPU, in a process of its own, or end that.

    Told by `dry_run` events.
    """

    type: Literal["dry_run"]
    action: Literal["begin", "end"]
    sources: dict[str, str]
    labels: dict[str, str]
    gpu: str
    report_id: str | None
    agreed: bool
    largest_on_each: bool
    values_to: str | None


Request = (
    AttachRequest
    | DetachRequest
    | SampleRequest
    | PlanRequest
    | HoldersRequest
    | PathRequest
    | CellsRequest
    | HistoryRequest
    | SnapshotRequest
    | ReleaseRequest
    | CancelRequest
    | ReportRequest
    | FixRequest
    | CleanupRequest
    | RescueRequest
    | RerunRequest
    | ExplainRequest
    | WorkersRequest
    | FollowRequest
    | WorkerReleaseRequest
    | DryRunRequest
    | PresenceRequest
)
