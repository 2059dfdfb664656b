"""What is kept on the host stays among what is there: nothing on the card meets it, in any cell."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any, cast

from ..code.find import called, dotted, given_to, targets_of, words
from ..code.flow import leaves
from ..code.notebook import CodePlace, is_stored
from ..code.scopes import arguments
from ..code.taint import ADDS, COMPUTES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from ..code.gate import Gate
    from ..code.notebook import CellCode
    from ..code.scopes import Scope
    from ..protocol.wire import Message
    from .rewrite import Question

    Puts = Callable[[ast.AST, str], Iterator[ast.expr]]
    Slot = tuple[str, Scope | None, str]

TEXTS = {
    "host.meets": (
        "No button: {cell}, line {line} may need what is in `{name}` on the GPU, or as it was."
    )
}
_LOOKS = words("shape dtype ndim size dim numel keys clear nelement")
# What is made of it is the same on the card and on the host.
_ENDS = words("item tolist numpy cpu cuda __len__")
_BOXES = words("values items get pop popleft copy unbind split chunk")
_COMPUTES = COMPUTES | words(
    """var median argmax argmin log_softmax double long int bool t T round any all eq ne lt gt le ge
    argsort sort topk cumsum isnan"""
)
JOINS = words("cat concat concatenate stack vstack hstack")
_LOOKED_AT_BY = words("len float int bool isinstance print type")
_PASSED_ON_BY = words("list tuple reversed iter next enumerate sum max min abs zip sorted")
_WITHOUT_GRADIENTS = {"no_grad", "inference_mode"}
_CHANGES = words("sort fill shuffle resize put itemset partition")
_DICT = (ast.Dict, ast.DictComp)
_BOX = (*_DICT, ast.List, ast.ListComp, ast.Tuple)
_BOX_OF = words("list deque defaultdict dict OrderedDict")
_SLICE = (ast.Constant, ast.Slice, ast.UnaryOp, ast.Tuple, ast.expr_context, ast.unaryop)


class _Needed(Exception):  # noqa: N818  not an error: someone may need it on the card
    """Somebody may need a value on the card."""

    def __init__(self, node: ast.AST) -> None:
        super().__init__()
        self.node = node


def stays_on_host(puts: Puts, *containers: str) -> Question:
    """Ask whether all that is kept, and all that is made of it, may be on the host.

    `puts` yields what a node of the changed cell puts into a container, which is brought there.
    """

    def ask(gate: Gate, cell: CellCode) -> Message | None:
        why = gate.unread()
        return why if why is not None else _Ways(gate, cell, puts, containers).objection()

    return ask


class _Ways:
    """The ways of values that are on the host by now, through all cells."""

    def __init__(self, gate: Gate, own: CellCode, puts: Puts, containers: tuple[str, ...]) -> None:
        self._gate, self._containers = gate, containers
        self._slots: set[Slot] = {*gate.slots(own, *containers)}
        self._copies: set[Slot] = set()
        self._put: set[int] = set()
        """Values that the edit brings to the host, and the nodes that put them somewhere."""
        self._joined: set[Slot] = set()
        """Tensors that grow: what they begin as has to be on the host as well."""
        for node in own.nodes:
            expressions = [expression for name in containers for expression in puts(node, name)]
            self._put |= {id(child) for child in (*expressions, *([node] if expressions else []))}
            target = node.targets[0] if isinstance(node, ast.Assign) else None
            if expressions and target is not None and (slot := self._slot(own, target)):
                self._joined.add(slot)
        self._boxes = {slot for slot in self._slots if self._starts_as(slot, _BOX)}
        self._dicts = {slot for slot in self._slots if self._starts_as(slot, _DICT)}

    def objection(self) -> Message | None:
        """Return the first place where it is needed."""
        before = -1
        while before < len(self._slots) + len(self._copies):
            before = len(self._slots) + len(self._copies)
            for cell in self._gate.notebook.cells:
                place = self._unsafe(cell)
                if place is not None:
                    name = self._containers[0]
                    return CodePlace.of(cell, place).says("host.meets", TEXTS, name=name)
        return None

    def _unsafe(self, cell: CellCode) -> ast.AST | None:
        names = {name for kind, owner, name in self._slots if kind == "name" and owner is None}
        parts = {name for kind, _, name in self._slots if kind == "attribute"}
        if cell.words & (names | parts):
            return cell.tree or ast.Module([], [])
        try:
            for node in cell.nodes:
                self._begins(cell, node)
                if called(node) == "getattr" and parts:
                    return node
                if self._is_kept(cell, node):
                    self._climb(cell, node)
                elif self._slot(cell, node) in self._copies:
                    self._look_at_copy(cell, node)
        except _Needed as found:
            return found.node
        return None

    def _begins(self, cell: CellCode, node: ast.AST) -> None:
        """Refuse where a tensor that grows on the host is made on the card."""
        if not isinstance(node, ast.Assign) or id(node) in self._put or not self._joined:
            return
        given = {
            self._slot(cell, expression) for target in node.targets for expression in leaves(target)
        }
        if given & self._joined and any(map(_may_be_on_card, ast.walk(node.value))):
            raise _Needed(node)

    def _slot(self, cell: CellCode, node: ast.AST) -> Slot | None:
        if isinstance(node, (ast.Name, ast.arg)):
            known = cell.owners.get(node)
            return ("name", known[1] if known else None, known[0] if known else "")
        return ("attribute", None, node.attr) if isinstance(node, ast.Attribute) else None

    def _is_kept(self, cell: CellCode, node: ast.AST) -> bool:
        if isinstance(node, ast.Call):
            return ("returned", None, called(node)) in self._slots
        if isinstance(node, ast.Attribute) and is_stored(node):
            return False
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            parent = cell.parent(node)
            return isinstance(parent, ast.AugAssign) and self._slot(cell, node) in self._slots
        return not isinstance(node, ast.arg) and self._slot(cell, node) in self._slots

    def _safe(self, cell: CellCode, node: ast.AST | None) -> bool:
        """Whether an operand is a number, or on the host by now."""
        if node is None or isinstance(node, ast.Constant) or id(node) in self._put:
            return True
        parts: list[ast.expr] | None = None
        if isinstance(node, (ast.Tuple, ast.List)):
            parts = node.elts
        elif isinstance(node, (ast.UnaryOp, ast.Subscript, ast.Starred)):
            parts = [node.operand if isinstance(node, ast.UnaryOp) else node.value]
        elif isinstance(node, ast.BinOp):
            parts = [node.left, node.right]
        elif isinstance(node, ast.Call):
            name = called(node)
            if name in _ENDS | words("len float int range"):
                return True
            if name in _COMPUTES and isinstance(node.func, ast.Attribute):
                parts = [node.func.value]
            elif name in JOINS:
                parts = node.args
        return self._all_safe(cell, parts) if parts is not None else self._is_kept(cell, node)

    def _all_safe(self, cell: CellCode, nodes: Iterable[ast.AST | None]) -> bool:
        return all(self._safe(cell, node) for node in nodes)

    def _climb(self, cell: CellCode, start: ast.AST) -> None:
        """Follow a value from where it stands to where it ends, or is kept again."""
        node: ast.AST | None = start
        is_box = self._slot(cell, start) in self._boxes
        if self._slot(cell, start) in self._dicts and _goes_over_keys(cell, start):
            return
        while node is not None:
            parent = cell.parent(node)
            steps = (step for kinds, step in self._steps if isinstance(parent, kinds))
            node = next(steps, self._end)(cell, parent, node, is_box)
            is_box = is_box and called(node) in ("list", "reversed", "values", "setdefault")

    @property
    def _steps(self) -> tuple[tuple[Any, Callable[..., ast.AST | None]], ...]:
        return (
            (ast.Attribute, self._method),
            (ast.Call, self._argument),
            (ast.Subscript, self._entry),
            ((ast.List, ast.Tuple, ast.Set, ast.Dict, ast.Starred), self._display),
            ((ast.BinOp, ast.Compare, ast.UnaryOp), self._operation),
            ((ast.comprehension, ast.For, ast.AsyncFor), self._round),
            ((ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp), _on),
            (ast.IfExp, lambda _, parent, node, __: None if node is parent.test else parent),
            (ast.FormattedValue, self._formatted),
            ((ast.Assign, ast.AnnAssign, ast.NamedExpr), self._assigned),
            (ast.AugAssign, self._added_up),
            (ast.Return, self._returned),
        )

    def _display(self, cell: CellCode, parent: Any, node: ast.AST, _: bool) -> ast.AST | None:
        if isinstance(parent, (ast.List, ast.Tuple)) and is_stored(parent):
            return None
        parts = [*getattr(parent, "elts", []), *getattr(parent, "values", [])]
        if not self._all_safe(cell, [part for part in parts if part is not node]):
            raise _Needed(parent)
        return cast("ast.AST", parent)

    def _round(self, cell: CellCode, parent: Any, node: ast.AST, _: bool) -> None:
        if node is parent.iter:
            self._take(cell, parent.target, node)

    def _formatted(self, cell: CellCode, parent: Any, node: ast.AST, _: bool) -> None:
        around = list(cell.parents(parent))[1:2]
        is_printed = bool(around) and called(around[0]) == "print"
        if parent.format_spec is None and not is_printed:
            raise _Needed(node)

    def _method(self, cell: CellCode, node: Any, _: ast.AST, is_box: bool) -> ast.AST | None:
        name, call = node.attr, cell.parent(node)
        if not isinstance(call, ast.Call) or call.func is not node:
            if name not in (*_LOOKS, "T"):
                raise _Needed(node)
            return cast("ast.AST", node) if name == "T" else None
        given = given_to(call)
        if name in _ENDS or (name == "to" and _is_device(given)):
            self._copied(cell, call)
            return None
        if name in _LOOKS or (name in ADDS and id(call) in self._put):
            return None
        by_key = is_box and name in (*_BOXES, "setdefault")
        known = (name in _BOXES or name in _COMPUTES) and self._all_safe(cell, given)
        if not by_key and not known:
            raise _Needed(node)
        return call

    def _argument(self, cell: CellCode, call: Any, node: ast.AST, _: bool) -> ast.AST | None:
        name, function = called(call), call.func
        others = [each for each in call.args if each is not node]
        others += [keyword.value for keyword in call.keywords if keyword.value is not node]
        root = dotted(function).partition(".")[0]
        made = self._gate.notebook.functions.get(name, [])
        if function is node or isinstance(node, ast.Starred):
            raise _Needed(call)
        if made and isinstance(function, ast.Name):
            for other, definition in made:
                self._handed(call, node, other, arguments(definition))
            return None
        if isinstance(function, ast.Name):
            known, ends = name in _PASSED_ON_BY and not call.keywords, name in _LOOKED_AT_BY
        else:
            known = root == "torch" and name in JOINS | _COMPUTES
            ends = root in ("torch", "pickle") and name in ("save", "dump")
            ends |= name in ADDS and self._is_kept(cell, function.value)
        if ends:
            return None
        if not known or not self._all_safe(cell, others):
            raise _Needed(call)
        return cast("ast.AST", call)

    def _handed(self, call: ast.Call, node: ast.AST, other: CellCode, taken: list[ast.arg]) -> None:
        place = next(
            (n for n, expression in enumerate(call.args) if expression is node), len(taken)
        )
        if place >= len(taken):
            raise _Needed(call)
        self._keep(self._slot(other, taken[place]))

    def _entry(self, cell: CellCode, node: Any, inner: ast.AST, is_box: bool) -> ast.AST | None:
        if inner is node.slice:
            raise _Needed(node)
        if isinstance(node.ctx, ast.Del):
            return None
        if isinstance(node.ctx, ast.Store):
            if id(cell.parent(node)) not in self._put:
                raise _Needed(node)
            return None
        if not is_box and not all(isinstance(child, _SLICE) for child in ast.walk(node.slice)):
            raise _Needed(node)
        return cast("ast.AST", node)

    def _operation(self, cell: CellCode, node: Any, inner: ast.AST, _: bool) -> ast.AST | None:
        if isinstance(node, ast.UnaryOp):
            return None if isinstance(node.op, ast.Not) else node
        is_compare = isinstance(node, ast.Compare)
        sides = [node.left, *(node.comparators if is_compare else [node.right])]
        others = [side for side in sides if side is not inner]
        if is_compare and isinstance(node.ops[0], (ast.Is, ast.IsNot)):
            known, further = all(isinstance(each, ast.Constant) for each in others), None
        elif is_compare and isinstance(node.ops[0], (ast.In, ast.NotIn)):
            known, further = inner is sides[-1] and self._slot(cell, inner) in self._dicts, None
        else:
            known, further = self._all_safe(cell, others), node
        if not known:
            raise _Needed(node)
        return cast("ast.AST | None", further)

    def _assigned(self, cell: CellCode, parent: Any, _: ast.AST, __: bool) -> None:
        for target in targets_of(parent):
            self._take(cell, target, None)

    def _added_up(self, cell: CellCode, parent: Any, node: ast.AST, _: bool) -> None:
        if node is parent.target:
            if id(parent) not in self._put and not self._safe(cell, parent.value):
                raise _Needed(parent)
            return
        if not self._starts_as(self._slot(cell, parent.target), (ast.Constant,), only=True):
            raise _Needed(parent)
        self._take(cell, parent.target, None)

    def _returned(self, cell: CellCode, parent: Any, _: ast.AST, __: bool) -> None:
        function = cell.function(parent)
        if function is None or not self._is_called_by_name(function):
            raise _Needed(parent)
        self._slots.add(("returned", None, function.name))

    def _end(self, _: CellCode, parent: ast.AST | None, node: ast.AST, __: bool) -> None:
        """Refuse all but what asks whether there is something, or lets go of it."""
        plain = (ast.Expr, ast.If, ast.While, ast.Assert, ast.BoolOp, ast.Delete)
        if not isinstance(parent, plain):
            raise _Needed(node)

    def _is_called_by_name(self, function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
        notebook = self._gate.notebook
        for expression in function.decorator_list:
            inner = expression.func if isinstance(expression, ast.Call) else expression
            if dotted(inner).rpartition(".")[2] not in _WITHOUT_GRADIENTS:
                return False
        for cell in notebook.cells:
            calls = {id(child.func) for child in cell.nodes if isinstance(child, ast.Call)}
            for node in cell.nodes:
                known = isinstance(node, ast.Name) and node.id == function.name
                known |= isinstance(node, ast.Attribute) and node.attr == function.name
                if known and id(node) not in calls:
                    return False
        return True

    def _starts_as(
        self, slot: Slot | None, kinds: tuple[type[ast.expr], ...], *, only: bool = False
    ) -> bool:
        """Whether a place is given such a value anywhere, or nothing else."""
        found = [
            isinstance(node.value, kinds) or (kinds is _BOX and called(node.value) in _BOX_OF)
            for cell, node in self._gate.notebook.nodes()
            if isinstance(node, (ast.Assign, ast.AnnAssign))
            for target in targets_of(node)
            for expression in leaves(target)
            if self._slot(cell, expression) == slot
        ]
        return any(found) and (all(found) or not only)

    def _take(self, cell: CellCode, target: ast.expr, source: ast.AST | None) -> None:
        """Give a value to a target; of `enumerate` and `items` only the second is one."""
        if isinstance(target, (ast.Tuple, ast.List)) and source is not None:
            name = called(source)
            if name in ("enumerate", "items"):
                for expression in target.elts[1:]:
                    self._take(cell, expression, None)
                return
        for expression in leaves(target):
            base: ast.AST = expression
            while isinstance(base, ast.Subscript):
                base = base.value
            if isinstance(expression, ast.Subscript) and not self._is_kept(cell, base):
                raise _Needed(expression)
            if not isinstance(expression, ast.Subscript):
                self._keep(self._slot(cell, base))

    def _keep(self, slot: Slot | None) -> None:
        if slot is not None:
            self._slots.add(slot)

    # Copies on the host: without the edit they were copies of what is on the card.

    def _copied(self, cell: CellCode, call: ast.Call) -> None:
        if called(call) in ("item", "tolist", "cuda", "__len__"):
            return
        node: ast.AST = call
        for parent in cell.parents(call):
            if isinstance(parent, (ast.Attribute, ast.Subscript)) or (
                isinstance(parent, ast.Call) and parent.func is node
            ):
                node = parent
            elif isinstance(parent, (ast.Assign, ast.AnnAssign, ast.NamedExpr)):
                targets = targets_of(parent)
                self._enter_copies(cell, targets)
                return
            else:
                return

    def _enter_copies(self, cell: CellCode, targets: Iterable[ast.expr]) -> None:
        slots = [self._slot(cell, expression) for one in targets for expression in leaves(one)]
        self._copies.update(filter(None, slots))

    def _look_at_copy(self, cell: CellCode, node: ast.AST) -> None:
        """Refuse where a copy is changed in place, which would change what is kept."""
        inner: ast.AST = node
        for parent in cell.parents(node):
            if isinstance(parent, ast.AugAssign) and inner is parent.target:
                raise _Needed(parent)
            if isinstance(parent, ast.Subscript) and is_stored(parent):
                raise _Needed(parent)
            if isinstance(parent, ast.Attribute) and (
                parent.attr in _CHANGES or (parent.attr.endswith("_") and parent.attr[:1] != "_")
            ):
                raise _Needed(parent)
            if isinstance(parent, ast.Call) and called(parent) in _CHANGES:
                raise _Needed(parent)
            if isinstance(parent, ast.keyword) and parent.arg == "out":
                raise _Needed(parent.value)
            if isinstance(parent, ast.Assign) and inner is parent.value:
                self._enter_copies(cell, parent.targets)
            if isinstance(parent, ast.Call) and called(parent) in self._gate.notebook.functions:
                raise _Needed(parent)
            if isinstance(parent, ast.stmt):
                return
            inner = parent


def _may_be_on_card(node: ast.AST) -> bool:
    """Whether a value is moved to a device, made on one, or by code that is not PyTorch's."""
    if isinstance(node, ast.keyword):
        return node.arg == "device"
    if not isinstance(node, ast.Call):
        return False
    made = dotted(node.func).partition(".")[0] == "torch" and not called(node).endswith("_like")
    return not (made or called(node) in _BOX_OF | _ENDS - {"cuda"})


def _on(_: CellCode, parent: ast.AST, __: ast.AST, ___: bool) -> ast.AST:
    return parent


def _goes_over_keys(cell: CellCode, node: ast.AST) -> bool:
    """Whether a dict is gone through."""
    parent = cell.parent(node)
    if isinstance(parent, (ast.For, ast.comprehension)):
        return node is parent.iter
    name = called(parent) if isinstance(parent, ast.Call) and len(parent.args) == 1 else ""
    return name in ("sorted", "list", "set", "enumerate", "tuple")


def _is_device(given: Iterable[ast.expr]) -> bool:
    """Whether `to(...)` moves somewhere, as far as the text tells."""
    for expression in given:
        text = expression.value if isinstance(expression, ast.Constant) else dotted(expression)
        if isinstance(text, str) and ("dev" in text or text.startswith(("cuda", "cpu"))):
            return True
    return False
