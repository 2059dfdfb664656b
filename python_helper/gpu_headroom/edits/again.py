"""The cells that have to run again after an edit, so that the failing cell gets its effect.

They are the cells that pass the change on, those that undo or change what is made again (`del x`),
and those that make values that have changed since (`x = f(x)`, a filled list, an open file).
"""

from __future__ import annotations

import ast
import re
from functools import cached_property, partial
from typing import TYPE_CHECKING, NamedTuple

from ..code.batch import PARSERS
from ..code.find import base_of, called, dotted, keyword, names, words
from ..code.notebook import CellCode, by_name
from ..code.order import order_of
from ..code.reading import walk
from ..code.scopes import Definition, arguments, executed
from .source import first_line

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from ..code.facts import Live
    from ..code.notebook import Notebook

_CHANGES = words(
    """append appendleft extend insert pop popleft popitem remove clear reverse send read readline
    readlines add_param_group drain get_nowait put seek"""
)
_SAME_AGAIN = words(
    """zero_ fill_ copy_ requires_grad_ detach_ clamp_ share_memory_ pin_memory_ normal_ uniform_
    xavier_uniform_ kaiming_normal_ __init__"""
)
_CONVERTS = words("to cuda cpu eval train half float double astype contiguous")

_HOOKS = re.compile(r"register_\w*hook$")
_ARGV = "sys.argv"


