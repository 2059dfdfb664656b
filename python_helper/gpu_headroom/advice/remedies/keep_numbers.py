"""Keep a number, or the value without its graph or off the card."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ...code.find import called, mentions
from ...code.flow import backwards
from ...code.parsing import parse_cell
from ...edits.cache import cached_on_host, last_kept, only_by_keys, only_made
from ...edits.flags import trainer_flags
from ...edits.keep_numbers import (
    detached_leaf,
    detached_state,
    entries_kept,
    goes_nowhere,
    kept,
    stay_apart,
)
from ...text.messages import message
from ..caches import is_cache
from ..editing import edited, in_first_cell
from ..remedy import Offer
from ..rules.data_on_card import of_evaluation
from ..rules.growing_cache import largest_cache
from ..rules.kept_tensors import largest_kept
from ..rules.retained_graph import largest_retained

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ...edits.rewrite import Rewrite
    from ...holders.groups import Group
    from ...oom.evidence import Evidence
    from ..code_fix import CellChange

TREATS: tuple[str, ...] = ("retained-graph", "kept-tensors", "growing-cache")
TEXTS = {
    "remedy.keep-numbers": "Collect numbers instead of graphs in `{name}`",
    "remedy.keep-numbers.note": (
        "Append `loss.item()` or `tensor.detach()`: the graph of each step is then let go."
    ),
    "remedy.keep-numbers.to_host": "Keep what `{name}` collects on the host",
    "remedy.keep-numbers.note_to_host": (
        "`.cpu()` copies each value to the host; the GPU keeps none of them. It waits for the GPU "
        "each time."
    ),
}
_SEEKS = re.compile(r"autograd\.grad\(|requires_grad")  # gradients of an input go through it


def offer(evidence: Evidence) -> Offer | None:
    """Offer it where something was found that keeps the results of many rounds."""
    graphs = largest_retained(evidence)
    if graphs is not None and _is_trained(evidence, graphs):
        return None  # what goes backward must keep its graph
    held = graphs or largest_kept(evidence) or largest_cache(evidence)
    if held is None:
        return None
    if of_evaluation(held):
        changes = in_first_cell(
            evidence, trainer_flags("transformers", eval_accumulation_steps="1")
        )
    else:
        changes = _first_that_holds(evidence, held, of_graphs=graphs is not None)
    to_host = graphs is None
    return Offer(
        id="keep-numbers",
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


def _is_trained(evidence: Evidence, held: Group) -> bool:
    """Whether a sum that grows goes backward itself."""
    if not evidence.scene.running.adds_to(held.name):
        return False
    trees = [parse_cell(each.source) for each in evidence.failure.cells]
    back = [each for tree in trees if tree is not None for each in backwards(tree)]
    back = [each for each in back if called(each) != "grad"]
    return any(mentions(each, {held.name}) for each in back)


def _first_that_holds(
    evidence: Evidence, held: Group, *, of_graphs: bool
) -> tuple[CellChange, ...] | None:
    """Return the first change that holds in its cell and in all others."""
    names = list(dict.fromkeys((held.name, *_inside(held))))
    for rewrite, holds in _rewrites(evidence, held, names, of_graphs=of_graphs):
        changes = in_first_cell(evidence, rewrite)
        if changes is None:
            continue
        changed = changes[0].cell.key
        others = [each.source for each in evidence.failure.cells if each.key != changed]
        if holds is None or holds(others, *names):
            return changes
    return None


def _rewrites(
    evidence: Evidence, held: Group, names: list[str], *, of_graphs: bool
) -> Iterator[tuple[Rewrite, Callable[..., bool] | None]]:
    """Yield what to try, the smallest loss first: a number, no graph, off the card.

    Each with what has to be so of all other cells.
    """
    if of_graphs and not held.plain:
        yield from [(entries_kept(name), None) for name in names]
    if not held.plain or held.kinds.get("optimizer_state"):
        return  # objects that cannot be moved or detached by a method of their own
    are_numbers = all(not shape for shape, _, _ in held.shapes)
    one = sum(held.shapes.values()) <= held.count
    ways = _ways(are_numbers=are_numbers) if of_graphs else [".cpu()"] * (not is_cache(held))
    if not held.keyed:
        yield from [(last_kept(name), only_made) for name in names]
    beside = [each.name for each in evidence.groups if each.kind == "tensor" and each.plain]
    for how in ways:
        for name in names:
            yield kept(name, None, how, beside, one=one), stay_apart if "cpu" in how else None
    carried = of_graphs and evidence.scene.running.adds_to(held.name) and not are_numbers
    if carried and not any(_SEEKS.search(each.source) for each in evidence.failure.cells):
        yield detached_state(held.name), None
    elif carried and goes_nowhere([each.source for each in evidence.failure.cells], held.name):
        yield detached_leaf(held.name), None
    if not of_graphs and one and not evidence.device_index:
        for name in names:
            yield cached_on_host(name), only_by_keys


def _ways(*, are_numbers: bool) -> list[str]:
    """Return how values with graphs can be kept: how many are to come nobody knows."""
    return [".item()", ".detach()"] if are_numbers else [".detach().cpu()", ".detach()"]


def _inside(held: Group) -> list[str]:
    """Return how code may write the same container: as an attribute of `self`."""
    return [f"self.{held.last_name}"] if "." in held.name else []
