"""Which number sets the batch of the loop that failed: followed from there to where it stands.

A notebook has several loaders, often with the same number. From the failing line its loop is
looked for, from that its loader, through names, parameters, attributes and what functions return,
and from the loader its number. What is not found so is not the batch.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, field
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple

from .find import base_of, called, calls, dotted, keyword, path_of, words
from .literals import integer
from .notebook import Notebook, by_name
from .scopes import Function, arguments, defaults
from .size_names import role_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from .literals import SizeLiteral
    from .notebook import CellCode, Definition
    from .scopes import Scope

_Loop = (ast.For, ast.AsyncFor)
Path = tuple[Any, ...]
_Comprehension = (ast.ListComp, ast.SetComp, ast.GeneratorExp)
_EVALUATES = re.compile(r"eval|val|test|predict", re.IGNORECASE)
_BATCHED = {"DataLoader": 1, "BatchSampler": 1, "split": 0, "batch": 0, "padded_batch": 0}
_BATCHED |= {"batched": 1, "choice": 1, "sample": 1, "choices": 1}
_SIZES = {"choice": "size", "choices": "k", "sample": "k"}
_RANGES = ("range", "trange", "arange")
_MAKERS = words("zeros ones empty full rand randn randint normal uniform standard_normal random")
_NO_DATA = words("len int float str print round isinstance type hasattr")
_FITS = ("fit", "fit_loop", "validate", "test", "predict")
_TRAINING = ("train_dataloaders", "train_dataloader", "train_loader", "train_loaders")
_OTHERS = ("val_dataloaders", "val_dataloader", "dataloaders", "dataloader", "val_loader")
_METHODS = ("train_dataloader", "val_dataloader", "test_dataloader", "predict_dataloader")
_MOST = 2000  # steps of one question
_DEPTH = 60


class Line(NamedTuple):
    """A line on the way to a failure, counted from 1."""

    cell: CellCode
    number: int


@dataclass(frozen=True, slots=True)
class Way:
    """How a failure was come to: lines of cells on the way, outermost first.

    `order` are the keys of all cells as they ran, the failing one last. Of each line there are the
    key of its cell, its number from 1, and its text, by which it is found again. `evaluates`:
    nothing was being trained.
    """

    order: tuple[str, ...]
    places: tuple[tuple[str, int, str], ...]
    evaluates: bool = False

    def numbers(self, cells: Sequence[CellCode]) -> Numbers:
        """Return the numbers of the failing loop's batches, in cells as they are now."""
        known = {cell.key: cell for cell in cells}
        lines = [
            Line(known[key], line)
            for key, number, text in self.places
            if key in known and (line := _line(known[key], number, text))
        ]
        ordered = [known[key] for key in dict.fromkeys(self.order) if key in known]
        return Loaders(ordered, lines, evaluates=self.evaluates).numbers()


def _line(cell: CellCode, number: int, text: str) -> int | None:
    """Return where a line is by now; `None` where that is not certain."""
    lines = [each.strip() for each in cell.source.split("\n")]
    if 0 < number <= len(lines) and lines[number - 1] == text:
        return number
    return lines.index(text) + 1 if lines.count(text) == 1 else None


class _Call(NamedTuple):
    """A function that is looked into, and the call that gives its parameters their values."""

    function: ast.AST
    cell: CellCode
    call: ast.Call
    inside: _Call | None


@dataclass(slots=True)
class Numbers:
    """Where numbers stand that set the batch: `(key of the cell, line, column)`, and paths.

    A path is that of an entry or an attribute that was read: `config`, `batch_size`.
    """

    places: set[tuple[str, int, int]] = field(default_factory=set)
    paths: set[tuple[str, ...]] = field(default_factory=set)

    def __bool__(self) -> bool:
        return bool(self.places or self.paths)

    def has(self, literal: SizeLiteral, key: str | None = None) -> bool:
        """Whether a literal is one of them; `key` is that of its cell."""
        if (key or literal.cell.key, literal.line, literal.column) in self.places:
            return True
        if literal.kind in ("variable", "parameter") or not literal.kind:
            return False
        if literal.kind in ("field", "option", "text") or not literal.path:
            known = literal.kind != "argument" or literal.parameter is not None
            return known and any(path[-1] == literal.name for path in self.paths)
        return any(
            path == literal.path or (path[-1] == literal.path[-1] and path[0] in ("", "self"))
            for path in self.paths
        )


