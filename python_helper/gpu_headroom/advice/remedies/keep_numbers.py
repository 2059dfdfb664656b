"""Keep a number, or the value without its graph or off the card."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...code.find import called, mentions
from ...code.flow import backwards
from ...code.parsing import parse_cell
from ...edits.cache import cached_on_host, last_kept
from ...edits.flags import trainer_flags
from ...edits.keep_numbers import detached_leaf, detached_state, entries_kept, kept
from ...text.messages import message
from ..caches import is_cache, of_evaluation
from ..editing import edited, in_first_cell
from ..remedy import Offer

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ...edits.rewrite import Rewrite
    from ...holders.groups import Group
    from ...oom.evidence import Evidence
    from ..code_fix import CellChange
    from ..finding import Finding

TREATS: tuple[str, ...] = ("retained-graph", "kept-tensors", "growing-cache")
TEXTS = {
    "remedy.keep-numbers": "Collect values without their graphs in `{name}`",
    "remedy.keep-numbers.note": (
        "Append `loss.detach()`: its value stays, and the graph of each step is let go."
    ),
    "remedy.keep-numbers.one": "Keep `{name}` without its graph",
    "remedy.keep-numbers.note_one": (
        "The value stays; no backward pass can go through it any more."
    ),
    "remedy.keep-numbers.to_host": "Keep what `{name}` collects on the host",
    "remedy.keep-numbers.note_to_host": (
        "`.cpu()` copies each value to the host; the GPU keeps none of them. It waits for the GPU "
        "each time."
    ),
}


def offer(evidence: Evidence, finding: Finding | None) -> Offer | None:
    """Offer it where something was found that keeps the results of many rounds."""
    if finding is None:
        return None
    if not finding.about:
        return _collected(evidence, finding)
    held, of_graphs = finding.about[0], finding.rule == "retained-graph"
    if of_graphs and _is_trained(evidence, held):
        return None  # what goes backward must keep its graph
    if of_evaluation(held):
        changes = in_first_cell(
            evidence, trainer_flags("transformers", eval_accumulation_steps="1")
        )
    else:
        changes = _first_that_holds(evidence, held, of_graphs=of_graphs)
    if of_graphs and not finding.grew and changes is None:
        return _without_graph(held)
    to_host = not of_graphs
    return Offer(
        title=message(
            "remedy.keep-numbers.to_host" if to_host else "remedy.keep-numbers",
            TEXTS,
            name=held.name,
        ),
        note=message(
            "remedy.keep-numbers.note_to_host" if to_host else "remedy.keep-numbers.note", TEXTS
        ),
        effect_bytes=held.bytes,
        measured=True,
        edited=edited(evidence, changes, empties=held.root if held.origin == "names" else ""),
    )


def _collected(evidence: Evidence, finding: Finding) -> Offer | None:
    """Say it of a comprehension, whose values have no name yet."""
    name = evidence.scene.running.collecting
    if not name:
        return None
    return Offer(
        title=message("remedy.keep-numbers.to_host", TEXTS, name=name),
        note=message("remedy.keep-numbers.note_to_host", TEXTS),
        effect_bytes=finding.bytes,
    )


def _without_graph(held: Group) -> Offer | None:
    """Offer the line for one tensor that an earlier cell has computed."""
    if held.count != 1 or not held.plain or len(held.variables) > 1:
        return None
    return Offer(
        title=message("remedy.keep-numbers.one", TEXTS, name=held.name),
        note=message("remedy.keep-numbers.note_one", TEXTS),
        effect_bytes=held.graph_bytes,
        measured=True,
        kind="snippet",
        type_this=f"{held.name} = {held.name}.detach()",
    )


def _is_trained(evidence: Evidence, held: Group) -> bool:
    """Whether a sum that grows goes backward itself."""
    if held.keys.isdisjoint(evidence.scene.running.adding):
        return False
    trees = [parse_cell(run.source) for run in evidence.failure.cells]
    back = [expression for tree in trees if tree is not None for expression in backwards(tree)]
    back = [expression for expression in back if called(expression) != "grad"]
    return any(mentions(expression, {held.name}) for expression in back)


def _first_that_holds(
    evidence: Evidence, held: Group, *, of_graphs: bool
) -> tuple[CellChange, ...] | None:
    """Return the first change that is proven, else the first that there is."""
    first = None
    for rewrite in _rewrites(evidence, held, of_graphs=of_graphs):
        changes = in_first_cell(evidence, rewrite)
        if changes is None:
            continue
        (change,) = changes
        if change.objection(evidence.gate, change.cell.source) is None:
            return changes
        first = first or changes
    return first


def _rewrites(evidence: Evidence, held: Group, *, of_graphs: bool) -> Iterator[Rewrite]:
    names = list(dict.fromkeys((held.name, *_inside(held))))
    if held.plain and held.kinds.get("optimizer_state"):
        return
    yield from ways(
        names,
        of_graphs=of_graphs,
        are_numbers=all(not shape for shape, _, _ in held.shapes),
        plain=held.plain,
        one=sum(held.shapes.values()) <= held.count,
        keyed=held.keyed,
        is_cache=is_cache(held),
        grows=not held.keys.isdisjoint(evidence.scene.running.adding),
        first_card=not evidence.device_index,
        beside=[group.name for group in evidence.groups if group.kind == "tensor" and group.plain],
    )


def ways(  # noqa: PLR0913  all that can be said of what is kept
    names: Sequence[str],
    *,
    of_graphs: bool,
    are_numbers: bool = False,
    plain: bool = True,
    one: bool = True,
    keyed: bool = False,
    is_cache: bool = False,
    grows: bool = False,
    first_card: bool = True,
    beside: Sequence[str] = (),
) -> Iterator[Rewrite]:
    """Yield what to try, the smallest loss first: no graph, then off the card.

    `names` is how code may write where it is kept. `are_numbers`: each value is a single number,
    which is as well on the card.
    """
    if of_graphs and not plain:
        yield from map(entries_kept, names)
    if not plain:
        return  # objects that cannot be moved or detached by a method of their own
    if not keyed:
        yield from map(last_kept, names)
    if of_graphs:
        for how in (".detach()",) if are_numbers else (".detach().cpu()", ".detach()"):
            yield from [kept(name, how, one=one) for name in names]
        if grows and not are_numbers:
            yield from map(detached_leaf, names[:1])
            yield from map(detached_state, names[:1])
        return
    for name in names if not is_cache else ():
        others = [each for each in beside if each != name]
        for together in ((), *[(each,) for each in others], others if len(others) > 1 else ()):
            yield kept(name, ".cpu()", *together, one=one)
    if one and first_card:
        yield from map(cached_on_host, names)


def _inside(held: Group) -> list[str]:
    """Return how code may write the same container: as an attribute of `self`."""
    return [f"self.{held.last_name}"] if "." in held.name else []
