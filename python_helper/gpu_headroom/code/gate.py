"""The one gate that every edit passes: its promise is decided on the program, not on a cell.

The program is all cells, as they ran and as they stand, and what the namespace holds. An edit says
what it binds, deletes, detaches or wraps; here it is asked who else needs that. What cannot be told
counts as needed, and the answer is the sentence that says why.
"""

from __future__ import annotations

import ast
import builtins
from functools import cached_property
from typing import TYPE_CHECKING

from ..text.messages import message
from .find import called, calls, dotted, names, root_of, targets_of, words
from .flow import leaves
from .liveness import Liveness, certainly_bound
from .notebook import CodePlace
from .taint import Taint

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from ..protocol.wire import Message
    from .facts import Live
    from .notebook import CellCode, Notebook
    from .scopes import Scope, Use
    from .taint import Slot

TEXTS = {
    "gate.unread": "No button: {cell} cannot be read, so nobody can tell what it needs.",
    "gate.runs_text": (
        "No button: {cell} runs code from text (line {line}), which may need anything."
    ),
    "gate.bound": "No button: `{name}` is a name of yours already.",
    "gate.read": "No button: `{name}` is read in {cell}, line {line}.",
    "gate.unbound": "No button: `{name}` may not have a value there.",
    "gate.captured": "No button: `{name}` is used by a function, {cell}, line {line}.",
    "gate.backward": (
        "No button: gradients may be computed of what is in `{name}` ({cell}, line {line})."
    ),
    "gate.handed_on": (
        "No button: {cell}, line {line} hands `{name}` to `{function}`, which may need its graph."
    ),
    "gate.trains": "No button: {cell} computes gradients in it, line {line}.",
    "gate.escapes": (
        "No button: `{name}` is handed on in {cell}, line {line}: who calls it cannot be told."
    ),
    "gate.not_here": "No button: the code it is about is not in this notebook as it ran.",
}
_FROM_TEXT = words(
    """exec eval globals locals vars dir run_cell __import__ _getframe currentframe"""
)
_NAMESPACES = ("user_ns", "user_global_ns", "f_globals", "f_locals", "__main__")


