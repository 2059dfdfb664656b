"""Activation checkpointing: computed again in the backward pass instead of kept."""

from __future__ import annotations

import ast
from itertools import pairwise
from typing import TYPE_CHECKING

from ..code.find import assigned, called, calls, dotted, method, words
from ..code.flow import goes_back
from ..code.notebook import CodePlace, is_stored
from ..code.origins import Origins, is_of_torch
from ..code.pure import ATTENTION, DROPOUT, WATCHED, Doubt, Pure
from ..code.source import Function, Refused
from ..text.messages import message
from .call import set_keyword
from .rewrite import rewriting

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..code.gate import Gate
    from ..code.notebook import CellCode
    from ..code.source import CellSource
    from ..protocol.wire import Message
    from .rewrite import Question, Rewrite

TEXTS = {
    "checkpointing.class": (
        "No button: `{name}` may do something else when it is computed a second time."
    ),
    "checkpointing.forward": (
        "No button: {cell}, line {line} may do something else when it is computed a second time."
    ),
    "checkpointing.model": "No button: what `{name}` is cannot be told.",
}

_OPTIONS = words("use_reentrant preserve_rng_state determinism_check context_fn debug")
_IMPORT = "from torch.utils.checkpoint import "


REENTERS = '{"use_reentrant": False}'
"""With the older way frozen embeddings leave all that is computed from them without gradients."""


@rewriting
def _enabled(source: CellSource, model: str) -> None:
    line = f"{model}.gradient_checkpointing_enable(gradient_checkpointing_kwargs={REENTERS})"
    if any(calls(source.tree, "gradient_checkpointing_enable")):
        raise Refused
    source.after(made(source, model), line)


def checkpointing_enabled(model: str) -> Rewrite:
    """`checkpointing_enabled(model)`: `model.gradient_checkpointing_enable(…)` once it is made.

    For models of `transformers`; for their trainers see `flags.trainer_flags`.
    """
    return _enabled(model).asking(of_transformers(model))


@rewriting
def _blocks(source: CellSource) -> None:
    places = 0
    for node in _block_calls(source.tree):
        function = source.function(node)
        if getattr(function, "name", "") == "forward":
            at = source.text.index("(", source.span(node.func)[1]) + 1
            source.replace((at, at), f"{source.text_of(node.func)}, ")
            source.replace(node.func, "checkpoint")
            set_keyword(source, node, "use_reentrant", "False")
            places += 1
    if not places or "checkpoint(" in source.text:
        raise Refused
    if _is_imported(source.tree):
        return
    top = [
        statement
        for statement in source.tree.body
        if isinstance(statement, (ast.ClassDef, *Function))
    ]
    if not top:
        raise Refused
    source.before(top[0], f"{_IMPORT}checkpoint", "")


def checkpointed_blocks() -> Rewrite:
    """`checkpointed_blocks()`: `x = block(x)` in a loop of `forward` goes through `checkpoint`.

    The loop is one over the modules of a list, as `for block in self.blocks`.
    """
    return _blocks().asking(_binds("checkpoint"), _are_modules, _computes_again)


def _block_calls(tree: ast.AST) -> Iterator[ast.Call]:
    for loop in ast.walk(tree):
        if not isinstance(loop, ast.For):
            continue
        last = loop.target.elts[-1] if isinstance(loop.target, ast.Tuple) else loop.target
        for node in ast.walk(loop):
            if not isinstance(node, ast.Call) or not isinstance(last, ast.Name):
                continue
            if node.args and dotted(node.func) == last.id:
                yield node


def _is_imported(tree: ast.Module) -> bool:
    return any(
        isinstance(statement, ast.ImportFrom) and _imports(statement) for statement in tree.body
    )


def _imports(node: ast.ImportFrom) -> bool:
    plain = any((alias.name, alias.asname) == ("checkpoint", None) for alias in node.names)
    return plain and node.module == "torch.utils.checkpoint"


