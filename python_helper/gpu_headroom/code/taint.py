"""What becomes of values with a graph, through all cells: whether gradients may be asked of them.

Names, attributes (by their last name, whoever owns them) and what functions return are places; an
assignment, a loop, a call leads from one to another. It takes in too many rather than too few: what
is handed to code that is not here counts as needed.
"""

from __future__ import annotations

import ast
import builtins
from typing import TYPE_CHECKING, NamedTuple

from .find import called, dotted, given_to, words
from .flow import leaves
from .notebook import CodePlace, is_stored
from .scopes import Function, arguments

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from .notebook import CellCode, Notebook
    from .scopes import Scope

    Slot = tuple[str, "Scope | None", str]

# What a tensor computes of itself alone, wherever it lies: nothing else is another then.
COMPUTES = words(
    """mean sum max min abs exp log sqrt square pow std norm view reshape flatten squeeze unsqueeze
    permute transpose float half clone detach contiguous softmax sigmoid tanh relu"""
)
# A number, or a tensor without a graph.
_NO_GRAPH = words(
    """item tolist numpy detach argmax argmin size dim numel backward eq ne lt gt le ge long int
    bool argsort"""
)
_NO_GRAPH_OF = words("float int len bool str isinstance print range repr type format")
_LOOKS = words("shape dtype device ndim data")
_GRAPH = words("grad_fn grad retain_grad register_hook requires_grad")
_BACK = words("backward manual_backward grad jacobian hessian vjp jvp autograd")
ADDS = words("append appendleft add extend insert put")
_KEEPS = ADDS | words("update setdefault push index_put_ copy_ fill_ add_ put_nowait")
# They tell of a value, and do nothing with its graph.
_TELLS = words(
    """add_scalar add_scalars log log_dict set_postfix set_description info debug warning write plot
    hist scatter bar imshow save format join count index remove get pop isin to_csv dump print"""
)
_MOST_ROUNDS = 60


class Sink(NamedTuple):
    """Where gradients may be computed of something; `is_call`: it is handed to unknown code."""

    place: CodePlace
    name: str
    is_call: bool
    node: ast.AST | None = None


