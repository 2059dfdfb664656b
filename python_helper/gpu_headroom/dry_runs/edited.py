"""Cells after each of the edits that a card offers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..advice.code_fix import CodeFix
from ..code.parsing import each_parsed_once
from ..edits.applied import applied

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ..protocol.wire import Edit, Remedy, Report
    from .job import EditedCells


def edits_of(
    report: Report, fix_of: Callable[[str], Any], sources: dict[str, str]
) -> list[EditedCells]:
    """Return what the cells would be after each edit that has a button; `fix_of` a remedy's id."""
    with each_parsed_once():
        return [
            _edited(remedy, sources, outcome.edits)
            for remedy in report["remedies"]
            if remedy["kind"] == "edit"
            and isinstance(fix := fix_of(remedy["id"]), CodeFix)
            and (outcome := fix.edits(sources)).status == "ok"
        ]


def _edited(remedy: Remedy, sources: dict[str, str], edits: Sequence[Edit]) -> EditedCells:
    params, one = remedy["title"]["params"], edits[0] if len(edits) == 1 else None
    first = 0 if one is None else one["first_line"]
    changed = {
        cell_id: applied(sources[cell_id], [each for each in edits if each["cell_id"] == cell_id])
        for cell_id in {each["cell_id"] for each in edits}
    }
    return {
        "remedy_id": remedy["id"],
        "title": remedy["title"],
        "cells": list({**sources, **changed}.items()),
        "before": _number(params.get("old")),
        "number": None if one is None else _number(params.get("new")),
        "cell_id": None if one is None else one["cell_id"],
        "lines": None if one is None else (first, first + len(one["new_lines"]) - 1),
    }


def _number(text: object) -> int | None:
    return int(str(text)) if str(text).isdecimal() else None
