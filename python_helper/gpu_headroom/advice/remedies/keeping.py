"""Remedies for what is kept on the GPU and need not be there, or not with its graph."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ...code.find import called, mentions
from ...code.parsing import parse_cell
from ...code.training import backwards
from ..program import has, sources, torch_name
from ..remedy import Shown, suggestion
from ..rules.copies import bound_of, is_cache, moved_whole, of_evaluation

if TYPE_CHECKING:
    from ...holders.groups import Group
    from ...oom.evidence import Evidence
    from ..finding import Finding


_EVALUATION = "TrainingArguments(..., eval_accumulation_steps=1)"


@suggestion(
    "keep-numbers",
    "retained-graph",
    title="Collect values without their graphs in `{name}`",
    note=(
        "The values stay, and the graph of each step is freed: no backward pass can go through "
        "them."
    ),
    one="Keep `{name}` without its graph",
    note_one="The value stays, but no backward pass can go through it.",
)
def _keep_numbers(evidence: Evidence, finding: Finding) -> Shown | None:
    running, held = evidence.scene.running, finding.about[0]
    if held.keys & running.of_libraries or _is_trained(evidence, held):
        return None  # a library is not edited, and what goes backward must keep its graph
    if not finding.grew:  # one tensor that an earlier cell has computed
        is_one = held.count == 1 and held.plain and len(held.variables) <= 1
        code = f"{held.name} = {held.name}.detach()"
        result = Shown({"name": held.name}, held.graph_bytes, measured=True, type_this=code)
        return result._replace(title="one", note="note_one", kind="snippet") if is_one else None
    example = f"{held.name}.append(value.detach())"
    if of_evaluation(held):
        example = _EVALUATION
    elif not held.keys.isdisjoint(running.adding):
        example = f"{held.name} = {held.name}.detach()  # in each round"
    return Shown({"name": held.name}, held.bytes, measured=True, example=example)


@suggestion(
    "to-host",
    "kept-tensors",
    "growing-cache",
    title="Keep what `{name}` collects on the host",
    note=(
        "`.cpu()` copies each value to the host; the GPU keeps none of them. It waits for the GPU "
        "each time."
    ),
)
def _to_host(evidence: Evidence, finding: Finding) -> Shown | None:
    running, held = evidence.scene.running, next(iter(finding.about), None)
    gathered = running.gathering
    if held is not None and not held.keys & running.of_libraries:
        name, example = held.name, _host_example(evidence, held)
    elif held is None and gathered is not None and not running.gathered_at:
        name = gathered.name or gathered.text
        example = f"{gathered.name or 'values'} = {gathered.on_host}"
    else:
        return None
    return Shown({"name": name}, finding.bytes, measured=held is not None, example=example)


def _host_example(evidence: Evidence, held: Group) -> str:
    name, bound = held.name, bound_of(evidence, held)
    if of_evaluation(held):
        return _EVALUATION
    if not held.keyed and is_cache(held):
        return f"{name}.append(value.cpu())\n\n{name}[n].cuda()  # where it is read"
    if held.keyed:
        return f"{name}[key] = value.cpu()\n\n{name}[key].cuda()  # where it is read"
    fewer = f"\n\ndeque(maxlen={held.count // 2})  # or" if bound and bound.is_own else ""
    return f"{name}.append(value.cpu()){fewer}"


def _is_trained(evidence: Evidence, held: Group) -> bool:
    """Return whether a sum that grows goes backward itself."""
    if held.keys.isdisjoint(evidence.scene.running.adding):
        return False
    trees = [parse_cell(source) for source in sources(evidence)]
    back = [expression for tree in trees if tree is not None for expression in backwards(tree)]
    return any(mentions(node, {held.name}) for node in back if called(node) != "grad")


@suggestion(
    "map-location",
    "kept-copies",
    title="Keep the copy in `{name}` on the host",
    note='`map_location="cpu"` when it is loaded, `.cpu()` when it is made.',
)
def _map_location(evidence: Evidence, finding: Finding) -> Shown | None:
    if finding.is_remade or finding.is_left:
        return None
    name, torch = finding.about[0].name, torch_name(evidence) or "torch"
    size = sum(group.bytes for group in finding.about)
    example = f"{name} = {{k: v.cpu() for k, v in model.state_dict().items()}}"
    if any(f"{name} = {torch}.load(" in source for source in sources(evidence)):
        example = f'{name} = {torch}.load(..., map_location="cpu")'
    return Shown({"name": name}, size, measured=True, example=example)


@suggestion(
    "backward-each",
    "retained-graph",
    title="Go backward with each part of `{name}` as it is made",
    note="The graph of a part is freed before the next is made, where they share none.",
)
def _backward_each(evidence: Evidence, finding: Finding) -> Shown | None:
    held = finding.about[0] if finding.about else None
    if held is None or held.keys.isdisjoint(evidence.scene.running.adding):
        return None
    name = held.name
    if not has(evidence, rf"\b{re.escape(name)}\b.*\.backward\(|\.backward\({re.escape(name)}\b"):
        return None
    example = f"part = ...  # in place of {name} += ...\npart.backward()\n{name} += part.detach()"
    return Shown({"name": name}, held.bytes, measured=True, example=example)


@suggestion(
    "keep-on-host",
    "data-on-gpu",
    "huge-request",
    "kept-tensors",
    title="`{option}` keeps `{name}` on the host",
    note="A part at a time is then on the GPU. Moving takes time.",
    replaces=("move-per-batch", "split-request", "one-result-at-a-time"),
)
def _keep_on_host(evidence: Evidence, finding: Finding) -> Shown | None:
    call, operation = evidence.scene.call, evidence.scene.operation
    copied = (
        [operand.name for operand in operation.operands] if operation and operation.copied else []
    )
    held = [name for group in finding.about for name in group.variables[-1:]] or copied
    if call is None or not call.option or call.streams or not held:
        return None
    name, _, value = call.option.partition("=")
    example = re.sub(rf"\b{name}=(?!{value}\b)\w+", call.option, call.text)
    if call.option not in example:
        example = f"{example.removesuffix(')')}, {call.option})".replace("(, ", "(")
    return Shown({"option": call.option, "name": held[0]}, finding.bytes, example=example)


@suggestion(
    "move-per-batch",
    "data-on-gpu",
    title="Keep the data on the host and move each batch",
    note="Moving takes time: `pin_memory=True` and `non_blocking=True` hide most of it.",
)
def _move_per_batch(evidence: Evidence, finding: Finding) -> Shown | None:
    names, call = [group.name for group in finding.about], evidence.scene.call
    size = sum(group.bytes for group in finding.about) or evidence.temporary_bytes
    name, operand = names[0] if names else "data", moved_whole(evidence)
    example = f"{name} = {name}.cpu()\n\nbatch = {name}[i : i + n].to(device)  # in the loop"
    if call is not None and operand is not None and finding.about and finding.about[0].function:
        longest = operand.shape.index(max(operand.shape))
        text = re.sub(rf"\b{operand.name}\b", "part", call.text)
        example = f"for part in {operand.name}.split(n, dim={longest}):\n    result = {text}"
    return Shown(bytes=size or None, measured=bool(names), example=example)


@suggestion(
    "one-result-at-a-time",
    "kept-tensors",
    title="Take one result at a time",
    note="What is kept of a result can be on the host: `.cpu()`.",
)
def _one_result_at_a_time(evidence: Evidence, finding: Finding) -> Shown | None:
    running, call = evidence.scene.running, evidence.scene.call
    fills = any(group.keys & running.of_libraries for group in finding.about)
    if not fills and (finding.about or not running.gathered_at):
        return None
    example = None
    listed = (
        next((operand.name for operand in call.operands if operand.dtype == "list"), "")
        if call
        else ""
    )
    if call is not None and call.streams and call.text.endswith(")"):
        example = f"for result in {call.text[:-1]}, {call.option}):\n    ..."
    elif call is not None and listed:
        text = re.sub(rf"\b{listed}\b", "[each]", call.text, count=1)
        example = f"for each in {listed}:\n    result = {text}"
    return Shown(bytes=finding.bytes, example=example)