class Taint:
    """The ways of values through a notebook, looked through once for any number of questions.

    `models` are names of models: what is called with one of their methods is not kept by them.
    """

    def __init__(self, notebook: Notebook, models: Collection[str] = ()) -> None:
        self._notebook, self._models = notebook, frozenset(models)
        self._edges: list[tuple[frozenset[Slot], frozenset[Slot]]] = []
        self._sinks: list[tuple[frozenset[Slot], Sink]] = []
        self._imported = {
            use.name
            for cell in notebook.cells
            for use in cell.uses
            if isinstance(use.node, ast.alias)
        }
        self._lists = {
            name
            for cell, node in notebook.nodes()
            if isinstance(node, ast.Assign) and isinstance(node.value, (ast.List, ast.Dict))
            for target in node.targets
            for name in [getattr(target, "id", "")]
        }
        self._parts = {
            node.attr
            for cell, node in notebook.nodes()
            if isinstance(node, ast.Attribute) and is_stored(node)
        }
        for cell, node in notebook.nodes():
            self._enter(cell, node)

    def needed(self, start: Iterable[Slot], besides: Collection[ast.AST] = ()) -> Sink | None:
        """Return where gradients may be computed of what stands in these places, or comes of it.

        `besides` are calls of which it is known.
        """
        found, known = self.derived(start), set(map(id, besides))
        for slots, sink in self._sinks:
            if slots & found and id(sink.node) not in known:
                return sink
        names = {name for _, scope, name in found if scope is None}
        for cell in self._notebook.cells:
            if cell.words & names:
                return Sink(CodePlace(cell, 1), min(cell.words & names), is_call=True)
        return None

    def derived(self, start: Iterable[Slot]) -> set[Slot]:
        """Return these places, and all that their values may come to."""
        found = set(start)
        for _ in range(_MOST_ROUNDS):
            before = len(found)
            for sources, targets in self._edges:
                if sources & found:
                    found |= targets
            if len(found) == before:
                break
        return found

    # Places.

    def slots(self, cell: CellCode, node: ast.AST | None) -> set[Slot]:
        """Return the places whose values, with their graphs, an expression may be made of."""
        found: set[Slot] = set()
        waiting = [node]
        while waiting:
            child = waiting.pop()
            if child is None or isinstance(child, (ast.Compare, ast.JoinedStr, ast.Constant)):
                continue
            if isinstance(child, ast.Call):
                waiting += self._of_call(child, found)
            elif isinstance(child, ast.Attribute):
                if child.attr not in _LOOKS:
                    found.add(("attribute", None, child.attr))
                    waiting.append(child.value)
            elif isinstance(child, ast.Subscript):
                waiting.append(child.value)
            elif isinstance(child, ast.Name):
                found.add(self._slot(cell, child))
            elif isinstance(child, (ast.ListComp, ast.SetComp, ast.GeneratorExp)):
                waiting.append(child.elt)  # what it goes through comes to its targets
            elif isinstance(child, ast.IfExp):
                waiting += [child.body, child.orelse]
            else:
                waiting += ast.iter_child_nodes(child)
        return {each for each in found if not (each[1] is None and each[2] in self._imported)}

    def _of_call(self, call: ast.Call, found: set[Slot]) -> list[ast.AST | None]:
        name, function = called(call), call.func
        is_method = isinstance(function, ast.Attribute)
        if name in (_NO_GRAPH if is_method else _NO_GRAPH_OF):
            return []
        if name == "getattr" and len(call.args) > 1 and isinstance(call.args[1], ast.Constant):
            found.add(("attribute", None, str(call.args[1].value)))
        if name in self._notebook.functions or name in self._notebook.classes:
            found.add(("returned", None, name))
        owner = function.value if isinstance(function, ast.Attribute) else None
        if owner is None and not isinstance(function, ast.Name):
            owner = function
        if isinstance(function, ast.Name):
            owner = function
        given = given_to(call)
        return [owner, *given]

    def _slot(self, cell: CellCode, node: ast.Name) -> Slot:
        known = cell.owners.get(node)
        return ("name", known[1] if known else None, node.id)

    def targets(self, cell: CellCode, node: ast.AST | None) -> set[Slot]:
        """Return the places that an assignment to this target gives a value."""
        found: set[Slot] = set()
        for expression in leaves(node) if isinstance(node, ast.expr) else ():
            inner: ast.AST = expression
            while isinstance(inner, ast.Subscript):
                inner = inner.value
            if isinstance(inner, ast.Attribute):
                found.add(("attribute", None, inner.attr))
            elif isinstance(inner, ast.Name):
                slot = self._slot(cell, inner)
                found.add(slot)
                if isinstance(getattr(slot[1], "node", None), ast.ClassDef):
                    found.add(("attribute", None, inner.id))
            elif isinstance(inner, ast.Call):
                found |= self.slots(cell, inner)
        return found

    def given(self, cell: CellCode, call: ast.Call) -> set[Slot]:
        """Return the places of which the arguments of a call may be made."""
        given = given_to(call)
        return {slot for expression in given for slot in self.slots(cell, expression)}

    def kept(self, cell: CellCode, call: ast.Call) -> set[Slot]:
        """Return where a call may leave what it is given: `heappush(heap, out)`, `Kept(out)`."""
        name, function = called(call), call.func
        own, given = self._notebook.functions.get(name, ()), self.given(cell, call)
        if any(each.decorator_list for _, each in own):
            return {("returned", None, name)}  # as `cache` does
        if not given or own or name in _TELLS:
            return set()
        if name == "setattr":
            return {_attribute(call)}
        found = {slot for made in self._constructors(name) for slot in _parameters(*made)}
        is_alone = isinstance(cell.parent(call), ast.Expr)
        if isinstance(function, ast.Attribute):
            root = dotted(function.value)
            if (not found and not self._is_known(call, name)) or root in vars(builtins):
                return given
            if name in _KEEPS or (is_alone and root not in self._models):
                found |= self.targets(cell, function.value)
        elif is_alone and name not in _NO_GRAPH_OF | set(self._models):
            for expression in call.args:
                found |= (
                    self.targets(cell, expression) if isinstance(expression, ast.Name) else set()
                )
        return found

    # Ways from one to another.

    def _lead(self, sources: Iterable[Slot], targets: Iterable[Slot]) -> None:
        pair = frozenset(sources), frozenset(targets)
        if all(pair):
            self._edges.append(pair)

    def _enter(self, cell: CellCode, node: ast.AST) -> None:
        if isinstance(node, ast.Match):
            names = [child for case in node.cases for child in ast.walk(case.pattern)]
            bound = [known for child in names if (known := cell.owners.get(child))]
            slots = self.slots(cell, node.subject)
            self._lead(slots, [("name", owner, name) for name, owner, _ in bound])
        elif isinstance(node, (ast.Return, ast.Yield, ast.YieldFrom)):
            function = cell.function(node)
            if function is not None and node.value is not None:
                self._lead(self.slots(cell, node.value), [("returned", None, function.name)])
        elif isinstance(node, ast.Lambda):
            self._lambda(cell, node)
        elif isinstance(node, ast.Call):
            self._call(cell, node)
        elif isinstance(node, ast.Attribute) and node.attr in _GRAPH and not is_stored(node):
            self._sink(cell, node, self.slots(cell, node.value), node.attr, is_call=False)
        self._leave(cell, node)
        value, targets = _assigned(node)
        for target in targets if value is not None else ():
            self._lead(self.slots(cell, value), self.targets(cell, target))
        if isinstance(node, ast.Assign):
            self._alias(cell, node)

    def _leave(self, cell: CellCode, node: ast.AST) -> None:
        """An exception hands on what it is given; any parameter may be what a default is."""
        if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
            slots = self.given(cell, node.exc)
            self._sink(cell, node, slots, called(node.exc), is_call=True)
        elif isinstance(node, Function):
            for expression in (*node.args.defaults, *node.args.kw_defaults):
                self._lead(self.slots(cell, expression), _parameters(cell, node))

    def _alias(self, cell: CellCode, node: ast.Assign) -> None:
        """What is put into a list comes to all of its names: `a = b = []`, `c = a`, `d = [a]`."""
        value = node.value
        is_put = all(isinstance(operand, ast.Subscript) for operand in node.targets)
        if is_put and isinstance(value, ast.Name) and value.id not in self._lists:
            return  # a tensor
        parts = [value, *getattr(value, "elts", []), *getattr(value, "values", [])]
        same = [part for part in parts if isinstance(part, (ast.Name, ast.Attribute))]
        for target in node.targets:
            slots = self.targets(cell, target)
            for expression in (*node.targets, *same):
                self._lead(slots, self.targets(cell, expression))

    def _lambda(self, cell: CellCode, node: ast.Lambda) -> None:
        """What a lambda is made of comes to whatever it is given to."""
        parent = cell.parent(node)
        if isinstance(parent, ast.Assign):
            for target in parent.targets:
                self._lead(self.slots(cell, node.body), self.targets(cell, target))

    def _sink(
        self, cell: CellCode, node: ast.AST, slots: Collection[Slot], name: str, *, is_call: bool
    ) -> None:
        if slots:
            place = CodePlace.of(cell, node)
            self._sinks.append((frozenset(slots), Sink(place, name, is_call, node)))

    def _call(self, cell: CellCode, call: ast.Call) -> None:
        name, function = called(call), call.func
        slots = self.given(cell, call)
        owner = function.value if isinstance(function, ast.Attribute) else None
        if name in _BACK:
            self._sink(cell, call, slots | self.slots(cell, owner), name, is_call=False)
            return
        if owner is not None and (name in _KEEPS or name.endswith("_")):
            self._lead(slots, self.targets(cell, owner))
        if name == "setattr":
            self._lead(slots, [_attribute(call)])
        own = [*self._notebook.functions.get(name, ()), *self._constructors(name)]
        for other, definition in own:
            self._hand_over(cell, call, other, definition)
        if not own and not self._is_known(call, name):
            self._sink(cell, call, slots, name, is_call=True)

    def _constructors(self, name: str) -> Iterator[tuple[CellCode, ast.FunctionDef]]:
        for cell, node in self._notebook.classes.get(name, ()):
            for statement in node.body:
                if isinstance(statement, ast.FunctionDef) and statement.name == "__init__":
                    yield cell, statement

    def _hand_over(
        self,
        cell: CellCode,
        call: ast.Call,
        other: CellCode,
        definition: ast.FunctionDef | ast.AsyncFunctionDef,
    ) -> None:
        """What is given comes to a parameter, and what that is changed by comes back."""
        parameters = arguments(definition)
        is_method = parameters[:1] and parameters[0].arg in ("self", "cls")
        positional = parameters[1 if is_method else 0 :]
        star = definition.args.vararg
        for n, value in enumerate(call.args):
            given = value.value if isinstance(value, ast.Starred) else value
            several = isinstance(value, ast.Starred) or n >= len(positional)
            takers = positional if several else [positional[n]]
            self._both_ways(cell, given, other, [*takers, *([star] if star else [])])
        for keyword in call.keywords:
            takers = [
                argument for argument in parameters if argument.arg == keyword.arg
            ] or parameters
            self._both_ways(cell, keyword.value, other, takers)

    def _both_ways(
        self, cell: CellCode, value: ast.expr, other: CellCode, takers: Iterable[ast.arg]
    ) -> None:
        inside: set[Slot] = set()
        for argument in takers:
            if argument in other.owners:
                name, owner, _ = other.owners[argument]
                inside.add(("name", owner, name))
        self._lead(self.slots(cell, value), inside)
        if isinstance(value, (ast.Name, ast.Attribute, ast.Subscript)):
            self._lead(inside, self.targets(cell, value))

    def _is_known(self, call: ast.Call, name: str) -> bool:
        """Whether what is called computes, keeps or tells, and asks for no gradients."""
        function = call.func
        if isinstance(function, ast.Name):
            return name in vars(builtins) or name in self._imported or name in self._models
        root: ast.AST = function
        while isinstance(root, (ast.Attribute, ast.Subscript, ast.Call)):
            root = root.func if isinstance(root, ast.Call) else root.value
        names = {root.id} if isinstance(root, ast.Name) else set()
        if names & (self._imported | self._models):
            return True
        if (
            name in {*_KEEPS, *_TELLS, *_NO_GRAPH}
            or (name[-1:] == "_" != name[-2:-1])
            or name in _OF_TENSORS
        ):
            return True
        return names == {"self"} and name in self._parts  # as `self.head(x)`


