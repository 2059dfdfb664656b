"""A page that asks a kernel for dry runs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.live import LiveKernel


class Page:
    """Asks a kernel for dry runs, and hears of them."""

    def __init__(self, kernel: LiveKernel) -> None:
        self.kernel = kernel

    def ask(self, *cells: str, **differs: Any) -> Any:
        """Ask for a dry run of cells, and return the reply; `differs` has other keys of it."""
        sources = differs.pop("sources", {f"cell-{n}": text for n, text in enumerate(cells, 1)})
        request = {
            "action": "begin",
            "sources": sources,
            "labels": {name: f"In [{n}]" for n, name in enumerate(sources, start=1)},
            "gpu": "T4",
            "report_id": None,
            "agreed": False,
            "largest_on_each": False,
            "values_to": None,
            **differs,
        }
        self.kernel.attach()
        return self.kernel.ask("dry_run", **request)

    def begin(self, *cells: str, **differs: Any) -> str:
        """Begin one, and return the id of the request."""
        reply = self.ask(*cells, **differs)
        assert reply["type"] == "dry_run", reply
        assert reply["status"] == "queued"
        return str(reply["id"])

    def refused(self, *cells: str, **differs: Any) -> Any:
        """Ask for one that is refused, and return the sentence."""
        reply = self.ask(*cells, **differs)
        assert reply["type"] == "refused", reply
        return reply["message"]

    def steps(self, request_id: str) -> list[dict[str, Any]]:
        """What was told of one so far."""
        events = self.kernel.events("dry_run")
        return [event for event in events if event["request_id"] == request_id]

    def end(self, request_id: str, timeout_s: float = 180) -> dict[str, Any]:
        """Wait for the last word about one."""

        def is_over() -> bool:
            steps = self.steps(request_id)
            return bool(steps) and steps[-1]["status"] != "running"

        self.until(is_over, timeout_s)
        *rest, last = self.steps(request_id)
        assert all(step["status"] == "running" for step in rest)
        return last

    def run(self, *cells: str, **differs: Any) -> dict[str, Any]:
        """Have one done, and return the last word about it."""
        return self.end(self.begin(*cells, **differs))

    def await_cell(self, request_id: str, label: str) -> None:
        """Wait until a cell runs in one."""
        self.until(
            lambda: any(
                step["message"] and step["message"]["params"].get("cell") == label
                for step in self.steps(request_id)
            )
        )

    def until(self, condition: Callable[[], bool], timeout_s: float = 180) -> None:
        """Wait until something holds, and be there meanwhile, as a page is."""

        def holds() -> bool:
            self.kernel.attach()
            return condition()

        self.kernel.until(holds, timeout_s)


def processes(scratch: Path) -> list[int]:
    """Return the processes of dry runs of kernels here: engines, and all that they started."""
    pids = []
    for folder in Path("/proc").iterdir():
        try:
            command = (folder / "cmdline").read_bytes() if folder.name.isdecimal() else b""
            environment = (folder / "environ").read_bytes() if command else b""
        except OSError:
            continue
        is_ours = f"TMPDIR={scratch}".encode() in environment.split(b"\0")
        if is_ours and b"gpu_dry_run." in command:
            pids.append(int(folder.name))
    return pids
