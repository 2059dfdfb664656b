"""An average of weights that is kept on the host."""

from __future__ import annotations

import ast
from functools import partial
from typing import TYPE_CHECKING

from ..code.find import called, calls, dotted, mentions, names, words
from ..code.notebook import CodePlace, is_stored
from ..code.source import Refused
from .cache import mentioned
from .rewrite import rewriting

if TYPE_CHECKING:
    from ..code.gate import Gate
    from ..code.notebook import CellCode
    from ..code.source import CellSource
    from ..protocol.wire import Message
    from .rewrite import Rewrite

_LOOKS = words("eval requires_grad_ train keys")
_PARAMETERS = ("parameters", "named_parameters")


TEXTS = {"average.used": "No button: `{name}` may be used otherwise in {cell}, line {line}."}


def averaged_on_host(copy: str) -> Rewrite:
    """`averaged_on_host("ema")`: a copy of a model, or a dict of its weights, is on the host.

    What is averaged with it is brought there in each loop: `p = p.detach().cpu()`. Refused where it
    is used in any other way, such as to predict with, in whatever cell.
    """
    return _averaged(copy).asking(partial(_is_only_averaged, copy=copy))


def _is_only_averaged(gate: Gate, cell: CellCode, *, copy: str) -> Message | None:
    last, alive = copy.rpartition(".")[2], {*gate.live.tensors, *gate.live.models}
    for other, node in gate.notebook.nodes():
        said = getattr(node, "attr", "") if "." in copy else getattr(node, "id", "")
        here = said == last and isinstance(node, ast.expr)
        is_own = other.source == cell.source and dotted(node) == copy
        loop = next((child for child in other.parents(node) if isinstance(child, ast.For)), None)
        is_plain = loop is None or _is_plain(loop, alive - {copy})
        why = None
        if here and loop is not None:
            why = gate.deletes(other, loop, *sorted(names(loop.target, ast.Store)))
        if why is not None or (here and not (is_own and is_plain)):
            return why or CodePlace.of(other, node).says("average.used", TEXTS, name=copy)
    return gate.unread()


def _is_plain(loop: ast.For, alive: set[str]) -> bool:
    """Whether a loop computes with nothing but what it goes through, and numbers."""
    inner = [node for statement in loop.body for node in ast.walk(statement)]
    given = names(loop.target, ast.Store)
    return not any(
        (isinstance(node, ast.Name) and node.id in alive - given)
        or (
            isinstance(node, ast.Call)
            and not (called(node).endswith("_") or called(node) in _COPIES)
        )
        for node in inner
    )


_COPIES = ("clone", "detach", "cpu", "items", "float")


@rewriting
def _averaged(source: CellSource, copy: str) -> None:
    made = 0
    loops: dict[ast.For, None] = {}
    for node in mentioned(source.tree, copy):
        around, *_ = source.parents(node)
        loop = _loop_over_parameters(source, node)
        if loop is not None:
            loops[loop] = None
        elif isinstance(node.ctx, ast.Store) and isinstance(around, (ast.Assign, ast.AnnAssign)):
            made += _made_on_host(source, around.value)
        elif getattr(around, "attr", "") not in _LOOKS:
            raise Refused
    brought = sum(_brought(source, loop, copy) for loop in loops)
    if not brought or not (made or brought > 1):
        raise Refused


def _loop_over_parameters(source: CellSource, node: ast.AST) -> ast.For | None:
    for child in source.parents(node):
        if isinstance(child, ast.For) and list(calls(child.iter, *_PARAMETERS)):
            return child
    return None


def _made_on_host(source: CellSource, value: ast.expr | None) -> int:
    """Bring a copy to the host where it is made; 1 where there was one to bring."""
    if value is None or (
        isinstance(value, (ast.Dict, ast.Constant)) and not ast.unparse(value)[2:]
    ):
        return 0
    if isinstance(value, ast.DictComp):
        end = source.span(value.value)[1]
    else:
        copied = list(calls(value, "deepcopy"))
        if len(copied) != 1:
            raise Refused
        end = source.span(copied[0])[1]
    source.replace((end, end), ".cpu()")
    return 1


def _brought(source: CellSource, loop: ast.For, copy: str) -> int:
    """Bring the parameters of a loop to the host, unless it writes them back to the model."""
    targets = loop.target.elts if isinstance(loop.target, ast.Tuple) else [loop.target]
    pairs = targets[-1:]
    if called(loop.iter) == "zip" and isinstance(loop.iter, ast.Call):
        both = zip(targets, loop.iter.args, strict=False)
        pairs = [target for target, values in both if not mentions(values, {copy})]
    known = [dotted(expression) for expression in pairs]
    if len(known) != 1 or not known[0]:
        raise Refused
    name = known[0]
    own = {name, f"{name}.data"}
    written = [
        node
        for statement in loop.body
        for node in ast.walk(statement)
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and dotted(node.func.value) in own
            and node.func.attr.endswith("_")
        )
        or (is_stored(node) and dotted(node) in own)
    ]
    if not written:
        code = f"{name} = {name}.detach().cpu()"
        source.before(loop.body[0], code)
        return 1
    if all(called(child) == "copy_" for child in written):
        return 0  # it copies from anywhere
    raise Refused
