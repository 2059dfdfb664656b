"""What the helper says: events, replies and their parts, as types only.

Hand-written mirror of `protocol.schema.json`, held to it by tests. Nothing here is needed
at run time, so no pack carries it: import it under `TYPE_CHECKING`. What a page may ask
stands in `requests.py`.
"""

from __future__ import annotations

from typing import Literal, TypedDict

FrameworkName = Literal["torch", "jax", "tensorflow", "cupy"]
State = Literal["no_framework", "not_initialised", "no_gpu", "live"]
HolderKind = Literal["parameters", "gradients", "optimizer_state", "activations", "tensor"]
ItemKind = Literal[
    "traceback",
    "outputs",
    "garbage",
    "cache",
    "error",
    "variable",
    "leftover",
    "gradients",
    "optimizer_state",
    "graph",
    "offload",
    "restore",
    "framework_cache",
]
PartKind = Literal[
    "outside",
    "parameters",
    "optimizer_state",
    "gradients",
    "activations",
    "other_tensors",
    "workspaces",
    "earlier_error",
    "temporaries",
    "not_attributed",
    "cached",
    "free",
]


class Message(TypedDict):
    """A sentence: its template is gettext's msgid; `text` is the same, filled, in English."""

    id: str
    template: str
    params: dict[str, str | float | bool | None]
    text: str


class Framework(TypedDict):
    """What one framework holds on one device."""

    name: FrameworkName
    in_use_bytes: int
    cached_bytes: int | None
    preallocated: bool
    peak_in_use_bytes: int | None
    alloc_retries: int | None
    ooms: int | None


class Device(TypedDict):
    """One GPU as this kernel sees it: used = outside + in use, headroom = free + cached."""

    index: int
    backend: Literal["cuda", "rocm", "xpu", "mps"]
    name: str | None
    uuid: str | None
    simulated: bool
    capacity_bytes: int | None
    capacity_limited: bool
    shared_with_host: bool
    others_bytes: int | None
    free_bytes: int | None
    outside_bytes: int | None
    in_use_bytes: int
    cached_bytes: int
    used_bytes: int | None
    headroom_bytes: int | None
    frameworks: list[Framework]
    notes: list[Message]


class HostMemory(TypedDict):
    """The kernel's own host memory, and the host's: the container's limit where there is one."""

    rss_bytes: int | None
    available_bytes: int | None
    total_bytes: int | None


class Trend(TypedDict):
    """Where memory goes while a cell runs."""

    device_index: int
    state: Literal["unknown", "steady", "growing"]
    bytes_per_s: int | None
    bytes_per_step: int | None
    steps: int | None
    full_in_s: float | None
    full_in_steps: int | None


class CellMemory(TypedDict):
    """What one run of a cell did to one device."""

    device_index: int
    change_bytes: int | None
    peak_bytes: int | None
    peak_exact: bool
    needed_bytes: int | None
    alloc_retries: int | None
    ooms: int | None


class Growth(TypedDict):
    """The same cell kept more on each of its last runs."""

    device_index: int
    runs: int
    bytes_per_run: int
    holder: str | None


class Item(TypedDict):
    """One thing that can be freed, of the variable `name`; `names` are the user's that go.

    `confirm` is what a person has to agree to, `blocked` why it cannot be freed.
    """

    id: str
    kind: ItemKind
    name: str | None
    title: Message
    cost: Message
    expected_bytes: int | None
    safe: bool
    selected: bool
    adds_headroom: bool
    names: list[str]
    confirm: Message | None
    blocked: Message | None


class Shared(TypedDict):
    """Bytes that each of these items counts, two at least: they come back once."""

    ids: list[str]
    bytes: int


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
    """What a fix changes in one cell, for show only: the edit is asked from the live helper.

    `file` is the path of a script in the notebook's folder, which is changed in place of a cell.
    """

    cell_id: str | None
    file: str | None
    execution_count: int | None
    rows: list[DiffRow]
    sets: str | None


class Remedy(TypedDict):
    """Something a person can do about this failure, offered only where the numbers support it.

    `diffs` has one for each cell that changes; `type_this` is the code of a snippet. `reason` says
    why what the diffs show is no button: it could not be proven on the whole program.
    """

    id: str
    kind: Literal["release", "edit", "snippet", "advice", "restart", "save"]
    title: Message
    note: Message
    effect_bytes: int | None
    effect_quality: Literal["measured", "estimated", "at_least", "not_measured"]
    type_this: str | None
    diffs: list[Diff]
    reason: Message | None


class Cause(TypedDict):
    """A cause with its evidence, and what it explains of the memory in use."""

    rule: str
    claim: Message
    evidence: Message
    bytes: int | None


class Detail(TypedDict):
    """One row of the table under Details."""

    label: Message
    bytes: int | None
    source: Message


class Version(TypedDict):
    """A program or driver that took part in a failure."""

    name: str
    version: str


class Stub(TypedDict):
    """What a notebook keeps instead of a report; the live helper is asked for the rest."""

    version: str
    report_id: str
    life_id: str


