"""Half as many bytes for each number: single precision for double, half where only inference is."""

from __future__ import annotations

import ast
import re
from functools import partial
from typing import TYPE_CHECKING

from ..code.find import assigned, base_of, called, calls, dotted, given_to, keyword, method
from ..code.notebook import CodePlace
from ..code.parsing import parse_cell
from ..code.source import Refused
from ..text.messages import message
from .call import set_keyword
from .checkpointing import made
from .rewrite import any_of, rewriting
from .untrained import left_alone

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..code.gate import Gate
    from ..code.notebook import CellCode
    from ..code.source import CellSource
    from ..protocol.wire import Message
    from .rewrite import Rewrite

TEXTS = {
    "dtype.digits": "No button: {cell}, line {line} may need double precision, or goes on in it.",
    "dtype.inputs": "No button: what `{name}` is given may have 32 bits, in {cell}, line {line}.",
    "dtype.meets": (
        "No button: {cell}, line {line} computes with what `{name}` gives, or with its weights."
    ),
    "dtype.overflows": "No button: models of this kind are known to overflow in half precision.",
}
_DOUBLE = {"float64": "float32", "double": "float32", "complex128": "complex64"}
_MOVES = ("cuda", "to")
_TURNS = ("float", "half", "bfloat16", "int", "long", "type")
_OF_ARRAYS = ("from_numpy", "as_tensor", "tensor")
_TYPED = ("to", "astype", "type", "zeros", "ones", "empty", "full", "array", "asarray", "arange")
_WIDE = re.compile(
    r"float64|[Dd]ouble|complex128|linalg|inverse|pinv|lstsq|cholesky|svd|eig|solve|^qr$|l?u_|det$"
    r"|gradcheck|finfo|LBFGS|DataLoader|set_default|timestamp|float_info"
)
_DRAWS = re.compile(r"rand|normal|[A-Z]")  # layers draw their weights
_SMALLEST, _LARGEST = 1e-6, 2**24
_SMALL = ("eps", "lr", "weight_decay", "dtype")


def single_precision(*names: str) -> Rewrite:
    """`single_precision("x", "y")`: what says so has 32 bits, and so have these names.

    `torch.float64`, `np.float64` and `"float64"` are understood where they are the type of
    something that is made or turned, and `.double()`. What a name is given by `torch.from_numpy(a)`
    and the like, whose arrays have 64 bits by themselves, gets `.float()`. Refused where anything
    in double precision is left in a cell, or may need its digits.
    """
    change = any_of(_single(None), *map(_single, names))
    return change.asking(partial(_is_all, change=change))


@rewriting
def _single(source: CellSource, name: str | None) -> None:
    for node in ast.walk(source.tree):
        if not isinstance(node, ast.expr):
            continue
        statement = source.statement(node)
        if name is None:
            _halved(source, node)
        elif assigned(statement) == name and node in _chain(statement) and _is_array(node):
            end = source.span(node)[1]
            source.replace((end, end), ".float()")


def _is_array(node: ast.AST) -> bool:
    """Whether a tensor is made there that has the type of an array."""
    given = node.args[0] if isinstance(node, ast.Call) and node.args else None
    is_literal = isinstance(given, (ast.List, ast.Tuple, ast.Constant))
    is_made = called(node) in _OF_ARRAYS and given is not None and not is_literal
    return is_made and isinstance(node, ast.Call) and keyword(node, "dtype") is None


def _is_all(gate: Gate, _: CellCode, *, change: Rewrite) -> Message | None:
    """Whether nothing of double precision is left, and nothing says that it needs the digits."""
    for cell in gate.notebook.cells:
        tree = parse_cell(change(cell.source) or cell.source)
        for node in _in_double(tree, gate) if tree is not None else ():
            return CodePlace.of(cell, node).says("dtype.digits", TEXTS)
    return gate.unread()


def _in_double(tree: ast.AST, gate: Gate) -> Iterator[ast.AST]:
    known, small = set[ast.AST](), set[ast.AST]()
    for node in ast.walk(tree):
        turned = isinstance(node, ast.Assign) and (
            any(called(child) in _TURNS for child in ast.walk(node.value))
            or getattr(gate.live.tensors.get(assigned(node)), "dtype", "float64") != "float64"
        )
        known.update(ast.walk(node) if turned else ())
        if isinstance(node, ast.keyword) and node.arg in _SMALL:
            small.add(node.value)
        if isinstance(node, ast.Call) and called(node) in _MOVES:
            small.update(node.args)
        said = [getattr(node, each, "") for each in ("id", "attr", "value")]
        is_read = isinstance(node, ast.Attribute) and node.attr == "dtype" and node not in small
        if is_read or any(isinstance(each, str) and _WIDE.search(each) for each in said):
            yield node  # also where the type itself is asked for
        elif isinstance(node, ast.Constant) and type(node.value) in (int, float):
            if node not in small and not _fits(node.value):
                yield node
        elif _is_array(node) and node not in known:
            yield node
        elif (
            isinstance(node, ast.Call)
            and _DRAWS.match(called(node))
            and keyword(node, "dtype") is not None
        ):
            yield node  # other numbers would be drawn


def _fits(value: object) -> bool:
    return isinstance(value, (int, float)) and (value == 0 or _SMALLEST <= abs(value) < _LARGEST)


