"""The bundle that is displayed in the failing cell."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..text.messages import say
from .html import html
from .text import text

if TYPE_CHECKING:
    from ..protocol.generated.wire import Report

MIME_TYPE = "application/vnd.gpu-headroom.report+json"


def bundle(report: Report, *, keep: bool) -> dict[str, object]:
    """Return the MIME bundle of a report; without `keep` a stub that a live helper can fill."""
    if not keep:
        stub = {key: report[key] for key in ("version", "report_id", "helper_id")}
        message_id = "sticky_error.sentence" if report["sticky_error"] else "report.stub"
        return {MIME_TYPE: stub, "text/plain": say(message_id)}
    return {MIME_TYPE: report, "text/html": html(report), "text/plain": text(report)}
