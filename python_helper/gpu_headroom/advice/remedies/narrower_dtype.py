"""Half as many bytes for each number."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ...code.find import names as names_in
from ...edits.dtype import half_precision, single_precision
from ...text.messages import message
from ..code_fix import CellChange
from ..editing import cells, edited, in_first_cell, statements, torch_name
from ..remedy import Edited, Offer

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ...holders.groups import Group
    from ...oom.evidence import Evidence
    from ..finding import Finding

TREATS: tuple[str, ...] = ("wide-dtype",)
TEXTS = {
    "remedy.narrower-dtype": "`float32` instead of `float64`",
    "remedy.narrower-dtype.note": (
        "Half as many bytes, with seven digits instead of sixteen: enough for training."
    ),
    "remedy.narrower-dtype.half": "Weights in half precision",
    "remedy.narrower-dtype.note_half": (
        "Half as many bytes. Results differ in the third digit; inputs have to be in half "
        "precision, too."
    ),
}


def offer(evidence: Evidence, finding: Finding | None) -> Offer | None:
    """Offer it for double precision, and for weights that nothing trains."""
    if finding is None:
        return None
    about, kinds, torch = finding.about, evidence.kinds, torch_name(evidence)
    is_double, changes = about[0].share_of_dtype("float32") == 0, None
    if is_double:
        changes = _single(evidence, about)
        size = sum(group.bytes for group in about)
        if any(group.kind == "parameters" for group in about):  # all that follows them is as wide
            size += kinds.get("optimizer_state", 0) + kinds.get("activations", 0)
    else:
        size = sum(group.kinds.get("parameters", 0) for group in about) + evidence.being_made_bytes
    if not is_double and torch is not None:
        assigned = (each.partition(" in ")[0] for each in evidence.scene.running.assigning)
        models = [*[model.name for model in evidence.models], *sorted(assigned)]
        changes = in_first_cell(evidence, *[half_precision(model, torch) for model in models])
    change, total = edited(evidence, changes), evidence.memory.headroom_bytes
    needs = evidence.peak.step_bytes // 2 if is_double and evidence.scene.running.trains else 0
    if total is not None and needs > total + (evidence.memory.in_use_bytes or 0):
        change = Edited(change.diffs)
    title = "remedy.narrower-dtype" if is_double else "remedy.narrower-dtype.half"
    note = "remedy.narrower-dtype.note" if is_double else "remedy.narrower-dtype.note_half"
    return Offer(
        title=message(title, TEXTS),
        note=message(note, TEXTS),
        effect_bytes=evidence.peak.saved_bytes(size, 0.5) if is_double else size // 2,
        edited=change,
    )


def _single(evidence: Evidence, wide: Sequence[Group]) -> tuple[CellChange, ...] | None:
    """Change what makes all of these, in one cell or in several: two precisions do not meet."""
    # Those on the host, too: what is moved to the card a batch at a time comes from there.
    tensors = evidence.gate.live.tensors
    doubles = [name for name, facts in tensors.items() if facts.dtype == "float64"]
    rewrite = single_precision(*dict.fromkeys([*[group.name for group in wide], *doubles]))
    roots = {group.root for group in wide if group.origin == "names"}
    several = [CellChange(run, 1, rewrite) for run in cells(evidence)]
    changes = tuple([change for change in several if change.diff() is not None])
    return changes if changes and roots <= _reached(evidence, changes) else None


def _reached(evidence: Evidence, changes: Iterable[CellChange]) -> set[str]:
    """Return the names that the changed statements are about, and what is made of them."""
    texts = {change.cell.key: change.rewrite(change.cell.source) for change in changes}
    found = set[str]()
    for cell in evidence.failure.cells:
        before = {ast.dump(statement) for statement in statements(cell.source)}
        for node in statements(texts.get(cell.key) or cell.source):
            if ast.dump(node) not in before:
                found |= names_in(node, ast.Store) or names_in(node)
            elif names_in(node) & found:
                found |= names_in(node, ast.Store)
    return found
