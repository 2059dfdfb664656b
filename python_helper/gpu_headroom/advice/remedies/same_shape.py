"""A column beside a row makes a table of all pairs: both in one shape."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...edits.same_shape import squeezed
from ...text.messages import message
from ..editing import at_places, edited
from ..remedy import Offer

if TYPE_CHECKING:
    from ...oom.evidence import Evidence
    from ...oom.operation import Operand
    from ..finding import Finding

TREATS: tuple[str, ...] = ("huge-request",)
TEXTS = {
    "remedy.same-shape": "`{column}` in the shape of `{row}`: `{column}.squeeze(-1)`",
    "remedy.same-shape.note": (
        "{rows} rows against {rows} values make all pairs, which is hardly meant. The result "
        "changes: each row goes with its own value."
    ),
}


def offer(evidence: Evidence, _finding: Finding | None) -> Offer | None:
    """Offer it where a result of all pairs is made of a column and a row as long."""
    pair = _column_and_row(evidence)
    if pair is None:
        return None
    column, row = (operand.name for operand in pair)
    change = edited(evidence, at_places(evidence, lambda anchor: squeezed(anchor, column, row)))
    if not change.diffs:
        return None
    return Offer(
        title=message("remedy.same-shape", TEXTS, column=column, row=row),
        note=message("remedy.same-shape.note", TEXTS, rows=pair[1].shape[0]),
        effect_bytes=evidence.requested_bytes,
        edited=change,
    )


def _column_and_row(evidence: Evidence) -> tuple[Operand, Operand] | None:
    operation = evidence.scene.operation
    if operation is None or operation.shape is None or len(operation.operands) != 2:  # noqa: PLR2004
        return None
    row, column = sorted(operation.operands, key=lambda operand: len(operand.shape))
    size = row.shape[-1] if row.shape else 0
    is_pair = (row.shape, column.shape, operation.shape) == ((size,), (size, 1), (size, size))
    return (column, row) if is_pair else None
