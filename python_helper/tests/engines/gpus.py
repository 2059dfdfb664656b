"""Reports that come in two steps: what a worker tells may come a little after its error."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.engines.test_dask import fail, until
from tests.live import REPORT

if TYPE_CHECKING:
    from tests.live import LiveKernel


def explained(kernel: LiveKernel, source: str) -> Any:
    """The report of a cell that fails, once its worker has sent what it measured."""
    report, _ = fail(kernel, source)

    def latest() -> Any:
        reports = [
            entry["content"]["data"][REPORT]
            for entry in kernel.messages()
            if entry["msg_type"] in {"display_data", "update_display_data"}
            if REPORT in entry["content"]["data"]
        ]
        return [entry for entry in reports if entry["report_id"] == report["report_id"]][-1]

    until(lambda: latest()["measured"] == "worker", 5)
    return latest()