class Loaders:
    """Follows data of `cells`, in the order they ran, from the `way` to a failure.

    `way` are lines, outermost first. `evaluates`: a trainer was not training.
    """

    def __init__(
        self, cells: Sequence[CellCode], way: Sequence[Line], *, evaluates: bool = False
    ) -> None:
        self._cells, self._evaluates = list(cells), evaluates
        self._way = [line for line in way if line.cell.tree is not None]
        self._notebook = Notebook(self._cells)
        self._attributes = by_name(self._cells, ast.Attribute, attrgetter("attr"))
        self._ways: tuple[tuple[Any, Callable[..., None]], ...] = (
            (ast.Call, self._called),
            (ast.Name, self._named),
            (ast.Subscript, self._part),
            (ast.Attribute, self._attribute),
            ((ast.Tuple, ast.List), self._several),
            (ast.Dict, self._entries),
            (ast.DictComp, self._each_entry),
            (_Comprehension, self._comprehension),
            ((ast.Lambda, ast.Constant, ast.JoinedStr, ast.Compare), self._nothing),
        )
        self._found = Numbers()
        self._seen: set[tuple[object, ...]] = set()
        self._left = _MOST

    def numbers(self) -> Numbers:
        """Return the numbers that the failing loop's batches have their size from; none in doubt.

        The innermost loop counts of which one is found, else what the failing line computes with.
        """
        try:
            for cell, number in reversed(self._way):
                statement = cell.statement_on(number)
                if statement is None:
                    continue
                for node in _heads(cell, statement):
                    self._data(cell, node, None, ())
                    if self._found:
                        return self._found
        except RecursionError:
            return Numbers()
        return self._found

    # Data: what is looped over, or computed with.

    def _data(self, cell: CellCode, node: ast.AST | None, inside: _Call | None, path: Path) -> None:
        key = ("data", node, inside, path)
        if node is None or key in self._seen or self._left < 0 or len(path) > _DEPTH:
            return
        self._seen.add(key)
        self._left -= 1
        for kinds, follow in self._ways:
            if isinstance(node, kinds):
                follow(cell, node, inside, path)
                return
        for child in ast.iter_child_nodes(node):
            if isinstance(child, (ast.expr, ast.withitem)):
                self._data(cell, child, inside, () if isinstance(node, ast.BinOp) else path)

    def _nothing(self, *_: Any) -> None:
        """Such code has no batches."""

    def _several(
        self, cell: CellCode, node: ast.Tuple | ast.List, inside: _Call | None, path: Path
    ) -> None:
        index = path[0] if path and type(path[0]) is int else None
        if index is not None and -len(node.elts) <= index < len(node.elts):
            self._data(cell, node.elts[index], inside, path[1:])
            return
        for expression in node.elts:
            self._data(cell, expression, inside, path)

    def _entries(self, cell: CellCode, node: ast.Dict, inside: _Call | None, path: Path) -> None:
        known = [v for k, v in zip(node.keys, node.values, strict=True) if _is(k, path[:1])]
        for value in known or node.values:
            self._data(cell, value, inside, path[1:] if known else path)

    def _each_entry(
        self, cell: CellCode, node: ast.DictComp, inside: _Call | None, path: Path
    ) -> None:
        self._data(cell, node.value, inside, path[1:])

    def _comprehension(
        self, cell: CellCode, node: ast.ListComp, inside: _Call | None, path: Path
    ) -> None:
        del path
        self._first(
            cell, [*[comprehension.iter for comprehension in node.generators], node.elt], inside, ()
        )

    def _first(
        self,
        cell: CellCode,
        nodes: Iterable[ast.AST | None],
        inside: _Call | None,
        path: Path,
    ) -> None:
        """Follow the first of these that leads to a number."""
        before = len(self._found.places) + len(self._found.paths)
        for node in nodes:
            self._data(cell, node, inside, path)
            if len(self._found.places) + len(self._found.paths) > before:
                return

    def _called(self, cell: CellCode, call: ast.Call, inside: _Call | None, path: Path) -> None:
        name = called(call)
        own = self._notebook.defined(name)
        for where, definition in own:
            self._entered(where, definition, _Call(definition, cell, call, inside), path)
        index = path[0] if name == "prepare" and path and type(path[0]) is int else None
        sizes = [] if own else self._sizes(name, call)
        if index is not None and -len(call.args) <= index < len(call.args):
            self._data(cell, call.args[index], inside, path[1:])
        elif sizes:
            for expression in sizes:
                self._number(cell, expression, inside)
        elif not own and list(self._spread(cell, call, inside)):
            pass
        elif name in _FITS and len(call.args) + len(call.keywords) > 1:
            self._trainer(cell, call, inside)
        elif not own and name not in _NO_DATA:
            settings = keyword(call, "args")
            owner = call.func.value if isinstance(call.func, ast.Attribute) else None
            many = [owner, *call.args, *[option.value for option in call.keywords]]
            if name == "islice":
                many = list(call.args[:1])
            for node in many if settings is None else [settings.value]:
                self._data(cell, node, inside, path if node is owner else ())

    def _spread(self, cell: CellCode, call: ast.Call, inside: _Call | None) -> Iterator[bool]:
        """Follow the batch among `**settings`; yields for each that is found."""
        given = [option.value for option in call.keywords if option.arg is None]
        for node in given if called(call) in _BATCHED else ():
            for where, bind in self._definitions(cell, node):
                for value, _ in _given(where, bind):
                    for key, size in _items(value):
                        if role_of(key) == "batch":
                            self._number(where, size, inside if where is cell else None)
                            yield True

    def _sizes(self, name: str, call: ast.Call) -> list[ast.expr]:
        """Return what a call gets as the size of its batches, or as a number of rows."""
        given = [
            option for option in call.keywords if option.arg and role_of(option.arg) == "batch"
        ]
        if given:
            phase = [
                option
                for option in given
                if bool(_EVALUATES.search(option.arg or "")) is self._evaluates
            ]
            return [option.value for option in phase or given]
        at = _BATCHED.get(name)
        if name == "split" and dotted(getattr(call.func, "value", None)) in _MODULES:
            at = 1
        if name in _RANGES:
            at = 2
        size = keyword(call, _SIZES.get(name, ""))
        if size is not None:
            return [size.value]
        if name in _MAKERS:
            return [shape] if (shape := _shape(name, call)) is not None else []
        return call.args[at : at + 1] if at is not None else []

    def _trainer(self, cell: CellCode, call: ast.Call, inside: _Call | None) -> None:
        """Follow the loader that `fit(model, training, validation)` was at."""
        wanted = _OTHERS if self._evaluates or called(call) not in _FITS[:2] else _TRAINING
        at = 2 if self._evaluates and called(call) == "fit" else 1
        given = [option.value for option in call.keywords if option.arg in (*wanted, "datamodule")]
        given += call.args[at : at + 1] or ([] if given else call.args[1:2])
        if not given:
            given = call.args[:1]
        for expression in given:
            self._data(cell, expression, inside, ())

    def _entered(self, cell: CellCode, node: ast.AST, inside: _Call, path: Path) -> None:
        """Look into a function of the notebook, or at what a class of it is made with."""
        if _depth(inside) > _DEPTH // 6:
            return
        if isinstance(node, ast.ClassDef):
            self._made(cell, node, inside, path)
            return
        for child in _own(node):
            if isinstance(child, (ast.Return, ast.Yield, ast.YieldFrom)):
                self._data(cell, child.value, inside, path)

    def _made(self, cell: CellCode, node: ast.ClassDef, inside: _Call, path: Path) -> None:
        methods = {
            statement.name: statement for statement in node.body if isinstance(statement, Function)
        }
        init = methods.get("__init__")
        sizes = (
            [parameter for parameter in arguments(init) if role_of(parameter.arg) == "batch"]
            if init
            else []
        )
        for argument in sizes:
            value, where = _bound(cell, init, argument.arg, inside)
            self._number(where, value, inside.inside if where is inside.cell else None)
        given = [each for each in inside.call.keywords if each.arg and role_of(each.arg) == "batch"]
        for option in given if not sizes else ():
            self._number(inside.cell, option.value, inside.inside)
        if sizes or given:
            return
        wanted = _METHODS[1:] if self._evaluates else _METHODS[:1]
        for name in (*wanted, "__iter__", "__getitem__"):
            if name in methods:
                for given_back in _own(methods[name]):
                    if isinstance(given_back, (ast.Return, ast.Yield, ast.YieldFrom)):
                        self._data(cell, given_back.value, None, path)

    def _named(self, cell: CellCode, node: ast.Name, inside: _Call | None, path: Path) -> None:
        for where, bind in self._definitions(cell, node):
            if isinstance(bind, ast.arg):
                for value, place, outer in self._passed(where, bind, inside):
                    self._data(place, value, outer, path)
                continue
            for value, more in _given(where, bind):
                self._data(where, value, inside if where is cell else None, (*more, *path))

    def _part(self, cell: CellCode, node: ast.Subscript, inside: _Call | None, path: Path) -> None:
        first = (
            node.slice.elts[0]
            if isinstance(node.slice, ast.Tuple) and node.slice.elts
            else node.slice
        )
        if isinstance(first, ast.Constant):
            self._data(cell, node.value, inside, (first.value, *path))
            return
        before = len(self._found.places) + len(self._found.paths)
        if isinstance(first, ast.Slice):
            for bound in (first.lower, first.upper):
                self._bound_of_slice(cell, bound, inside)
        else:
            self._data(cell, first, inside, ())
        if len(self._found.places) + len(self._found.paths) == before:
            self._data(cell, node.value, inside, path)

    def _bound_of_slice(self, cell: CellCode, node: ast.expr | None, inside: _Call | None) -> None:
        """Follow `i` of a loop to its step, and what is added to it."""
        for child in ast.walk(node) if node is not None else ():
            if isinstance(child, ast.Name):
                looped = [
                    (where, parent.iter)
                    for where, bind in self._definitions(cell, child)
                    for parent in where.parents(bind)
                    if isinstance(parent, (*_Loop, ast.comprehension))
                    and bind in set(ast.walk(parent.target))
                ]
                for where, iterated in looped:
                    self._data(where, iterated, inside, ())
                if not looped:
                    self._number(cell, child, inside)
            elif isinstance(child, (ast.Constant, ast.Attribute)):
                self._number(cell, child, inside)

    def _attribute(
        self, cell: CellCode, node: ast.Attribute, inside: _Call | None, path: Path
    ) -> None:
        stores = self._stores(node.attr)
        around = _class(cell, node)
        if dotted(node.value) == "self" and around is not None:
            stores = [each for each in stores if _class(*each) is around] or stores
        for where, store in stores:
            for value, more in _given(where, store):
                self._data(where, value, None, (*more, *path))
        if not stores:
            for where, function in self._notebook.functions.get(node.attr, ()):
                for child in _own(function):
                    if isinstance(child, (ast.Return, ast.Yield)):
                        self._data(where, child.value, None, path)
            if dotted(node.value) not in ("self", "cls"):
                self._data(cell, node.value, inside, ())

    def _stores(self, name: str) -> list[tuple[CellCode, ast.AST]]:
        """Return where an attribute of a name is given a value, whosever it is."""
        return [
            each for each in self._attributes.get(name, ()) if isinstance(each[1].ctx, ast.Store)
        ]

    # Numbers.

    def _number(self, cell: CellCode, node: ast.AST | None, inside: _Call | None) -> None:
        key = ("number", node, inside)
        if node is None or key in self._seen or self._left < 0:
            return
        self._seen.add(key)
        self._left -= 1
        if isinstance(node, ast.expr) and integer(node) is not None:
            self._found.places.add((cell.key, node.lineno, node.col_offset))
        elif isinstance(node, ast.Name):
            for where, bind in self._definitions(cell, node):
                if isinstance(bind, ast.arg):
                    for value, place, outer in self._passed(where, bind, inside):
                        self._number(place, value, outer)
                for value, more in _given(where, bind):
                    self._number(where, _element(value, more), inside if where is cell else None)
        elif isinstance(node, (ast.Attribute, ast.Subscript)):
            self._entry(cell, node)
        else:
            for expression in self._parts(node):
                self._number(cell, expression, inside)

    def _parts(self, node: ast.AST) -> list[ast.expr]:
        """Return what a number is computed of, or the first of a shape."""
        if isinstance(node, (ast.Tuple, ast.List)):
            return node.elts[:1]
        if isinstance(node, ast.Call):
            text = node.args[0] if called(node) in ("get", "pop") and node.args else None
            if isinstance(text, ast.Constant) and isinstance(node.func, ast.Attribute):
                self._found.paths.add((dotted(node.func.value), str(text.value)))
            return node.args if text is None else node.args[1:]
        computed = (ast.BinOp, ast.IfExp, ast.BoolOp, ast.NamedExpr, ast.UnaryOp)
        inner = ast.iter_child_nodes(node) if isinstance(node, computed) else ()
        return [child for child in inner if isinstance(child, ast.expr)]

    def _entry(self, cell: CellCode, node: ast.Attribute | ast.Subscript) -> None:
        """Follow `config.batch_size`, `config["batch_size"]`, `self.batch_size`."""
        path = path_of(node, object)
        if not path:
            return
        owner = path[0]
        inner = cell.owners.get(_root(node))
        if inner is not None and inner[1] is not None:  # a parameter, or a name of a function
            owner = "self" if owner in ("self", "cls") else ""
        stores = self._stores(path[-1]) if isinstance(node, ast.Attribute) else []
        for _, bind in self._definitions(cell, node.value):  # an attribute of a module
            if isinstance(bind, ast.alias):
                stores = [*stores, *self._in_file(bind.name, path[-1])]
        around = _class(cell, node)
        if owner == "self" and around is not None:
            stores = [each for each in stores if _class(*each) is around] or stores
        for where, store in stores:
            for value, more in _given(where, store):
                self._number(where, _element(value, more), None)
        if not stores or owner != "self":
            self._found.paths.add((owner, *path[1:]))

    # Names.

    def _definitions(self, cell: CellCode, node: ast.AST) -> list[tuple[CellCode, ast.AST]]:
        """Return what may have given a name its value where it is read."""
        known = cell.owners.get(node)
        if known is None or known[0] in ("self", "cls"):
            return []
        name, owner, inside = known
        if owner is not None:
            return [(cell, child) for child in _reaching(cell, node, name, owner, inside)]
        is_late = inside.function.parent is not None
        last = (
            len(self._cells) - 1 if is_late or cell not in self._cells else self._cells.index(cell)
        )
        order = [*reversed(self._cells[: last + 1]), *self._cells[last + 1 :]]
        if cell.is_file:  # its names are its own
            order = [cell, *(each for each in order if each.is_file)]
        for each in order:
            if nodes := _reaching(each, node if each is cell else None, name, None, inside):
                return [place for one in nodes for place in self._imported(each, one)]
        return []

    def _imported(self, cell: CellCode, bind: ast.AST) -> list[tuple[CellCode, ast.AST]]:
        """Return what gives a name its value in the file that it is imported from; else this."""
        statement = cell.parent(bind)
        if isinstance(bind, ast.alias) and isinstance(statement, ast.ImportFrom):
            return self._in_file(statement.module or "", bind.name) or [(cell, bind)]
        return [(cell, bind)]

    def _in_file(self, module: str, name: str) -> list[tuple[CellCode, ast.AST]]:
        path = "/" + module.replace(".", "/") + ".py"
        return [
            (cell, use.node)
            for cell in self._cells
            if cell.is_file and f"/{cell.key}".endswith(path)
            for use in cell.uses
            if use.name == name and use.how == "bind" and use.owner is None
        ]

    def _passed(
        self, cell: CellCode, argument: ast.arg, inside: _Call | None
    ) -> Iterator[tuple[ast.AST | None, CellCode, _Call | None]]:
        """Yield what a parameter was given: by the call that is looked into, else by callers."""
        function = next(
            (node for node in cell.parents(argument) if isinstance(node, (*Function, ast.Lambda))),
            None,
        )
        if function is None or isinstance(function, ast.Lambda):
            return
        frame = inside
        while frame is not None and frame.function is not function:
            frame = frame.inside
        if frame is not None:
            value, where = _bound(cell, function, argument.arg, frame)
            yield value, where, frame.inside if where is frame.cell else None
            return
        callers = list(self._callers(cell, function))
        for place, call in callers:
            value, where = _bound(cell, function, argument.arg, _Call(function, place, call, None))
            yield value, where, None
        if not callers:
            value, where = _bound(cell, function, argument.arg, None)
            yield value, where, None

    def _callers(self, cell: CellCode, function: Definition) -> Iterator[tuple[CellCode, ast.Call]]:
        """Yield the calls of a function: the one that was running, where it is known."""
        names = {function.name}
        around = _class(cell, function)
        if around is not None and function.name in ("__init__", "__call__", "forward"):
            names.add(around.name)
        for n, (where, number) in enumerate(self._way):
            statement = where.statement_on(number)
            if n == 0 or where is not cell or statement is None:
                continue
            if cell.function(statement) is function or statement is function:
                outer, line = self._way[n - 1]
                before = outer.statement_on(line)
                found = [] if before is None else list(calls(before, *names))
                if found:
                    yield from ((outer, call) for call in found)
                    return
        yield from (call for name in sorted(names) for call in self._notebook.calls(name))