def _chain(statement: ast.AST) -> list[ast.expr]:
    """Return `f(x).to(device)` and `f(x)` of what a statement assigns: one value and its owners."""
    value, expressions = getattr(statement, "value", None), list[ast.expr]()
    while isinstance(value, ast.Call):
        expressions.append(value)
        value = value.func.value if isinstance(value.func, ast.Attribute) else None
    return [] if any(called(expression) in _TURNS for expression in expressions) else expressions


def _halved(source: CellSource, node: ast.expr) -> None:
    parent = source.parent(node)
    is_type = (isinstance(parent, ast.keyword) and parent.arg == "dtype") or (
        isinstance(parent, ast.Call) and node in parent.args and called(parent) in _TYPED
    )
    if isinstance(node, ast.Attribute) and node.attr in _DOUBLE:
        is_call = isinstance(parent, ast.Call) and parent.func is node
        end = source.span(node)[1]
        if is_call and node.attr == "double":
            source.replace((end - len("double"), end), "float")
        elif is_type and not is_call:
            source.replace((end - len(node.attr), end), _DOUBLE[node.attr])
    elif is_type and isinstance(node, ast.Constant) and node.value == "float64":
        source.replace(node, source.text_of(node).replace("float64", "float32"))


def half_precision(model: str, torch: str = "torch") -> Rewrite:
    """`half_precision(model, torch)`: a model that only predicts has 16 bits.

    It is loaded so, where `from_pretrained` or `from_config` makes it (`torch_dtype=`), else
    turned once it is made and before it is moved (`model.half()`).
    Refused where an optimizer has a parameter of it, where code may train it, or where it is given
    anything but integers.
    """
    return _half(model, torch).asking(lambda gate, _: _only_predicts(gate, model))


_LOADS = ("from_pretrained", "from_config")


def _is_loaded(gate: Gate, model: str) -> bool:
    """Whether a library loads it, whose models take tokens: cells to come are not known."""
    return any(
        any(calls(next(cell.parents(use.node), use.node), *_LOADS))
        for cell, use in gate.notebook.uses(model)
        if use.how == "bind"
    )


def _only_predicts(gate: Gate, model: str) -> Message | None:
    why = left_alone(gate, model, is_to_come=_is_loaded(gate, model))
    if why is not None:
        return why
    for cell in gate.notebook.cells:
        if re.search(r"\bt5|T5", cell.source):
            return message("dtype.overflows", TEXTS)
    reached = gate.taint.derived([("name", None, model)])
    for cell, use in gate.notebook.uses(model):
        parents = list(cell.parents(use.node))[:2]
        line = getattr(use.node, "lineno", 1)
        asked = parents[1] if isinstance(parents[0], ast.Attribute) else parents[0]
        if isinstance(parents[0], ast.Attribute) and not isinstance(asked, ast.Call):
            return CodePlace(cell, line).says("dtype.meets", TEXTS, name=model)
        given = given_to(asked) if isinstance(asked, ast.Call) else []
        is_call = parents[0] is asked or getattr(parents[0], "attr", "") == "generate"
        if (
            use.how == "read"
            and is_call
            and not all(_is_integer(gate, expression) for expression in given)
        ):
            return CodePlace(cell, line).says("dtype.inputs", TEXTS, name=model)
    for cell, node in gate.notebook.nodes():
        is_product = isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult)
        owner = dotted(node.func) if isinstance(node, ast.Call) else ""
        is_product |= called(node) in _PRODUCTS or (owner in gate.live.models and owner != model)
        looks = isinstance(node, ast.Attribute) and node.attr in _ASKED
        asked = node.value if looks and isinstance(node, ast.Attribute) else node
        met = asked if is_product or looks else None
        if isinstance(met, ast.expr) and gate.taint.slots(cell, met) & reached:
            return CodePlace.of(cell, met).says("dtype.meets", TEXTS, name=model)
    return None


_ASKED = ("dtype", "element_size", "itemsize", "nbytes")
_PRODUCTS = ("matmul", "mm", "bmm", "einsum", "linear", "index_copy_", "dot", "baddbmm", "addmm")


def _is_integer(gate: Gate, node: ast.expr) -> bool:
    """Whether it is a tensor of integers, or what a tokenizer gave, or a plain number."""
    if isinstance(node, ast.Constant):
        return True
    fact = gate.live.tensors.get(dotted(node))
    if fact is not None:
        return fact.dtype.startswith(("int", "uint", "bool"))
    bound = [
        (cell, use.node) for cell, use in gate.notebook.uses(dotted(node)) if use.how == "bind"
    ]
    values = [getattr(cell.parent(child), "value", None) for cell, child in bound]
    return bool(values) and all(
        "tokenizer" in dotted(base_of(each, ast.Call, ast.Attribute)) for each in values
    )


@rewriting
def _half(source: CellSource, model: str, torch: str) -> None:
    statement = made(source, model)
    for call in calls(statement, *_LOADS):
        flag = "dtype" if keyword(call, "dtype") is not None else "torch_dtype"
        set_keyword(source, call, flag, f"{torch}.float16")
        return
    if any(
        dotted(method(node, each)) == model
        for node in ast.walk(source.tree)
        for each in ("half", "bfloat16")
    ):
        raise Refused
    turn = ".half()"
    if turn in ast.unparse(statement) or f"{model}{turn}" in source.text:
        raise Refused
    chain = _chain(statement)
    owners = [owner for call in chain for move in _MOVES if (owner := method(call, move))]
    if owners:  # before it is moved: as it is, it may not fit
        end = source.span(owners[-1])[1]
        source.replace((end, end), turn)
        return
    source.after_unshown(statement, f"{model}{turn}")
