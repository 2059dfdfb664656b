"""Sentences of both static forms of a report, from the catalog."""

from __future__ import annotations

import re
import time
from typing import TYPE_CHECKING

from ..text.format import MINUS, format_bytes
from ..text.headline import headline, process
from ..text.messages import say

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..protocol.generated.wire import Cause, Diff, Remedy, Report

MARKUP = re.compile(r"\*\*((?:`[^`]*`|[^`])+?)\*\*|`([^`]*)`")  # strong, which may hold code
REMEDIES_SHOWN = 4  # at once
_FILL = {"outside": "▒", "cached": "░", "free": "·"}


def title(report: Report) -> tuple[str, str]:
    """Return the title and what was missing: "Out of GPU memory", "needed 2.00 GiB more, …"."""
    if report["sticky_error"]:
        return say("sticky_error.title"), say("sticky_error.restart")
    return headline(
        report["requested_bytes"],
        report["available_bytes"],
        simulated=report["simulated"],
        worker=report["worker"],
    )


def subtitle(report: Report) -> str:
    """Return "GPU 0, Tesla T4, 14.7 GiB. In [7], line 19." as far as it is known."""
    sentences = []
    if report["device_index"] is not None:
        sentences.append(_device(report) + ".")
    if report["execution_count"] is not None and report["line"] is not None:
        place = {"execution_count": report["execution_count"], "line": report["line"]}
        sentences.append(say("report.place", **place))
    sentences += _on_worker(report)
    if report["simulated"]:
        sentences.append(say("report.simulated"))
    return " ".join(sentences)


def _on_worker(report: Report) -> Iterator[str]:
    """Yield where it failed in another process, and with how many others."""
    worker, origin = report["worker"], report["origin"]
    if origin is not None:
        count = origin["execution_count"]
        place = {"execution_count": " " if count is None else count, "line": origin["line"]}
        yield say("report.origin", function=origin["function"], **place)
    if worker is not None and worker["pid"] is not None:
        yield process(worker["pid"], worker["host"])
    if report["also_failed"]:
        yield say("report.also_failed", count=report["also_failed"])


def _device(report: Report) -> str:
    index, name = report["device_index"], report["device_name"]
    capacity = report["capacity_bytes"]
    if name is None or capacity is None:
        size = None if capacity is None else format_bytes(capacity)
        return ", ".join([f"GPU {index}", *filter(None, [name, size])])
    return say("report.device", index=index, name=name, capacity=format_bytes(capacity))


def bars(report: Report, width: int) -> Iterator[tuple[str, str, str]]:
    """Yield name, size and bar of each part; the largest has a bar of `width` characters."""
    largest = max((part["bytes"] for part in report["parts"]), default=0)
    for part in report["parts"]:
        length = round(width * part["bytes"] / largest) if largest else 0
        bar = _FILL.get(part["kind"], "█") * max(length, 1 if part["bytes"] else 0)
        yield say(f"part.{part['kind']}"), format_bytes(part["bytes"]), bar


def traceback(report: Report) -> str | None:
    """Return what the failed cell still keeps in use, where anything worth a line is."""
    held = report["traceback_bytes"]
    if not held:
        return None
    variables = dict.fromkeys(holder["name"] for holder in report["traceback_variables"])
    names = ", ".join(f"`{variable}`" for variable in list(variables)[:3])
    if not names:
        return say("report.traceback_unnamed", traceback_bytes=held)
    # Each name has code marks of its own, which a parameter may not contain.
    sentence = say("report.traceback", traceback_bytes=held, variables="\0")
    return sentence.replace("\0", names)


def titled(remedy: Remedy, title: str) -> str:
    """Return "Free …: 12.0 GiB measured".

    A restart and a file save no memory, and a suggestion says what it saves where it is known.
    """
    silent = remedy["kind"] in ("restart", "save")
    if remedy["kind"] == "suggestion":
        silent = remedy["effect_bytes"] is None
    return title if silent else f"{title}: {effect(remedy)}"


def effect(remedy: Remedy) -> str:
    """Return "12.0 GiB measured", "about −4.9 GiB estimated" or "not measured"."""
    size, quality = remedy["effect_bytes"], remedy["effect_quality"]
    if size is None or quality == "not_measured":
        return say("effect.not_measured")
    if quality == "measured":
        return say("effect.measured", effect=format_bytes(size))
    which = "effect.at_least" if quality == "at_least" else "effect.estimated"
    return say(which, effect=f"{MINUS}{format_bytes(size)}")


def also(cause: Cause) -> str:
    """Return another cause in one line, with the bytes it explains."""
    sentence = f"{cause['claim']['text']} {cause['evidence']['text']}"
    return sentence if cause["bytes"] is None else f"{sentence} ({format_bytes(cause['bytes'])})"


def named_diffs(report: Report, remedy: Remedy) -> Iterator[tuple[str | None, Diff]]:
    """Yield the changes of an edit, each with its name where not all are of the failed cell."""
    elsewhere = any(diff["cell_id"] != report["cell_id"] for diff in remedy["diffs"])
    for diff in remedy["diffs"]:
        count = diff["execution_count"]
        name = diff["file"] or say("report.cell", execution_count=" " if count is None else count)
        yield name if elsewhere else None, diff


def versions(report: Report) -> str:
    """Return "Python 3.13.1, PyTorch 2.9.1"; empty where none are known."""
    return ", ".join(f"{version['name']} {version['version']}" for version in report["versions"])


def recorded(report: Report) -> str:
    """Return when the numbers were taken."""
    moment = time.gmtime(report["time_s"])
    date = f"{moment.tm_mday} {time.strftime('%b %Y, %H:%M', moment)}"
    return say("report.recorded", date=date)
