"""Autograd graphs that variables keep: each holds the activations of a whole forward pass.

`detach_` lets go of the graph and keeps the value, in place, so that every holder of the tensor
sees it. PyTorch refuses it for views. Variables whose graphs are the same in part, as an output
and its loss, are one item: one of them alone would give next to nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any

from ..concurrency.turns import Turn
from ..holders.names import name_roots, user_names
from ..holders.storage import Torch
from ..holders.walk import Walk
from ..inspection.classes import defines
from ..text.format import MIB
from ..text.messages import message
from .freeable import Freeable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ..holders.names import Root
    from ..protocol.wire import Message
    from .situation import Situation

_MOST = 5
_MOST_NODES = 20_000
_CHECK_EVERY = 500
_SEQUENCES = (list, tuple, set)
_HEAD = "# The values stay; their autograd graphs go.\n"
_LOOP = """\
for _each in {members}:
    if hasattr(_each, "detach_") and not _each._is_view():
        _each.detach_()
_each = None
"""


@dataclass(frozen=True, slots=True)
class _Result:
    """A tensor with a graph: where it stands, the node it came from, and whether it is a view."""

    tensor: Any
    path: str
    node: Any
    view: bool


def items(situation: Situation) -> Iterator[Freeable]:
    """Yield the variables with tensors whose graph alone keeps memory in use."""
    reachable, torch = situation.reachable, Torch.loaded()
    if torch is None or reachable.memory.only_saved.bytes < MIB:
        return
    roots = reachable.leading(name_roots(situation.shell), to=reachable.memory.graphs)
    results = _results(torch, situation.turn, roots)
    for names in _families(results, situation.turn)[:_MOST]:
        yield from _item(situation, names, [each for name in names for each in results[name]])


def _item(situation: Situation, names: list[str], results: list[_Result]) -> Iterator[Freeable]:
    free = [each.tensor for each in results if not each.view]
    views = [each.path for each in results if each.view]
    given = situation.reachable.exclusive((), graphs=free)
    if given is not None and given.bytes < MIB and (free or not views):
        return
    shown = ", ".join(names)
    yield Freeable(
        id=f"graph:{names[0]}",
        kind="graph",
        name=names[0],
        title=message("item.graph", names=shown),
        cost=message("item.graph.cost", names=shown),
        gives=given,
        free=partial(_free, situation.shell, names),
        confirm=message("confirm.graph", names=shown),
        blocked=None if free else message("item.graph.view", path=views[0]),
        code=_code(situation.shell, names) if free else "",
    )


def _results(torch: Torch, turn: Turn, roots: Iterable[Root]) -> dict[str, list[_Result]]:
    """Return the tensors with a graph that variables lead to and that can be detached."""
    walk = Walk(torch, turn, into_graphs=False)
    walk.run(roots)
    found: dict[str, list[_Result]] = {}
    with torch.quiet():
        for tensor, place in walk.results:
            own = defines(type(tensor), "__torch_dispatch__", until=torch.tensor)
            if not own and not torch.wraps(tensor):
                node, view = torch.get(tensor, "grad_fn"), torch.get(tensor, "_is_view")()
                result = _Result(tensor, place.path, node, view)
                found.setdefault(place.root, []).append(result)
    return found


def _families(results: dict[str, list[_Result]], turn: Turn) -> list[list[str]]:
    """Group the variables whose graphs have nodes in common, the leaves aside."""
    families: list[tuple[list[str], set[Any]]] = []
    for name, found in results.items():
        names, nodes = [name], _nodes((each.node for each in found), turn)
        for family in [each for each in families if not nodes.isdisjoint(each[1])]:
            families.remove(family)
            names, nodes = family[0] + names, family[1] | nodes
        families.append((names, nodes))
    return [names for names, _ in families]


def _nodes(roots: Iterable[Any], turn: Turn) -> set[Any]:
    found: set[Any] = set()
    waiting = list(roots)
    while waiting and len(found) < _MOST_NODES:
        if len(found) % _CHECK_EVERY == 0:
            turn.check()
        node = waiting.pop()
        if node is not None and node not in found and type(node).__name__ != "AccumulateGrad":
            found.add(node)
            waiting += [each for each, _ in node.next_functions]
    return found


def _free(shell: Any, names: list[str]) -> Message | None:
    torch = Torch.loaded()
    if torch is None:
        return None
    roots = [each for each in name_roots(shell) if each[1].root in names]
    turn = Turn()
    with turn.walking(), torch.quiet():
        results = list(chain.from_iterable(_results(torch, turn, roots).values()))
        for each in results:
            if not each.view:
                torch.get(each.tensor, "detach_")()
    left = sum(each.view for each in results)
    return message("item.graph.views_left", count=left) if left else None


def _code(shell: Any, names: list[str]) -> str:
    """Return code for tensors and plain containers of them; none where there is more to it."""
    lines = [_HEAD]
    for name in names:
        kind = type(user_names(shell).get(name))
        if kind is dict:
            lines.append(_LOOP.format(members=f'dict(globals().get("{name}") or {{}}).values()'))
        elif kind in _SEQUENCES:
            lines.append(_LOOP.format(members=f'globals().get("{name}") or ()'))
        elif defines(kind, "detach_"):
            lines.append(_LOOP.format(members=f'[globals().get("{name}")]'))
        else:
            return ""
    return "".join(lines)