def _parameters(cell: CellCode, node: ast.FunctionDef | ast.AsyncFunctionDef) -> set[Slot]:
    known = cell.owners
    return {
        ("name", known[argument][1], argument.arg)
        for argument in arguments(node)
        if argument in known
    }


def _attribute(call: ast.Call) -> Slot:
    """Return the place that `setattr(x, "out", …)` gives a value."""
    return ("attribute", None, str(getattr(call.args[1], "value", "")) if call.args[1:] else "")


def _assigned(node: ast.AST) -> tuple[ast.expr | None, list[ast.expr | None]]:
    """Return what a node gives to which targets."""
    if isinstance(node, ast.Assign):
        return node.value, [*node.targets]
    if isinstance(node, (ast.AugAssign, ast.AnnAssign, ast.NamedExpr)):
        return node.value, [node.target]
    if isinstance(node, (ast.For, ast.AsyncFor, ast.comprehension)):
        return node.iter, [node.target]
    if isinstance(node, ast.withitem):
        return node.context_expr, [node.optional_vars]
    return None, []


_OF_TENSORS = COMPUTES | words(
    """var t cpu cuda to item double bfloat16 log_softmax matmul mm bmm split chunk repeat expand
    topk sort unbind gather median items values keys copy tolist numpy type requires_grad_ cumsum
    prod any all clamp round T astype apply map"""
)