_MODULES = ("torch", "np", "numpy", "jnp", "tf")


def _heads(cell: CellCode, statement: ast.stmt) -> Iterator[ast.AST]:
    """Yield what the loops around a statement go over, the innermost first; then itself."""
    for node in (statement, *cell.parents(statement)):
        if isinstance(node, _Loop):
            yield node.iter
        elif isinstance(node, Function):
            break
    if isinstance(statement, (*_Loop, ast.While, ast.If)):
        yield statement.iter if isinstance(statement, _Loop) else statement.test
    elif isinstance(statement, (ast.With, ast.AsyncWith, ast.Try)):
        return
    elif not isinstance(statement, (*Function, ast.ClassDef)):
        yield statement


def _reaching(
    cell: CellCode, node: ast.AST | None, name: str, owner: Scope | None, inside: Scope
) -> list[ast.AST]:
    """Return the places that bind a name for a node of this cell, or for what comes behind it."""
    binds = [
        each
        for each in cell.uses
        if each.name == name and each.how == "bind" and each.owner is owner
    ]
    around = set(cell.parents(node)) if node is not None else {cell.tree}
    line = getattr(node, "lineno", None)
    is_inner = owner is None and inside.function.parent is not None and node is not None
    if line is not None and not is_inner:
        before = [bind for bind in binds if getattr(bind.node, "lineno", 0) <= line]
        loops = [child for child in around if isinstance(child, (*_Loop, ast.While))]
        again = [bind for bind in binds if any(one in loops for one in cell.parents(bind.node))]
        if not before and owner is None and not again:
            return []
        binds = before or again or binds
    nodes: list[ast.AST] = []
    for use in reversed(binds):
        if node is not None and use.node is node:
            continue
        statement = cell.around(use.node)
        keeps = isinstance(statement, (*_Loop, ast.With, ast.AsyncWith))
        if statement in around and not keeps and not isinstance(use.node, ast.arg):
            continue  # `x = f(x)`: it is read before it is given
        nodes.append(use.node)
        parent = cell.parent(statement) if statement is not None else None
        if isinstance(use.node, ast.arg) or parent in around or isinstance(parent, ast.Module):
            break
    return nodes


