"""Cells after each of the edits that a report has a button for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpu_headroom.code.reading import each_parsed_once
from gpu_headroom.edits.code_fix import CodeFix
from gpu_headroom.edits.hunks import hunks

if TYPE_CHECKING:
    from collections.abc import Callable

    from gpu_headroom.protocol.generated.wire import Remedy, Report

    from .job import EditedCells


def edits_of(
    report: Report, fix_of: Callable[[str], Any], sources: dict[str, str]
) -> list[EditedCells]:
    """Return what the cells would be after each edit; `fix_of` a remedy's id."""
    with each_parsed_once():
        return [
            _edited(remedy, sources, changed)
            for remedy in report["remedies"]
            if isinstance(fix := fix_of(remedy["id"]), CodeFix)
            and (changed := _changed(fix, sources)) is not None
        ]


def _changed(fix: CodeFix, sources: dict[str, str]) -> dict[str, str] | None:
    """Return the cells after an edit; `None` where one is another by now, or what is no cell."""
    key = fix.change.cell.key
    after = fix.change.rewrite(sources[key]) if key in sources else None
    return None if after is None else {**sources, key: after}


def _edited(remedy: Remedy, sources: dict[str, str], changed: dict[str, str]) -> EditedCells:
    params = remedy["title"]["params"]
    made = [(key, each) for key, text in changed.items() for each in hunks(sources[key], text)]
    one = made[0] if len(made) == 1 else None
    return {
        "remedy_id": remedy["id"],
        "title": remedy["title"],
        "cells": list(changed.items()),
        "before": _number(params.get("old")),
        "number": None if one is None else _number(params.get("new")),
        "cell_id": None if one is None else one[0],
        "lines": None if one is None else (one[1].first, one[1].first + len(one[1].new) - 1),
    }


def _number(text: object) -> int | None:
    return int(str(text)) if str(text).isdecimal() else None
