"""Numbers in the code of a cell that set the size of a batch, of the input or of an image.

Found with `ast` wherever people write them: `literals_in` is all that others need.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .given import KNOWN, Look, nodes, signatures_of
from .parsing import LONGEST, parse_cell
from .size_names import other_side, role_of

if TYPE_CHECKING:
    from ..cells.runs import CellRun
    from .given import Given, Kind, Parameter, Placed, Signatures
    from .size_names import Role


_LARGEST = 2**40
_LARGEST_EXPONENT = 40
_MOST_FACTORS = 20
_CHANNELS = 4


@dataclass(frozen=True, slots=True)
class SizeLiteral:
    """A number in a cell: lines are 1-based, columns count UTF-8 bytes, as `ast` does.

    `path` leads to it from a variable of the notebook, where that is known: `config`, `train`,
    `batch_size`. `parameter` is there for a default and a positional argument. The number may be
    several that are equal: `(512, 512)`.
    """

    cell: CellRun
    role: Role
    name: str
    value: int
    line: int
    column: int
    end_column: int
    kind: Kind
    path: tuple[str, ...] = ()
    parameter: Parameter | None = None


def literals_in(
    cell: CellRun, source: str, role: Role = "batch", signatures: Signatures | None = None
) -> list[SizeLiteral]:
    """Return the literals of a role in a cell as its `source` is now; none if it does not parse.

    `signatures` are those of functions that other cells define.
    """
    tree = parse_cell(source)
    literals = [] if tree is None else literals_of(cell, source, [*nodes(tree)], signatures)
    return [literal for literal in literals if literal.role == role]


def literals_of(
    cell: CellRun, source: str, placed: list[Placed], signatures: Signatures | None = None
) -> list[SizeLiteral]:
    """Return the literals of all roles in a cell with these nodes, in the order of the code.

    None of a text that is longer than what is looked through.
    """
    if len(source) > LONGEST:
        return []
    by_callee = {**(signatures or {}), **signatures_of(placed), **KNOWN}
    looked = Look(source.split("\n"), by_callee)
    given = [argument for node, owner in placed for argument in looked.given(node, owner)]
    looked.scripts()
    if (cell.path or "").endswith(("json", "yaml", "yml")):
        looked.entries()
    literals = [literal for argument in given if (literal := _literal(cell, argument)) is not None]
    literals += [
        SizeLiteral(cell, role, name, value, *place, "text", parameter=flag)
        for name, value, place, flag in looked.texts
        if (role := role_of(name)) is not None
        and value > (1 if role != "unnamed" or flag else _LARGEST)
    ]
    names = {number.name.lower() for number in literals}
    return sorted(
        {
            (number.line, number.column): number
            for number in literals
            if (other := other_side(number.name)) is None or other in names
        }.values(),
        key=lambda number: (number.line, number.column),
    )


def _literal(cell: CellRun, given: Given) -> SizeLiteral | None:
    role, node = given.role or role_of(given.name) or "other", given.value
    if role in ("other", "unnamed") and other_side(given.name) is not None:
        role = "image"
    end = node.end_col_offset
    if node.end_lineno != node.lineno or end is None:
        return None
    value = _sides(node) if role == "image" else integer(node)
    if value is None or not 1 < value < _LARGEST:
        return None
    place = node.lineno, node.col_offset, end
    return SizeLiteral(
        cell, role, given.name, value, *place, given.kind, given.path, given.parameter
    )


def _sides(node: ast.expr) -> int | None:
    """Return 512 of `512`, of `(512, 512)` and of `(3, 512, 512)`."""
    if not isinstance(node, (ast.Tuple, ast.List)):
        return integer(node)
    numbers = [integer(expression) for expression in node.elts]
    sides = [side for side in numbers if side is not None and side > _CHANNELS]
    return sides[0] if None not in numbers and sides and len(set(sides)) == 1 else None


def integer(node: ast.expr, factors: int = _MOST_FACTORS) -> int | None:
    """Return the value of `1024`, `2**10` or `4 * 256`."""
    if isinstance(node, ast.Constant) and type(node.value) is int:
        return node.value
    if not isinstance(node, ast.BinOp) or factors == 1:
        return None
    left, right = integer(node.left, factors - 1), integer(node.right, factors - 1)
    if left is None or right is None or not 0 <= right <= _LARGEST or abs(left) > _LARGEST:
        return None
    if isinstance(node.op, ast.Mult):
        return left * right
    small = isinstance(node.op, ast.Pow) and right <= _LARGEST_EXPONENT
    return int(left**right) if small else None
