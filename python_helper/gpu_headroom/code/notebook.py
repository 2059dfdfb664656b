"""All cells of a notebook as one program: each parsed once, names resolved across cells."""

from __future__ import annotations

import ast
import re
from functools import cached_property
from typing import TYPE_CHECKING, Any

from .parsing import LONGEST, magics, parse_cell
from .scopes import Function, uses_in
from .tree import Tree

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ..cells.runs import CellRun
    from .scopes import Scope, Use

    Definition = ast.FunctionDef | ast.AsyncFunctionDef

_WORD = re.compile(r"[^\W\d]\w*")
_TOLD = re.compile(r"@(\w+)")
_MOST = 4  # cells of the longest kind that one notebook may have, all in all


class CellCode(Tree):
    """The code of one cell; `tree` is `None` where it cannot be read, or is too much."""

    def __init__(
        self, key: str, source: str, *, is_read: bool = True, is_file: bool = False
    ) -> None:
        self.key, self.source = key, source
        self._is_read, self.is_file = is_read, is_file

    @cached_property
    def _look(self) -> tuple[ast.Module | None, list[Use]]:
        tree = parse_cell(self.source) if self._is_read else None
        try:
            return tree, uses_in(tree) if tree is not None else []
        except RecursionError:
            return None, []

    @property
    def tree(self) -> ast.Module | None:
        """The syntax tree, parsed once."""
        return self._look[0]

    @property
    def uses(self) -> list[Use]:
        """All uses of names in the cell."""
        return self._look[1]

    @cached_property
    def words(self) -> set[str]:
        """The words of magics and shell commands, which may be names; all, where it is unread.

        As is `limit` of `df.query("a > @limit")`.
        """
        texts = [self.source] if self.tree is None else magics(self.source)
        written = {word for text in texts for word in _WORD.findall(text)}
        return written.union(*[_TOLD.findall(text) for text in self._texts])

    @cached_property
    def _texts(self) -> list[str]:
        values = [node.value for node in self.nodes if isinstance(node, ast.Constant)]
        return [value for value in values if isinstance(value, str)]

    @cached_property
    def owners(self) -> dict[ast.AST, tuple[str, Scope | None, Scope]]:
        """The name, its owner and the scope of its use, by node."""
        return {use.node: (use.name, use.owner, use.inside) for use in self.uses}


class Notebook:
    """The cells of a notebook: as they ran, and as they stand.

    A cell that ran with other code than it has now is there twice, under one key. `files` are
    those of its folder that ran with it, whose names are their own.
    """

    def __init__(self, cells: Iterable[CellCode], files: Iterable[CellCode] = ()) -> None:
        self.cells, self.files = tuple(cells), tuple(files)

    @classmethod
    def of(
        cls,
        texts: Iterable[tuple[str, str]],
        files: Iterable[CellRun] = (),
        most: int = _MOST * LONGEST,
    ) -> Notebook:
        """Read cells of these keys and texts; beyond so many characters in all they are unread."""
        remaining, cells = most, list[CellCode]()
        for key, text in dict.fromkeys(texts):
            remaining -= len(text)
            cells.append(CellCode(key, text, is_read=remaining >= 0))
        return cls(cells, [CellCode(run.key, run.source, is_file=True) for run in files])

    def cell(self, key: str, source: str | None = None) -> CellCode | None:
        """Return the cell of a key, the one with this text if there are several."""
        cells = [cell for cell in (*self.cells, *self.files) if cell.key == key]
        exact = [cell for cell in cells if cell.source == source]
        return next(reversed(exact or cells), None)

    @cached_property
    def _uses(self) -> dict[str, list[tuple[CellCode, Use]]]:
        uses: dict[str, list[tuple[CellCode, Use]]] = {}
        for cell in self.cells:
            for use in cell.uses:
                if use.owner is None:
                    uses.setdefault(use.name, []).append((cell, use))
        return uses

    def uses(self, name: str) -> list[tuple[CellCode, Use]]:
        """Return the uses of a notebook variable in all cells, functions included."""
        return self._uses.get(name, [])

    @cached_property
    def imported(self) -> set[str]:
        """The names that cells import."""
        uses = [use for cell in self.cells for use in cell.uses]
        return {use.name for use in uses if isinstance(use.node, ast.alias)}

    def nodes(self) -> Iterator[tuple[CellCode, ast.AST]]:
        """Yield all that the code of all cells is made of."""
        for cell in self.cells:
            for node in cell.nodes:
                yield cell, node

    @cached_property
    def functions(self) -> dict[str, list[tuple[CellCode, Definition]]]:
        """The functions and methods that cells define, by their names."""
        return by_name(self.cells, Function)


def by_name(cells: Iterable[CellCode], kinds: Any) -> dict[str, list[tuple[CellCode, Any]]]:
    """Return the nodes of these kinds in cells, by their names."""
    named_nodes: dict[str, list[tuple[CellCode, Any]]] = {}
    for cell in cells:
        for node in cell.nodes:
            if isinstance(node, kinds):
                named_nodes.setdefault(node.name, []).append((cell, node))
    return named_nodes
