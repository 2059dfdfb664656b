"""Free what the failed cell's traceback still holds, and what an earlier error has left."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...own import OWN
from ...text.format import MIB
from ...text.messages import message
from ..remedy import Offer
from ..rules.holding import displayed

if TYPE_CHECKING:
    from ...oom.evidence import Evidence
    from ..finding import Finding

TREATS: tuple[str, ...] = ()
TEXTS = {
    "remedy.free-traceback": "Free {traceback_bytes} held by this error's traceback",
    "remedy.free-traceback.left": "Free {traceback_bytes} that failed cells have left",
    "remedy.free-traceback.displayed": "Free {freeable_bytes}: this error's and displayed values",
    "remedy.free-traceback.note_displayed": (
        "The failed cell's variables, and `{names}`. You lose these, and `%debug` for this error."
    ),
    "remedy.free-traceback.note": (
        "It keeps the failed cell's variables. You lose `%debug` for this error."
    ),
    "remedy.free-traceback.note_not_enough": (
        "It keeps the failed cell's variables. You lose `%debug` for this error. "
        "That alone will not make this cell fit."
    ),
    "remedy.free-traceback.note_maybe": (
        "It keeps the failed cell's variables. You lose `%debug` for this error. "
        "That alone may not be enough."
    ),
    "remedy.free-traceback.note_at_once": (
        "Freed at once, as your settings ask. You lose `%debug` for this error."
    ),
}
_WORTH_IT_BYTES = 10 * MIB


def offer(evidence: Evidence, _finding: Finding | None) -> Offer | None:
    """Offer it where the survey measured that tracebacks alone keep memory in use.

    Where the settings ask for neither the offer nor the act, there is none.
    """
    after_oom, held = evidence.failure.after_oom, evidence.traceback_bytes
    title, call = "remedy.free-traceback", "free_traceback"
    if after_oom == "never":
        return None
    # What an earlier error held, or an earlier try, may wait for Python's collector.
    earlier = max(evidence.earlier_traceback_bytes or 0, evidence.failure.left_bytes)
    waits = min(evidence.nameless_bytes, earlier)
    if held is not None and waits > held:
        held, title, call = held + waits, "remedy.free-traceback.left", "free"
    shown = displayed(evidence)
    if shown and held is not None and after_oom != "free":
        size, roots = sum(group.bytes for group in shown), [group.root for group in shown]
        return Offer(
            kind="release",
            title=message("remedy.free-traceback.displayed", TEXTS, freeable_bytes=held + size),
            note=message(
                "remedy.free-traceback.note_displayed", TEXTS, names=", ".join(dict.fromkeys(roots))
            ),
            effect_bytes=held + size,
            measured=evidence.complete,
            type_this=f"import {OWN}; {OWN}.free()",
            rank=0,
        )
    if held is None or held < min(_WORTH_IT_BYTES, (evidence.memory.in_use_bytes or 0) // 10 or 1):
        return None
    which = {True: "", False: "_not_enough", None: "_maybe"}[evidence.fits_after_free]
    which = "_at_once" if after_oom == "free" else which
    return Offer(
        kind="release",
        title=message(title, TEXTS, traceback_bytes=held),
        note=message(f"remedy.free-traceback.note{which}", TEXTS),
        effect_bytes=held,
        measured=evidence.complete,
        type_this=f"import {OWN}; {OWN}.{call}()",
        rank=0,
    )
