"""Whether a loss is a mean over the samples of a batch, so that parts of a batch add up to it.

Values are followed by what they are: `Rows` have a sample, or as many rows of each sample, in their
first dimension and none looks at another; `MEAN` is a mean over them; `PLAIN` does not depend on
the batch. Whatever is none of these is refused.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, NamedTuple

from .find import called, dotted, keyword, names, words
from .flow import leaves
from .origins import Origins, is_of_torch, keyword_stars
from .pure import ELEMENTWISE, KEEP_RANK, POOLED
from .source import Refused

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from .notebook import CellCode, Definition, Notebook
    from .pure import Pure


class Rows(NamedTuple):
    """A tensor of rows; its number of dimensions is `rank` more than that of `base`."""

    base: str
    rank: int


PLAIN, MEAN, SIZE, BATCH = "plain", "mean", "size", "batch"
_SAME_RANK = ELEMENTWISE | POOLED | words("linear conv1d conv2d")
_ALONG = words("softmax log_softmax normalize")
_REDUCE = words("mean sum amax amin norm argmax var std")
# Losses that mean over all, and whether their two arguments have to be of one shape.
_MEANS = {
    "cross_entropy": False,
    "CrossEntropyLoss": False,
    "binary_cross_entropy_with_logits": False,
    "BCEWithLogitsLoss": False,
    "mse_loss": True,
    "MSELoss": True,
    "l1_loss": True,
    "L1Loss": True,
    "smooth_l1_loss": True,
    "SmoothL1Loss": True,
    "huber_loss": True,
    "HuberLoss": True,
}
_MEAN_OPTIONS = words("label_smoothing beta delta input target")
_DEEPEST = 8
_PAIR = 2
Value = Rows | str | tuple  # type: ignore[type-arg]


class Batchwise:
    """Follows a batch through the code of a step; `ranks` are those of the notebook's tensors."""

    def __init__(self, notebook: Notebook, pure: Pure, ranks: Mapping[str, int]) -> None:
        self._notebook, self._pure, self._ranks = notebook, pure, ranks
        self._fresh = 0

    def unknown(self) -> Rows:
        """Return rows whose number of dimensions is not known."""
        self._fresh += 1
        return Rows(f"#{self._fresh}", 0)

    def assign(self, target: ast.expr, value: Value, env: dict[str, Value]) -> None:
        """Give the names of a target a value."""
        parts = list(leaves(target))
        if isinstance(target, ast.Name):
            env[target.id] = value
            return
        many = value if isinstance(value, tuple) and not isinstance(value, Rows) else None
        if not all(isinstance(operand, ast.Name) for operand in parts):
            raise Refused
        if value == SIZE:
            many = (SIZE,) * len(parts)
        elif value == BATCH:
            many = tuple([self.unknown() for _ in parts])
        if many is None or len(many) != len(parts):
            raise Refused
        for expression, one in zip(parts, many, strict=True):
            env[getattr(expression, "id", "")] = one

    def run(self, cell: CellCode, body: list[ast.stmt], env: dict[str, Value], deep: int) -> Value:
        """Follow straight code to what it returns."""
        for statement in body:
            if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
                value = self.of(cell, statement.value, env, deep)
                self.assign(statement.targets[0], value, env)
            elif isinstance(statement, ast.For):
                self._loop(cell, statement, env, deep)
            elif isinstance(statement, ast.Return) and statement.value is not None:
                return self.of(cell, statement.value, env, deep)
            elif not (
                isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
            ):
                raise Refused
        raise Refused

    def _loop(self, cell: CellCode, loop: ast.For, env: dict[str, Value], deep: int) -> None:
        """Follow `for layer in self.layers: x = layer(x)`: each round leaves what it finds."""
        if loop.orelse or names(loop.iter) & env.keys() or not isinstance(loop.target, ast.Name):
            raise Refused
        for statement in loop.body:
            if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
                raise Refused
            value = self.of(cell, statement.value, env, deep)
            if (
                not isinstance(statement.targets[0], ast.Name)
                or env.get(statement.targets[0].id) != value
            ):
                raise Refused

    def of(  # noqa: C901, PLR0911  a case each
        self, cell: CellCode, node: ast.expr, env: dict[str, Value], deep: int = 0
    ) -> Value:
        """Return what an expression is; raises `Refused` where that cannot be told."""
        if deep > _DEEPEST:
            raise Refused
        if not names(node) & env.keys():
            self._pure.of_block(cell, [node])
            return PLAIN
        if isinstance(node, ast.Name):
            return env[node.id]
        if isinstance(node, (ast.Tuple, ast.List)):
            return tuple([self.of(cell, expression, env, deep) for expression in node.elts])
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            return self.of(cell, node.operand, env, deep)
        if isinstance(node, ast.BinOp):
            return self._binary(
                node, *[self.of(cell, x, env, deep) for x in (node.left, node.right)]
            )
        if isinstance(node, ast.Attribute):
            if node.attr == "shape" and isinstance(self.of(cell, node.value, env, deep), Rows):
                return SIZE
            raise Refused
        if isinstance(node, ast.Subscript):
            return self._item(cell, node, env, deep)
        if isinstance(node, ast.Call):
            return self._call(cell, node, env, deep)
        raise Refused

    def _binary(self, node: ast.BinOp, left: Value, right: Value) -> Value:
        sums = isinstance(node.op, (ast.Add, ast.Sub))
        if isinstance(node.op, ast.MatMult):
            raise Refused
        if left == right and (left == SIZE or isinstance(left, Rows)):
            return left
        if MEAN in (left, right):
            other = right if left == MEAN else left
            if sums and other in (MEAN, PLAIN):
                return MEAN
            scaled = isinstance(node.op, ast.Mult) or (
                isinstance(node.op, ast.Div) and left == MEAN
            )
            if scaled and other == PLAIN:
                return MEAN
            raise Refused
        if SIZE in (left, right):
            if {left, right} <= {SIZE, PLAIN}:
                return SIZE
            raise Refused
        number = node.right if isinstance(left, Rows) else node.left
        rows = left if isinstance(left, Rows) else right
        if isinstance(rows, Rows) and PLAIN in (left, right) and self._is_number(number):
            return rows
        raise Refused

    def _is_number(self, node: ast.expr) -> bool:
        if isinstance(node, ast.UnaryOp):
            return self._is_number(node.operand)
        return isinstance(node, ast.Constant) and isinstance(node.value, (int, float))

    def _item(self, cell: CellCode, node: ast.Subscript, env: dict[str, Value], deep: int) -> Value:
        of = self.of(cell, node.value, env, deep)
        at = node.slice
        if of == SIZE:
            return SIZE
        cut = isinstance(at, ast.Slice)
        if of == PLAIN and (cut or isinstance(self.of(cell, at, env, deep), Rows)):
            rank = self._ranks.get(dotted(node.value))
            return Rows("", rank) if rank else self.unknown()
        parts = at.elts if isinstance(at, ast.Tuple) else [at]
        if not isinstance(of, Rows) or not _is_whole(parts[0]) or names(at) & env.keys():
            raise Refused
        taken = sum(isinstance(expression, (ast.Constant, ast.UnaryOp)) for expression in parts[1:])
        if not all(
            isinstance(expression, (ast.Slice, ast.Constant, ast.UnaryOp)) for expression in parts
        ):
            raise Refused
        if any(getattr(expression, "value", 0) is None for expression in parts):
            raise Refused
        return Rows(of.base, of.rank - taken)

    # Calls.

    def _call(  # noqa: PLR0911  a case each
        self, cell: CellCode, call: ast.Call, env: dict[str, Value], deep: int
    ) -> Value:
        name, function = called(call), call.func
        if keyword_stars(call) or any(
            isinstance(expression, ast.Starred) for expression in call.args
        ):
            raise Refused
        if name == "len" and isinstance(function, ast.Name):
            return SIZE
        owns = isinstance(function, ast.Attribute) and bool(names(function.value) & env.keys())
        own = isinstance(function, ast.Attribute) and dotted(function.value) == "self"
        if owns and not own and isinstance(function, ast.Attribute):
            of = self.of(cell, function.value, env, deep)
            return self._operation(cell, name, of, call.args, call, env, deep)
        given = [self.of(cell, expression, env, deep) for expression in call.args]
        given_by = {str(k.arg): self.of(cell, k.value, env, deep) for k in call.keywords}
        functions = self._notebook.functions.get(name, ())
        if (isinstance(function, ast.Name) or own) and functions:
            return self._own(functions, given, given_by, deep, taken=own)
        if is_of_torch(cell, self._notebook, function):
            if name in _MEANS:
                return self._mean(name, call, given, given_by, call.keywords)
            if not given:
                raise Refused
            if name in ("cat", "stack", "concat"):
                return self._joined(name, given[0], call)
            return self._operation(cell, name, given[0], call.args[1:], call, env, deep)
        return self._module(cell, call, given, given_by, deep)

    def _own(
        self,
        found: Sequence[tuple[CellCode, Definition]],
        given: list[Value],
        by: dict[str, Value],
        deep: int,
        *,
        taken: bool,
    ) -> Value:
        (cell, definition), *others = found
        if others or definition.decorator_list:
            raise Refused
        arguments = definition.args
        if arguments.vararg or arguments.kwarg or arguments.posonlyargs:
            raise Refused
        own = [argument.arg for argument in arguments.args][taken:]
        if len(given) > len(own) or not by.keys() <= {*own, *(e.arg for e in arguments.kwonlyargs)}:
            raise Refused
        env: dict[str, Value] = dict.fromkeys(own, PLAIN)
        env |= dict(zip(own, given, strict=False)) | by
        return self.run(cell, definition.body, env, deep + 1)

    def _mean(
        self,
        name: str,
        call: ast.Call,
        given: list[Value],
        by: dict[str, Value],
        options: list[ast.keyword],
    ) -> Value:
        both = [*given, *[by[each] for each in ("input", "target") if each in by]]
        reduction = keyword(call, "reduction")
        is_mean = reduction is None or getattr(reduction.value, "value", "") == "mean"
        known = {str(option.arg) for option in options} <= {*_MEAN_OPTIONS, "reduction"}
        if len(both) != _PAIR or not known or not is_mean:
            raise Refused
        one, other = both
        if not isinstance(one, Rows) or not isinstance(other, Rows):
            raise Refused
        if _MEANS[name] and one != other:
            raise Refused
        return MEAN

    def _joined(self, name: str, of: Value, call: ast.Call) -> Value:
        dim = _dim(call, call.args[1:])
        if not isinstance(of, tuple) or isinstance(of, Rows) or not of or dim is None or dim < 1:
            raise Refused
        if not isinstance(of[0], Rows) or set(of) != {of[0]}:
            raise Refused
        return Rows(of[0].base, of[0].rank + (name == "stack"))

    def _operation(  # noqa: C901, PLR0911, PLR0912, PLR0913, PLR0917  a case each
        self,
        cell: CellCode,
        name: str,
        of: Value,
        rest: list[ast.expr],
        call: ast.Call,
        env: dict[str, Value],
        deep: int,
    ) -> Value:
        """What an operation of PyTorch makes of rows, or a method of them."""
        others = [*rest, *[option.value for option in call.keywords]]
        if name == "size" and isinstance(of, Rows):
            return SIZE
        if name in ("item", "detach") and of == MEAN and not others:
            return MEAN if name == "detach" else "number"
        if not isinstance(of, Rows):
            raise Refused
        if name in ("view", "reshape") and rest:
            first = self.of(cell, rest[0], env, deep)
            if first != SIZE and not _is_minus_one(rest[0]):
                raise Refused
            return Rows("", len(rest))
        if any(self.of(cell, expression, env, deep) != PLAIN for expression in others):
            raise Refused
        if name in _SAME_RANK and keyword(call, "dtype") is None:
            return of
        dim = _dim(call, rest)
        if name == "mean" and not others:
            return MEAN
        if name in _ALONG:
            if name == "normalize" and dim is None and not others:
                dim = 1
            return of if self._is_inside(of, dim) else self._no()
        if name in _REDUCE and others:
            dims = _dims(call, rest)
            if not dims or not all(self._is_inside(of, each) for each in dims):
                raise Refused
            kept = keyword(call, "keepdim") is not None
            if kept and getattr(keyword(call, "keepdim").value, "value", None) is not True:  # type: ignore[union-attr]
                raise Refused
            return of if kept else Rows(of.base, of.rank - len(dims))
        if name == "flatten":
            begin = getattr(rest[0], "value", None) if len(rest) == 1 else None
            return Rows("", 2) if begin == 1 else self._no()
        if name == "squeeze":
            return Rows(of.base, of.rank - 1) if self._is_inside(of, dim) else self._no()
        if name == "unsqueeze" and dim is not None and (dim >= 1 or dim == -1):
            return Rows(of.base, of.rank + 1)
        if name in ("transpose", "permute"):
            found = [getattr(expression, "value", None) for expression in rest]
            fixed = (
                found[:1] == [0]
                if name == "permute"
                else len(found) == _PAIR and all(type(each) is int and each >= 1 for each in found)
            )
            return of if fixed else self._no()
        return self._no()

    def _no(self) -> Rows:
        raise Refused

    def _is_inside(self, of: Rows, dim: int | None) -> bool:
        """Whether a dimension is certainly none of samples."""
        if dim is None:
            return False
        return dim >= 1 or (dim < 0 and not of.base and of.rank + dim >= 1)

    def _module(
        self, cell: CellCode, call: ast.Call, given: list[Value], by: dict[str, Value], deep: int
    ) -> Value:
        if not self._pure.is_module(cell, call.func):
            raise Refused
        try:
            made = Origins(self._notebook).of(cell, call.func, parts=True)
        except Refused:
            made = []
        results = [self._made(where, node, given, by, deep) for where, node in made]
        if not results or any(result != results[0] for result in results):
            raise Refused
        return results[0]

    def _made(  # noqa: C901  a case each
        self, cell: CellCode, made: ast.AST, given: list[Value], by: dict[str, Value], deep: int
    ) -> Value:
        name = called(made)
        if isinstance(made, (ast.List, ast.ListComp, ast.GeneratorExp)):
            elements = made.elts if isinstance(made, ast.List) else [made.elt]
            return self._alike(cell, elements, given, by, deep)
        if not isinstance(made, ast.Call) or keyword_stars(made):
            raise Refused
        if name in self._notebook.classes:
            (where, owner), *others = self._notebook.classes[name]
            forward = [
                (where, statement)
                for statement in owner.body
                if isinstance(statement, ast.FunctionDef) and statement.name == "forward"
            ]
            if others or not forward:
                raise Refused
            return self._own(forward, given, by, deep, taken=True)
        if name in _MEANS and not made.args:
            return self._mean(name, made, given, by, made.keywords)
        if len(given) != 1 or by or not isinstance(given[0], Rows):
            raise Refused
        if name == "ModuleList":
            return self._alike(cell, made.args, given, by, deep)
        if name == "Sequential":
            value: Value = given[0]
            for expression in made.args:
                if not isinstance(expression, ast.Starred):
                    value = self._element(cell, expression, [value], by, deep)
                elif self._element(cell, expression.value, [value], by, deep) != value:
                    raise Refused
            return value
        return self._layer(name, made, given[0])

    def _element(
        self, cell: CellCode, node: ast.AST, given: list[Value], by: dict[str, Value], deep: int
    ) -> Value:
        made = Origins(self._notebook).of(cell, node, parts=True)
        results = [self._made(where, child, given, by, deep) for where, child in made]
        if not results or any(result != results[0] for result in results):
            raise Refused
        return results[0]

    def _alike(
        self,
        cell: CellCode,
        nodes: list[ast.expr],
        given: list[Value],
        by: dict[str, Value],
        deep: int,
    ) -> Value:
        results = [self._element(cell, expression, given, by, deep) for expression in nodes]
        if not results or any(result != results[0] for result in results):
            raise Refused
        return results[0]

    def _layer(self, name: str, made: ast.Call, of: Rows) -> Value:
        if name in KEEP_RANK:
            return of
        if name == "Flatten" and not made.args and not made.keywords:
            return Rows("", 2)
        if name == "Embedding":
            return Rows(of.base, of.rank + 1)
        if name in ("Softmax", "LogSoftmax"):
            return of if self._is_inside(of, _dim(made, made.args)) else self._no()
        return self._no()


def _is_whole(node: ast.expr) -> bool:
    if isinstance(node, ast.Slice):
        return node.lower is None and node.upper is None and node.step is None
    return isinstance(node, ast.Constant) and node.value is Ellipsis


def _is_minus_one(node: ast.expr) -> bool:
    return _number(node) == -1


def _number(node: ast.AST | None) -> int | None:
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        value = _number(node.operand)
        return None if value is None else -value
    value = getattr(node, "value", None)
    return value if type(value) is int else None


def _dim(call: ast.Call, rest: list[ast.expr]) -> int | None:
    given = keyword(call, "dim") or keyword(call, "axis")
    return _number(given.value if given is not None else rest[0] if rest else None)


def _dims(call: ast.Call, rest: list[ast.expr]) -> list[int | None]:
    given = keyword(call, "dim") or keyword(call, "axis")
    node = given.value if given is not None else rest[0] if rest else None
    return [
        _number(expression)
        for expression in (node.elts if isinstance(node, (ast.Tuple, ast.List)) else [node])
    ]
