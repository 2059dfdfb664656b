"""What an examination is worth beside what the notebook's header says."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from benchmarks.causes.vocabulary import WITHOUT_REPORT

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
    if first in (notebook.cause, *notebook.as_right):
        return "right"
    return "also" if first in notebook.also else "wrong"


def has_remedy(notebook: SeededNotebook, examination: Examination) -> bool:
    """Whether a report has a right remedy, which passes where it is an edit, or needs none."""
    failing = {trial.remedy for trial in examination.edits if not trial.passes}
    return notebook.cause in WITHOUT_REPORT or bool(set(examination.helping) - failing)


def useless(notebook: SeededNotebook, examination: Examination) -> list[str]:
    """Return what was offered or claimed and is not so."""
    remedies = {name for name, _ in examination.remedies}
    tried = {each.remedy for each in examination.edits}
    faults = [f"{each}: no help" for each in notebook.useless if each in remedies - tried]
    return faults + _untrue(examination)


def _untrue(examination: Examination) -> list[str]:
    faults = [f"{edit.remedy}: fails" for edit in examination.edits if not edit.passes]
    faults += [f"{edit.remedy}: does not parse" for edit in examination.edits if not edit.parses]
    faults += [f"{edit.remedy}: applies twice" for edit in examination.edits if not edit.once]
    if examination.fits_after_free is True and not examination.passes_after_free:
        faults.append("free-traceback: is not enough")
    if examination.fits_after_free is False and examination.passes_after_free:
        faults.append("free-traceback: is enough")
    return faults


def is_close(trial: EditTrial) -> bool | None:
    """Whether a promise is true; `None`: not measured.

    Within 20 % of what was measured, or not above it where it is "at least" so much. What makes a
    step smaller is judged at the peak, as its failure may come long before that; what lets go of
    memory where the request failed.
    """
    saved = trial.saved_of_peak_bytes if trial.remedy == "smaller-batch" else trial.saved_bytes
    if trial.promised_bytes is None or not saved or not trial.quality:
        return None
    if trial.quality == "at_least":
        return trial.promised_bytes <= saved
    return abs(trial.promised_bytes - saved) <= CLOSE * saved
