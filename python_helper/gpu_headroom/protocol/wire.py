"""What the helper says: events, replies and their parts, as types only.

Made from `protocol.schema.json` by `python -m scripts.wire`; do not edit. Nothing here is needed at
run time, so no pack carries it: import it under `TYPE_CHECKING`. What a page may ask stands in
`requests.py`.
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
    """A sentence.

    JupyterLab looks `template` up as gettext's msgid and fills in `params`; consoles and static
    forms show `text`.
    """

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
    """One GPU as this kernel sees it.

    `used` = outside + in use; `headroom` = free + cached = capacity - used.
    """

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
    """What one run of a cell did to one device."""

    device_index: int
    change_bytes: int | None
    peak_bytes: int | None
    peak_at_most_bytes: int | None
    needed_bytes: int | None
    alloc_retries: int | None
    ooms: int | None


class Item(TypedDict):
    """One thing that can be freed."""

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
    """A name that keeps memory in use, with all that was reached through it first.

    Of a model its parameters, buffers and gradients. A variable of a failed function is named with
    it: `x in Block.forward`.
    """

    name: str
    kind: HolderKind
    bytes: int


class Part(TypedDict):
    """One part of a sum, such as a segment of the bar of the moment of failure; in its order."""

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
    file: str | None
    execution_count: int | None
    rows: list[DiffRow]
    sets: str | None


class Remedy(TypedDict):
    """Something a person can do about this failure, offered only where the numbers support it."""

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
    """A cause with its evidence."""

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
    """A program or driver that took part in a failure, and its version."""

    name: str
    version: str


class Worker(TypedDict):
    """A process other than the kernel that works for its notebook, as far as an error names it."""

    engine: EngineName
    rank: int | None
    pid: int | None
    host: str | None


class Origin(TypedDict):
    """The line of a cell that failed in another process.

    Of the cell that defines what ran there.
    """

    cell_id: str | None
    execution_count: int | None
    line: int
    function: str


class Report(TypedDict):
    """The OOM card.

    One neutral model, laid out by every renderer. In a notebook it is untrusted text; only a live
    helper's own copy is acted on.
    """

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
    """What is saved instead of a report when cards are not kept in the notebook.

    The live helper is asked for the rest.
    """

    version: str
    report_id: str
    life_id: str


class Edit(TypedDict):
    """Lines of one cell to replace, computed from the sources that were sent."""

    cell_id: str
    first_line: int
    old_lines: list[str]
    new_lines: list[str]


class Hello(TypedDict):
    """The helper lives. Also part of the attach reply."""

    type: Literal["hello"]
    protocol_version: str
    helper_version: str
    life_id: str
    comm_id: str
    installed: bool
    control: bool


class Sample(TypedDict):
    """One reading.

    Sent on a lease while a cell runs: when something changed, and as a heartbeat every second.
    """

    type: Literal["sample"]
    life_id: str
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
    """A cell started or ended."""

    type: Literal["cell"]
    life_id: str
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
    """A cell ran out of GPU memory; its card comes as display data of that cell."""

    type: Literal["oom"]
    life_id: str
    report_id: str
    time_s: float
    cell_id: str | None
    device_index: int | None
    requested_bytes: int | None
    available_bytes: int | None


class Shared(TypedDict):
    """Bytes that each of these items counts: they come back once."""

    ids: list[str]
    bytes: int


class Plan(TypedDict):
    """What can be freed, measured between cells after a plan request."""

    type: Literal["plan"]
    life_id: str
    request_id: str
    complete: bool
    items: list[Item]
    shared: list[Shared]
    message: Message


class ReleasedItem(TypedDict):
    """One item of the release."""

    id: str
    kind: ItemKind
    title: Message
    freed_bytes: int | None
    message: Message | None


class Released(TypedDict):
    """A release ended.

    Freed is in use before minus after; returned to the card is reserved before minus after; both
    measured.
    """

    type: Literal["released"]
    life_id: str
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
    """Something a person should know before it fails."""

    type: Literal["warning"]
    life_id: str
    time_s: float
    cell_id: str | None
    kind: Literal["filling_up", "growth", "retries", "swallowed_oom", "beyond_gpu", "host_low"]
    device_index: int | None
    message: Message


class ErrorEvent(TypedDict):
    """Something in the helper failed; it goes on as far as it can. For the log."""

    type: Literal["error"]
    life_id: str
    time_s: float
    request_id: str | None
    where: str
    message: Message


class Bye(TypedDict):
    """The helper ends on purpose."""

    type: Literal["bye"]
    life_id: str
    reason: Literal["unloaded", "replaced"]


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
    status: Literal["queued", "waiting"]


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
    caution: Message | None


class CleanupReply(TypedDict):
    """Reply to `cleanup`."""

    type: Literal["cleanup"]
    id: str
    status: Literal["queued", "waiting"]


class RescueReply(TypedDict):
    """Reply to `rescue`."""

    type: Literal["rescue"]
    id: str
    status: Literal["queued", "waiting"]


class RerunReply(TypedDict):
    """Reply to `rerun`."""

    type: Literal["rerun"]
    id: str
    status: Literal["queued", "waiting"]


class RefusedReply(TypedDict):
    """Any request that cannot be answered."""

    type: Literal["refused"]
    id: str
    message: Message


class HostMemory(TypedDict):
    """The kernel's own host memory, and the host's: the container's limit where there is one."""

    rss_bytes: int | None
    available_bytes: int | None
    total_bytes: int | None
    oom_kills: int | None


