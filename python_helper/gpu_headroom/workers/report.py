"""The report of a worker that measured itself, joined with the kernel's report."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from ..code.command import COMMAND
from ..text.messages import message

if TYPE_CHECKING:
    from ..errors.statement import Statement
    from ..protocol.generated.wire import Remedy, Report
    from ..reports.model import BuiltReport

# Fields that the worker has measured itself, taken from its report.
_SIZES = (
    *("device_index", "capacity_bytes", "requested_bytes", "available_bytes"),
    *("in_use_bytes", "cached_bytes", "outside_bytes"),
)
_LISTS = ("parts", "holders", "further_causes", "details", "versions", "remedies")
_MEASURED: dict[str, tuple[type, ...]] = {
    **dict.fromkeys(("framework", "error_name"), (str,)),
    **dict.fromkeys(_SIZES, (int, type(None))),
    **dict.fromkeys(_LISTS, (list,)),
    "simulated": (bool,),
    "device_name": (str, type(None)),
    "cause": (dict, type(None)),
}
_ALIKE = 0.01  # error messages are rounded
# Actions that free memory come too late: the worker has exited.
_REACH_IT = ("edit", "suggestion", "snippet")


def joined(built: BuiltReport, left: object, others: int) -> BuiltReport:
    """Return a report with what its worker has left; unchanged where that is not a report.

    `others` is the number of other workers that left one. An edit has a button only where this
    kernel can make it, too.
    """
    report = built.report
    if type(left) is not dict or not _is_report(left):
        return built
    offers = {remedy["id"]: remedy for remedy in report["remedies"]}
    remedies = [
        stated
        for remedy in left["remedies"]
        if remedy["kind"] in _REACH_IT
        if (stated := _told_here(remedy, offers.get(remedy["id"])))
    ]
    if left["execution_count"] is None:  # a script has no notebook in which to find edits
        remedy_ids = {remedy["id"] for remedy in remedies}
        edits = [remedy for remedy in report["remedies"] if remedy["kind"] == "edit"]
        remedies = [*(edit for edit in edits if edit["id"] not in remedy_ids), *remedies]
    fields: Any = {
        **report,
        **{key: left[key] for key in _MEASURED},
        "remedies": remedies,
        "worker": left.get("worker") or report["worker"],
        "measured": "worker",
        "also_failed": max(others, report["also_failed"]),
    }
    edit_ids = {remedy["id"] for remedy in remedies if remedy["kind"] == "edit"}
    fixes = {key: fix for key, fix in built.fixes.items() if key in edit_ids}
    return replace(built, report=cast("Report", fields), fixes=fixes)


def is_of(left: object, said: Statement) -> bool:
    """Whether a report that a process has left can be of the error with this statement."""
    if type(left) is not dict:
        return False
    pairs = [(left.get(key), getattr(said, key)) for key in ("requested_bytes", "capacity_bytes")]
    return all(
        type(size) is int and abs(size - expected) <= _ALIKE * expected
        for size, expected in pairs
        if expected is not None
    )


def _told_here(remedy: Remedy, offer: Remedy | None) -> Remedy | None:
    if offer is not None and (offer["kind"] == "edit" or remedy["kind"] == "edit"):
        here = {key: offer[key] for key in ("kind", "title", "diffs", "example")}
        return cast("Remedy", {**remedy, **here})
    if any(diff["cell_id"] == COMMAND for diff in remedy["diffs"]):
        return None  # its command line is not in this notebook
    if remedy["kind"] != "edit":
        return remedy
    return {**remedy, "kind": "suggestion", "note": message("worker.not_here")}


def _is_report(left: dict[str, Any]) -> bool:
    """Whether all required fields are there; the front end checks their contents."""
    return (
        left.keys() >= {*_MEASURED, "execution_count"}
        and all(type(left[key]) in kinds for key, kinds in _MEASURED.items())
        and all(type(row) is dict for key in _LISTS for row in left[key])
    )
