"""What an examination is worth beside what the notebook's header says."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from benchmarks.causes.examination import EditTrial, Examination
    from benchmarks.causes.notebook import SeededNotebook

Verdict = Literal["right", "also", "absent", "wrong"]
CLOSE = 0.2


def verdict(notebook: SeededNotebook, examination: Examination) -> Verdict:
    """Judge the first cause: `also` is true, but not the one to act on first."""
    first = examination.first
    if notebook.cause == "unknown":
        return "right" if first in (None, "unnamed-values", "unknown") else "wrong"
    if first is None:
        return "absent"
    if first == notebook.cause:
        return "right"
    return "also" if first in notebook.also else "wrong"


def useless(examination: Examination) -> list[str]:
    """Return what was offered or claimed and is not so."""
    found = [f"{each.remedy}: fails" for each in examination.edits if not each.passes]
    found += [f"{each.remedy}: does not parse" for each in examination.edits if not each.parses]
    found += [f"{each.remedy}: applies twice" for each in examination.edits if not each.once]
    if examination.fits_after_free is True and not examination.passes_after_free:
        found.append("free-traceback: is not enough")
    if examination.fits_after_free is False and examination.passes_after_free:
        found.append("free-traceback: is enough")
    return found


def is_close(trial: EditTrial) -> bool | None:
    """Whether the promised bytes are within 20 % of those measured; `None`: not measured."""
    if trial.promised_bytes is None or not trial.saved_bytes:
        return None
    return abs(trial.promised_bytes - trial.saved_bytes) <= CLOSE * trial.saved_bytes