class Report(Stub):
    """The card of one failure: a neutral model, laid out by every renderer.

    `looking`: the measurement goes on between cells, and the card is completed in place.
    """

    time_s: float
    simulated: bool
    sticky_error: bool
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
    further_causes: list[Cause]
    fits_after_free: bool | None
    remedies: list[Remedy]
    details: list[Detail]
    versions: list[Version]
    looking: bool


class Edit(TypedDict):
    """Lines of one cell to replace, proven by the helper on the text it was sent.

    Of a file `cell_id` is its path, and the old lines are all that it has.
    """

    cell_id: str
    first_line: int
    old_lines: list[str]
    new_lines: list[str]


class _Told(TypedDict):
    """What every event says: whose life it is told of."""

    life_id: str


class _WorkDone(_Told):
    """What came of a request that had to wait for its turn between cells."""

    request_id: str
    message: Message


class Hello(_Told):
    """The helper lives; also part of the reply to `attach`."""

    type: Literal["hello"]
    protocol_version: str
    helper_version: str
    comm_id: str
    installed: bool
    control: bool


class Sample(_Told):
    """One reading; `state` says why `devices` is empty when it is."""

    type: Literal["sample"]
    seq: int
    time_s: float
    state: State
    busy: bool
    devices: list[Device]
    host: HostMemory | None
    trends: list[Trend]
    queued: list[str]


class Cell(_Told):
    """A cell started or ended."""

    type: Literal["cell"]
    cell_id: str | None
    execution_count: int | None
    status: Literal["running", "ok", "error", "oom"]
    start_s: float
    end_s: float | None
    memory: list[CellMemory]
    run: int
    growth: Growth | None
    output_id: str | None


class Oom(_Told):
    """A cell ran out of GPU memory; its card comes as display data of that cell."""

    type: Literal["oom"]
    report_id: str
    time_s: float
    cell_id: str | None
    device_index: int | None
    requested_bytes: int | None
    available_bytes: int | None


class Plan(_WorkDone):
    """What can be freed, measured between cells after a plan request.

    What chosen items give together is the sum of their bytes, less `shared` bytes for each
    chosen one of its items but the first.
    """

    type: Literal["plan"]
    complete: bool
    items: list[Item]
    shared: list[Shared]


class ReleasedItem(TypedDict):
    """What one item of a release gave back; null: it ran together with another."""

    id: str
    kind: ItemKind
    title: Message
    freed_bytes: int | None
    message: Message | None


class Released(_Told):
    """A release ended; all sizes are measured."""

    type: Literal["released"]
    release_id: str
    report_id: str | None
    automatic: bool
    time_s: float
    status: Literal["done", "nothing", "failed", "cancelled"]
    freed_bytes: int | None
    returned_bytes: int | None
    in_use_bytes: int | None
    headroom_before_bytes: int | None
    headroom_after_bytes: int | None
    items: list[ReleasedItem]
    still_held: list[Holder]
    undo: list[str]
    message: Message


class AllocationSite(TypedDict):
    """Where an object was made, known while allocation recording is on."""

    cell_id: str | None
    execution_count: int | None
    line: int | None


class HeldPart(TypedDict):
    """One storage or autograd graph under a holder."""

    id: str
    name: str
    kind: HolderKind
    framework: FrameworkName
    bytes: int
    graph: bool
    dtype: str | None
    shape: list[int] | None
    allocation_site: AllocationSite | None


class Held(TypedDict):
    """One holder: a name, a displayed value, a failed cell's traceback, or what no name reaches."""

    id: str
    name: str
    origin: Literal["names", "outputs", "traceback", "elsewhere"]
    kind: Literal["parameters", "gradients", "optimizer_state", "activations", "tensor", "mixed"]
    type_name: str | None
    bytes: int
    graph_bytes: int
    count: int
    aliases: list[str]
    parts: list[HeldPart]
    hint: Message | None


class Process(TypedDict):
    """Another process on the card."""

    pid: int | None
    name: str | None
    bytes: int | None


class HeldDevice(TypedDict):
    """Where the memory in use of a device is; the five parts add up to it."""

    device_index: int
    in_use_bytes: int
    named_bytes: int
    graph_bytes: int
    unnamed_bytes: int
    workspace_bytes: int
    not_attributed_bytes: int
    rows: list[Held]
    processes: list[Process] | None


class Holders(_Told):
    """Who holds the memory in use, measured between cells after a holders request."""

    type: Literal["holders"]
    request_id: str | None
    time_s: float
    duration_s: float
    complete: bool
    execution_count: int | None
    recording: bool
    devices: list[HeldDevice]
    message: Message


class Path(_WorkDone):
    """The ways from a root to one object, after a path request."""

    type: Literal["path"]
    holder_id: str
    complete: bool
    paths: list[list[Message]]


class Snapshot(_WorkDone):
    """The allocator's snapshot was written, or could not be."""

    type: Literal["snapshot"]
    path: str | None
    bytes: int | None


class Cleanup(_WorkDone):
    """The clean-up cell that a request asked for; `None` where it could not be written."""

    type: Literal["cleanup"]
    code: str | None


