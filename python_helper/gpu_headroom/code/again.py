"""Whether cells may run again: only where that gives what a run of the notebook from the top would.

A cell must not read what it, or a later one, has given another value since (`x = f(x)`), emptied,
filled or used up, unless the cell that makes it runs again before it. What has trained and come to
its end does not run again.
"""

from __future__ import annotations

import ast
from functools import cached_property, partial
from typing import TYPE_CHECKING

from .find import called, dotted, keyword, names, words
from .liveness import LOOPS, Liveness
from .notebook import CellCode, CodePlace
from .rerun import training_in
from .scopes import Function, arguments
from .side_effects import functions_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from .loaders import Way
    from .notebook import Notebook

_CHANGES = words(
    """append appendleft extend insert pop popleft popitem remove clear reverse send read readline
    readlines add_param_group drain get_nowait put seek"""
)
_SAME_AGAIN = words(
    """zero_ fill_ copy_ requires_grad_ detach_ clamp_ share_memory_ pin_memory_ normal_ uniform_
    xavier_uniform_ kaiming_normal_ __init__"""
)
_STREAMS = words("iter open zip map filter BytesIO StringIO cycle")
_CONVERTS = words("to cuda cpu eval train half float double astype contiguous")


class Again:
    """What running some cells of a notebook again would need.

    `way` has the order in which the cells ran, and the failing line; of the failing cell only what
    stands before that has run. `lengths` are those of lists, `ended` the keys of cells that came to
    their end.
    """

    def __init__(
        self,
        notebook: Notebook,
        way: Way,
        lengths: Mapping[str, int],
        ended: Collection[str],
        edited: Mapping[str, Collection[int]],
    ) -> None:
        known = {cell.key: cell for cell in notebook.cells}
        self._notebook, self._way, self._lengths, self._ended = notebook, way, lengths, ended
        self._edited = edited
        self._cells = [known[key] for key in dict.fromkeys(way.order) if key in known]
        self._does = {cell.key: self._done_by(cell) for cell in self._cells}

    def trained(self, run: Collection[str]) -> CodePlace | None:
        """Return what would train again among these cells although it has come to its end."""
        for cell in self._cells[:-1]:
            call = (
                self._training(cell.tree) if cell.key in run and cell.key in self._ended else None
            )
            if call is not None:
                return CodePlace.of(cell, call)
        for key, number, _ in self._way.places:
            code = (*self._cells, *self._notebook.files)
            place = next((each for each in code if each.key == key), None)
            found, loops = self._before(place, number) if place is not None else (None, False)
            if found is not None or loops:
                return found
        return None

    def stale(self, run: Collection[str]) -> list[tuple[str, CellCode, CodePlace, CellCode | None]]:
        """Return the names that cells would read which have another value by now.

        Each with the cell that reads it, where it was given another, and the cell that made what
        was read the first time.
        """
        found = []
        for n, cell in enumerate(self._cells):
            if cell.key not in run:
                continue
            # Without a maker it would have been an error to read it the first time.
            certain = self._inputs(cell, rounds=True)
            for name in sorted(self._inputs(cell)):
                maker = next(
                    (
                        each
                        for each in reversed(self._cells[:n])
                        if name in self._does[each.key].made
                    ),
                    None,
                )
                if maker is not None and maker.key in run:
                    continue
                if maker is None and name not in certain:
                    continue
                place = self._changed(name, self._cells[n:], maker)
                if place is not None:
                    found.append((name, cell, place, maker))
        return found

    def _changed(
        self, name: str, cells: Sequence[CellCode], maker: CellCode | None
    ) -> CodePlace | None:
        if maker is not None and name in self._does[maker.key].streams:
            return CodePlace(cells[0], 1)
        for cell in cells:
            does = self._does[cell.key]
            line = does.made.get(name)
            if line is None and self._lengths.get(name) != 0:
                line = does.changed.get(name)
            if line is not None:
                return CodePlace(cell, line)
        return None

    def _before(self, cell: CellCode, line: int) -> tuple[CodePlace | None, bool]:
        """Return training that stands before a line, outside of loops, and whether it is in one."""
        at = [
            node
            for node in cell.nodes
            if isinstance(node, ast.stmt) and node.lineno <= line <= (node.end_lineno or 0)
        ]
        function = cell.function(at[-1]) if at else None
        around = [
            statement for statement in at if function is None or function in cell.parents(statement)
        ]
        loop = next(
            (n for n, statement in enumerate(around) if isinstance(statement, LOOPS)), len(around)
        )
        inside = set(map(id, around[: loop + 1]))
        for parent in [function or cell.tree, *around[:loop]]:
            for block in ("body", "orelse", "finalbody"):
                body = getattr(parent, block, [])
                if not isinstance(body, list) or not any(id(each) in inside for each in body):
                    continue
                for each in body:
                    if id(each) in inside:
                        break
                    call = self._training(each)
                    if call is not None:
                        return CodePlace.of(cell, call), False
        return None, loop < len(around)

    def _training(self, node: ast.AST | None) -> ast.Call | None:
        is_definition = isinstance(node, (*Function, ast.ClassDef))
        return None if node is None or is_definition else training_in([node], self._functions)

    @cached_property
    def _functions(self) -> dict[str, list[ast.AST]]:
        return functions_of(cell.source for cell in (*self._cells, *self._notebook.files))

    # What a cell reads, makes and changes as it runs.

    def _inputs(self, cell: CellCode, *, rounds: bool = False) -> set[str]:
        if cell.tree is None:
            return set()
        reads, binds = partial(_read_by, cell, self._inner), partial(_bound_by, cell)
        return Liveness(cell.tree.body, reads, binds, rounds=LOOPS if rounds else ()).before

    @cached_property
    def _inner(self) -> dict[str, set[str]]:
        """What functions and classes read of the notebook, by their names."""
        found: dict[str, set[str]] = {}
        for cell in self._cells:
            for use in cell.uses:
                if use.how == "read" and use.owner is None:
                    for node in cell.parents(use.node):
                        if isinstance(node, (*Function, ast.ClassDef)):
                            found.setdefault(node.name, set()).add(use.name)
        for own in found.values():
            more = set(own)
            while more := {x for name in more & found.keys() for x in found[name]} - own:
                own.update(more)
        return found

    def _done_by(self, cell: CellCode) -> _Redone:
        done = _Redone()
        is_last = cell is self._cells[-1]
        last = max(
            (line for key, line, _ in self._way.places if is_last and key == cell.key), default=None
        )
        for statement in getattr(cell.tree, "body", []):
            if last is None or statement.lineno <= last:
                self._enter(cell, statement, done, set())
        return done

    def _enter(self, cell: CellCode, root: ast.AST, done: _Redone, seen: set[int]) -> None:
        for node in _executed(root):
            line = getattr(node, "lineno", 1)
            self._enter_name(cell, node, done, line)
            for changed in _changed_by(cell, node):
                owner = cell.owners.get(changed)
                if owner is not None and owner[1] is None:
                    done.changed.setdefault(owner[0], line)
            called_here = self._notebook.functions.get(called(node), ())
            for place, function in called_here if isinstance(node, ast.Call) else ():
                if id(function) not in seen and isinstance(node, ast.Call):
                    seen.add(id(function))
                    for statement in function.body:
                        self._enter(place, statement, done, seen)
                    self._hand_on(cell, node, place, function, done)

    def _enter_name(self, cell: CellCode, node: ast.AST, done: _Redone, line: int) -> None:
        known = cell.owners.get(node)
        if known is None or known[1] is not None or isinstance(node, ast.alias):
            return
        kind = getattr(node, "ctx", None)
        if not isinstance(kind, ast.Load) and not self._is_same(cell, node, known[0]):
            done.made.setdefault(known[0], line)
            if self._is_stream(cell, node):
                done.streams.add(known[0])

    def _hand_on(
        self, cell: CellCode, call: ast.Call, place: CellCode, function: ast.AST, done: _Redone
    ) -> None:
        """Enter what a function empties, fills or uses up of what a call gives it."""
        own = {
            changed.id
            for node in ast.walk(function)
            for changed in _changed_by(place, node)
            if isinstance(changed, ast.Name)
        }
        if not isinstance(function, Function):
            return
        for parameter, given in zip(arguments(function), call.args, strict=False):
            known = cell.owners.get(given)
            if parameter.arg in own and known is not None and known[1] is None:
                done.changed.setdefault(known[0], call.lineno)

    def _is_same(self, cell: CellCode, node: ast.AST, name: str) -> bool:
        """Whether a name is given what it has: a function once more, or `x = x.to(device)`."""
        statement = cell.around(node)
        if isinstance(node, (*Function, ast.ClassDef)):
            return len({ast.dump(child) for _, child in self._notebook.defined(name)}) == 1
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

    def _is_stream(self, cell: CellCode, node: ast.AST) -> bool:
        parent = cell.parent(node)
        value = parent.value if isinstance(parent, ast.Assign) else None
        makes = (function for _, function in self._notebook.functions.get(called(value), ()))
        return isinstance(value, ast.GeneratorExp) or (
            isinstance(value, ast.Call)
            and (
                called(value) in _STREAMS
                or any(
                    isinstance(child, (ast.Yield, ast.YieldFrom))
                    for f in makes
                    for child in ast.walk(f)
                )
            )
        )