def _given(cell: CellCode, bind: ast.AST) -> Iterator[tuple[ast.AST | None, Path]]:
    """Yield what a place that binds a name, or an attribute, is given, and which part of it."""
    child = bind
    path: Path = ()
    for parent in cell.parents(bind):
        if isinstance(parent, (ast.Tuple, ast.List)) and child in parent.elts:
            path = (parent.elts.index(child), *path)
        elif isinstance(parent, ast.Assign):
            yield (parent.value, path) if child in parent.targets else (None, ())
            return
        elif isinstance(parent, (ast.AnnAssign, ast.AugAssign, ast.NamedExpr)):
            yield (parent.value, path)
            return
        elif isinstance(parent, (*_Loop, ast.comprehension)):
            if isinstance(parent.iter, (ast.Tuple, ast.List)) and path:
                for expression in parent.iter.elts:
                    yield expression, path
            else:
                yield parent.iter, ()
            return
        elif isinstance(parent, ast.withitem):
            yield parent.context_expr, path
            return
        elif isinstance(parent, ast.stmt):
            return
        child = parent


def _items(node: ast.AST | None) -> Iterator[tuple[str, ast.expr]]:
    """Yield what a dictionary is made of: `{"a": 1}`, `dict(a=1)`."""
    if isinstance(node, ast.Dict):
        for key, value in zip(node.keys, node.values, strict=True):
            if isinstance(key, ast.Constant) and isinstance(key.value, str):
                yield key.value, value
    elif called(node) == "dict" and isinstance(node, ast.Call):
        yield from ((option.arg, option.value) for option in node.keywords if option.arg)


