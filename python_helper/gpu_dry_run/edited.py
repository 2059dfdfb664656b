"""Cells after each of the edits that a report has a button for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpu_headroom.code.reading import each_parsed_once
from gpu_headroom.own import bring

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from gpu_headroom.protocol.generated.wire import Edit, Remedy, Report

    from .job import EditedCells


def edits_of(
    report: Report, fix_of: Callable[[str], Any], sources: dict[str, str]
) -> list[EditedCells]:
    """Return what the cells would be after each edit; `fix_of` a remedy's id."""
    with each_parsed_once():
        return [
            _edited(remedy, sources, changed)
            for remedy in report["remedies"]
            if (fix := fix_of(remedy["id"])) is not None
            and (changed := _changed(fix, sources)) is not None
        ]


def changes(sources: Mapping[str, str], cells: Iterable[tuple[str, str]]) -> list[Edit]:
    """Return as edits what cells have become of others."""
    hunks = bring(".edits.hunks")  # a wing: without it no report has an edit
    return [edit for key, text in cells for edit in hunks.as_edits(key, sources[key], text)]


def _changed(fix: Any, sources: dict[str, str]) -> dict[str, str] | None:
    """Return the cells after an edit; `None` where one is another by now, or what is no cell."""
    key = fix.change.cell.key
    after = fix.change.rewrite(sources[key]) if key in sources else None
    return None if after is None else {**sources, key: after}


def _edited(remedy: Remedy, sources: dict[str, str], changed: dict[str, str]) -> EditedCells:
    params, edits = remedy["title"]["params"], changes(sources, changed.items())
    one = edits[0] if len(edits) == 1 else None
    return {
        "remedy_id": remedy["id"],
        "title": remedy["title"],
        "cells": list(changed.items()),
        "before": _number(params.get("old")),
        "number": one and _number(params.get("new")),
        "cell_id": one and one["cell_id"],
        "lines": one and (one["first_line"], one["first_line"] + len(one["new_lines"]) - 1),
    }


def _number(text: object) -> int | None:
    return int(str(text)) if str(text).isdecimal() else None
