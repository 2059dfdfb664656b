"""All cells of a notebook as one program: each parsed once, names resolved across them."""

from __future__ import annotations

import ast
import re
from functools import cached_property
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple

from ..text.messages import message
from .find import called
from .flow import backwards
from .flow import trains as says_that_it_trains
from .parsing import LONGEST, magics, parse_cell
from .scopes import Function, uses_in
from .tree import Tree

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from ..cells.runs import CellRun
    from ..protocol.wire import Message
    from .scopes import Scope, Use

    Definition = ast.FunctionDef | ast.AsyncFunctionDef

_WORD = re.compile(r"[^\W\d]\w*")
_TOLD = re.compile(r"@(\w+)")
_MOST = 4  # cells of the longest kind that one notebook may have, all in all


class CellCode(Tree):
    """The code of one cell; `title` is how a person is told of it, as `In [5]`.

    `tree` is `None` where the code cannot be read, or is too much: then it may do anything.
    """

    def __init__(
        self,
        key: str,
        source: str,
        title: str = "",
        *,
        is_read: bool = True,
        is_file: bool = False,
    ) -> None:
        self.key, self.source, self.title = key, source, title or key
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
        """All places where a name stands in it."""
        return self._look[1]

    @cached_property
    def words(self) -> set[str]:
        """The words of magics and shell commands, which may be names; all, where it is unread.

        As is `limit` of `df.query("a > @limit")`.
        """
        texts = [self.source] if self.tree is None else magics(self.source)
        told = {word for text in texts for word in _WORD.findall(text)}
        return told.union(*[_TOLD.findall(text) for text in self._texts])

    @cached_property
    def _texts(self) -> list[str]:
        values = [node.value for node in self.nodes if isinstance(node, ast.Constant)]
        return [each for each in values if isinstance(each, str)]

    @cached_property
    def owners(self) -> dict[ast.AST, tuple[str, Scope | None, Scope]]:
        """Whose the name of each node is, and in which scope it stands."""
        return {use.node: (use.name, use.owner, use.inside) for use in self.uses}

    def function(self, node: ast.AST) -> Definition | None:
        """Return the innermost function that a node stands in."""
        return next((child for child in self.parents(node) if isinstance(child, Function)), None)

    def is_called(self, node: ast.AST) -> bool:
        """Whether a node is what a call calls."""
        parent = self.parent(node)
        return isinstance(parent, ast.Call) and parent.func is node


