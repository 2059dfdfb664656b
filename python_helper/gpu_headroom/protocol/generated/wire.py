"""Messages of the helper: events, replies and their parts, as types only.

Generated from `protocol.schema.json`, which describes each field, by `python -m scripts.wire`; do
not edit. Nothing here is needed at run time, so no pack carries it: import it under
`TYPE_CHECKING`. `requests.py` has the requests.
"""

from __future__ import annotations

from typing import Literal, TypedDict

from .requests import Request  # noqa: TC001  tests read the hints

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
    "named",
    "graphs",
    "unnamed",
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

EngineName = Literal["command", "dask", "ipyparallel", "process", "rank", "ray"]


class Message(TypedDict):
    id: str
    template: str
    params: dict[str, str | float | bool | None]
    text: str


class Framework(TypedDict):
    name: FrameworkName
    title: str
    in_use_bytes: int
    cached_bytes: int | None
    preallocated: bool
    peak_in_use_bytes: int | None
    alloc_retries: int | None
    ooms: int | None


class Device(TypedDict):
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


class CellMemory(TypedDict):
    device_index: int
    change_bytes: int | None
    peak_bytes: int | None
    peak_at_most_bytes: int | None
    needed_bytes: int | None
    alloc_retries: int | None
    ooms: int | None


class Item(TypedDict):
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


class Holder(TypedDict):
    name: str
    kind: HolderKind
    bytes: int


class Part(TypedDict):
    kind: PartKind
    bytes: int


class DiffRow(TypedDict):
    sign: Literal[" ", "-", "+"]
    line: int
    text: str


class Diff(TypedDict):
    cell_id: str | None
    file: str | None
    execution_count: int | None
    rows: list[DiffRow]
    sets: str | None


class Remedy(TypedDict):
    id: str
    kind: Literal["release", "edit", "snippet", "suggestion", "restart", "save"]
    title: Message
    note: Message
    effect_bytes: int | None
    effect_quality: Literal["measured", "estimated", "at_least", "not_measured"]
    type_this: str | None
    diffs: list[Diff]
    example: str | None


class Cause(TypedDict):
    rule: str
    claim: Message
    evidence: Message
    bytes: int | None


class Detail(TypedDict):
    label: Message
    bytes: int | None
    source: Message


class Version(TypedDict):
    name: str
    version: str


class Worker(TypedDict):
    engine: EngineName
    rank: int | None
    pid: int | None
    host: str | None


class Origin(TypedDict):
    cell_id: str | None
    execution_count: int | None
    line: int
    function: str


class Report(TypedDict):
    version: str
    report_id: str
    helper_id: str
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
    further_causes: list[Cause]
    fits_after_free: bool | None
    remedies: list[Remedy]
    details: list[Detail]
    versions: list[Version]
    sticky_error: bool
    looking: bool
    worker: Worker | None
    origin: Origin | None
    also_failed: int
    measured: Literal["kernel", "worker", "message"]


class Stub(TypedDict):
    version: str
    report_id: str
    helper_id: str


class Edit(TypedDict):
    cell_id: str
    first_line: int
    old_lines: list[str]
    new_lines: list[str]


class Hello(TypedDict):
    type: Literal["hello"]
    protocol_version: str
    helper_version: str
    helper_id: str
    comm_id: str
    installed: bool
    control: bool


class Sample(TypedDict):
    type: Literal["sample"]
    helper_id: str
    seq: int
    time_s: float
    state: State
    busy: bool
    devices: list[Device]
    host: HostMemory | None
    trends: list[Trend]
    queued: list[str]
    workers: FollowedWorkers | None
    cuda_started: StartedBy | None


class Cell(TypedDict):
    type: Literal["cell"]
    helper_id: str
    cell_id: str | None
    execution_count: int | None
    status: Literal["running", "ok", "error", "oom"]
    start_s: float
    end_s: float | None
    memory: list[CellMemory]
    run: int
    growth: Growth | None
    output_id: str | None
    source_crc32: int | None
    workers_bytes: int | None


class Oom(TypedDict):
    type: Literal["oom"]
    helper_id: str
    report_id: str
    time_s: float
    cell_id: str | None
    device_index: int | None
    requested_bytes: int | None
    available_bytes: int | None


class Shared(TypedDict):
    ids: list[str]
    bytes: int


class Plan(TypedDict):
    type: Literal["plan"]
    helper_id: str
    request_id: str
    complete: bool
    items: list[Item]
    shared: list[Shared]
    message: Message


class ReleasedItem(TypedDict):
    id: str
    kind: ItemKind
    title: Message
    freed_bytes: int | None
    message: Message | None


class Released(TypedDict):
    type: Literal["released"]
    helper_id: str
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


