"""Keep values without their graphs, or on the host."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...code.find import called, mentions
from ...code.parsing import parse_cell
from ...code.training import backwards
from ...edits.keep_numbers import kept_without_graph
from ...text.messages import message
from ..code_fix import UNCHANGED
from ..editing import edited, in_first_cell
from ..remedy import Offer
from ..rules.copies import bound_of, is_cache, of_evaluation

if TYPE_CHECKING:
    from ...holders.groups import Group
    from ...oom.evidence import Evidence
    from ..finding import Finding

TREATS: tuple[str, ...] = ("retained-graph", "kept-tensors", "growing-cache")
TEXTS = {
    "remedy.keep-numbers": "Collect values without their graphs in `{name}`",
    "remedy.keep-numbers.note": (
        "The values stay, and the graph of each step is freed: nothing can go backward through "
        "them any more."
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
    if finding is None or not finding.about:
        return None if finding is None else _of_gathered(evidence, finding)
    held = finding.about[0]
    if held.keys & evidence.scene.running.of_libraries:
        return None  # nobody edits a library
    if finding.rule != "retained-graph":
        return _on_host(held.name, held.bytes, example=_host_example(evidence, held))
    if _is_trained(evidence, held):
        return None  # what goes backward must keep its graph
    if not finding.grew:
        return _without_graph(held)
    change = UNCHANGED
    if held.plain and held.name.isidentifier():
        change = edited(evidence, in_first_cell(evidence, kept_without_graph(held.name)))
    return Offer(
        title=message("remedy.keep-numbers", TEXTS, name=held.name),
        note=message("remedy.keep-numbers.note", TEXTS),
        effect_bytes=held.bytes,
        measured=True,
        example=None if change.diffs else _example(evidence, held),
        edited=change,
    )


def _of_gathered(evidence: Evidence, finding: Finding) -> Offer | None:
    gathered = evidence.scene.running.gathering
    if gathered is None or evidence.scene.running.gathered_at:
        return None
    example = f"{gathered.name or 'values'} = {gathered.on_host}"
    name = gathered.name or gathered.text
    return _on_host(name, finding.bytes, measured=False, example=example)


def _example(evidence: Evidence, held: Group) -> str:
    if of_evaluation(held):
        return "TrainingArguments(..., eval_accumulation_steps=1)"
    if not held.keys.isdisjoint(evidence.scene.running.adding):
        return f"{held.name} = {held.name}.detach()  # in each round"
    return f"{held.name}.append(value.detach())"


def _host_example(evidence: Evidence, held: Group) -> str:
    if of_evaluation(held):
        return "TrainingArguments(..., eval_accumulation_steps=1)"
    if not held.keyed and is_cache(held):
        return f"{held.name}.append(value.cpu())\n\n{held.name}[n].cuda()  # where it is read"
    if held.keyed:
        return f"{held.name}[key] = value.cpu()\n\n{held.name}[key].cuda()  # where it is read"
    bound = bound_of(evidence, held)
    fewer = f"\n\ndeque(maxlen={held.count // 2})  # or" if bound and bound.is_own else ""
    return f"{held.name}.append(value.cpu()){fewer}"


def _on_host(name: str, size: int | None, *, measured: bool = True, example: str) -> Offer:
    return Offer(
        title=message("remedy.keep-numbers.to_host", TEXTS, name=name),
        note=message("remedy.keep-numbers.note_to_host", TEXTS),
        effect_bytes=size,
        measured=measured,
        example=example,
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
    """Return whether a sum that grows goes backward itself."""
    if held.keys.isdisjoint(evidence.scene.running.adding):
        return False
    trees = [parse_cell(run.source) for run in evidence.failure.cells]
    back = [expression for tree in trees if tree is not None for expression in backwards(tree)]
    back = [expression for expression in back if called(expression) != "grad"]
    return any(mentions(expression, {held.name}) for expression in back)
