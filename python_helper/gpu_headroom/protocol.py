"""The wire: hand-written mirror of `protocol.schema.json`, held to it by tests.

Keys carry their units, sizes are integer bytes, times are seconds since the
epoch. No key is optional: unknown is `None`.
"""

from __future__ import annotations

import types
from functools import cache
from typing import (
    TYPE_CHECKING,
    Literal,
    TypedDict,
    Union,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

PROTOCOL_VERSION = "1.0"

FrameworkName = Literal["torch", "jax", "tensorflow", "cupy"]
ItemId = Literal["traceback", "outputs", "garbage", "cache"]
State = Literal["no_framework", "not_initialised", "no_gpu", "live"]
HolderKind = Literal["parameters", "gradients", "optimizer_state", "activations", "tensor"]
PartKind = Literal[
    "outside",
    "parameters",
    "optimizer_state",
    "gradients",
    "activations",
    "other_tensors",
    "not_attributed",
    "cached",
    "free",
]


class Message(TypedDict):
    """A sentence with its identity: JupyterLab translates by `id`, static forms show `text`."""

    id: str
    params: dict[str, str | float | bool | None]
    text: str


class Framework(TypedDict):
    """What one framework holds on one device."""

    name: FrameworkName
    in_use_bytes: int
    cached_bytes: int | None
    peak_in_use_bytes: int | None
    alloc_retries: int | None
    ooms: int | None


class Device(TypedDict):
    """One GPU as this kernel sees it: used = outside + in use, headroom = free + cached."""

    index: int
    name: str | None
    uuid: str | None
    simulated: bool
    capacity_bytes: int | None
    capacity_limited: bool
    free_bytes: int | None
    outside_bytes: int | None
    in_use_bytes: int
    cached_bytes: int
    used_bytes: int | None
    headroom_bytes: int | None
    frameworks: list[Framework]


class CellMemory(TypedDict):
    """What one run of a cell did to one device."""

    device_index: int
    change_bytes: int | None
    peak_bytes: int | None
    peak_exact: bool
    alloc_retries: int | None
    ooms: int | None


class Item(TypedDict):
    """One thing that can be freed."""

    id: ItemId
    title: Message
    cost: Message
    expected_bytes: int | None
    safe: bool


class Holder(TypedDict):
    """A name that keeps memory in use, with all that was reached through it first."""

    name: str
    kind: HolderKind
    bytes: int


class Part(TypedDict):
    """One segment of the bar of the moment of failure; parts in the order of the bar."""

    kind: PartKind
    bytes: int


class DiffRow(TypedDict):
    """One row of a diff."""

    sign: Literal[" ", "-", "+"]
    line: int
    text: str


class Diff(TypedDict):
    """What a fix would change, for show only: the edit itself is asked from the live helper."""

    cell_id: str | None
    execution_count: int | None
    rows: list[DiffRow]


class Remedy(TypedDict):
    """Something a person can do about this failure, offered only where the numbers support it."""

    id: str
    kind: Literal["release", "edit", "snippet", "advice"]
    title: Message
    note: Message
    effect_bytes: int | None
    effect_quality: Literal["measured", "estimated", "not_measured"]
    type_this: str | None
    diff: Diff | None


class Cause(TypedDict):
    """The likeliest cause with its evidence."""

    rule: str
    claim: Message
    evidence: Message


class Detail(TypedDict):
    """One row of the table under Details."""

    label: Message
    bytes: int | None
    source: str


class Report(TypedDict):
    """The card of one failure: a neutral model, laid out by every renderer."""

    version: str
    report_id: str
    life_id: str
    time_s: float
    simulated: bool
    framework: FrameworkName
    error_name: str
    cell_id: str | None
    execution_count: int | None
    line: int | None
    device_index: int | None
    device_name: str | None
    capacity_bytes: int | None
    requested_bytes: int | None
    available_bytes: int | None
    in_use_bytes: int | None
    cached_bytes: int | None
    outside_bytes: int | None
    parts: list[Part]
    traceback_bytes: int | None
    traceback_variables: list[Holder]
    holders: list[Holder]
    cause: Cause | None
    fits_after_free: bool | None
    remedies: list[Remedy]
    details: list[Detail]


class Stub(TypedDict):
    """What a notebook keeps instead of a report; the live helper is asked for the rest."""

    version: str
    report_id: str
    life_id: str


class Edit(TypedDict):
    """Lines of one cell to replace, proven by the helper on the text it was sent."""

    cell_id: str
    first_line: int
    old_lines: list[str]
    new_lines: list[str]


class Options(TypedDict):
    """What the person's settings ask of the helper."""

    mark_cells: bool
    keep_reports: bool


class Hello(TypedDict):
    """The helper lives; also part of the reply to `attach`."""

    type: Literal["hello"]
    protocol_version: str
    helper_version: str
    life_id: str
    comm_id: str
    installed: bool
    complete: bool
    control: bool


class Sample(TypedDict):
    """One reading; `state` says why `devices` is empty when it is."""

    type: Literal["sample"]
    life_id: str
    seq: int
    time_s: float
    state: State
    busy: bool
    devices: list[Device]


class Cell(TypedDict):
    """A cell started or ended."""

    type: Literal["cell"]
    life_id: str
    cell_id: str | None
    execution_count: int | None
    status: Literal["running", "ok", "error", "oom"]
    start_s: float
    end_s: float | None
    memory: list[CellMemory]


class Oom(TypedDict):
    """A cell ran out of GPU memory; its card comes as display data of that cell."""

    type: Literal["oom"]
    life_id: str
    report_id: str
    time_s: float
    cell_id: str | None
    device_index: int | None
    requested_bytes: int | None
    available_bytes: int | None


class Plan(TypedDict):
    """What can be freed, measured between cells after a plan request."""

    type: Literal["plan"]
    life_id: str
    request_id: str
    items: list[Item]
    message: Message


class ReleasedItem(TypedDict):
    """What one item of a release gave back; null: it ran together with another."""

    id: ItemId
    freed_bytes: int | None


class Released(TypedDict):
    """A release ended; all sizes are measured."""

    type: Literal["released"]
    life_id: str
    release_id: str
    report_id: str | None
    time_s: float
    status: Literal["done", "nothing", "failed", "cancelled"]
    freed_bytes: int | None
    returned_bytes: int | None
    in_use_bytes: int | None
    headroom_before_bytes: int | None
    headroom_after_bytes: int | None
    items: list[ReleasedItem]
    still_held: list[Holder]
    message: Message


class WarningEvent(TypedDict):
    """Something a person should know before it fails."""

    type: Literal["warning"]
    life_id: str
    time_s: float
    cell_id: str | None
    message: Message


class ErrorEvent(TypedDict):
    """Something in the helper failed; it goes on as far as it can."""

    type: Literal["error"]
    life_id: str
    time_s: float
    where: str
    message: Message


class Bye(TypedDict):
    """The helper ends on purpose."""

    type: Literal["bye"]
    life_id: str
    reason: Literal["unloaded", "replaced"]


class AttachRequest(TypedDict):
    """Start or renew a lease; events are streamed only while one is fresh."""

    type: Literal["attach"]
    id: str
    protocol_version: str
    client_id: str
    visible: bool
    rate_hz: float
    options: Options


class DetachRequest(TypedDict):
    """End a lease."""

    type: Literal["detach"]
    id: str
    protocol_version: str
    client_id: str


class SampleRequest(TypedDict):
    """Ask for a reading now: the poll of an idle kernel. Renews the lease."""

    type: Literal["sample"]
    id: str
    protocol_version: str
    client_id: str


class PlanRequest(TypedDict):
    """Measure what can be freed, between cells; the answer comes as a `plan` event."""

    type: Literal["plan"]
    id: str
    protocol_version: str


class ReleaseRequest(TypedDict):
    """Free between cells; the result comes as a `released` event."""

    type: Literal["release"]
    id: str
    protocol_version: str
    items: list[ItemId] | None
    report_id: str | None


class CancelRequest(TypedDict):
    """Take back a release that still waits."""

    type: Literal["cancel"]
    id: str
    protocol_version: str
    release_id: str


class ReportRequest(TypedDict):
    """Ask whether a report is this helper's own; buttons appear only after `known`."""

    type: Literal["report"]
    id: str
    protocol_version: str
    life_id: str
    report_id: str


class FixRequest(TypedDict):
    """The edit of a remedy, for the cells as they are now."""

    type: Literal["fix"]
    id: str
    protocol_version: str
    report_id: str
    remedy_id: str
    sources: dict[str, str]


class CleanupRequest(TypedDict):
    """Ask for visible code that frees what the safe set frees."""

    type: Literal["cleanup"]
    id: str
    protocol_version: str


class PackRequest(TypedDict):
    """The second pack of the helper's source (zlib, base64) for an injected helper."""

    type: Literal["pack"]
    id: str
    protocol_version: str
    data: str


class AttachReply(TypedDict):
    """Reply to `attach`."""

    type: Literal["attach"]
    id: str
    hello: Hello
    lease_s: float
    sample: Sample | None
    cell: Cell | None


class DetachReply(TypedDict):
    """Reply to `detach`."""

    type: Literal["detach"]
    id: str


class SampleReply(TypedDict):
    """Reply to `sample`."""

    type: Literal["sample"]
    id: str
    sample: Sample
    cell: Cell | None


class PlanReply(TypedDict):
    """Reply to `plan`."""

    type: Literal["plan"]
    id: str
    status: Literal["queued"]


class ReleaseReply(TypedDict):
    """Reply to `release`."""

    type: Literal["release"]
    id: str
    release_id: str
    status: Literal["queued", "waiting"]


class CancelReply(TypedDict):
    """Reply to `cancel`."""

    type: Literal["cancel"]
    id: str
    cancelled: bool


class ReportReply(TypedDict):
    """Reply to `report`."""

    type: Literal["report"]
    id: str
    status: Literal["known", "unknown"]
    report: Report | None
    released: Released | None


class FixReply(TypedDict):
    """Reply to `fix`."""

    type: Literal["fix"]
    id: str
    status: Literal["ok", "changed", "unknown"]
    edits: list[Edit]
    run: list[str]
    message: Message


class CleanupReply(TypedDict):
    """Reply to `cleanup`."""

    type: Literal["cleanup"]
    id: str
    code: str


class PackReply(TypedDict):
    """Reply to `pack`."""

    type: Literal["pack"]
    id: str
    accepted: bool


class RefusedReply(TypedDict):
    """Any request that cannot be answered."""

    type: Literal["refused"]
    id: str
    message: Message


Event = Hello | Sample | Cell | Oom | Plan | Released | WarningEvent | ErrorEvent | Bye
Request = (
    AttachRequest
    | DetachRequest
    | SampleRequest
    | PlanRequest
    | ReleaseRequest
    | CancelRequest
    | ReportRequest
    | FixRequest
    | CleanupRequest
    | PackRequest
)
Reply = (
    AttachReply
    | DetachReply
    | SampleReply
    | PlanReply
    | ReleaseReply
    | CancelReply
    | ReportReply
    | FixReply
    | CleanupReply
    | PackReply
    | RefusedReply
)

REQUESTS: Mapping[str, type] = {
    get_args(get_type_hints(kind)["type"])[0]: kind for kind in get_args(Request)
}


def same_major(version: str) -> bool:
    """Whether a peer of protocol `version` (`major.minor`) is understood."""
    return version.partition(".")[0] == PROTOCOL_VERSION.partition(".")[0]


def flaw(request: Mapping[str, object]) -> str | None:
    """Name the key of a request that is missing or has a wrong type, if any.

    Keys that are not known are let through: a newer minor version may add some.
    """
    return _flaw(request, REQUESTS[str(request["type"])], "")


@cache
def _hints(kind: type) -> dict[str, object]:
    return get_type_hints(kind)


def _flaw(value: object, hint: object, path: str) -> str | None:
    origin, options = get_origin(hint), get_args(hint)
    if origin in {Union, types.UnionType}:
        flaws = [_flaw(value, option, path) for option in options]
        return None if None in flaws else flaws[0]
    if isinstance(hint, type) and is_typeddict(hint):
        return _flaw_of_keys(value, hint, path)
    if origin is list and isinstance(value, list):
        return path if any(_flaw(each, options[0], path) for each in value) else None
    if origin is dict and isinstance(value, dict):
        each_value = value.values()
        return path if any(_flaw(each, options[1], path) for each in each_value) else None
    if origin is Literal:
        return None if value in options else path
    return None if _is(value, hint) else path


def _flaw_of_keys(value: object, kind: type, path: str) -> str | None:
    if not isinstance(value, dict):
        return path
    for key, hint in _hints(kind).items():
        where = f"{path}.{key}" if path else key
        if key not in value:
            return where
        found = _flaw(value[key], hint, where)
        if found:
            return found
    return None


def _is(value: object, hint: object) -> bool:
    if hint is float:
        return isinstance(value, (int, float)) and not isinstance(value, bool)
    if hint is int:
        return isinstance(value, int) and not isinstance(value, bool)
    return isinstance(hint, type) and isinstance(value, hint)
