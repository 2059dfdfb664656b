"""The frames of one helper: their messages, and the delivery of events to them.

A front end may deliver to a frame only messages that belong to a request in progress. Events are
therefore sent as part of the running cell's request or of the frame's own; in between they wait in
the frame's queue (`Frame`). No frame receives an event again that it has acknowledged.
"""

from __future__ import annotations

import uuid
from contextlib import contextmanager, suppress
from functools import partial
from typing import TYPE_CHECKING, Any

from ..concurrency.threads import LockTimeoutError
from ..kernel import running_cell
from ..kernel.channel import publish
from ..protocol.checking import is_text
from . import colab
from .beacon import Beacon
from .changed import changed_cells
from .frame import LATEST_ONLY, LEASE_S, Frame
from .output import live_html, report_script

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ..protocol.generated import wire
    from ..protocol.generated.wire import ChangedCell, FrameEnvelope, FrameScript
    from ..session.wing import Host


TARGET = "gpu-headroom-frame"
"""The comm target that a frame opens; beacons go to `TARGET/<uid>`."""
CALLBACK = "gpu-headroom"
SCRIPT = "gpu-headroom-script"
"""The comm target, and the callback, by which the output of a report requests its script."""
PUSH_HZ = 4.0

_MOST_FRAMES = 64
_MOST_UNHEARD = 20  # comms of beacons, before the first message of any frame
_SWEEP_S = LEASE_S / 4
_AGAIN_S = 0.05
_OF_REPORT = (
    "helper_id",
    "report_id",
    "time_s",
    "cell_id",
    "device_index",
    "requested_bytes",
    "available_bytes",
)


