"""Causes that are values which names, or nothing, still hold."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...code.loops import left_behind
from ...code.parsing import parse_cell, words_in
from ...code.rounds import stored
from ...code.training import trains
from ..finding import A_LINE, FREE, TRADED, cause
from .copies import bound_of, copied, is_cache, is_moving, is_replaced, of_evaluation

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...holders.groups import Group
    from ...oom.evidence import Evidence
    from ...oom.running import Running
    from ..finding import Finding

TEXTS = {
    "cause.growing-cache": (
        "**`{name}` has grown to {held_bytes}** of the {in_use_bytes} in tensors."
    ),
    "cause.growing-cache.evidence": (
        "A cache of {count} entries on the GPU. It grows with each call, and nothing removes "
        "entries."
    ),
    "cause.growing-cache.evidence_bound": (
        "A cache of {count} entries on the GPU; the {most} that there will be need {needed_bytes}."
    ),
    "cause.retained-graph": (
        "**`{name}` keeps {held_bytes} of activations** of the {in_use_bytes} in tensors."
    ),
    "cause.retained-graph.evidence": (
        "It collects {count} tensors with their graphs, so each step's activations stay alive."
    ),
    "cause.retained-graph.evidence_one": (
        "It is made again from itself in each round of a loop, and its graph goes back through all "
        "of them."
    ),
    "cause.retained-graph.evidence_added": (
        "Each round of a loop adds to it, and one graph goes back through all of them."
    ),
    "cause.retained-graph.evidence_cell": (
        "An earlier cell has computed it. The graph behind it stays as long as the name does, for "
        "a backward pass that no cell has made."
    ),
    "cause.kept-tensors": (
        "**`{name}` keeps {count} tensors on the GPU: {held_bytes}** of the {in_use_bytes} in "
        "tensors."
    ),
    "cause.kept-tensors.one": (
        "**`{name}` keeps {held_bytes} on the GPU** of the {in_use_bytes} in tensors."
    ),
    "cause.kept-tensors.evidence_one": (
        "Each round of the loop makes it again, and larger: now it is {shape} in {dtype}, and the "
        "old one and the new one are there at once. It need not be on the GPU."
    ),
    "cause.kept-tensors.evidence": (
        "Each round of the loop adds more, such as {alike} of {shape} in {dtype}. They need not "
        "be on the GPU."
    ),
    "cause.kept-tensors.evidence_bound": (
        "Each round of the loop adds more, such as {alike} of {shape} in {dtype}. {count} entries "
        "hold {held_bytes}; the {most} that there will be need {needed_bytes}."
    ),
    "cause.kept-tensors.collecting": (
        "**`{expression}` keeps {held_bytes} on the GPU** of the {in_use_bytes} in tensors."
    ),
    "cause.kept-tensors.evidence_collecting": (
        "It keeps each value until the last one is computed. They need not be on the GPU. The "
        "error has released them."
    ),
    "cause.kept-tensors.evidence_gathered": (
        "{place}, keeps each result until the last one is computed. The error has released them. "
        "One result at a time needs no more than the largest."
    ),
    "cause.displayed-values": (
        "**Displayed values keep {held_bytes}** of the {in_use_bytes} in tensors."
    ),
    "cause.displayed-values.evidence": (
        "IPython remembers what a cell displays: {count} values, the largest is `{name}`. End a "
        "cell's last line with `;` and its value is not kept."
    ),
    "cause.suspended": "**`{name}` holds {held_bytes}** of the {in_use_bytes} in tensors.",
    "cause.suspended.evidence": (
        "The suspended `{function}` keeps its variables until it ends, is closed, or is canceled."
    ),
    "cause.suspended.evidence_result": (
        "A {function} keeps its result as long as anything refers to it: move the result to the "
        "host and delete the {function}."
    ),
    "cause.reference-cycles": (
        "**Objects without a name hold {held_bytes}** of the {in_use_bytes} in tensors."
    ),
    "cause.reference-cycles.evidence": (
        "Only they refer to each other, most are of class `{type_name}`: they stay until Python "
        "collects garbage."
    ),
    "cause.loop-leftovers": (
        "**`{name}` still holds {held_bytes}** of the {in_use_bytes} in tensors."
    ),
    "cause.loop-leftovers.evidence": (
        "It is from the round of the loop before: a name keeps its value until it gets another, "
        "so two rounds were on the GPU at once."
    ),
    "cause.loop-leftovers.evidence_cell": (
        "It is left over from a loop in an earlier cell, and this cell does not use it."
    ),
}
# Of what is in use.
_CACHE_SHARE = _SUSPENDED_SHARE = _CYCLE_SHARE = 0.2
_GRAPH_SHARE = _OUTPUT_SHARE = _LEFTOVER_SHARE = 0.1
_PILE_SHARE = 0.15
_CACHE_SEVERAL = _GRAPH_SEVERAL = 2
_PILE_SEVERAL = 3
_OF_VALUES = ("tensor", "activations")


def growing_cache(evidence: Evidence) -> Finding | None:
    """Find a cause where a container that is a cache by name or class retains much memory."""
    growing = evidence.scene.running.growing
    caches = (
        group
        for group in evidence.groups
        if group.root
        and group.kind in ("tensor", "activations")
        and (not group.keyed or group.keys & growing)
        and group.count >= _CACHE_SEVERAL
        and evidence.share(group.bytes) >= _CACHE_SHARE
        and is_cache(group)
        and not is_replaced(evidence, group)
    )
    cache = next(caches, None)
    if cache is None:
        return None
    end, params = _of_container(evidence, cache)
    more = {"grew": True, "about": (cache,)}
    return cause(evidence, TEXTS, "growing-cache", end, params, price=TRADED, **more)


def _of_container(evidence: Evidence, held: Group) -> tuple[str, dict[str, object]]:
    """Return which sentence says how far a container has grown, and what sentences show of it."""
    bound = bound_of(evidence, held)
    most = {"most": bound.entries, "needed_bytes": bound.bytes} if bound else {}
    params = {"name": held.name, "held_bytes": held.bytes, "count": held.count, **most}
    return "evidence_bound" if bound else "evidence", params


def retained_graph(evidence: Evidence) -> Finding | None:
    """Find a cause where one container of graphs, or one graph, retains much memory."""
    group = largest_retained(evidence)
    grew = group is not None
    group = group or _of_earlier_cell(evidence)
    if group is None:
        return None
    end = ("evidence_added" if group.count > 1 else "evidence_one") if grew else "evidence_cell"
    end = "evidence" if group.graphs >= _GRAPH_SEVERAL else end
    params = {"name": group.name, "held_bytes": group.bytes, "count": group.count}
    more = {"grew": grew, "about": (group,)}
    return cause(evidence, TEXTS, "retained-graph", end, params, price=A_LINE, **more)


def largest_retained(evidence: Evidence) -> Group | None:
    """Return what holds the most memory by graphs of several rounds, if anything does."""
    running = evidence.scene.running
    for group in evidence.groups:
        piles_up = group.count >= _GRAPH_SEVERAL and group.keys & running.growing
        # Threads have variables of the same names, each with a graph of its own.
        several = group.graphs >= _GRAPH_SEVERAL and not running.at_once
        grown = several or piles_up or group.keys & running.adding
        held = group.kinds.get("activations", 0)  # of which a backward pass may have let go
        if group.keys & running.one_pass:
            continue
        if group.root and grown and evidence.share(held) >= _GRAPH_SHARE:
            return group
    return None


def _of_earlier_cell(evidence: Evidence) -> Group | None:
    """Return a result of an earlier cell that this one does not use, with the graph behind it.

    Not one that a cell may go backward through.
    """
    failure, result_names = evidence.failure, set[str]()
    used = words_in(failure.cell.source) | evidence.scene.running.previous
    for cell in failure.cells:
        tree = parse_cell(cell.source)
        if tree is None or trains(tree):
            used |= words_in(cell.source)
        else:
            result_names |= set(stored(tree))
    return next(
        (
            group
            for group in evidence.groups
            if group.origin == "names"
            and group.root == group.name
            and group.name in result_names
            and used.isdisjoint(group.variables)
            and evidence.share(group.kinds.get("activations", 0)) >= _GRAPH_SHARE
        ),
        None,
    )


def kept_tensors(evidence: Evidence) -> Finding | None:
    """Find a cause where the running code adds to a large container of tensors."""
    if is_moving(evidence):
        return None  # data that are being loaded
    running, copy_ids = evidence.scene.running, copied(evidence)
    piles = (
        group
        for group in evidence.groups
        if group.root
        and (
            (group.count >= _PILE_SEVERAL and group.keys & (running.growing | running.of_libraries))
            or group.keys & running.adding
            or of_evaluation(group)
        )
        and group.kind == "tensor"
        and group.graph_bytes < group.bytes / 2
        and evidence.share(group.bytes) >= _PILE_SHARE
        and not is_cache(group)
        and id(group) not in copy_ids
    )
    pile = next(piles, None)
    if pile is None:
        return _collecting(evidence)
    shape, dtype, alike = pile.commonest
    rule, (end, params) = "kept-tensors", _of_container(evidence, pile)
    params |= {"shape": str(list(shape)), "dtype": dtype, "alike": alike}
    if pile.count == 1:
        rule, end = "kept-tensors.one", "evidence_one"
    return cause(evidence, TEXTS, rule, end, params, price=A_LINE, grew=True, about=(pile,))


def _collecting(evidence: Evidence) -> Finding | None:
    """An expression gathers what is made in each round; that has no name before it is done."""
    size, running = evidence.collected_bytes, evidence.scene.running
    gathered = running.gathering
    if gathered is None or not size or evidence.share(size) < _PILE_SHARE:
        return None
    end = "evidence_gathered" if running.gathered_at else "evidence_collecting"
    params = {"expression": gathered.text, "held_bytes": size, "place": running.gathered_at}
    return cause(evidence, TEXTS, "kept-tensors.collecting", end, params, price=A_LINE, grew=True)


def displayed_values(evidence: Evidence) -> Finding | None:
    """Find a cause where only the output history retains much of the memory in use."""
    outs = displayed(evidence)
    if not outs:
        return None
    size, count = sum(group.bytes for group in outs), len({group.root for group in outs})
    params, kw = {"held_bytes": size, "count": count, "name": outs[0].root}, {"about": tuple(outs)}
    return cause(evidence, TEXTS, "displayed-values", "evidence", params, price=FREE, **kw)


def displayed(evidence: Evidence) -> list[Group]:
    """Return what the output history alone holds, where it is a good part of what is in use."""
    groups = [group for group in evidence.groups if group.origin == "outputs"]
    return groups if evidence.share(sum(group.bytes for group in groups)) >= _OUTPUT_SHARE else []


def suspended(evidence: Evidence) -> Finding | None:
    """Find a cause where suspended functions and Futures retain much of the memory in use."""
    groups = tuple([group for group in evidence.groups if group.suspended])
    size = sum(group.bytes for group in groups)
    via = groups[0].suspended if groups else None
    if via is None or evidence.share(size) < _SUSPENDED_SHARE:
        return None
    end = "evidence_result" if via.kind == "result" else "evidence"
    params = {"name": _names(groups), "held_bytes": size, "function": via.name}
    return cause(evidence, TEXTS, "suspended", end, params, price=A_LINE, about=groups)


def reference_cycles(evidence: Evidence) -> Finding | None:
    """Find a cause where much of the memory in use waits for garbage collection."""
    garbage = [group for group in evidence.groups if group.origin == "garbage"]
    # What an earlier error or try held has a cause of its own.
    size = sum(group.bytes for group in garbage) - evidence.earlier_bytes
    if not evidence.complete or evidence.share(size) < _CYCLE_SHARE:
        return None
    params = {"held_bytes": size, "type_name": garbage[0].type_name or "Tensor"}
    return cause(evidence, TEXTS, "reference-cycles", "evidence", params, price=FREE)


def loop_leftovers(evidence: Evidence) -> Finding | None:
    """Find a cause where names that are no longer needed retain much of the memory in use."""
    groups = leftovers(evidence)
    if not groups:
        return None
    before = groups[0].root in evidence.scene.running.previous
    end = "evidence" if before else "evidence_cell"
    params = {"name": _names(groups), "held_bytes": sum(group.bytes for group in groups)}
    return cause(evidence, TEXTS, "loop-leftovers", end, params, price=A_LINE, about=tuple(groups))


def leftovers(evidence: Evidence) -> list[Group]:
    """Return the variables whose value is from before, where they hold a good part together.

    All belong to the same function, or to the notebook, and one place lets go of them: a round of
    the loop, or what follows it.
    """
    running, failure = evidence.scene.running, evidence.failure
    sources = [run.source for run in failure.cells if run.key != failure.cell.key]
    names = {name for group in evidence.groups for name in group.variables}
    # The graph of a value that is made from itself in each round goes back through all of them.
    goes_on = any(group.graphs and group.keys & running.adding for group in evidence.groups)
    stale_names = left_behind(sources, names - words_in(failure.cell.source))
    groups = [
        group
        for group in evidence.groups
        if group.root
        and (group.root in running.previous or (group.name in stale_names and not group.function))
        and group.others <= running.previous | stale_names  # else something needs it
        and not group.keys & running.adding
        and group.kind in _OF_VALUES[: 1 if goes_on else None]
        and group.graphs < 2  # noqa: PLR2004  several graphs are a leak of their own
    ]
    groups = [group for group in groups if _place(group, running) == _place(groups[0], running)]
    size = sum(group.bytes for group in groups)
    return groups if groups and evidence.share(size) >= _LEFTOVER_SHARE else []


def _names(groups: Sequence[Group]) -> str:
    return ", ".join([group.name for group in groups[:3]])


def _place(group: Group, running: Running) -> tuple[str, bool]:
    return group.function, group.root in running.previous
