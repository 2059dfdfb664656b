"""Where a value comes from: through names, parameters, attributes and cells, to what made it."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from .find import called, dotted, keyword, words
from .flow import leaves
from .scopes import Function, defaults
from .source import Refused

if TYPE_CHECKING:
    from .notebook import CellCode, Notebook

    Found = tuple[CellCode, ast.AST]

# They return what they are called on, or go through what they are given.
_SAME = words("to cuda cpu train eval double float requires_grad_")
_THROUGH = words("tqdm trange enumerate iter reversed")
_DEEPEST = 12


class Origins:
    """The expressions that may have made a value; `Refused` where one of them cannot be told.

    `trail` are the nodes on the way: names and arguments that stand for the same value.
    """

    def __init__(self, notebook: Notebook) -> None:
        self._notebook = notebook
        self.trail: list[Found] = []

    def of(self, cell: CellCode, node: ast.AST, *, parts: bool = False) -> list[Found]:
        """Return what made a value; with `parts`, a container stands for what is in it."""
        found: list[Found] = []
        self._go(cell, node, found, parts, 0)
        unique = {(each.key, ast.dump(made)): (each, made) for each, made in found}
        return list(unique.values())

    def _go(
        self, cell: CellCode, node: ast.AST, found: list[Found], parts: bool, deep: int
    ) -> None:
        if deep > _DEEPEST:
            raise Refused
        self.trail.append((cell, node))
        ways: list[Found] | None = None
        if isinstance(node, ast.Name):
            ways = self._of_name(cell, node, parts)
        elif isinstance(node, ast.Attribute):
            ways = self._stored(node.attr) or None
        elif isinstance(node, ast.Subscript):
            ways = self._entry(cell, node, parts)
        elif isinstance(node, ast.IfExp):
            ways = [(cell, node.body), (cell, node.orelse)]
        elif isinstance(node, ast.Call):
            ways = self._of_call(cell, node)
        if ways is None:
            found.append((cell, node))
        for where, child in ways or ():
            self._go(where, child, found, parts, deep + 1)

    def _of_name(self, cell: CellCode, node: ast.Name, parts: bool) -> list[Found] | None:
        known = cell.owners.get(node)
        if known is None:
            raise Refused
        name, owner, _ = known
        uses = self._notebook.uses_of(cell, name, owner)
        if owner is None and any(name in each.words for each in self._notebook.cells):
            raise Refused
        binds = [(where, use) for where, use in uses if use.how != "read"]
        found: list[Found] = []
        for where, use in binds:
            if isinstance(use.node, ast.arg):
                found += self._given(where, use.node)
            elif isinstance(use.node, (ast.alias, *Function, ast.ClassDef)):
                return None if len(binds) == 1 else self._no()
            else:
                found += self._assigned(where, use.node, parts)
        return found or self._no()

    def _no(self) -> list[Found]:
        raise Refused

    def _assigned(self, cell: CellCode, target: ast.AST, parts: bool) -> list[Found]:
        for node in cell.parents(target):
            if isinstance(node, ast.Assign):
                for whole in node.targets:
                    if whole is target:
                        return [(cell, node.value)]
                    of, value = list(leaves(whole)), list(leaves(node.value))
                    if target in of and len(of) == len(value):
                        return [(cell, value[of.index(target)])]
                break
            if isinstance(node, (ast.AnnAssign, ast.NamedExpr)) and node.value is not None:
                return [(cell, node.value)] if node.target is target else self._no()
            if isinstance(node, (ast.For, ast.comprehension)) and parts:
                return [(cell, node.iter)]
            if isinstance(node, ast.stmt):
                break
        return self._no()

    def _given(self, cell: CellCode, argument: ast.arg) -> list[Found]:  # noqa: C901  ways to give
        """Return what calls of its function give a parameter."""
        function = cell.function(argument)
        if function is None or function.decorator_list:
            raise Refused
        owner = cell.parent(function)
        name = function.name
        taken = isinstance(owner, ast.ClassDef)
        if isinstance(owner, ast.ClassDef) and name == "__init__":
            name = owner.name
        given = [*function.args.posonlyargs, *function.args.args]
        stars = function.args.vararg, function.args.kwarg
        twice = len({each.key for each, _ in self._notebook.functions.get(name, ())}) > 1
        if self._notebook.escapes(name) or argument in stars or twice:
            raise Refused
        place = given.index(argument) if argument in given else None
        if place is not None and taken and not place:
            raise Refused
        default = defaults(function.args).get(argument)
        found: list[Found] = []
        is_method = taken and name == function.name
        for where, call in self._notebook.calls(name):
            if isinstance(call.func, ast.Attribute) is not is_method:
                continue  # `model.train()` is no call of a function `train`
            named = keyword(call, argument.arg)
            n = None if place is None else place - taken
            if any(
                isinstance(expression, ast.Starred) for expression in call.args
            ) or keyword_stars(call):
                raise Refused
            if named is not None:
                found.append((where, named.value))
            elif n is not None and n < len(call.args):
                found.append((where, call.args[n]))
            elif default is not None:
                found.append((cell, default))
            else:
                raise Refused
        return found or self._no()

    def _stored(self, attribute: str) -> list[Found]:
        """Return what is given to an attribute of this name, whoever owns it."""
        found: list[Found] = []
        for cell, node in self._notebook.nodes():
            of = isinstance(node, ast.Attribute) and node.attr == attribute
            if of and isinstance(getattr(node, "ctx", None), ast.Store):
                found += self._assigned(cell, node, parts=False)
        return found

    def _entry(self, cell: CellCode, node: ast.Subscript, parts: bool) -> list[Found] | None:
        made = self.of(cell, node.value, parts=parts)
        if parts and not any(isinstance(descendant, ast.Dict) for _, descendant in made):
            return made
        found: list[Found] = []
        for where, child in made:
            if not isinstance(child, ast.Dict) or not isinstance(node.slice, ast.Constant):
                return None
            texts = [getattr(key, "value", None) for key in child.keys]
            if texts.count(node.slice.value) != 1 or None in child.keys:
                raise Refused
            found.append((where, child.values[texts.index(node.slice.value)]))
        return found

    def _of_call(self, cell: CellCode, node: ast.Call) -> list[Found] | None:
        name, function = called(node), node.func
        if isinstance(function, ast.Attribute) and name in _SAME:
            return [(cell, function.value)]
        if isinstance(function, ast.Name) and name in _THROUGH and node.args:
            return [(cell, node.args[0])]
        own = self._notebook.functions.get(name, ()) if isinstance(function, ast.Name) else ()
        found: list[Found] = []
        for where, definition in own:
            gives = [child for child in ast.walk(definition) if isinstance(child, ast.Return)]
            if definition.decorator_list or not gives:
                raise Refused
            found += [(where, each.value) for each in gives if each.value is not None]
        return found or None


def keyword_stars(call: ast.Call) -> bool:
    """Whether a call is given arguments as `**options`."""
    return any(option.arg is None for option in call.keywords)


def is_of_torch(cell: CellCode, notebook: Notebook, function: ast.AST) -> bool:
    """Whether what is called is PyTorch's, by the import of its name."""
    root = dotted(function).partition(".")[0]
    for where, use in notebook.uses(root):
        if not isinstance(use.node, ast.alias):
            if use.how != "read":
                return False
            continue
        statement = where.parent(use.node)
        module = getattr(statement, "module", None) or use.node.name
        if not f"{module}.".startswith("torch."):
            return False
    known = [each for _, each in notebook.uses(root) if isinstance(each.node, ast.alias)]
    return bool(known) and cell is not None