class Frames:
    """Receives messages of a front end's frames, and sends events to them.

    A frame without a message for the time of its lease is removed, with its comm.
    """

    def __init__(self, helper: Host) -> None:
        self._helper = helper
        self._kernel = helper.shell.kernel
        self._frames: dict[str, Frame] = {}
        self._parent: Mapping[str, Any] | None = None
        self._beacons: dict[str, Beacon] = {}
        self._unheard = _MOST_UNHEARD
        self._sweeping = False
        self._newest: wire.Report | None = None

    def open(self) -> None:
        """Register the comm targets."""
        running_cell.read_cell_id_from(colab.CELL_ID)
        self._kernel.comm_manager.register_target(TARGET, self._opened)
        self._kernel.comm_manager.register_target(SCRIPT, self._send_script)
        colab.register_callback(CALLBACK, self._called)
        colab.register_callback(SCRIPT, lambda _: report_script())

    def close(self) -> None:
        """Unregister the comm targets, and remove all frames."""
        targets = self._kernel.comm_manager
        with suppress(KeyError):
            targets.unregister_target(TARGET, self._opened)
            targets.unregister_target(SCRIPT, self._send_script)
        frames, self._frames = self._frames, {}
        for frame in frames.values():
            _close(frame)

    def wanted_hz(self) -> float | None:
        """Return the rate of readings while a cell runs; `None` without frames."""
        return PUSH_HZ if self._frames else None

    def live(self, static: str, *, report_id: str | None = None, compact: bool = False) -> str:
        """Return the HTML of a live output, with a static reading until its script runs.

        A gauge without `report_id`, else a report. The new report is also sent to the existing
        frames, as it may complete the report of one of them.
        """
        uid = uuid.uuid4().hex
        report = None if report_id is None else self._helper.reports.report(report_id)
        if report is not None:
            if self._newest is None or report["time_s"] >= self._newest["time_s"]:
                self._newest = report
            fields: Any = report
            event: Any = {"type": "oom", **{key: fields[key] for key in _OF_REPORT}}
            self.hear(event)
        if self._helper.ledger.running:
            self._bring_up_to_date(self._known(uid))
            self._beacons[uid] = Beacon(f"{TARGET}/{uid}", self._publish)
        output: wire.FrameOutput = {
            "uid": uid,
            "helper_id": self._helper.helper_id,
            "kind": "gauge" if report_id is None else "report",
            "compact": compact,
            "report_id": report_id,
        }
        return live_html(static, output)

    # --- Events to frames -----------------------------------------------------

    def hear(self, event: wire.Event) -> None:
        """Send an event to all frames, now or when that is possible; on any thread."""
        try:
            self._tell(self._of_report(event))
        except Exception as error:  # noqa: BLE001  must not fail the code that raised the event
            self._helper.failed("frames", error)

    def _of_report(self, event: wire.Event) -> wire.Event:
        """Return a release event, assigned to the newest report if it released its traceback."""
        newest = self._newest
        if (
            newest is None
            or event["type"] != "released"
            or event["report_id"] is not None
            or all(item["kind"] != "traceback" for item in event["items"])
        ):
            return event
        released: wire.Released = {**event, "report_id": newest["report_id"]}
        self._helper.reports.enter_release(released)
        return released

    def _tell(self, event: wire.Event) -> None:
        # The event of a cell's end comes before the end of its request.
        running, is_cell = self._helper.ledger.running, event["type"] == "cell"
        parent = self._parent or (self._helper.cell_hooks.parent if running or is_cell else None)
        for frame in list(self._frames.values()):
            if not self._enters(frame, event) or parent is None:
                continue
            if running or is_cell:
                frame.excuse()
            # With all unacknowledged events, as two threads may send out of order.
            envelope, comm = self._envelope(frame.news()), frame.comm
            beacon = self._beacons.get(frame.uid)
            if comm is not None:
                self._send(comm, envelope, parent)
            elif beacon is not None and (running or is_cell):
                self._beacon(beacon, envelope, parent)

    def _enters(self, frame: Frame, event: wire.Event) -> bool:
        """Queue an event for a frame; retry later if another thread holds its lock for long."""
        try:
            return frame.enter(event)
        except LockTimeoutError:
            if event["type"] not in LATEST_ONLY:  # another of these follows
                self._helper.schedule(partial(self._enters, frame, event), _AGAIN_S)
            return False

    def _beacon(self, beacon: Beacon, envelope: FrameEnvelope, parent: Mapping[str, Any]) -> None:
        """Send events to a frame that cannot send before its cell, and those queued after it, end.

        There may be no frame: a front end without this target answers each comm on the busy shell
        channel. So only a limited number is opened until the first message of any frame.
        """
        if beacon.is_due and self._unheard != 0:
            self._unheard -= self._unheard > 0
            beacon.open(envelope, parent)
        else:
            beacon.send(envelope, parent)

    def _end_beacon(self, uid: str, parent: Mapping[str, Any]) -> None:
        beacon = self._beacons.pop(uid, None)
        if beacon is not None:
            beacon.close(parent)

    # --- Messages from frames -------------------------------------------------

    def _opened(self, comm: Any, message: Mapping[str, Any]) -> None:
        data = message["content"]["data"]
        uid = data.get("uid") if isinstance(data, dict) else None
        if not is_text(uid):
            comm.close()
            return
        self._unheard = -1
        # An output may be shown twice: each frame appends a part of its own to the shared id.
        self._end_beacon(uid.partition("/")[0], message)
        frame = self._known(uid)
        _close(frame)  # a frame that opens a comm has lost the one before
        frame.comm = comm
        comm.on_msg(partial(self._told, frame))
        comm.on_close(lambda _: self._gone(frame, comm))
        self._told(frame, message)

    def _send_script(self, comm: Any, message: Mapping[str, Any]) -> None:
        with self._answering(message):
            self._send(comm, report_script(), message)
            comm.close()

    def _gone(self, frame: Frame, comm: Any) -> None:
        if frame.comm is comm:
            frame.comm = None
            self._drop(frame)

    def _told(self, frame: Frame, message: Mapping[str, Any]) -> None:
        """Reply to a message of a frame, and complete its request."""
        data = message["content"]["data"]
        with self._answering(message):
            fields = data if isinstance(data, dict) else {}
            self._send(frame.comm, self._answer(frame, fields), message)
            self._finish(fields)

    def _called(self, message: object) -> FrameEnvelope:
        """Answer a frame that cannot open a comm: all that comes of its request is in there."""
        fields = message if isinstance(message, dict) else {}
        uid = fields.get("uid")
        frame = self._known(uid if is_text(uid) else "")
        answer = self._envelope([])
        with self._answering(running_cell.parent(self._helper.shell)):
            answer = self._answer(frame, fields)
            self._finish(fields)
            answer["events"] = frame.news()
        return answer

    @contextmanager
    def _answering(self, parent: Mapping[str, Any]) -> Iterator[None]:
        self._helper.cell_hooks.keep_prints_in_their_cell()
        self._parent = parent
        try:
            yield
        except LockTimeoutError:
            pass  # the frame sends its request again
        except Exception as error:  # noqa: BLE001  a frame's message must not fail the kernel
            self._helper.failed("frames", error)
        finally:
            self._parent = None

    def _answer(self, frame: Frame, said: Mapping[str, Any]) -> FrameEnvelope:
        helper, request = self._helper, said.get("request")
        frame.received(said.get("seen"))
        reply: wire.Reply | None = None
        fixed: list[ChangedCell] | None = None
        if isinstance(request, dict):
            if is_text(request.get("id")):
                frame.asks(request["id"])
            cells = helper.ledger.cells()
            if request.get("type") == "fix":  # a frame has no access to the cells
                sources = {run.cell_id: run.source for run in cells if run.cell_id}
                request = {**request, "sources": sources}
            reply = helper.answer(request)
            fixed = changed_cells(reply, cells)
        else:
            self._bring_up_to_date(frame)
        poll = said.get("poll")
        return self._envelope(frame.news(), poll if isinstance(poll, int) else None, reply, fixed)

    def _bring_up_to_date(self, frame: Frame) -> None:
        for event in (self._helper.sample(), self._helper.cell()):
            if event is not None:
                frame.enter(event)

    def _finish(self, said: Mapping[str, Any]) -> None:
        """Complete the jobs of a request before it ends: later, events could not be delivered."""
        request = said.get("request")
        if isinstance(request, dict) and not self._helper.ledger.running:
            self._helper.mainloop.finish(request.get("id"))

    # --- The set of frames ----------------------------------------------------

    def _known(self, uid: str) -> Frame:
        frame = self._frames.get(uid)
        if frame is None:
            frame = Frame(uid)
            self._frames = self._frames | {uid: frame}
            while len(self._frames) > _MOST_FRAMES:
                self._drop(next(iter(self._frames.values())))
            self._schedule_sweep()
        return frame

    def _schedule_sweep(self) -> None:
        if self._frames and not self._sweeping:
            self._sweeping = True
            self._helper.schedule(self._sweep, _SWEEP_S)

    def _drop(self, frame: Frame) -> None:
        self._frames = {k: v for k, v in self._frames.items() if v is not frame}
        self._end_beacon(frame.uid, self._helper.cell_hooks.parent)
        _close(frame)

    def _sweep(self) -> None:
        """Remove the frames whose lease has lapsed; on the main thread, between cells."""
        self._sweeping = False
        for frame in list(self._frames.values()):
            if frame.lapsed and not self._helper.ledger.running:
                self._drop(frame)
        self._schedule_sweep()

    # --- Sending ----------------------------------------------------------------

    def _envelope(
        self,
        events: list[tuple[int, wire.Event]],
        poll: int | None = None,
        reply: wire.Reply | None = None,
        fixed: list[ChangedCell] | None = None,
    ) -> FrameEnvelope:
        own_id = self._helper.helper_id
        return {"helper_id": own_id, "poll": poll, "reply": reply, "fixed": fixed, "events": events}

    def _send(
        self, comm: Any, data: FrameEnvelope | FrameScript, parent: Mapping[str, Any]
    ) -> None:
        content = {"comm_id": comm.comm_id, "data": data}
        self._publish("comm_msg", content, parent)

    def _publish(self, kind: str, content: dict[str, Any], parent: Mapping[str, Any]) -> None:
        ident = f"comm-{content['comm_id']}".encode()
        publish(self._kernel, kind, content, parent=parent, ident=ident)


def _close(frame: Frame) -> None:
    """Close a frame's comm."""
    comm, frame.comm = frame.comm, None
    if comm is not None:
        with suppress(Exception):  # it may be closed, or the kernel at its end
            comm.on_close(None)
            comm.close()