class Gate:
    """Answers what an edit asks of a notebook and of what is `live` in its kernel."""

    def __init__(self, notebook: Notebook, live: Live) -> None:
        self.notebook, self.live = notebook, live

    @cached_property
    def taint(self) -> Taint:
        """The ways of values through all cells."""
        return Taint(self.notebook, self.live.models)

    def unread(self) -> Message | None:
        """Whether all code can be read: say which cell cannot, or which runs code from text."""
        cell = self.notebook.unread
        if cell is not None:
            return message("gate.unread", TEXTS, cell=cell.title)
        for name in _FROM_TEXT:
            for cell, call in self.notebook.calls(name):
                if not _is_plain(name, call):
                    return self._runs_text(cell, call)
        for cell, node in self.notebook.nodes():
            if _asks_namespace(cell, node):
                return self._runs_text(cell, node)
        return None

    def _runs_text(self, cell: CellCode, node: ast.AST) -> Message:
        return CodePlace.of(cell, node).says("gate.runs_text", TEXTS)

    # (1) Names.

    def binds(self, *wanted: str) -> Message | None:
        """Whether these names are nobody's, in no function and no cell, live or in the text."""
        taken = self.notebook.names | self.live.names | set(vars(builtins))
        for name in wanted:
            if name in taken:
                return message("gate.bound", TEXTS, name=name)
        return None

    def free_name(self, *candidates: str) -> str:
        """Return the first of these names that is nobody's; where none is, the first."""
        return next((name for name in candidates if self.binds(name) is None), candidates[0])

    def deletes(
        self, cell: CellCode, statement: ast.stmt, *gone: str, before: bool = False
    ) -> Message | None:
        """Whether nobody reads these names behind a statement, or `before` it, as they are there.

        `statement` is a node of the cell's own tree, the last before they go. It is asked of the
        rest of its function, or of the notebook: all cells, and what functions read of it, whenever
        they are called.
        """
        function = cell.function(statement)
        body = function.body if function is not None else getattr(cell.tree, "body", [])
        scope = self._scope(cell, function)
        ends = set[str]()
        if function is not None:
            for node in calls(function, *_FROM_TEXT):
                if not _is_plain(called(node), node):
                    return self._runs_text(cell, node)
        if scope is None:
            why = self.unread()
            if why is not None:
                return why
            ends = self.needed
        reads = _Names(cell, scope, "read", self.read_by_calling if scope is None else {})
        flow = Liveness(body, reads, _Names(cell, scope, "bind"), ends)
        later = (flow.ahead if before else flow.after).get(statement)
        if later is None:
            return message("gate.not_here", TEXTS)
        # Whoever reads `pipe` may read what `pipe.unet` was.
        for name in dict.fromkeys(map(root_of, gone)):
            place = self._captured(cell, scope, name)
            if place is not None:
                place_of = place.cell
                return CodePlace(place_of, place.line).says("gate.captured", TEXTS, name=name)
            if name in later:
                return self._read(name, cell, scope)
        return None

    @cached_property
    def read_by_calling(self) -> dict[str, set[str]]:
        """The names of the notebook's own that a function reads when it is called, by its name."""
        found: dict[str, set[str]] = {}
        for kinds in (self.notebook.functions, self.notebook.classes):
            for name, made in kinds.items():
                for own, definition in made:
                    parts = self.notebook.reached(definition)
                    inside = {id(node) for _, node in parts}
                    for cell in {own, *(other for other, _ in parts if other is not None)}:
                        found.setdefault(name, set()).update(
                            use.name
                            for use in cell.uses
                            if use.owner is None
                            and use.how == "read"
                            and any(id(node) in inside for node in cell.parents(use.node))
                        )
        return found

    def is_bound(self, cell: CellCode, body: list[ast.stmt], *wanted: str) -> Message | None:
        """Whether these names certainly have a value at the end of a block of the cell's tree."""
        function = cell.function(body[0]) if body else None
        binds = _Names(cell, self._scope(cell, function), "bind")
        bound = certainly_bound(body, binds)
        for name in wanted:
            if name not in bound:
                return message("gate.unbound", TEXTS, name=name)
        return None

    @cached_property
    def needed(self) -> set[str]:
        """The names that some cell, or a function, reads as others left them."""
        found: set[str] = set()
        for cell in self.notebook.cells:
            found |= cell.words
            if cell.tree is not None:
                reads, binds = _Names(cell, None, "read"), _Names(cell, None, "bind")
                found |= Liveness(cell.tree.body, reads, binds).before
            found |= {use.name for use in cell.uses if use.owner is None and _is_inner(use)}
        return found

    # (2) and (3): gradients, callers.

    def detaches(
        self, cell: CellCode, *containers: str, besides: Collection[ast.AST] = ()
    ) -> Message | None:
        """Whether no gradient is ever computed of what stands in these, or comes of it.

        A container is code such as `losses`, `self.losses`, `log['loss']`. `besides` are calls that
        are known to ask for gradients of it.
        """
        slots = self.slots(cell, *containers)
        return self.unread() or self._needs_graph(slots, containers[0], besides)

    def makes_no_gradients(self, cell: CellCode, statement: ast.AST) -> Message | None:
        """Whether nothing that a statement makes, keeps or returns comes to a backward pass."""
        why = self.unread() or self._trains_within(cell, statement)
        if why is not None:
            return why
        slots = self._made(cell, statement, self._left(cell, statement))
        function = cell.function(statement)
        if function is not None and any(_gives(node) for node in ast.walk(statement)):
            slots.add(("returned", None, function.name))
        name = next((each for _, _, each in slots), "")
        return self._needs_graph(slots, name)

    def wraps(
        self, cell: CellCode, function: ast.FunctionDef | ast.AsyncFunctionDef
    ) -> Message | None:
        """Whether no caller of a function needs gradients of what it returns or changes."""
        name = function.name
        why = self.unread() or self._trains_within(cell, function)
        if why is not None:
            return why
        place = self.notebook.escapes(name)
        if place is not None:
            return place.says("gate.escapes", TEXTS, name=name)
        slots: set[Slot] = {("returned", None, name), *self._made(cell, function)}
        return self._needs_graph(slots, name)

    def _needs_graph(
        self, slots: set[Slot], name: str, besides: Collection[ast.AST] = ()
    ) -> Message | None:
        sink = self.taint.needed(slots, besides)
        if sink is None:
            return None
        if sink.is_call:
            return sink.place.says("gate.handed_on", TEXTS, name=name, function=sink.name)
        return sink.place.says("gate.backward", TEXTS, name=name)

    def _trains_within(self, cell: CellCode, node: ast.AST) -> Message | None:
        if not self.notebook.goes_back(node):
            return None
        return CodePlace.of(cell, node).says("gate.trains", TEXTS)

    def slots(self, cell: CellCode, *codes: str) -> set[Slot]:
        """Return the places that code such as `self.losses` may mean in a cell, and elsewhere."""
        found: set[Slot] = set()
        for code in codes:
            for each in self.notebook.cells if "." in code else (cell,):
                for node in each.nodes:
                    known = isinstance(node, (ast.Name, ast.Attribute, ast.Subscript))
                    if known and dotted(node) == code:
                        found |= self.taint.targets(each, node)
        return found

    def _left(self, cell: CellCode, statement: ast.AST) -> set[str]:
        """Return the names that loops of a statement go through with, and nobody reads behind."""
        loops = [node for node in ast.walk(statement) if isinstance(node, ast.For)]
        found = {name for loop in loops for name in names(loop.target, ast.Store)}
        if not isinstance(statement, ast.stmt):
            return set()
        return {each for each in found if self.deletes(cell, statement, each) is None}

    def _made(self, cell: CellCode, node: ast.AST, left: Collection[str] = ()) -> set[Slot]:
        """Return what a piece of code gives values to, and what it may have changed.

        Without the names in `left`, where a loop gives them theirs.
        """
        found: set[Slot] = set()
        for child in ast.walk(node):
            if isinstance(child, (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.NamedExpr)):
                given = targets_of(child)
                for target in given if self.taint.slots(cell, child.value) else ():
                    for leaf in leaves(target):
                        found |= self.taint.targets(cell, leaf)
            elif isinstance(child, (ast.For, ast.AsyncFor, ast.comprehension)):
                slots = self.taint.targets(cell, child.target)
                found |= {slot for slot in slots if slot[0] != "name" or slot[2] not in left}
            elif isinstance(child, ast.Call):
                found |= self.taint.kept(cell, child)
            elif isinstance(child, ast.Raise) and isinstance(child.exc, ast.Call):
                found |= self.taint.given(cell, child.exc)
        return found

    # Scopes.

    def _scope(self, cell: CellCode, function: ast.AST | None) -> Scope | None:
        if function is None:
            return None
        inner = (use.inside for use in cell.uses)
        return next((scope for scope in inner if scope.node is function), None)

    def _captured(self, cell: CellCode, scope: Scope | None, name: str) -> CodePlace | None:
        """Return where a function inside uses a name, whenever that is called."""
        if scope is None:
            return None  # what functions read of the notebook is needed anyway
        for use in cell.uses:
            is_inside = use.inside.function is not scope or _is_lazy(use)
            if use.name == name and use.owner is scope and is_inside:
                return CodePlace.of(cell, use.node)
        if name not in scope.bound or name in scope.outer | scope.passed_on:
            return CodePlace.of(cell, scope.node)
        return None

    def _read(self, name: str, cell: CellCode, scope: Scope | None) -> Message:
        """Say where a name is read: elsewhere if it is."""
        uses = self.notebook.uses_of(cell, name, scope)
        places = [CodePlace.of(other, use.node) for other, use in uses if use.how == "read"]
        places.sort(key=lambda place: place.cell is cell)
        return next(iter(places), CodePlace(cell, 1)).says("gate.read", TEXTS, name=name)