@rewriting
def _sequential(source: CellSource, model: str, segments: int) -> None:
    found = _plain_calls(source.tree, model)
    if not found or "checkpoint_sequential" in source.text:
        raise Refused
    for node in found:
        given = source.text_of(node.args[0])
        new = f"checkpoint_sequential({model}, {segments}, {given}, use_reentrant=False)"
        source.replace(node, new)
    first = source.top(min(found, key=lambda call: call.lineno))
    source.before(first, f"{_IMPORT}checkpoint_sequential")


def checkpointed_sequential(model: str, segments: int = 4) -> Rewrite:
    """`checkpointed_sequential(model, segments)`: calls of an `nn.Sequential` are checkpointed.

    `model(x)` becomes `checkpoint_sequential(model, 4, x, use_reentrant=False)`.
    """

    def is_sequence(gate: Gate, cell: CellCode) -> Message | None:
        """Whether what is called is that very sequence, made once."""
        nodes = [call.func for call in _plain_calls(cell.tree or ast.Module([], []), model)]
        try:
            made = [each for node in nodes for each in Origins(gate.notebook).of(cell, node)]
        except Refused:
            made = [(cell, ast.Pass())]
        for where, child in made:
            known = isinstance(child, ast.Call) and dotted(child.func).endswith("Sequential")
            if not known or not is_of_torch(where, gate.notebook, getattr(child, "func", child)):
                return message("checkpointing.model", TEXTS, name=model)
        return None

    rewrite = _sequential(model, segments)
    return rewrite.asking(_binds("checkpoint_sequential"), is_sequence, _computes_again)


def _plain_calls(tree: ast.AST, model: str) -> list[ast.Call]:
    return [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and dotted(node.func) == model
        and len(node.args) == 1
        and not node.keywords
        and not isinstance(node.args[0], ast.Starred)
    ]


@rewriting
def _not_checkpointed(source: CellSource, model: str) -> None:
    found = [
        node
        for node in calls(source.tree, "checkpoint")
        if node.args and dotted(node.args[0]) == model
    ]
    if not found or any(keyword.arg is None for node in found for keyword in node.keywords):
        raise Refused
    for node in found:
        given = [source.text_of(expression) for expression in node.args[1:]]
        rest = [keyword for keyword in node.keywords if keyword.arg not in _OPTIONS]
        given += [f"{keyword.arg}={source.text_of(keyword.value)}" for keyword in rest]
        source.replace(node, f"{model}({', '.join(given)})")


def not_checkpointed(model: str) -> Rewrite:
    """`not_checkpointed(model)`: `checkpoint(model, x)` around a whole model becomes `model(x)`.

    All of it would be computed again at once, so nothing is saved.
    """
    return _not_checkpointed(model).asking(_computes_again)


# What has to be so of the whole program.


def _binds(name: str) -> Question:
    """Ask whether a function's name is free, or the function's already."""

    def free(gate: Gate, cell: CellCode) -> Message | None:
        uses = [use for _, use in gate.notebook.uses(name) if use.how != "read"]
        imported = bool(uses) and all(isinstance(use.node, ast.alias) for use in uses)
        if imported and _is_imported(cell.tree or ast.Module([], [])):
            return None
        return gate.binds(name)

    return free


def _are_modules(gate: Gate, cell: CellCode) -> Message | None:
    """Whether what the loops of `forward` call are modules."""
    pure = Pure(gate.notebook, gate.live, ATTENTION | DROPOUT)
    for node in _block_calls(cell.tree or ast.Module([], [])):
        if not pure.is_module(cell, node.func):
            return CodePlace.of(cell, node).says("checkpointing.forward", TEXTS)
    return None


