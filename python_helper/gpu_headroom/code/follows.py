"""Where the number of a batch stands besides its loader, so that another would not follow it.

Most of what reads it follows the batch: other loaders, sums, what a loop or a function makes anew.
The shape of a buffer does not, nor does the same number written out once more.
"""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from .find import assigned, called, dotted, names, targets_of, words
from .given import KNOWN
from .notebook import CodePlace
from .scopes import Function, defaults, parameter_of
from .size_names import role_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from .literals import SizeLiteral
    from .notebook import CellCode, Notebook
    from .scopes import Scope


_Loop = (ast.For, ast.AsyncFor, ast.While)
_SHAPES = words(
    """zeros ones empty full randn rand randint arange eye tile new_zeros new_ones new_empty
    new_full view reshape expand repeat unflatten broadcast_to init_hidden Parameter
    register_buffer as_strided linspace hidden_state reset_states"""
)
_ANY_PLACE = ("view", "reshape", "expand", "unflatten", "broadcast_to")
_MEASURES = frozenset(["len", "size", "numel"])
_BATCHED = {**KNOWN, "BatchSampler": {1: ""}, "batched": {1: ""}, "batch": {0: ""}}
_NO_LAYER = words(
    """DataLoader Dataset TensorDataset Subset Config Namespace Path SimpleNamespace Decimal
    Fraction Counter ValueError RuntimeError"""
)
_DIVIDES = (ast.Div, ast.FloorDiv, ast.Mod)
_MOST = 400
_OF_OTHERS = re.compile(
    r"(?:^|_|(?<=[a-z]))(?:val|valid|validation|test|eval|infer|tgt|target|label|summary|answer)"
    r"(?:s?_|s?$|[A-Z])|decoder",
    re.IGNORECASE,
)


def other_places(
    notebook: Notebook, value: int, known: Collection[tuple[str, int, int]]
) -> Iterator[CodePlace]:
    """Yield where this number is written out once more as what a batch would have to be.

    `known` are the places `(key, line, column)` of the batch itself.
    """
    for cell, node in notebook.nodes():
        if not isinstance(node, ast.Constant) or type(node.value) is not int:
            continue
        at = (cell.key, node.lineno, node.col_offset)
        if node.value == value and at not in known and _is_of_batch(cell, node):
            yield CodePlace.of(cell, node)


def _is_of_batch(cell: CellCode, node: ast.Constant) -> bool:
    """Whether a number is compared with lengths, divides, cuts, or is a number of rows."""
    parents = list(cell.parents(node))
    around = parents[0]
    if isinstance(around, ast.Compare):
        return any(_measures(expression) for expression in (around.left, *around.comparators))
    if isinstance(around, ast.BinOp):
        other = around.left if around.right is node else around.right
        divides = isinstance(around.op, (ast.FloorDiv, ast.Div)) and around.right is node
        cuts = any(isinstance(child, ast.Slice) for child in parents[:3])
        return not isinstance(other, ast.Constant) and (divides or cuts)
    shape = around.elts if isinstance(around, (ast.Tuple, ast.List)) else None
    call = parents[1] if shape is not None else around
    if isinstance(call, ast.keyword):
        return call.arg in ("size", "shape", "rows")
    return isinstance(around, ast.Slice) or _counts_rows(cell, call, shape, node)


def _counts_rows(
    cell: CellCode, call: ast.AST, shape: list[ast.expr] | None, node: ast.expr
) -> bool:
    if not isinstance(call, ast.Call):
        return False
    if called(call) in ("range", "trange"):
        return _indexes(cell, call)
    sizes = call.args if shape is None else shape
    return called(call) in _SHAPES and node in sizes and _rows(called(call), sizes, node)


def _rows(name: str, sizes: list[ast.expr], node: ast.expr) -> bool:
    at = sizes.index(node)
    first = ast.unparse(sizes[0])
    if name in _ANY_PLACE:
        return first != "-1"
    return at == 0 or (at == 1 and len(sizes) > 2)  # noqa: PLR2004  layers, rows, features