class Trend(TypedDict):
    """Where memory goes while a cell runs."""

    device_index: int
    state: Literal["unknown", "steady", "growing"]
    bytes_per_s: int | None
    bytes_per_step: int | None
    steps: int | None
    full_in_s: float | None
    full_in_steps: int | None


class Growth(TypedDict):
    """The same cell kept more on each of its last runs."""

    device_index: int
    runs: int
    bytes_per_run: int
    holder: str | None


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
    """Where the memory in use of a device is: parts that add up to it."""

    device_index: int
    in_use_bytes: int
    parts: list[Part]
    rows: list[Held]
    processes: list[Process] | None


class Process(TypedDict):
    """Another process on the card."""

    pid: int | None
    name: str | None
    bytes: int | None


class Holders(TypedDict):
    """Who holds the memory in use, measured between cells after a holders request."""

    type: Literal["holders"]
    life_id: str
    request_id: str | None
    time_s: float
    duration_s: float
    complete: bool
    execution_count: int | None
    recording: bool
    devices: list[HeldDevice]
    message: Message


class Path(TypedDict):
    """The ways from a root to one object, after a path request."""

    type: Literal["path"]
    life_id: str
    request_id: str
    holder_id: str
    complete: bool
    paths: list[list[Message]]
    message: Message


class Snapshot(TypedDict):
    """The allocator's snapshot was written, or could not be."""

    type: Literal["snapshot"]
    life_id: str
    request_id: str
    path: str | None
    bytes: int | None
    message: Message


class Cleanup(TypedDict):
    """The clean-up cell that a request asked for."""

    type: Literal["cleanup"]
    life_id: str
    request_id: str
    code: str | None
    message: Message


class Rescue(TypedDict):
    """A training was saved, or could not be."""

    type: Literal["rescue"]
    life_id: str
    request_id: str
    path: str | None
    bytes: int | None
    code: str | None
    message: Message


class Rerun(TypedDict):
    """What running cells again would cost."""

    type: Literal["rerun"]
    life_id: str
    request_id: str
    status: Literal["ready", "cancelled"]
    items: list[Item]
    cautions: list[Message]
    saves: bool


class Progress(TypedDict):
    """A walk that a person asked for goes on."""

    type: Literal["progress"]
    life_id: str
    request_id: str
    elapsed_s: float


class HoldersReply(TypedDict):
    """Reply to `holders`."""

    type: Literal["holders"]
    id: str
    status: Literal["queued", "waiting"]
    last: Holders | None


class PathReply(TypedDict):
    """Reply to `path`."""

    type: Literal["path"]
    id: str
    status: Literal["queued", "waiting"]


class CellsReply(TypedDict):
    """Reply to `cells`."""

    type: Literal["cells"]
    id: str
    runs: list[Cell]


class HistoryPoint(TypedDict):
    """The highest reading of a stretch of time of one device."""

    time_s: float
    device_index: int
    in_use_bytes: int
    cached_bytes: int
    outside_bytes: int | None
    width_s: Literal[1, 256]
    low_bytes: int


class HistoryReply(TypedDict):
    """Reply to `history`."""

    type: Literal["history"]
    id: str
    points: list[HistoryPoint]


class SnapshotReply(TypedDict):
    """Reply to `snapshot`."""

    type: Literal["snapshot"]
    id: str
    status: Literal["queued", "waiting"]


class ExplainReply(TypedDict):
    """Reply to `explain`; the card is displayed below the cell."""

    type: Literal["explain"]
    id: str
    report_id: str | None