class Again:
    """The cells that have to run again, found from the order in which they ran and their code.

    `order` are the keys of the cells, the failing cell last; of that cell only the lines up to
    `line` have run. `edited` are the lines that change, by the key of their cell. `live` are the
    facts about the current values.
    """

    def __init__(
        self,
        notebook: Notebook,
        order: Iterable[str],
        line: int | None,
        edited: Mapping[str, Collection[int]],
        live: Live,
    ) -> None:
        by_key = {cell.key: cell for cell in notebook.cells}
        self._notebook, self._line, self._edited = notebook, line, edited
        self._live = live
        self._cells = [by_key[key] for key in dict.fromkeys(order) if key in by_key]
        self._classes = by_name(notebook.cells, ast.ClassDef)
        self._does = {cell.key: self._done_by(cell) for cell in self._cells}

    def run(self) -> list[str]:
        """Return the keys of the cells that have to run, in order, the failing one last."""
        if not self._cells:
            return []
        run = {*self._edited, self._cells[-1].key}
        before: set[str] = set()
        while run != before:
            before = set(run)
            run |= self._carrying(run) | self._makers(run)
        return [cell.key for cell in self._cells if cell.key in run]

    def _carrying(self, run: Collection[str]) -> set[str]:
        """Return the cells between these that hand on what they make, or undo it."""
        new_names, carriers, keys = set[str](), list[CellCode](), set[str]()
        for cell in self._cells[:-1]:
            bound = self._bound_by(cell)
            if cell.key in run:
                new_names |= bound
            elif self._users(new_names) & self._reads(cell):
                carriers.append(cell)
                new_names |= bound
            elif new_names & self._left_by(cell):
                carriers.append(cell)
            if new_names & self._does[cell.key].deleted:
                keys.add(cell.key)
        needed = self._used(self._reads(self._cells[-1]))
        for cell in reversed(self._cells[:-1]):
            if cell.key in run:
                needed |= self._used(self._reads(cell))
            elif cell in carriers and self._left_by(cell) & needed:
                keys.add(cell.key)
                needed |= self._used(self._reads(cell))
        return keys

    def _makers(self, run: Collection[str]) -> set[str]:
        """Return the cells that made what these would find with another value."""
        keys = set[str]()
        for n, cell in enumerate(self._cells):
            for name in self._inputs(cell) if cell.key in run else ():
                makers = (c for c in reversed(self._cells[:n]) if name in self._does[c.key].made)
                maker = next(makers, None)
                if maker is None or maker.key in run:
                    continue
                if self._is_changed(name, self._cells[n:]):
                    keys.add(maker.key)
        return keys

    def _is_changed(self, name: str, cells: Sequence[CellCode]) -> bool:
        return name in self._live.streams or any(
            name in does.made or (name in does.changed and self._live.lengths.get(name) != 0)
            for does in (self._does[cell.key] for cell in cells)
        )

    def _bound_by(self, cell: CellCode) -> set[str]:
        """Return the names that a cell gives values; of an edited one no function that stays."""
        lines = self._edited.get(cell.key)
        same = {
            node.name
            for node in (cell.tree.body if cell.tree is not None else ())
            if isinstance(node, Definition)
            and lines is not None
            and not any(first_line(node) <= line <= (node.end_lineno or 0) for line in lines)
        }
        return self._does[cell.key].bound - same

    def _left_by(self, cell: CellCode) -> set[str]:
        """Return the names that are others, or changed, once a cell has run again."""
        does = self._does[cell.key]
        return self._bound_by(cell) | does.changed | does.affected

    def _users(self, found: Collection[str]) -> set[str]:
        """Return these names, and the functions and classes that read one of them."""
        return {*found, *(name for name, read in self._inner.items() if read.intersection(found))}

    def _used(self, found: Collection[str]) -> set[str]:
        """Return these names, and what the functions and classes among them read."""
        return set(found).union(*[self._inner.get(name, ()) for name in found])

    # What a cell reads, makes and changes as it runs.

    def _reads(self, cell: CellCode) -> set[str]:
        return set() if cell.tree is None else _read_by(cell, self._inner, cell.tree)

    def _inputs(self, cell: CellCode) -> set[str]:
        if cell.tree is None:
            return set()
        reads, binds = partial(_read_by, cell, self._inner), partial(_bound_by, cell)
        return order_of(cell.tree.body, reads, binds).early

    @cached_property
    def _inner(self) -> dict[str, set[str]]:
        """The notebook's names that functions and classes read, by name of these."""
        inner: dict[str, set[str]] = {}
        for cell in self._cells:
            reads = [
                (use.node, use.name) for use in cell.uses if use.how == "read" and use.owner is None
            ]
            reads += [(node, _ARGV) for node in cell.nodes if _parses_argv(node)]
            for node, name in reads:
                for around in cell.parents(node):
                    if isinstance(around, Definition):
                        inner.setdefault(around.name, set()).add(name)
        for own in inner.values():
            more = set(own)
            while more := {x for name in more & inner.keys() for x in inner[name]} - own:
                own.update(more)
        return inner

    def _done_by(self, cell: CellCode) -> _Work:
        done = _Work(set(), set(), set(), set(), set())
        last = self._line if cell is self._cells[-1] else None
        for statement in getattr(cell.tree, "body", []):
            if last is None or statement.lineno <= last:
                self._enter(cell, statement, done, set())
        return done

    def _enter(self, cell: CellCode, root: ast.AST, done: _Work, seen: set[int]) -> None:
        for node in executed(root):
            self._enter_name(cell, node, done)
            self._enter_call(cell, node, done)
            for changed in _changed_by(cell, node):
                owner = cell.owners.get(changed)
                if owner is not None and owner[1] is None:
                    done.changed.add(owner[0])
            if not isinstance(node, ast.Call):
                continue
            for place, function in self._notebook.functions.get(called(node), ()):
                if id(function) not in seen:
                    seen.add(id(function))
                    for statement in function.body:
                        self._enter(place, statement, done, seen)
                    self._hand_on(cell, node, place, function, done)

    def _enter_name(self, cell: CellCode, node: ast.AST, done: _Work) -> None:
        is_argv = isinstance(node, ast.Attribute) and dotted(node) == _ARGV
        if is_argv and not isinstance(getattr(node, "ctx", None), ast.Load):
            done.bound.add(_ARGV)
        binding = cell.owners.get(node)
        if binding is None or binding[1] is not None or isinstance(node, ast.alias):
            return
        kind = getattr(node, "ctx", None)
        if isinstance(kind, ast.Load):
            return
        done.bound.add(binding[0])
        if not self._is_same(cell, node, binding[0]):
            done.made.add(binding[0])
            if isinstance(kind, ast.Del):
                done.deleted.add(binding[0])

    def _enter_call(self, cell: CellCode, node: ast.AST, done: _Work) -> None:
        """Enter the root of a call that is made for its effect; a hook changes its model."""
        if not isinstance(node, ast.Call):
            return
        root = base_of(node.func, ast.Attribute, ast.Subscript, ast.Call)
        binding = cell.owners.get(root) if root is not None and root is not node.func else None
        if binding is None or binding[1] is not None:
            return
        if _HOOKS.match(called(node)) and binding[0] in self._live.models:
            done.changed.add(binding[0])
        if isinstance(cell.parent(node), ast.Expr) and binding[0] not in self._notebook.imported:
            done.affected.add(binding[0])

    def _hand_on(
        self,
        cell: CellCode,
        call: ast.Call,
        place: CellCode,
        function: ast.FunctionDef | ast.AsyncFunctionDef,
        done: _Work,
    ) -> None:
        """Enter what a function empties, fills or uses up of what a call gives it."""
        own = {
            changed.id
            for node in walk(function)
            for changed in _changed_by(place, node)
            if isinstance(changed, ast.Name)
        }
        for parameter, given in zip(arguments(function), call.args, strict=False):
            binding = cell.owners.get(given)
            if parameter.arg in own and binding is not None and binding[1] is None:
                done.changed.add(binding[0])

    def _is_same(self, cell: CellCode, node: ast.AST, name: str) -> bool:
        """Whether a name is given what it has: a function once more, or `x = x.to(device)`."""
        statement = cell.around(node)
        if isinstance(node, Definition):
            same = [*self._notebook.functions.get(name, ()), *self._classes.get(name, ())]
            return len({ast.dump(child) for _, child in same}) == 1
        if not isinstance(statement, ast.Assign) or statement.lineno in self._edited.get(
            cell.key, ()
        ):
            return False
        value: ast.AST = statement.value
        steps = 0
        while isinstance(value, ast.Call) and called(value) in _CONVERTS:
            value = value.func.value if isinstance(value.func, ast.Attribute) else value.func
            steps += 1
        return steps > 0 and dotted(value) == name