def _measures(node: ast.AST) -> bool:
    return any(
        called(child) in _MEASURES or (isinstance(child, ast.Attribute) and child.attr == "shape")
        for child in ast.walk(node)
    )


def _indexes(cell: CellCode, call: ast.Call) -> bool:
    """Whether rows are counted: `for i in range(8): rows[i]`."""
    loop = cell.parent(call)
    if not isinstance(loop, (ast.For, ast.comprehension)):
        return False
    counted = names(loop.target, ast.Store)
    owner = loop if isinstance(loop, ast.For) else next(cell.parents(loop))
    return any(
        isinstance(node, ast.Subscript) and counted & names(node.slice) for node in ast.walk(owner)
    )


def is_of_others(notebook: Notebook, literal: SizeLiteral) -> bool:
    """Whether a size is one of the data of a test or a validation, or of targets, as names say."""
    cell = notebook.cell(literal.cell.key)
    named = [literal.name]
    for node in ast.walk(cell.tree) if cell is not None and cell.tree is not None else ():
        at = (getattr(node, "lineno", 0), getattr(node, "col_offset", -1))
        if cell is not None and at == (literal.line, literal.column):
            for child in (node, *cell.parents(node)):
                if isinstance(child, ast.Dict):
                    inside = set(map(id, cell.parents(node))) | {id(node)}
                    pairs = zip(child.keys, child.values, strict=True)
                    named += [str(getattr(k, "value", "")) for k, v in pairs if id(v) in inside]
                named += [assigned(child), getattr(child, "name", None) or ""]
    return any(_OF_OTHERS.search(each) for each in named)


def unlike(
    notebook: Notebook,
    cell: CellCode,
    literal: ast.AST | None,
    gone_through: Collection[ast.AST],
    entry: str = "",
) -> CodePlace | None:
    """Return where the name that has a number is read for something else than a batch.

    `gone_through` are calls that are known to be of the batch. `entry` is what the number is called
    where it stands in text, or is the default of an option.
    """
    return _Uses(notebook, gone_through).of(cell, literal, entry)


