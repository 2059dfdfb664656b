"""What is asked of a helper, as a page asks it; nothing of it waits for a cell to end."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpu_headroom.protocol.checking import REQUESTS
from tests.least import least

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.live import LiveKernel, Pack


class Page:
    """A page that asks for everything, in a kernel that may be busy.

    `saved` is a clean-up cell of an earlier session. `busy` says that what needs the main thread
    has to wait until something else has ended: then only the answer to the request is awaited.
    """

    def __init__(self, kernel: LiveKernel, pack: Pack, cleanup: str, *, busy: bool) -> None:
        self._kernel = kernel
        self._pack = pack
        self._saved = cleanup
        self._busy = busy
        self._asked = {"attach"}

    def attach(self) -> None:
        """Renew the lease, and come and go as another page."""
        self._kernel.attach()
        self._kernel.attach(client_id="another", visible=False)
        self._ask("detach", client_id="another")

    def sample(self) -> None:
        """Ask for a reading."""
        for _ in range(5):
            assert self._ask("sample", client_id="a-page")["type"] == "sample"

    def presence(self) -> None:
        """Ask as a page that shows another notebook."""
        self._ask("presence")
        self._ask("cells")
        self._ask("history")

    def holders(self) -> None:
        """Ask who holds what, on a user's request and without one."""
        for by_user in (False, True):
            self._await("holders", asked=by_user)

    def path(self) -> None:
        """Ask why something is kept."""
        events = self._kernel.events("holders")[-1:]
        rows = [row for event in events for device in event["devices"] for row in device["rows"]]
        for row in rows[:3]:
            self._await("path", holder_id=row["id"])

    def plan(self) -> None:
        """Ask what could be freed, as the mouse passes over a button and as a person."""
        for by_user in (False, True):
            self._await("plan", asked=by_user)

    def cleanup(self) -> None:
        """Have a clean-up cell written."""
        self._await("cleanup", items=None)

    def cleanup_of_another_session(self) -> None:
        """Run a cell that was saved in the notebook in an earlier session."""
        if not self._busy:
            run = self._kernel.run(self._saved, store_history=False)
            assert run.status == "ok", run.outputs

    def report(self) -> None:
        """Ask for the report of the cell that failed, and for each of its fixes."""
        for event in self._kernel.events("oom")[-1:]:
            ids = {"helper_id": event["helper_id"], "report_id": event["report_id"]}
            report = self._ask("report", **ids)["report"]
            for remedy in report["remedies"] if report else ():
                self._ask(
                    "fix",
                    report_id=event["report_id"],
                    remedy_id=remedy["id"],
                    sources={"failing": "batch_size = 64\nx = 1"},
                )

    def snapshot(self) -> None:
        """Ask for PyTorch's memory snapshot."""
        self._await("snapshot", path=None)

    def rescue(self) -> None:
        """Have what was trained saved, at the report of the cell that failed."""
        for event in self._kernel.events("oom")[-1:]:
            reply = self._ask("rescue", report_id=event["report_id"])
            if not self._busy and reply["type"] == "rescue":
                self._kernel.await_event("rescue", request_id=reply["id"])

    def rerun(self) -> None:
        """Ask what running the cell that failed again would cost."""
        for event in self._kernel.events("oom")[-1:]:
            run, report_id = [event["cell_id"] or "failing"], event["report_id"]
            sources = {"failing": "batch_size = 64\nx = 1"}
            reply = self._ask("rerun", report_id=report_id, run=run, sources=sources)
            if not self._busy and reply["type"] == "rerun":
                self._kernel.await_event("rerun", request_id=reply["id"])

    def cancel(self) -> None:
        """Think better of a plan, and take back what was never asked for."""
        reply = self._ask("plan", asked=True)
        self._ask("cancel", cancelled_id=reply["id"])
        self._ask("cancel", cancelled_id="nothing")

    def release(self) -> None:
        """Free the safe set."""
        reply = self._ask("release", items=None, confirmed=[], report_id=None)
        if self._busy:
            self._ask("cancel", cancelled_id=reply["release_id"])
        else:
            self._kernel.await_event("released", release_id=reply["release_id"])

    def all_else(self) -> None:
        """Ask the least of each kind that was not asked yet."""
        for kind in sorted(REQUESTS.keys() - self._asked):
            assert self._ask(kind, **least(kind))["type"] in {kind, "refused"}

    def stop_and_start(self) -> None:
        """End the helper and start it again, as an update does."""
        code = "__import__('gpu_headroom').stop()"
        # Without `allow_stdin` ipykernel would take `input` from the cell that runs.
        how = {"silent": True, "store_history": False, "allow_stdin": True}
        self._kernel.run(code, channel="control", **how)
        assert self._kernel.ask("sample", client_id="a-page") is None
        self._kernel.inject(self._pack)
        self._kernel.attach()

    def _ask(self, kind: str, **keys: Any) -> Any:
        self._asked.add(kind)
        return self._kernel.ask(kind, **keys)

    def _await(self, kind: str, **keys: Any) -> None:
        reply = self._ask(kind, **keys)
        if not self._busy and reply["type"] != "error":
            self._kernel.await_event(kind, request_id=reply["id"])


OPERATIONS: dict[str, Callable[[Page], None]] = {
    name: call for name, call in vars(Page).items() if not name.startswith("_")
}