class _Names:
    """Which names of one scope a piece of code reads, or binds."""

    def __init__(
        self,
        cell: CellCode,
        scope: Scope | None,
        how: str,
        by_calling: Mapping[str, set[str]] | None = None,
    ) -> None:
        self._names = {
            use.node: use.name
            for use in cell.uses
            if use.owner is scope and (use.how == "read") == (how == "read")
        }
        self._by_calling = by_calling or {}

    def __call__(self, node: ast.AST) -> set[str]:
        found: set[str] = set()
        for child in ast.walk(node):
            if child in self._names:
                found.add(self._names[child])
            if self._by_calling and isinstance(child, ast.Call):
                found |= self._by_calling.get(called(child), set())
        return found


def _is_plain(name: str, call: ast.Call) -> bool:
    """Whether it is `model.eval()`, `__import__("json")` or `vars(args)`: no code from text."""
    if name == "eval":
        return not isinstance(call.func, ast.Name)
    if name == "__import__":
        return all(isinstance(expression, ast.Constant) for expression in call.args)
    return name in ("vars", "dir") and bool(call.args)


def _asks_namespace(cell: CellCode, node: ast.AST) -> bool:
    """Whether it is the notebook's names as a dictionary, or `__main__` as a module."""
    said = (getattr(node, each, "") for each in ("attr", "id", "name", "module"))
    is_text = isinstance(node, ast.Constant) and node.value == "__main__"
    if is_text:  # but `if __name__ == "__main__":`
        return not isinstance(cell.parent(node), ast.Compare)
    return any(each in _NAMESPACES for each in said if isinstance(each, str))


def _is_inner(use: Use) -> bool:
    """Whether a name stands in a function, and is read whenever that is called."""
    return use.how == "read" and (use.inside.function.parent is not None or _is_lazy(use))


def _is_lazy(use: Use) -> bool:
    return isinstance(use.inside.node, ast.GeneratorExp)


def _gives(node: ast.AST) -> bool:
    return isinstance(node, (ast.Return, ast.Yield, ast.YieldFrom)) and node.value is not None