class _Work(NamedTuple):
    """Effects of a cell's run on names.

    `made` are names that got another value, of all `bound` ones. `changed` are names whose values
    were changed in place, `affected` those with a method called for its effect.
    """

    bound: set[str]
    made: set[str]
    changed: set[str]
    deleted: set[str]
    affected: set[str]


def _read_by(cell: CellCode, inner: Mapping[str, set[str]], node: ast.AST) -> set[str]:
    """Return the names of the notebook that code reads as it runs, and functions may that it calls.

    `inner` has what functions read, by their names.
    """
    reads = {name for child, name in _own_names(cell, node) if _is_read(child)}
    inside = list(executed(node))
    reads |= {_ARGV} if any(map(_parses_argv, inside)) else set()
    named = reads | {called(child) for child in inside}
    return reads.union(*[inner.get(name, ()) for name in named])


def _bound_by(cell: CellCode, node: ast.AST) -> set[str]:
    return {name for child, name in _own_names(cell, node) if not _is_read(child)}


def _own_names(cell: CellCode, node: ast.AST) -> Iterator[tuple[ast.AST, str]]:
    """Yield where names of the notebook's own stand in what runs."""
    for child in executed(node):
        name, owner, _ = cell.owners.get(child, ("", None, None))
        if name and owner is None:
            yield child, name


def _is_read(node: ast.AST) -> bool:
    return isinstance(getattr(node, "ctx", None), ast.Load)


def _changed_by(cell: CellCode, node: ast.AST) -> Iterator[ast.AST]:
    """Yield what a piece of code empties, fills, uses up or changes in place."""
    if isinstance(node, ast.Call):
        name, owner = called(node), getattr(node.func, "value", None)
        in_place = name.endswith("_") and not name.startswith("_") and name not in _SAME_AGAIN
        given = keyword(node, "inplace")
        by_flag = given is not None and getattr(given.value, "value", False) is True
        if isinstance(owner, ast.Name) and (name in _CHANGES or in_place or by_flag):
            yield owner
        elif name == "next" and node.args:
            yield node.args[0]
    elif isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Load):
        parent = cell.parent(node)
        value = getattr(parent, "value", None)
        root = node.value
        if isinstance(root, ast.Name) and (
            isinstance(parent, (ast.AugAssign, ast.Delete))
            or (isinstance(value, ast.AST) and root.id in names(value))
        ):
            yield root


def _parses_argv(node: ast.AST) -> bool:
    """Return whether a call reads the command line."""
    return called(node) in PARSERS and not getattr(node, "args", None)