class _Uses:
    """Goes through all that has the number, by whatever name."""

    def __init__(self, notebook: Notebook, gone_through: Collection[ast.AST]) -> None:
        self._notebook, self._known = notebook, set(map(id, gone_through))
        self._waiting: list[tuple[CellCode, ast.AST]] = []
        self._seen: set[object] = set()

    def of(self, cell: CellCode, literal: ast.AST | None, entry: str) -> CodePlace | None:
        """Return the first place that would not follow."""
        self._waiting = [] if literal is None else [(cell, literal)]
        self._entries(entry)
        for where, node in self._waiting:  # it grows meanwhile
            if len(self._waiting) > _MOST:
                return CodePlace.of(where, node)
            if self._stops(where, node):
                return CodePlace.of(where, node)
        return None

    def _stops(self, cell: CellCode, node: ast.AST) -> bool:
        """Whether what a number is used for does not follow; enters the names that get it."""
        child = node
        for parent in cell.parents(node):
            if isinstance(parent, ast.Call):
                return id(parent) not in self._known and self._is_fixed(cell, parent, child)
            divides = isinstance(parent, ast.BinOp) and isinstance(parent.op, _DIVIDES)
            if divides or isinstance(parent, (ast.Subscript, ast.Compare, ast.JoinedStr)):
                return False
            if isinstance(parent, (ast.stmt, ast.NamedExpr, ast.arguments, ast.Dict)):
                self._enter(cell, parent, child, node)
                return False
            child = parent
        return False

    def _enter(self, cell: CellCode, parent: ast.AST, child: ast.AST, node: ast.AST) -> None:
        """Enter the names that get a number."""
        if isinstance(parent, (ast.Assign, ast.AnnAssign, ast.NamedExpr)):
            for expression in targets_of(parent):
                self._reads_of(cell, expression, parent.value, node)
        elif isinstance(parent, ast.arguments):
            for argument, default in defaults(parent).items():
                if default is child:
                    self._reads_of(cell, argument)
        elif isinstance(parent, ast.Dict):
            pairs = zip(parent.keys, parent.values, strict=True)
            for key in [k for k, v in pairs if v is child and isinstance(k, ast.Constant)]:
                self._entries(str(getattr(key, "value", "")))

    def _is_fixed(self, cell: CellCode, call: ast.Call, child: ast.AST) -> bool:
        """Whether a call makes something that has the number for good."""
        name = called(call)
        own = self._notebook.defined(name)
        if own:
            for where, definition in own:
                argument = _parameter(definition, call, child)
                if argument is not None:
                    self._reads_of(where, argument)
                if isinstance(definition, ast.ClassDef) and isinstance(child, ast.keyword):
                    self._entries(child.arg or "")
            return False
        if isinstance(child, ast.keyword):
            if child.arg and role_of(child.arg) == "batch":
                self._entries(child.arg)
                return False
            return name in _SHAPES or (name[:1].isupper() and name not in _NO_LAYER)
        position = call.args.index(child) if child in call.args else -1
        if position in _BATCHED.get(name, {}):
            return False
        if name in _SHAPES:
            return not self._is_anew(cell, call)
        return name[:1].isupper() and name not in _NO_LAYER and dotted(call.func) != "int"

    def _is_anew(self, cell: CellCode, node: ast.AST) -> bool:
        """Whether it is made anew in each round, or at each call."""
        for child in cell.parents(node):
            if isinstance(child, Function):
                return child.name not in ("__init__", "reset_parameters", "build")
            if isinstance(child, (*_Loop, ast.Lambda)):
                return True
            if isinstance(child, ast.Call) and called(child) in ("Parameter", "register_buffer"):
                return False
        return False

    def _reads_of(
        self,
        cell: CellCode,
        target: ast.AST,
        value: ast.AST | None = None,
        node: ast.AST | None = None,
    ) -> None:
        """Enter where a target is read; of several the one at the place of the number."""
        if isinstance(target, (ast.Tuple, ast.List)):
            values = value.elts if isinstance(value, (ast.Tuple, ast.List)) else []
            for expression, given in zip(target.elts, values, strict=False):
                if node in set(ast.walk(given)):
                    self._reads_of(cell, expression, given, node)
            return
        if isinstance(target, (ast.Attribute, ast.Subscript)):
            key = target.attr if isinstance(target, ast.Attribute) else target.slice
            self._entries(key if isinstance(key, str) else str(getattr(key, "value", "")))
            return
        known = cell.owners.get(target)
        if known is not None and known[:2] not in self._seen:
            self._seen.add(known[:2])
            self._enter_reads(cell, target, *known[:2])

    def _enter_reads(self, cell: CellCode, target: ast.AST, name: str, owner: Scope | None) -> None:
        inner = (node for node in cell.parents(target) if isinstance(node, ast.ClassDef))
        if owner is not None and owner.node is next(inner, None):
            self._entries(name)  # a field of a class
        for where in self._notebook.cells if owner is None else (cell,):
            for use in where.uses:
                if use.name == name and use.how == "read" and use.owner is owner:
                    self._waiting.append((where, use.node))

    def _entries(self, name: str) -> None:
        """Enter where an entry or an attribute of a name is read, whosever it is."""
        if not name or name in self._seen:
            return
        self._seen.add(name)
        for cell, node in self._notebook.nodes():
            is_read = isinstance(getattr(node, "ctx", None), ast.Load)
            attribute = isinstance(node, ast.Attribute) and node.attr == name
            entry = isinstance(node, ast.Subscript) and getattr(node.slice, "value", "") == name
            if is_read and (attribute or entry):
                self._waiting.append((cell, node))


def _parameter(definition: ast.AST, call: ast.Call, child: ast.AST) -> ast.arg | None:
    """Return the parameter of a function or class that an argument of a call is given to."""
    function = definition
    if isinstance(definition, ast.ClassDef):
        methods = (statement for statement in definition.body if isinstance(statement, Function))
        function = next((method for method in methods if method.name == "__init__"), definition)
    return parameter_of(function, call, child) if isinstance(function, Function) else None
