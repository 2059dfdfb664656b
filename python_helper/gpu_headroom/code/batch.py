"""Numbers of a notebook that may set the size of a cell's data, found by common code patterns.

Numbers that cannot be it are left out: a variable, an entry or an attribute that has another value
now, the default of an option that the command line sets. The values of the failed run decide among
the others (`oom/batch_number.py`).
"""

from __future__ import annotations

import ast
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..cells.values import value_at
from .find import assigned
from .given import nodes, signatures_of
from .literals import literals_of
from .parsing import LONGEST, parse_cell

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ..cells.runs import CellRun
    from .literals import SizeLiteral
    from .notebook import Notebook
    from .size_names import Role

OTHER_PHASE = re.compile(r"val|test|eval|valid", re.IGNORECASE)
_OF_OTHERS = re.compile(
    r"(?:^|_|(?<=[a-z]))(?:val|valid|validation|test|eval|infer|tgt|target|label|summary|answer)"
    r"(?:s?_|s?$|[A-Z])|decoder",
    re.IGNORECASE,
)
_FLAGS = re.compile(r"(?<!\S)--?[A-Za-z][\w-]{0,99}")
PARSERS = ("parse_args", "parse_known_args", "parse_args_into_dataclasses")
_LEAST = {"unnamed": 16, "other": 16}
_MOST_LITERALS = 200  # of a notebook, the newest


class Code:
    """The cells to look through, each once, up to a limit.

    The limit is the text of one cell of the greatest length; cells beyond it are left out.
    """

    def __init__(self, first: Iterable[CellRun] = ()) -> None:
        self._placed: dict[str, list[Any]] = {}
        self._literals: dict[str, list[SizeLiteral]] = {}
        self._signatures: dict[str, dict[int, str]] = {}
        self._left = LONGEST
        for run in first:
            self.read(run)

    def read(self, cell: CellRun) -> None:
        """Look through a cell, if that was not done: its functions are known from then on."""
        if cell.source in self._placed:
            return
        fits = len(cell.source) <= self._left
        self._left -= len(cell.source) if fits else 0
        tree = parse_cell(cell.source) if fits else None
        self._placed[cell.source] = placed = [] if tree is None else [*nodes(tree)]
        if signatures := signatures_of(placed):
            self._signatures.update(signatures)
            self._literals.clear()

    def literals(self, cell: CellRun, *roles: Role) -> list[SizeLiteral]:
        """Return the literals of roles in a cell; functions of cells seen before are known."""
        self.read(cell)
        literals = self._literals.get(cell.source)
        if literals is None:
            placed = self._placed[cell.source]
            literals = literals_of(cell, cell.source, placed, self._signatures)
            self._literals[cell.source] = literals
        return [replace(literal, cell=cell) for literal in literals if literal.role in roles]

    def given(self, line: str) -> set[str]:
        """Return the names of the options that a command line gives to a script seen before."""
        return {
            self._signatures.get(flag, {}).get(0, flag.lstrip("-").replace("-", "_"))
            for flag in _FLAGS.findall(line)
        }


def size_literals(
    roles: Sequence[Role],
    cells: Sequence[CellRun],
    values: Mapping[str, Any],
    code: Code | None = None,
) -> list[SizeLiteral]:
    """Return the literals of these roles that nothing speaks against, of the newest cell last.

    `cells` are as they ran, with files that ran with them; `values` are the user's variables as
    they are now.
    """
    code = code or Code()
    for cell in cells:
        code.read(cell)  # so functions of all are known
    literals = [literal for cell in cells for literal in code.literals(cell, *roles)]
    given = {literal.name for literal in literals if literal.kind == "text"}
    return [
        literal
        for literal in literals
        if literal.kind != "option" or literal.name not in given
        if literal.value >= _LEAST.get(literal.role, 0)
        if type(now := value_at(values, literal.path)) is not int or now == literal.value
    ][-_MOST_LITERALS:]


def named_batch(literals: Sequence[SizeLiteral], cell: CellRun) -> SizeLiteral | None:
    """Return the literal that names alone tell, where no run does: of this cell, else of all.

    Of those of a batch; `None` where there are several names, or values.
    """
    batches = [literal for literal in literals if literal.role == "batch"]
    training = [batch for batch in batches if not OTHER_PHASE.search(batch.name)] or batches
    own = [literal for literal in training if literal.cell.key == cell.key]
    choices = own or training
    return choices[-1] if len({(literal.name, literal.value) for literal in choices}) == 1 else None


def is_of_others(notebook: Notebook, literal: SizeLiteral) -> bool:
    """Return whether names say that a size is one of a test, a validation, or targets."""
    cell = notebook.cell(literal.cell.key)
    named = [literal.name]
    for node in cell.nodes if cell is not None else ():
        at = (getattr(node, "lineno", 0), getattr(node, "col_offset", -1))
        if cell is not None and at == (literal.line, literal.column):
            for child in (node, *cell.parents(node)):
                if isinstance(child, ast.Dict):
                    inside = set(map(id, cell.parents(node))) | {id(node)}
                    pairs = zip(child.keys, child.values, strict=True)
                    named += [str(getattr(k, "value", "")) for k, v in pairs if id(v) in inside]
                named += [assigned(child), getattr(child, "name", None) or ""]
    return any(_OF_OTHERS.search(name) for name in named)