def _computes_again(gate: Gate, _cell: CellCode) -> Message | None:
    """Whether all forward passes can be computed twice: they keep, count and change nothing.

    What PyTorch draws at random, a checkpoint draws again.
    """
    why = gate.unread()
    if why is not None:
        return why
    for each in gate.notebook.cells:
        for word in ("inplace", "torch.func", "functorch"):
            if word in each.source:
                return message("checkpointing.class", TEXTS, name=word)
    for cell, node in gate.notebook.nodes():
        place = _changes_before(gate, cell, node) if goes_back(node) else None
        if place is not None:
            return place.says("checkpointing.forward", TEXTS)
    try:
        name = Pure(gate.notebook, gate.live, ATTENTION | DROPOUT).modules()
    except Doubt as doubt:
        return doubt.place.says("checkpointing.forward", TEXTS)
    return None if name is None else message("checkpointing.class", TEXTS, name=name)


def _changes_before(gate: Gate, cell: CellCode, back: ast.AST) -> CodePlace | None:
    """Return what changes modes or weights between a forward pass and this backward.

    A pass computes again in the mode that is set by then, wherever in its block that was.
    """
    for child, block in pairwise([back, *cell.parents(back)]):
        body = getattr(block, "body", [])
        if not isinstance(body, list) or child not in body:
            continue
        before = body[: body.index(child)]
        made = next((n for n, each in enumerate(before) if isinstance(each, ast.Assign)), 0)
        for n, each in enumerate(before):
            parts = [part for _, part in gate.notebook.reached(each)]
            is_switched = any(list(calls(part, "eval")) for part in parts)
            if is_switched or (n >= made and any(map(_changes, ast.walk(each)))):
                return CodePlace.of(cell, each)
        return None
    return None


def _changes(node: ast.AST) -> bool:
    stored = getattr(node, "attr", "") if is_stored(node) else ""
    return called(node) in _CHANGES or stored in ("data", "training")


_CHANGES = ("train", "eval", "load_state_dict", "copy_")


def of_transformers(*models: str) -> Question:
    """Ask whether models are of `transformers`, all where none is named, and keep nothing."""

    def asked(gate: Gate, _cell: CellCode) -> Message | None:
        why = gate.unread()
        if why is not None:
            return why
        known = [gate.live.models.get(each) for each in models or gate.live.models]
        own = {full for facts in known if facts is not None for full in facts.own}
        if None in known or not any(each.startswith("transformers.") for each in own):
            return message("checkpointing.model", TEXTS, name=", ".join(models) or "model")
        for full in sorted(own):
            library = full.startswith(("transformers.", "torch.nn.modules."))
            if not library or "BatchNorm" in full:
                return message("checkpointing.class", TEXTS, name=full.rpartition(".")[2])
        for each in WATCHED:
            for where, call in gate.notebook.calls(each):
                return CodePlace.of(where, call).says("checkpointing.forward", TEXTS)
        if gate.notebook.classes or "past_key_values" in gate.notebook.names:
            return message("checkpointing.model", TEXTS, name=", ".join(models) or "model")
        return None

    return asked


def made(source: CellSource, name: str) -> ast.stmt:
    """Return the last statement that makes a model under this name: by a call, not in a loop."""
    assignments = [
        node
        for node in ast.walk(source.tree)
        if isinstance(node, (ast.Assign, ast.AnnAssign))
        and assigned(node) == name
        and isinstance(node.value, ast.Call)
    ]
    # `model = model.to(device)` is the end of making it.
    last = max(assignments, key=lambda assignment: assignment.lineno, default=None)
    moves = [
        assignment
        for assignment in assignments
        if name
        in (dotted(method(assignment.value, "to")), dotted(method(assignment.value, "cuda")))
    ]
    if last is None or moves == assignments:
        raise Refused
    after = [
        node
        for node in source.body(last)
        if isinstance(node, ast.Expr)
        and any(dotted(method(node.value, each)) == name for each in ("to", "cuda"))
    ]
    return max([last, *after], key=lambda child: child.lineno)
