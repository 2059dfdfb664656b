"""Requests of a front end, as types, which `checking.py` reads.

Generated from `protocol.schema.json`, which describes each field, by `python -m scripts.wire`; do
not edit. Keys carry their units, sizes are integer bytes, times are seconds since the epoch. No
key is optional: unknown is `None`.
"""

from __future__ import annotations

from typing import Literal, TypedDict


class _Asked(TypedDict):
    """Fields of every request: its id, for the reply, and the version of the protocol."""

    id: str
    protocol_version: str


class Options(TypedDict):
    mark_cells: bool
    keep_reports: bool
    name_others: bool
    record_allocations: bool
    after_oom: Literal["ask", "free", "never"]
    measure_workers: Literal["ask", "asked", "never"]


class AttachRequest(_Asked):
    type: Literal["attach"]
    client_id: str
    visible: bool
    rate_hz: float
    options: Options


class DetachRequest(_Asked):
    type: Literal["detach"]
    client_id: str


class SampleRequest(_Asked):
    type: Literal["sample"]
    client_id: str


class PlanRequest(_Asked):
    type: Literal["plan"]
    asked: bool


class ReleaseRequest(_Asked):
    type: Literal["release"]
    items: list[str] | None
    confirmed: list[str]
    report_id: str | None


class CancelRequest(_Asked):
    type: Literal["cancel"]
    cancelled_id: str


class ReportRequest(_Asked):
    type: Literal["report"]
    helper_id: str
    report_id: str


class FixRequest(_Asked):
    type: Literal["fix"]
    report_id: str
    remedy_id: str
    sources: dict[str, str]


class CleanupRequest(_Asked):
    type: Literal["cleanup"]
    items: list[str] | None


class RescueRequest(_Asked):
    type: Literal["rescue"]
    report_id: str


class RerunRequest(_Asked):
    type: Literal["rerun"]
    report_id: str
    run: list[str]
    sources: dict[str, str]


class HoldersRequest(_Asked):
    type: Literal["holders"]
    asked: bool


class PathRequest(_Asked):
    type: Literal["path"]
    holder_id: str


class CellsRequest(_Asked):
    type: Literal["cells"]


class HistoryRequest(_Asked):
    type: Literal["history"]


class SnapshotRequest(_Asked):
    type: Literal["snapshot"]
    path: str | None


class ExplainRequest(_Asked):
    type: Literal["explain"]
    cell_id: str
    parent_id: str
    printed: str


class PresenceRequest(_Asked):
    type: Literal["presence"]


class WorkersRequest(_Asked):
    type: Literal["workers"]
    filter: str


class FollowRequest(_Asked):
    type: Literal["follow"]
    engine: str
    follow: bool


class WorkerReleaseRequest(_Asked):
    type: Literal["worker_release"]
    worker_id: str
    action: Literal["free", "end"]


class DryRunRequest(_Asked):
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
