"""Tasks one after the other, not all at once."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ..code.find import called, dotted, keyword
from ..code.source import Refused
from .call import set_keyword
from .rewrite import rewriting

if TYPE_CHECKING:
    from ..code.source import CellSource

_POOLS = {"ThreadPoolExecutor": "max_workers", "ThreadPool": "processes"}
# Tasks that wait for each other do not come to an end one after the other; begun ones go on.
_WAITS = {"Barrier", "Condition", "Event", "Queue", "Semaphore", "create_task", "ensure_future"}


@rewriting
def one_worker(source: CellSource, *aliases: str) -> None:
    """`one_worker()`: a pool of threads has one, so that its tasks run one after the other.

    `aliases` are other names that the class goes by.
    """
    _refuse_where_they_wait(source)
    pools = {**dict.fromkeys(aliases, "max_workers"), **_POOLS}
    for node in ast.walk(source.tree):
        if isinstance(node, ast.Call) and called(node) in pools:
            word = pools[called(node)]
            given = keyword(node, word)
            if given is None and node.args:
                source.replace(node.args[0], "1")
            elif given is not None:
                source.replace(given.value, "1")
            else:
                set_keyword(source, node, word, "1")


@rewriting
def awaited_in_turn(source: CellSource) -> None:
    """`awaited_in_turn()`: `[await f(x) for x in xs]` in place of `await gather(*map(f, xs))`.

    Refused where tasks are begun before they are awaited: those of a run that failed go on.
    """
    _refuse_where_they_wait(source)
    for node in ast.walk(source.tree):
        if isinstance(node, ast.Await) and called(node.value) == "gather":
            source.replace(node, f"[{_in_turn(source, node.value)}]")


def _in_turn(source: CellSource, call: ast.expr) -> str:
    """Return what stands between the brackets for the arguments of `gather`."""
    if not isinstance(call, ast.Call) or call.keywords or not call.args:
        raise Refused
    first = call.args[0]
    if not isinstance(first, ast.Starred):
        return ", ".join([f"await {source.text_of(each)}" for each in call.args])
    if len(call.args) > 1:
        raise Refused
    many = first.value
    if isinstance(many, (ast.GeneratorExp, ast.ListComp)):
        start, end = source.span(many.elt)[0], source.span(many)[1]
        return f"await {source.text[start : end - 1].rstrip()}"
    return f"await each for each in {source.text_of(many)}"


def _refuse_where_they_wait(source: CellSource) -> None:
    if any(
        dotted(node).rpartition(".")[2] in _WAITS
        for node in ast.walk(source.tree)
        if isinstance(node, (ast.Name, ast.Attribute))
    ):
        raise Refused