class Rescue(_WorkDone):
    """A training was saved, or could not be; `code` is the cell that goes on from the file."""

    type: Literal["rescue"]
    path: str | None
    bytes: int | None
    code: str | None


class Rerun(_Told):
    """What running cells again would cost; nothing was freed.

    `items` go first, each where a person agrees to its `confirm`; `cautions` say what was trained
    and would be lost, or trained again, and `saves` whether that can be saved before.
    """

    type: Literal["rerun"]
    request_id: str
    status: Literal["ready", "cancelled"]
    items: list[Item]
    cautions: list[Message]
    saves: bool


class Progress(_Told):
    """A walk that a person asked for goes on."""

    type: Literal["progress"]
    request_id: str
    elapsed_s: float


class WarningEvent(_Told):
    """Something a person should know before it fails."""

    type: Literal["warning"]
    time_s: float
    cell_id: str | None
    kind: Literal["filling_up", "growth", "retries", "swallowed_oom"]
    device_index: int | None
    message: Message


class ErrorEvent(_Told):
    """Something in the helper failed; it goes on as far as it can."""

    type: Literal["error"]
    time_s: float
    request_id: str | None
    where: str
    message: Message


class Bye(_Told):
    """The helper ends on purpose."""

    type: Literal["bye"]
    reason: Literal["unloaded", "replaced"]


class _Answer(TypedDict):
    """What every reply says: which request it is for."""

    id: str


class _Queued(_Answer):
    """The work comes between cells: at once, or after the cell that runs."""

    status: Literal["queued", "waiting"]


class AttachReply(_Answer):
    """Reply to `attach`."""

    type: Literal["attach"]
    hello: Hello
    lease_s: float
    sample: Sample | None
    cell: Cell | None


class DetachReply(_Answer):
    """Reply to `detach`."""

    type: Literal["detach"]


class SampleReply(_Answer):
    """Reply to `sample`."""

    type: Literal["sample"]
    sample: Sample
    cell: Cell | None


class PlanReply(_Queued):
    """Reply to `plan`."""

    type: Literal["plan"]


class HoldersReply(_Queued):
    """Reply to `holders`."""

    type: Literal["holders"]
    last: Holders | None


class PathReply(_Queued):
    """Reply to `path`."""

    type: Literal["path"]


class CellsReply(_Answer):
    """Reply to `cells`."""

    type: Literal["cells"]
    runs: list[Cell]


class HistoryPoint(TypedDict):
    """The highest reading of one second of one device."""

    time_s: float
    device_index: int
    in_use_bytes: int
    cached_bytes: int
    outside_bytes: int | None


class HistoryReply(_Answer):
    """Reply to `history`."""

    type: Literal["history"]
    points: list[HistoryPoint]


class SnapshotReply(_Queued):
    """Reply to `snapshot`."""

    type: Literal["snapshot"]


class ReleaseReply(_Queued):
    """Reply to `release`."""

    type: Literal["release"]
    release_id: str


class CancelReply(_Answer):
    """Reply to `cancel`."""

    type: Literal["cancel"]
    cancelled: bool


class ReportReply(_Answer):
    """Reply to `report`."""

    type: Literal["report"]
    status: Literal["known", "unknown"]
    report: Report | None
    released: Released | None


class FixReply(_Answer):
    """Reply to `fix`; `caution` is what running its cells again would repeat."""

    type: Literal["fix"]
    status: Literal["ok", "changed", "unknown"]
    edits: list[Edit]
    run: list[str]
    message: Message
    caution: Message | None


class CleanupReply(_Queued):
    """Reply to `cleanup`; the code comes as a `cleanup` event."""

    type: Literal["cleanup"]


class RescueReply(_Queued):
    """Reply to `rescue`; the file comes as a `rescue` event."""

    type: Literal["rescue"]


class RerunReply(_Queued):
    """Reply to `rerun`; what it costs comes as a `rerun` event."""

    type: Literal["rerun"]


class ExplainReply(_Answer):
    """Reply to `explain`; `None`: that was no GPU which is full, or not the cell as it ran."""

    type: Literal["explain"]
    report_id: str | None


class PresenceReply(_Answer):
    """Reply to `presence`: what this kernel holds, and since when it rests."""

    type: Literal["presence"]
    sample: Sample | None
    idle_since_s: float | None


class RefusedReply(_Answer):
    """Any request that cannot be answered."""

    type: Literal["refused"]
    message: Message


Event = (
    Hello
    | Sample
    | Cell
    | Oom
    | Plan
    | Released
    | Holders
    | Path
    | Snapshot
    | Cleanup
    | Rescue
    | Rerun
    | Progress
    | WarningEvent
    | ErrorEvent
    | Bye
)
Reply = (
    AttachReply
    | DetachReply
    | SampleReply
    | PlanReply
    | HoldersReply
    | PathReply
    | CellsReply
    | HistoryReply
    | SnapshotReply
    | ReleaseReply
    | CancelReply
    | ReportReply
    | FixReply
    | CleanupReply
    | RescueReply
    | RerunReply
    | ExplainReply
    | PresenceReply
    | RefusedReply
)