class _Redone:
    """What a cell has done as it ran, by name: the line that gave it a value, or changed it."""

    def __init__(self) -> None:
        self.made: dict[str, int] = {}
        self.changed: dict[str, int] = {}
        self.streams: set[str] = set()


def _read_by(cell: CellCode, inner: Mapping[str, set[str]], node: ast.AST) -> set[str]:
    """Return the names of the notebook that code reads as it runs, and functions may that it calls.

    `inner` has what functions read, by their names.
    """
    found = {name for child, name in _own_names(cell, node) if _is_read(child)}
    named = found | {called(child) for child in _executed(node)}
    return found.union(*[inner.get(each, ()) for each in named])


def _bound_by(cell: CellCode, node: ast.AST) -> set[str]:
    return {name for child, name in _own_names(cell, node) if not _is_read(child)}


def _own_names(cell: CellCode, node: ast.AST) -> Iterator[tuple[ast.AST, str]]:
    """Yield where names of the notebook's own stand in what runs."""
    for child in _executed(node):
        name, owner, _ = cell.owners.get(child, ("", None, None))
        if name and owner is None:
            yield child, name


def _is_read(node: ast.AST) -> bool:
    return isinstance(getattr(node, "ctx", None), ast.Load)


def _executed(root: ast.AST) -> Iterator[ast.AST]:
    """Walk through what runs where this does: not through the bodies of functions in it."""
    waiting = [root]
    while waiting:
        node = waiting.pop()
        yield node
        if isinstance(node, Function):
            given = node.args
            waiting += [*node.decorator_list, *given.defaults, *filter(None, given.kw_defaults)]
        else:
            waiting += ast.iter_child_nodes(node)


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