def _element(value: ast.AST | None, path: Path) -> ast.AST | None:
    for each in path:
        if not isinstance(value, (ast.Tuple, ast.List)) or each >= len(value.elts):
            return value
        value = value.elts[each]
    return value


def _bound(
    cell: CellCode, function: Definition | None, name: str, frame: _Call | None
) -> tuple[ast.AST | None, CellCode]:
    """Return what a call gives a parameter, or its default, and the cell that it stands in."""
    if function is None:
        return None, cell
    given = function.args
    positional = [*given.posonlyargs, *given.args]
    is_method = isinstance(cell.parent(function), ast.ClassDef)
    names = [argument.arg for argument in positional][int(is_method) :]
    if frame is not None:
        named = keyword(frame.call, name)
        if named is not None:
            return named.value, frame.cell
        at = names.index(name) if name in names else len(frame.call.args)
        if at < len(frame.call.args):
            return frame.call.args[at], frame.cell
    known = {argument.arg: default for argument, default in defaults(given).items()}
    return known.get(name), cell


def _own(function: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes of a function, without those of functions in it."""
    waiting = list(ast.iter_child_nodes(function))
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, (*Function, ast.ClassDef, ast.Lambda)):
            waiting += ast.iter_child_nodes(node)


def _class(cell: CellCode, node: ast.AST) -> ast.ClassDef | None:
    return next((child for child in cell.parents(node) if isinstance(child, ast.ClassDef)), None)


def _shape(name: str, call: ast.Call) -> ast.expr | None:
    size = keyword(call, "size") or keyword(call, "shape")
    if size is not None:
        return size.value
    if name in ("randint", "normal", "uniform", "full"):
        tuples = (
            expression for expression in call.args if isinstance(expression, (ast.Tuple, ast.List))
        )
        return next(tuples, None)
    return call.args[0] if call.args else None


def _root(node: ast.AST) -> ast.AST:
    return base_of(node) or node


def _is(key: ast.AST | None, path: Path) -> bool:
    return bool(path) and isinstance(key, ast.Constant) and key.value == path[0]


def _depth(inside: _Call | None) -> int:
    count = 0
    while inside is not None:
        count, inside = count + 1, inside.inside
    return count