class CodePlace(NamedTuple):
    """Where something stands: in a cell, on a line of it."""

    cell: CellCode
    line: int

    @classmethod
    def of(cls, cell: CellCode, node: ast.AST | None) -> CodePlace:
        """Return where a node stands; the first line for what has none."""
        return cls(cell, getattr(node, "lineno", 1))

    def says(self, message_id: str, texts: Mapping[str, str], /, **params: str | int) -> Message:
        """Return a sentence that names the place: the `cell`, and the `line` in it."""
        return message(message_id, texts, cell=self.cell.title, line=self.line, **params)


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
        titles: Mapping[str, str] | None = None,
        files: Iterable[CellRun] = (),
        most: int = _MOST * LONGEST,
    ) -> Notebook:
        """Read cells of these keys and texts; beyond so many characters in all they are unread."""
        left, cells = most, list[CellCode]()
        for key, text in dict.fromkeys(texts):
            left -= len(text)
            cells.append(CellCode(key, text, (titles or {}).get(key, "In [ ]"), is_read=left >= 0))
        return cls(cells, [CellCode(run.key, run.source, is_file=True) for run in files])

    def cell(self, key: str, source: str | None = None) -> CellCode | None:
        """Return the cell of a key, the one with this text if there are several."""
        cells = [cell for cell in (*self.cells, *self.files) if cell.key == key]
        exact = [cell for cell in cells if cell.source == source]
        return next(reversed(exact or cells), None)

    @cached_property
    def unread(self) -> CellCode | None:
        """The first cell that cannot be read."""
        return next((cell for cell in self.cells if cell.tree is None), None)

    @cached_property
    def _uses(self) -> dict[str, list[tuple[CellCode, Use]]]:
        found: dict[str, list[tuple[CellCode, Use]]] = {}
        for cell in self.cells:
            for use in cell.uses:
                if use.owner is None:
                    found.setdefault(use.name, []).append((cell, use))
        return found

    def uses(self, name: str) -> list[tuple[CellCode, Use]]:
        """Return where a name of the notebook's own stands, in whatever function."""
        return self._uses.get(name, [])

    @cached_property
    def names(self) -> set[str]:
        """All names that stand anywhere, those of functions' own included, and words of magics."""
        own = {use.name for cell in self.cells for use in cell.uses}
        return own.union(*(cell.words for cell in self.cells))

    def uses_of(self, cell: CellCode, name: str, owner: Scope | None) -> list[tuple[CellCode, Use]]:
        """Return where a name stands of a scope of a cell, or of the notebook's own (`None`)."""
        if owner is None:
            return self.uses(name)
        return [(cell, use) for use in cell.uses if use.owner is owner and use.name == name]

    def nodes(self) -> Iterator[tuple[CellCode, ast.AST]]:
        """Yield all that the code of all cells is made of."""
        for cell in self.cells:
            for node in cell.nodes:
                yield cell, node

    @cached_property
    def functions(self) -> dict[str, list[tuple[CellCode, Definition]]]:
        """The functions and methods that cells define, by their names."""
        return by_name(self.cells, Function)

    @cached_property
    def classes(self) -> dict[str, list[tuple[CellCode, ast.ClassDef]]]:
        """The classes that cells define, by their names."""
        return by_name(self.cells, ast.ClassDef)

    def defined(self, name: str) -> list[tuple[CellCode, Definition | ast.ClassDef]]:
        """Return the functions and classes of a name."""
        return [*self.functions.get(name, ()), *self.classes.get(name, ())]

    @cached_property
    def _calls(self) -> dict[str, list[tuple[CellCode, ast.Call]]]:
        return by_name(self.cells, ast.Call, called)

    def calls(self, name: str) -> list[tuple[CellCode, ast.Call]]:
        """Return the calls of functions and methods of a name, by its last part: `fit`."""
        return self._calls.get(name, [])

    def escapes(self, name: str) -> CodePlace | None:
        """Return where a function is handed on, kept or decorated, and not only called by name."""
        for cell in self.cells:
            for node in cell.nodes:
                known = isinstance(node, ast.Name) and node.id == name
                known |= isinstance(node, ast.Attribute) and node.attr == name
                if known and not cell.is_called(node) and not is_stored(node):
                    return CodePlace.of(cell, node)
            for where, definition in self.functions.get(name, ()):
                if where is cell and definition.decorator_list:
                    return CodePlace.of(cell, definition)
            if name in cell.words:
                return CodePlace(cell, 1)
        return None

    def reached(self, node: ast.AST) -> list[tuple[CellCode | None, ast.AST]]:
        """Return a piece of code, and the functions of the notebook that it may come to call."""
        found: list[tuple[CellCode | None, ast.AST]] = [(None, node)]
        seen = {id(node)}
        for _, part in found:  # it grows meanwhile
            for call in ast.walk(part):
                name = called(call)
                for cell, definition in self.defined(name) if name else ():
                    if id(definition) not in seen:
                        seen.add(id(definition))
                        found.append((cell, definition))
        return found

    def trains(self, node: ast.AST) -> bool:
        """Whether a piece of code trains, or what it calls does, as far as the text tells."""
        return any(says_that_it_trains(part) for _, part in self.reached(node))

    def goes_back(self, node: ast.AST) -> bool:
        """Whether a piece of code computes gradients, or what it calls does."""
        return any(backwards(part) for _, part in self.reached(node))


def titles(runs: Iterable[CellRun]) -> dict[str, str]:
    """Return how a person is told of cells that ran, by key."""
    return {run.key: run.path or f"In [{run.execution_count or ' '}]" for run in runs}


def is_stored(node: ast.AST) -> bool:
    """Whether a name or an attribute is given a value there, or deleted."""
    return isinstance(getattr(node, "ctx", None), (ast.Store, ast.Del))


def by_name(
    cells: Iterable[CellCode], kinds: Any, name_of: Callable[[Any], str] = attrgetter("name")
) -> dict[str, list[tuple[CellCode, Any]]]:
    """Return the nodes of these kinds in cells, by their names."""
    found: dict[str, list[tuple[CellCode, Any]]] = {}
    for cell in cells:
        for node in cell.nodes:
            if isinstance(node, kinds):
                found.setdefault(name_of(node), []).append((cell, node))
    return found
