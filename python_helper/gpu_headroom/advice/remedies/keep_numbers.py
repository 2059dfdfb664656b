"""Keep a number, or the value without its graph or off the card."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ...edits.flags import trainer_flags
from ...edits.keep_numbers import detached_state, kept
from ...text.messages import message
from ..editing import edited, in_first_cell
from ..remedy import Offer
from ..rules.data_on_card import of_evaluation
from ..rules.kept_tensors import largest_kept
from ..rules.retained_graph import largest_retained

if TYPE_CHECKING:
    from ...edits.rewrite import Rewrite
    from ...holders.groups import Group
    from ...oom.evidence import Evidence

TREATS: tuple[str, ...] = ("retained-graph", "kept-tensors")
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
_MUCH = 0.2  # of what is kept are the values themselves, not their graphs


def offer(evidence: Evidence) -> Offer | None:
    """Offer it where something was found that keeps the results of many rounds."""
    graphs = largest_retained(evidence)
    values = largest_kept(evidence) if graphs is None else None
    held = graphs or values
    if held is None:
        return None
    if of_evaluation(held):
        changes = in_first_cell(
            evidence, trainer_flags("transformers", eval_accumulation_steps="1")
        )
    else:
        rewrites = _rewrites(evidence, held, of_graphs=graphs is not None)
        changes = in_first_cell(evidence, *rewrites)
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


def _rewrites(evidence: Evidence, held: Group, *, of_graphs: bool) -> list[Rewrite]:
    """Return what to try, the smallest loss first: a number, no graph, off the card."""
    if not held.plain or held.kinds.get("optimizer_state"):
        return []  # objects that cannot be moved or detached by a method of their own
    own = held.bytes - held.graph_bytes
    are_numbers = all(not shape for shape, _, _ in held.shapes)
    if not of_graphs:
        ways = [".cpu()"]
    elif own > _MUCH * held.bytes:
        ways = [".detach().cpu()", ".detach()"]
    else:
        ways = [*([".item()"] if are_numbers else []), ".detach()", ".detach().cpu()"]
    names = list(dict.fromkeys((held.name, *_inside(held))))
    rewrites = [kept(name, None, how) for how in ways for name in names]
    carried = of_graphs and held.name in evidence.scene.running.adding and not are_numbers
    if carried and not any(_SEEKS.search(each.source) for each in evidence.failure.cells):
        rewrites.append(detached_state(held.name))
    return rewrites


def _inside(held: Group) -> list[str]:
    """Return how code may write the same container: as an attribute of `self`."""
    return [f"self.{held.last_name}"] if "." in held.name else []
