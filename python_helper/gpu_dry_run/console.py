"""Findings of a dry run, as lines for a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpu_headroom.terminal.tables import heads, table
from gpu_headroom.text.format import format_bytes
from gpu_headroom.text.messages import say

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gpu_headroom.protocol.generated.wire import DryRunAsk, DryRunFit, DryRunFound, Part

    from .job import DryRunOrder, DryRunStep

TEXTS = {
    "dry_run.context": "the driver's context",
    "dry_run.heads": "GPU | Memory | Left at the peak | Fits",
    "dry_run.head_largest": "Largest `{name}`",
    "dry_run.fits": "yes",
    "dry_run.fits_not": "no",
    "dry_run.fits_unknown": "not known",
    "dry_run.missing": "{size_bytes} missing",
    "dry_run.tried_on": "Tried on {gpu}",
    "dry_run.result": "Result",
    "dry_run.asks": "Before it runs: these cells do more than compute and write files.",
    "dry_run.left_out": "Left out, for they do more than compute and write files:",
    "dry_run.ask": "  {cell}: {calls}",
    "dry_run.ask_how": (
        "Say `--run-all` to run them in the dry run too, or `--leave-out 1,3` to leave cells out. "
        "Commands (`%pip` and what a shell runs) are passed over."
    ),
    "dry_run.unheld_how": "Say `--without-sandbox` to run it all the same.",
    "dry_run.unheld_here": "Call it with `without_sandbox=True` to run it all the same.",
    "dry_run.unreadable": "`{path}` cannot be read as a notebook or a script: {error}",
    "dry_run.empty": "`{path}` has no code to run.",
}
_NONE = 9  # of the columns is aligned to the right


def summary(found: DryRunFound) -> Iterator[str]:
    """Yield lines on the memory needed, the GPUs on which it fits, and the result of each edit."""
    for place, line in enumerate(found["said"]):
        yield line["text"]
        if place == 0 and found["parts"]:
            parts = sorted(found["parts"], key=lambda each: -each["bytes"])
            yield "  " + " · ".join(map(_part, parts))
    if found["fits"]:
        yield ""
        rows = [_fit(fit) for fit in found["fits"]]
        last = (
            say("dry_run.head_largest", TEXTS, name=found["batch"])
            if any(row[-1] for row in rows)
            else ""
        )
        yield table([*heads("dry_run.heads", TEXTS), last], rows, right=_NONE)
    if found["tries"]:
        rows = [[trial["title"]["text"], trial["message"]["text"]] for trial in found["tries"]]
        on = say("dry_run.tried_on", TEXTS, gpu=found["tried_on"])
        yield ""
        yield table([on, say("dry_run.result", TEXTS)], rows, right=_NONE)


def asked(step: DryRunStep, order: DryRunOrder) -> Iterator[str]:
    """Yield lines on why nothing ran: what the user has to agree to, and how."""
    if step["message"]:
        yield step["message"]["text"]
    if step["message"] and step["status"] == "asking":
        yield say("dry_run.unheld_how", TEXTS)
    if step["asks"]:
        yield say("dry_run.asks", TEXTS)
        yield from _asks(step["asks"], order)
        yield say("dry_run.ask_how", TEXTS)


def left_out(asks: Sequence[DryRunAsk], order: DryRunOrder) -> Iterator[str]:
    """List the cells that are left out for what they do besides computing."""
    if asks:
        yield say("dry_run.left_out", TEXTS)
        yield from _asks(asks, order)


def _asks(asks: Sequence[DryRunAsk], order: DryRunOrder) -> Iterator[str]:
    for ask in asks:
        cell = order.labels[ask["cell_id"]]
        yield say("dry_run.ask", TEXTS, cell=cell, calls=", ".join(ask["calls"]))


def _part(part: Part) -> str:
    kind = part["kind"]
    name = say("dry_run.context", TEXTS) if kind == "outside" else say(f"part.{kind}")
    return f"{format_bytes(part['bytes'])} {name}"


def _fit(fit: DryRunFit) -> list[str]:
    message_ids = {True: "dry_run.fits", False: "dry_run.fits_not", None: "dry_run.fits_unknown"}
    left_bytes, size = fit["left_bytes"], ""
    if left_bytes is not None:
        size = format_bytes(left_bytes)
        if left_bytes < 0:
            size = say("dry_run.missing", TEXTS, size_bytes=-left_bytes)
    where = f" ({fit['where']})" if fit["where"] else ""
    cells = fit["gpu"] + where, format_bytes(fit["total_bytes"]), size
    largest = "" if fit["largest"] is None else str(fit["largest"])
    return [*cells, say(message_ids[fit["fits"]], TEXTS), largest]
