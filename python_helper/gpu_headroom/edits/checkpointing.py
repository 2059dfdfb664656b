"""Activation checkpointing: computed again in the backward pass instead of kept."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ..code.find import assigned, calls, dotted, method
from ..code.source import Function, Refused
from .call import set_keyword
from .rewrite import rewriting

if TYPE_CHECKING:
    from ..code.source import CellSource

_OPTIONS = {"use_reentrant", "preserve_rng_state", "determinism_check", "context_fn", "debug"}
_IMPORT = "from torch.utils.checkpoint import "


@rewriting
def checkpointing_enabled(source: CellSource, model: str) -> None:
    """`checkpointing_enabled(model)`: `model.gradient_checkpointing_enable()` once it is made.

    For models of `transformers` and `diffusers`; for their trainers see `flags.trainer_flags`.
    """
    line = f"{model}.gradient_checkpointing_enable()"
    if any(calls(source.tree, "gradient_checkpointing_enable")):
        raise Refused
    source.after(made(source, model), line)


@rewriting
def checkpointed_blocks(source: CellSource) -> None:
    """`checkpointed_blocks()`: `x = block(x)` in a loop of `forward` goes through `checkpoint`.

    The loop is one over the modules of a list, as `for block in self.blocks`.
    """
    places = 0
    for loop in ast.walk(source.tree):
        function = source.function(loop) if isinstance(loop, ast.For) else None
        if not isinstance(loop, ast.For) or getattr(function, "name", "") != "forward":
            continue
        last = loop.target.elts[-1] if isinstance(loop.target, ast.Tuple) else loop.target
        for node in ast.walk(loop):
            own = isinstance(node, ast.Call) and isinstance(last, ast.Name)
            if (
                own
                and isinstance(node, ast.Call)
                and dotted(node.func) == dotted(last)
                and node.args
            ):
                at = source.text.index("(", source.span(node.func)[1]) + 1
                source.replace((at, at), f"{source.text_of(node.func)}, ")
                source.replace(node.func, "checkpoint")
                set_keyword(source, node, "use_reentrant", "False")
                places += 1
    if not places or "checkpoint(" in source.text:
        raise Refused
    if any(isinstance(each, ast.ImportFrom) and _imports(each) for each in source.tree.body):
        return
    top = [each for each in source.tree.body if isinstance(each, (ast.ClassDef, *Function))]
    if not top:
        raise Refused
    source.before(top[0], f"{_IMPORT}checkpoint", "")


def _imports(node: ast.ImportFrom) -> bool:
    plain = any((each.name, each.asname) == ("checkpoint", None) for each in node.names)
    return plain and node.module == "torch.utils.checkpoint"


@rewriting
def checkpointed_sequential(source: CellSource, model: str, segments: int = 4) -> None:
    """`checkpointed_sequential(model, segments)`: calls of an `nn.Sequential` are checkpointed.

    `model(x)` becomes `checkpoint_sequential(model, 4, x, use_reentrant=False)`.
    """
    found = [
        node
        for node in ast.walk(source.tree)
        if isinstance(node, ast.Call)
        and dotted(node.func) == model
        and len(node.args) == 1
        and not node.keywords
        and not isinstance(node.args[0], ast.Starred)
    ]
    if not found or "checkpoint_sequential" in source.text:
        raise Refused
    for node in found:
        given = source.text_of(node.args[0])
        new = f"checkpoint_sequential({model}, {segments}, {given}, use_reentrant=False)"
        source.replace(node, new)
    first = source.statement(min(found, key=lambda each: each.lineno))
    top = next((each for each in source.parents(first) if each in source.tree.body), first)
    if not isinstance(top, ast.stmt):
        raise Refused
    source.before(top, f"{_IMPORT}checkpoint_sequential")


@rewriting
def not_checkpointed(source: CellSource, model: str) -> None:
    """`not_checkpointed(model)`: `checkpoint(model, x)` around a whole model becomes `model(x)`.

    All of it would be computed again at once, so nothing is saved.
    """
    found = [
        node
        for node in calls(source.tree, "checkpoint")
        if node.args and dotted(node.args[0]) == model
    ]
    if not found or any(each.arg is None for node in found for each in node.keywords):
        raise Refused
    for node in found:
        given = [source.text_of(each) for each in node.args[1:]]
        rest = [each for each in node.keywords if each.arg not in _OPTIONS]
        given += [f"{each.arg}={source.text_of(each.value)}" for each in rest]
        source.replace(node, f"{model}({', '.join(given)})")


def made(source: CellSource, name: str) -> ast.stmt:
    """Return the last statement that makes a model under this name: by a call, not in a loop."""
    found = [
        node
        for node in ast.walk(source.tree)
        if isinstance(node, (ast.Assign, ast.AnnAssign))
        and assigned(node) == name
        and isinstance(node.value, ast.Call)
    ]
    # `model = model.to(device)` is the end of making it.
    last = max(found, key=lambda each: each.lineno, default=None)
    moves = [
        each
        for each in found
        if name in (dotted(method(each.value, "to")), dotted(method(each.value, "cuda")))
    ]
    if last is None or moves == found:
        raise Refused
    after = [
        node
        for node in source.body(last)
        if isinstance(node, ast.Expr)
        and any(dotted(method(node.value, each)) == name for each in ("to", "cuda"))
    ]
    return max([last, *after], key=lambda each: each.lineno)
