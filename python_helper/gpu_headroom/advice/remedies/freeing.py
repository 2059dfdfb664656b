"""Remedies that free what is not needed any more."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ...frameworks.imported import imported
from ...own import OWN
from ...text.format import MIB
from ..kept_in_module import ENGINES, call_that_frees
from ..remedy import Shown, suggestion
from ..rules.copies import is_replaced
from ..rules.holding import displayed

if TYPE_CHECKING:
    from ...oom.evidence import Evidence
    from ..finding import Finding


_NUMBER = re.compile(r"\d+")
_WORTH_IT_BYTES = 10 * MIB


@suggestion(
    "free-traceback",
    title="Free {traceback_bytes} held by this error's traceback",
    left="Free {traceback_bytes} that failed cells have left",
    displayed="Free {freeable_bytes}: this error's and displayed values",
    note_displayed="You lose `{names}`, and `%debug` for this error.",
    note="You lose `%debug` for this error.",
    note_not_enough="You lose `%debug` for this error. That alone will not make this cell fit.",
    note_maybe="You lose `%debug` for this error. That alone may not be enough.",
    note_at_once="Freed automatically, as set in the settings. You lose `%debug` for this error.",
    rank=0,
    alone=True,
)
def _free_traceback(evidence: Evidence, _: Finding) -> Shown | None:
    after_oom, held = evidence.failure.after_oom, evidence.traceback_bytes
    if after_oom == "never" or held is None:
        return None
    title, call = "", "free_traceback"
    unnamed = sum(group.bytes for group in evidence.groups if not group.root)
    waits = min(unnamed, evidence.earlier_bytes)
    if waits > held:
        held, title, call = held + waits, "left", "free"
    note = {True: "note", False: "note_not_enough", None: "note_maybe"}[evidence.fits_after_free]
    note = "note_at_once" if after_oom == "free" else note
    params: dict[str, str | int | None] = {"traceback_bytes": held}
    shown = displayed(evidence) if after_oom != "free" else []
    if shown:
        roots = dict.fromkeys([group.root for group in shown])
        held += sum(group.bytes for group in shown)
        params = {"freeable_bytes": held, "names": ", ".join(roots)}
        title, note, call = "displayed", "note_displayed", "free"
    elif held < min(_WORTH_IT_BYTES, (evidence.memory.in_use_bytes or 0) // 10 or 1):
        return None
    code = f"import {OWN}; {OWN}.{call}()"
    result = Shown(params, held, measured=evidence.complete, type_this=code, kind="release")
    return result._replace(title=title, note=note)


@suggestion(
    "shut-down",
    "kept-in-module",
    "kept-copies",
    title="Free it with `{call}`",
    note="What still uses it fails afterwards, or makes it again.",
)
def _shut_down(_: Evidence, finding: Finding) -> Shown | None:
    held, call = finding.about[0], call_that_frees(finding.about[0])
    is_known = call in ENGINES.values()
    if finding.rule != "kept-in-module" and not (is_known and finding.is_remade):
        return None
    module = (call if is_known else held.root).rpartition(".")[0]
    before = f"del {held.root}\n" if finding.is_remade else ""
    before += f"import {module}\n" if imported(module) is not None else ""
    return Shown({"call": call}, finding.bytes, example=before + call)


@suggestion(
    "delete-leftovers",
    "loop-leftovers",
    "kept-copies",
    title="Delete `{names}` if you no longer need them",
    note="A name that is deleted, or given another value, frees what it held.",
)
def _delete_leftovers(evidence: Evidence, finding: Finding) -> Shown | None:
    if finding.is_remade:
        (old,) = finding.about
        named = [group for group in evidence.groups if group.origin == "names"]
        state = [group for group in evidence.groups if group.kinds.get("optimizer_state")]
        own = [old.root] if is_replaced(evidence, old) else old.variables
        names = [*own, *[group.name for group in state if group in named]]
        size = finding.bytes
    elif finding.rule == "loop-leftovers" or finding.is_left:
        names = [name for group in finding.about for name in group.variables]
        size = sum(group.bytes for group in finding.about)
    else:
        return None
    code = f"del {', '.join(names)}"
    # The names of a function cannot be used in a cell.
    is_typed = not finding.about[0].function and all(name.isidentifier() for name in names)
    return Shown(
        {"names": ", ".join(names)},
        size,
        measured=True,
        example=None if is_typed else code,
        type_this=code if is_typed else None,
    )


@suggestion(
    "collect-garbage",
    "reference-cycles",
    title="`gc.collect()` before the next is made",
    note="Python does that only now and then. What a library keeps stays.",
)
def _collect_garbage(evidence: Evidence, finding: Finding) -> Shown | None:
    size = finding.bytes
    if not size or not evidence.peak.is_enough(size):
        return None
    return Shown(bytes=size, example="import gc\ngc.collect()")


@suggestion(
    "end-in-semicolon",
    "displayed-values",
    title="End the line that displays it in `;`",
    note="What is kept by now can be freed in the panel, under *Can be freed*.",
)
def _end_in_semicolon(evidence: Evidence, finding: Finding) -> Shown | None:
    if not finding.about:
        return None
    size = sum(group.bytes for group in finding.about)
    counts = {int(m[0]) for group in finding.about if (m := _NUMBER.search(group.root))}
    ran = [run for run in evidence.failure.cells if run.execution_count in counts]
    last = ran[-1].source.rstrip().split("\n")[-1].strip() if ran else ""
    example = f"{last};" if last and not last.endswith(";") and len(last) < 100 else None  # noqa: PLR2004
    return Shown(bytes=size, measured=True, example=example)
