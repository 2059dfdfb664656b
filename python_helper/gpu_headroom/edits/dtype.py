"""Half as many bytes for each number: single precision for double, half where only inference is."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ..code.find import assigned, called, calls, dotted, keyword, method
from ..code.source import Refused
from .call import set_keyword
from .checkpointing import made
from .rewrite import rewriting

if TYPE_CHECKING:
    from ..code.source import CellSource

_DOUBLE = {"float64": "float32", "double": "float32", "complex128": "complex64"}
_MOVES = ("cuda", "to")
_TURNS = ("float", "half", "bfloat16", "int", "long", "type")
_OF_ARRAYS = ("from_numpy", "as_tensor", "tensor")


@rewriting
def single_precision(source: CellSource, name: str | None = None) -> None:
    """`single_precision(name)`: what a name is given has 32 bits; without a name, all of a cell.

    `torch.float64`, `np.float64`, `"float64"`, `.double()` and `set_default_dtype` are understood;
    with a name, `torch.from_numpy(a)` and the like, whose arrays have 64 bits by themselves, get
    `.float()`.
    """
    for node in ast.walk(source.tree):
        if not isinstance(node, ast.expr):
            continue
        statement = source.statement(node)
        if name and assigned(statement) != name:
            continue
        array = name and called(node) in _OF_ARRAYS and node in _chain(statement)
        if array and isinstance(node, ast.Call) and keyword(node, "dtype") is None:
            end = source.span(node)[1]
            source.replace((end, end), ".float()")
        _halved(source, node)


def _chain(statement: ast.AST) -> list[ast.expr]:
    """Return `f(x).to(device)` and `f(x)` of what a statement assigns: one value and its owners."""
    value, found = getattr(statement, "value", None), list[ast.expr]()
    while isinstance(value, ast.Call):
        found.append(value)
        value = value.func.value if isinstance(value.func, ast.Attribute) else None
    return [] if any(called(each) in _TURNS for each in found) else found


@rewriting
def half_precision(
    source: CellSource, model: str, torch: str = "torch", dtype: str = "float16"
) -> None:
    """`half_precision(model, torch, dtype)`: a model that only predicts has 16 bits.

    It is loaded so, where `from_pretrained` or `from_config` makes it (`torch_dtype=`), else
    turned once it is made and before it is moved (`model.half()`, or `.to(torch.bfloat16)`): its
    inputs have to be, then, unless they are integers.
    """
    statement = made(source, model)
    for call in calls(statement, "from_pretrained", "from_config"):
        flag = "dtype" if keyword(call, "dtype") is not None else "torch_dtype"
        set_keyword(source, call, flag, f"{torch}.{dtype}")
        return
    if any(
        dotted(method(node, each)) == model
        for node in ast.walk(source.tree)
        for each in ("half", "bfloat16")
    ):
        raise Refused
    turn = ".half()" if dtype == "float16" else f".to({torch}.{dtype})"
    if turn in ast.unparse(statement) or f"{model}{turn}" in source.text:
        raise Refused
    chain = _chain(statement)
    owners = [owner for call in chain for each in _MOVES if (owner := method(call, each))]
    if owners:  # before it is moved: as it is, it may not fit
        end = source.span(owners[-1])[1]
        source.replace((end, end), turn)
        return
    source.after(statement, f"{model}{turn}")


@rewriting
def default_precision(
    source: CellSource, model: str, torch: str = "torch", dtype: str = "bfloat16"
) -> None:
    """`default_precision(model, torch, dtype)`: what is made from here on has 16 bits.

    For a model that does not even load: `torch.set_default_dtype(torch.bfloat16)` before the line
    that makes it, or in the place of another default.
    """
    new = f"{torch}.{dtype}"
    for call in calls(source.tree, "set_default_dtype"):
        if len(call.args) != 1:
            raise Refused
        source.replace(call.args[0], new)
        return
    found = [
        node
        for node in ast.walk(source.tree)
        if isinstance(node, ast.Assign) and assigned(node) == model and called(node.value)
    ]
    if not found:
        raise Refused
    statement: ast.stmt = min(found, key=lambda each: each.lineno)
    for each in source.parents(statement):
        if isinstance(each, ast.With):
            statement = each
    source.before(statement, f"{torch}.set_default_dtype({new})")


def _halved(source: CellSource, node: ast.expr) -> None:
    if isinstance(node, ast.Attribute) and node.attr in _DOUBLE:
        end = source.span(node)[1]
        parent = next(source.parents(node), None)
        is_call = isinstance(parent, ast.Call) and parent.func is node
        if is_call and node.attr != "double":
            return
        new = "float" if is_call else _DOUBLE[node.attr]
        source.replace((end - len(node.attr), end), new)
    elif isinstance(node, ast.Constant) and node.value == "float64":
        text = source.text_of(node)
        source.replace(node, text.replace("float64", "float32"))