class WarningEvent(TypedDict):
    type: Literal["warning"]
    helper_id: str
    time_s: float
    cell_id: str | None
    kind: Literal["filling_up", "growth", "retries", "swallowed_oom", "beyond_gpu", "host_low"]
    device_index: int | None
    message: Message


class ErrorEvent(TypedDict):
    type: Literal["error"]
    helper_id: str
    time_s: float
    request_id: str | None
    where: str
    message: Message


class Bye(TypedDict):
    type: Literal["bye"]
    helper_id: str
    reason: Literal["unloaded", "replaced"]


class AttachReply(TypedDict):
    type: Literal["attach"]
    id: str
    hello: Hello
    lease_s: float
    sample: Sample | None
    cell: Cell | None


class DetachReply(TypedDict):
    type: Literal["detach"]
    id: str


class SampleReply(TypedDict):
    type: Literal["sample"]
    id: str
    sample: Sample
    cell: Cell | None


class PlanReply(TypedDict):
    type: Literal["plan"]
    id: str
    status: Literal["queued", "waiting"]


class ReleaseReply(TypedDict):
    type: Literal["release"]
    id: str
    release_id: str
    status: Literal["queued", "waiting"]


class CancelReply(TypedDict):
    type: Literal["cancel"]
    id: str
    cancelled: bool


class ReportReply(TypedDict):
    type: Literal["report"]
    id: str
    status: Literal["known", "unknown"]
    report: Report | None
    released: Released | None


class FixReply(TypedDict):
    type: Literal["fix"]
    id: str
    status: Literal["ok", "changed", "unknown"]
    edits: list[Edit]
    run: list[str]
    message: Message
    caution: Message | None


class CleanupReply(TypedDict):
    type: Literal["cleanup"]
    id: str
    status: Literal["queued", "waiting"]


class RescueReply(TypedDict):
    type: Literal["rescue"]
    id: str
    status: Literal["queued", "waiting"]


class RerunReply(TypedDict):
    type: Literal["rerun"]
    id: str
    status: Literal["queued", "waiting"]


class RefusedReply(TypedDict):
    type: Literal["refused"]
    id: str
    message: Message


class HostMemory(TypedDict):
    rss_bytes: int | None
    available_bytes: int | None
    total_bytes: int | None
    oom_kills: int | None


class Trend(TypedDict):
    device_index: int
    state: Literal["unknown", "steady", "growing"]
    bytes_per_s: int | None
    bytes_per_step: int | None
    steps: int | None
    full_in_s: float | None
    full_in_steps: int | None


class Growth(TypedDict):
    device_index: int
    runs: int
    bytes_per_run: int
    holder: str | None


class AllocationSite(TypedDict):
    cell_id: str | None
    execution_count: int | None
    line: int | None


class HeldPart(TypedDict):
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
    id: str
    name: str
    origin: Literal["names", "modules", "outputs", "traceback", "garbage", "elsewhere"]
    kind: Literal["parameters", "gradients", "optimizer_state", "activations", "tensor", "mixed"]
    type_name: str | None
    bytes: int
    graph_bytes: int
    count: int
    aliases: list[str]
    parts: list[HeldPart]
    hint: Message | None


class HeldDevice(TypedDict):
    device_index: int
    in_use_bytes: int
    parts: list[Part]
    rows: list[Held]
    processes: list[Process] | None


class Process(TypedDict):
    pid: int | None
    name: str | None
    bytes: int | None


class Holders(TypedDict):
    type: Literal["holders"]
    helper_id: str
    request_id: str | None
    time_s: float
    duration_s: float
    complete: bool
    execution_count: int | None
    recording: bool
    devices: list[HeldDevice]
    message: Message


class Path(TypedDict):
    type: Literal["path"]
    helper_id: str
    request_id: str
    holder_id: str
    complete: bool
    paths: list[list[Message]]
    message: Message


class Snapshot(TypedDict):
    type: Literal["snapshot"]
    helper_id: str
    request_id: str
    path: str | None
    bytes: int | None
    message: Message


class Cleanup(TypedDict):
    type: Literal["cleanup"]
    helper_id: str
    request_id: str
    code: str | None
    message: Message


class Rescue(TypedDict):
    type: Literal["rescue"]
    helper_id: str
    request_id: str
    path: str | None
    bytes: int | None
    code: str | None
    message: Message


class Rerun(TypedDict):
    type: Literal["rerun"]
    helper_id: str
    request_id: str
    status: Literal["ready", "cancelled"]
    items: list[Item]
    cautions: list[Message]
    saves: bool


class Progress(TypedDict):
    type: Literal["progress"]
    helper_id: str
    request_id: str
    elapsed_s: float


class HoldersReply(TypedDict):
    type: Literal["holders"]
    id: str
    status: Literal["queued", "waiting"]
    last: Holders | None


class PathReply(TypedDict):
    type: Literal["path"]
    id: str
    status: Literal["queued", "waiting"]