class PresenceReply(TypedDict):
    """Reply to `presence`: what this kernel holds, and since when it rests."""

    type: Literal["presence"]
    id: str
    sample: Sample | None
    idle_since_s: float | None


class FrameOutput(TypedDict):
    """What an output with a script of ours says of itself, where no extension is.

    An attribute of its element.
    """

    uid: str
    life_id: str
    kind: Literal["gauge", "card"]
    compact: bool
    report_id: str | None


class FrameOpening(TypedDict):
    """What a frame says as it opens its comm.

    Of its output the ids. The version is of this envelope.
    """

    version: str
    uid: str
    life_id: str


class FrameMessage(TypedDict):
    """What a frame says on its comm. `seen` is the highest number of an event that it has got."""

    seen: int
    poll: int
    request: Request | None


class FrameCall(TypedDict):
    """The same where no comm can be opened.

    A function is called by name, and returns the envelope.
    """

    uid: str
    seen: int
    request: Request


class FrameEnvelope(TypedDict):
    """What a frame is sent, whatever the occasion.

    `poll` is of the message that this answers, `fixed` the cells of a `fix` reply. Events are
    numbered upward, and come again until the frame has said that it has them.
    """

    life_id: str
    poll: int | None
    reply: Reply | None
    fixed: list[ChangedCell] | None
    events: list[tuple[int, Event]]


class ChangedCell(TypedDict):
    """A cell as a fix would have it, and as which it ran."""

    cell_id: str
    execution_count: int | None
    source: str


class Followed(TypedDict):
    """One engine that this notebook sends work to, and whether its workers are measured."""

    engine: EngineName
    total: int
    live: int
    state: Literal["measured", "not_measured", "following", "silent"]
    silent_s: float | None
    message: Message | None


class CardWorker(TypedDict):
    """A worker on one card."""

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


class WorkerCard(TypedDict):
    """A GPU on which workers are.

    In use and cached are sums over its workers that have not ended, outside is what is used on the
    card but by none of them.
    """

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
    workers: list[CardWorker]
    more_workers: int


class CardShare(TypedDict):
    """What workers hold on a GPU of the kernel: it is part of that device's outside."""

    device_index: int
    workers: int
    bytes: int


class FollowedWorkers(TypedDict):
    """The processes that this notebook sends its work to, in short."""

    engines: list[Followed]
    in_use_bytes: int
    fullest: WorkerCard | None
    here: list[CardShare]


class WorkerReleased(TypedDict):
    """What was done with a worker has ended."""

    type: Literal["worker_released"]
    life_id: str
    request_id: str
    status: Literal["done", "nothing", "refused", "failed"]
    message: Message


class WorkersReply(TypedDict):
    """Reply to `workers`."""

    type: Literal["workers"]
    id: str
    workers: FollowedWorkers | None
    cards: list[WorkerCard]
    total: int


class FollowReply(TypedDict):
    """Reply to `follow`; what becomes of it is told by the engine's state."""

    type: Literal["follow"]
    id: str


class WorkerReleaseReply(TypedDict):
    """Reply to `worker_release`; its end is a `worker_released`."""

    type: Literal["worker_release"]
    id: str
    status: Literal["queued"]


class StartedBy(TypedDict):
    """The cell in which something was started."""

    cell_id: str | None
    execution_count: int | None


class DryRunAsk(TypedDict):
    """What a cell does that others would notice: to be agreed to before anything runs."""

    cell_id: str
    calls: list[str]


class DryRunFit(TypedDict):
    """Whether it fits on a GPU."""

    gpu: str
    where: str
    total_bytes: int
    fits: bool | None
    left_bytes: int | None
    largest: int | None


class DryRunTry(TypedDict):
    """What came of an edit, by running it."""

    remedy_id: str
    title: Message
    number: int | None
    fits: bool | None
    peak_bytes: int | None
    message: Message
    edits: list[Edit]


class DryRunFound(TypedDict):
    """What a dry run has found so far; every size is simulated."""

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
    """How far a dry run is.

    `asking`: nothing has run, for cells do more than compute; `failed`: it ended before its end.
    """

    type: Literal["dry_run"]
    life_id: str
    request_id: str
    status: Literal["asking", "running", "done", "failed"]
    message: Message | None
    asks: list[DryRunAsk]
    found: DryRunFound | None


class DryRunReply(TypedDict):
    """Reply to `dry_run`."""

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

FrameWire = FrameOutput | FrameOpening | FrameMessage | FrameCall | FrameEnvelope
