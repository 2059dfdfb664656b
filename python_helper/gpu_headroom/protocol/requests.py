"""What a page may ask, and the check of what it asked: the part of the wire that runs.

What the helper says stands in `wire.py`. Both are hand-written mirrors of
`protocol.schema.json`, held to it by tests. Keys carry their units, sizes are integer
bytes, times are seconds since the epoch. No key is optional: unknown is `None`.
"""

from __future__ import annotations

import math
import types
from functools import cache
from typing import (
    TYPE_CHECKING,
    Literal,
    TypedDict,
    TypeGuard,
    Union,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

PROTOCOL_VERSION = "2.0"

_LONGEST = 10_000  # characters of an id, a name or a path: what a request says may be kept long
_MAY_BE_LONG = frozenset({"data", "sources"})


class Options(TypedDict):
    """What the person's settings ask of the helper; of all that attached, the cautious choice."""

    mark_cells: bool
    keep_reports: bool
    name_others: bool
    record_allocations: bool
    after_oom: Literal["ask", "free", "never"]


class _Asked(TypedDict):
    """What every request says: its own id, for the reply, and the protocol of who asks."""

    id: str
    protocol_version: str


class _FromClient(_Asked):
    """A request for the lease of one page."""

    client_id: str


class AttachRequest(_FromClient):
    """Start or renew a lease; events are sent only while one is fresh, readings if `visible`."""

    type: Literal["attach"]
    visible: bool
    rate_hz: float
    options: Options


class DetachRequest(_FromClient):
    """End a lease."""

    type: Literal["detach"]


class SampleRequest(_FromClient):
    """Ask for a reading now: the poll of an idle kernel. Renews the lease."""

    type: Literal["sample"]


class PlanRequest(_Asked):
    """Measure what can be freed, between cells; the answer comes as a `plan` event.

    Where a person `asked` for it, it may take long; else it is brief, and left out beside a
    thread that trains.
    """

    type: Literal["plan"]
    asked: bool


class HoldersRequest(_Asked):
    """Measure who holds what, between cells; answered by a `holders` event.

    `asked` is as in a plan.
    """

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
    """Ask for the readings of the last minutes."""

    type: Literal["history"]


class SnapshotRequest(_Asked):
    """Write PyTorch's memory snapshot to a file; answered by a `snapshot` event."""

    type: Literal["snapshot"]
    path: str | None


class ReleaseRequest(_Asked):
    """Free between cells; the result comes as a `released` event.

    `None` is the safe set; every other item has to be among the `confirmed`.
    """

    type: Literal["release"]
    items: list[str] | None
    confirmed: list[str]
    report_id: str | None


class CancelRequest(_Asked):
    """Take back a release that still waits, by its id, or a walk by that of its request."""

    type: Literal["cancel"]
    cancelled_id: str


class ReportRequest(_Asked):
    """Ask whether a report is this helper's own; buttons appear only after `known`."""

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
    """Have visible code written that frees exactly these items; `None` is the safe set.

    Answered by a `cleanup` event.
    """

    type: Literal["cleanup"]
    items: list[str] | None


class RescueRequest(_Asked):
    """Save the training that failed to a file; answered by a `rescue` event."""

    type: Literal["rescue"]
    report_id: str


class RerunRequest(_Asked):
    """Ask what running cells again, after an edit, would cost; answered by a `rerun` event.

    `run` are their ids in order; `sources` the cells of the notebook as they will be, by id. A cell
    that is not there is as it ran.
    """

    type: Literal["rerun"]
    report_id: str
    run: list[str]
    sources: dict[str, str]


class ExplainRequest(_Asked):
    """Explain the failure of a process that a command of a cell has started, in that cell.

    `parent_id` is that of the request that ran it, under which its outputs stand. `message` and
    `traceback` are those of the error that it has printed.
    """

    type: Literal["explain"]
    cell_id: str
    parent_id: str
    message: str
    traceback: str


class PresenceRequest(_Asked):
    """Are you there? Asked by a page that lists other notebooks; takes no lease."""

    type: Literal["presence"]


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
    | PresenceRequest
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
    return None if _is(value, hint, path) else path


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


def is_text(value: object, longest: int | None = _LONGEST) -> TypeGuard[str]:
    """Whether a value is a text that can be sent back: JSON brings half characters as well."""
    if not isinstance(value, str) or (longest is not None and len(value) > longest):
        return False
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def _is(value: object, hint: object, path: str) -> bool:
    if hint is str:
        return is_text(value, None if path in _MAY_BE_LONG else _LONGEST)
    if hint is float and isinstance(value, float):
        return math.isfinite(value)
    if hint is float:
        hint = int
    if hint is int:
        return isinstance(value, int) and not isinstance(value, bool)
    return isinstance(hint, type) and isinstance(value, hint)