class CellsReply(TypedDict):
    type: Literal["cells"]
    id: str
    runs: list[Cell]


class HistoryPoint(TypedDict):
    time_s: float
    device_index: int
    in_use_bytes: int
    cached_bytes: int
    outside_bytes: int | None
    width_s: Literal[1, 256]
    low_bytes: int


class HistoryReply(TypedDict):
    type: Literal["history"]
    id: str
    points: list[HistoryPoint]


class SnapshotReply(TypedDict):
    type: Literal["snapshot"]
    id: str
    status: Literal["queued", "waiting"]


class ExplainReply(TypedDict):
    type: Literal["explain"]
    id: str
    report_id: str | None


class PresenceReply(TypedDict):
    type: Literal["presence"]
    id: str
    sample: Sample | None
    idle_since_s: float | None


class FrameOutput(TypedDict):
    uid: str
    helper_id: str
    kind: Literal["gauge", "report"]
    compact: bool
    report_id: str | None


class FrameOpening(TypedDict):
    version: str
    uid: str
    helper_id: str


class FrameMessage(TypedDict):
    seen: int
    poll: int
    request: Request | None


class FrameCall(TypedDict):
    uid: str
    seen: int
    request: Request


class FrameScript(TypedDict):
    script: str
    style: str


class FrameEnvelope(TypedDict):
    helper_id: str
    poll: int | None
    reply: Reply | None
    fixed: list[ChangedCell] | None
    events: list[tuple[int, Event]]


class ChangedCell(TypedDict):
    cell_id: str
    execution_count: int | None
    source: str


class Followed(TypedDict):
    engine: EngineName
    total: int
    live: int
    state: Literal["measured", "not_measured", "following", "silent"]
    silent_s: float | None
    message: Message | None


class GpuWorker(TypedDict):
    id: str
    engine: EngineName
    name: str | None
    rank: int | None
    pid: int | None
    state: Literal["live", "stale", "ended"]
    age_s: float
    execution_count: int | None
    left_over: bool
    actions: list[Literal["free", "end"]]
    in_use_bytes: int
    cached_bytes: int


class WorkerGpu(TypedDict):
    id: str
    host: str
    index: int | None
    uuid: str | None
    name: str | None
    simulated: bool
    capacity_bytes: int | None
    used_bytes: int | None
    in_use_bytes: int
    cached_bytes: int
    outside_bytes: int | None
    workers: list[GpuWorker]
    more_workers: int


class GpuShare(TypedDict):
    device_index: int
    workers: int
    bytes: int


class FollowedWorkers(TypedDict):
    engines: list[Followed]
    in_use_bytes: int
    fullest: WorkerGpu | None
    here: list[GpuShare]


class WorkerReleased(TypedDict):
    type: Literal["worker_released"]
    helper_id: str
    request_id: str
    status: Literal["done", "nothing", "refused", "failed"]
    message: Message


class WorkersReply(TypedDict):
    type: Literal["workers"]
    id: str
    workers: FollowedWorkers | None
    gpus: list[WorkerGpu]
    total: int


class FollowReply(TypedDict):
    type: Literal["follow"]
    id: str


class WorkerReleaseReply(TypedDict):
    type: Literal["worker_release"]
    id: str
    status: Literal["queued"]


class StartedBy(TypedDict):
    cell_id: str | None
    execution_count: int | None


class DryRunAsk(TypedDict):
    cell_id: str
    calls: list[str]


class DryRunFit(TypedDict):
    gpu: str
    where: str
    total_bytes: int
    fits: bool | None
    left_bytes: int | None
    largest: int | None


class DryRunTry(TypedDict):
    remedy_id: str
    title: Message
    number: int | None
    fits: bool | None
    peak_bytes: int | None
    message: Message
    edits: list[Edit]


class DryRunFound(TypedDict):
    simulated: bool
    needed_bytes: int | None
    whole: bool
    cell_id: str | None
    line: int | None
    parts: list[Part]
    said: list[Message]
    values_to: str | None
    batch: str | None
    fits: list[DryRunFit]
    tried_on: str | None
    tries: list[DryRunTry]


class DryRun(TypedDict):
    type: Literal["dry_run"]
    helper_id: str
    request_id: str
    status: Literal["asking", "running", "done", "failed"]
    message: Message | None
    asks: list[DryRunAsk]
    found: DryRunFound | None


class DryRunReply(TypedDict):
    type: Literal["dry_run"]
    id: str
    status: Literal["queued"]


Event = (
    Hello
    | Sample
    | Cell
    | Oom
    | Plan
    | Released
    | WorkerReleased
    | DryRun
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
    | WorkersReply
    | FollowReply
    | WorkerReleaseReply
    | DryRunReply
    | RefusedReply
)

FrameWire = FrameOutput | FrameOpening | FrameMessage | FrameCall | FrameEnvelope | FrameScript
