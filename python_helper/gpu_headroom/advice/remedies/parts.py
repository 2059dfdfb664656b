"""Remedies that compute with less at once: parts of the input, shorter or smaller input."""

from __future__ import annotations

import re
from textwrap import indent
from typing import TYPE_CHECKING

from ...frameworks.imported import imported
from ...oom.fitting import estimated
from ..program import has, torch_name
from ..remedy import Shown, suggestion
from ..rules.running import scaling_bytes

if TYPE_CHECKING:
    from ...oom.evidence import Evidence
    from ...oom.operation import FailedOperation, Operand
    from ..finding import Finding


_ROOM = 0.2  # of the headroom: what comes before and behind takes as much
_MOST_HALVED = 8
_ALL_PAIRS = 2
_MANY_EDGES = 1000


def _column_and_row(operation: FailedOperation | None) -> tuple[Operand, Operand] | None:
    if operation is None or operation.shape is None or len(operation.operands) != _ALL_PAIRS:
        return None
    row, column = sorted(operation.operands, key=lambda operand: len(operand.shape))
    size = row.shape[-1] if row.shape else 0
    is_pair = (row.shape, column.shape, operation.shape) == ((size,), (size, 1), (size, size))
    return (column, row) if is_pair else None


@suggestion(
    "no-grad",
    "evaluation-with-gradients",
    title="Run it under `{torch}.no_grad()`",
    note="Nothing can be trained through its results any more.",
)
def _no_grad(evidence: Evidence, finding: Finding) -> Shown | None:
    scene, torch = evidence.scene, torch_name(evidence)
    if finding.model is None or scene.inputs_require_grad:
        return None
    size, parts = without_graphs(evidence, finding)
    inside = (parts and parts.example) or "..."
    example = f"with {torch or 'torch'}.no_grad():\n{indent(inside, '    ')}"
    return Shown({"torch": torch or "torch"}, size, example=example)


def without_graphs(evidence: Evidence, finding: Finding) -> tuple[int, Shown | None]:
    """Return the bytes that only graphs retain, and a call in parts if other bytes are more.

    Operands of the running operation stay in use; they are about as large as its result.
    """
    operation, kinds = evidence.scene.operation, evidence.kinds
    graphs = evidence.pass_bytes if evidence.scene.running.trains else kinds.get("activations", 0)
    reads = {operand.bytes for operand in operation.operands} if operation else set()
    stays = max(evidence.requested_bytes or 0, sum(reads))
    parts = _call_in_parts.when(evidence, finding) if stays > graphs / 2 else None
    return max(0, graphs - stays), parts


@suggestion(
    "one-at-a-time",
    "several-tasks",
    title="Run the tasks one after the other",
    note="It may take longer; where there is room for two, let two run.",
)
def _one_at_a_time(evidence: Evidence, _: Finding) -> Shown | None:
    running = evidence.scene.running
    if not running.at_once:
        return None
    function = next((name for name in running.own if not name.startswith("<")), "task")
    example = f"results = [await {function}(each) for each in inputs]"
    if has(evidence, r"ThreadPoolExecutor"):
        example = "ThreadPoolExecutor(max_workers=1)"
    return Shown(example=example)


@suggestion(
    "same-shape",
    "huge-request",
    title="`{column}` in the shape of `{row}`: `{column}.squeeze(-1)`",
    note="All pairs of {rows} rows are probably not meant. This pairs each row with its own value.",
)
def _same_shape(evidence: Evidence, _: Finding) -> Shown | None:
    pair = _column_and_row(evidence.scene.operation)
    if pair is None:
        return None
    column, row = pair
    return Shown(
        {"column": column.name, "row": row.name, "rows": row.shape[0]},
        evidence.requested_bytes,
        example=f"{column.name}.squeeze(-1)",
    )


@suggestion(
    "smaller-input",
    "activations",
    "huge-request",
    title="`{name} = {old}` → `{new}` (line {line})",
    note="Longer inputs are truncated. Layers of a fixed size and targets may have to change, too.",
    note_image="Details are lost. Layers of a fixed size and targets may have to change, too.",
    rank=2,
    alone=True,
)
def _smaller_input(evidence: Evidence, _: Finding) -> Shown | None:
    size = evidence.input_size
    if size is None:
        return None
    power = 2 if size.role == "image" else 1
    value = estimated(evidence, size.value, evidence.input_bytes, power=power)
    if value is None or value < size.value // _MOST_HALVED:
        return None
    return Shown(
        {"name": size.name, "old": size.value, "new": value, "line": size.line},
        evidence.peak.saved_bytes(evidence.input_bytes, (value / size.value) ** power),
        note="note_image" if size.role == "image" else "note",
    )


@suggestion(
    "split-request",
    "huge-request",
    "unnamed-values",
    title="Make the tensor in pieces",
    note="Work through the input in chunks, or keep the large tensor on the CPU.",
    parts="In parts: {rows} of {all_rows} rows at a time",
    note_parts="Keep sums or the largest of each: all parts joined are as large again.",
)
def _split_request(evidence: Evidence, _: Finding) -> Shown | None:
    operation, requested = evidence.scene.operation, evidence.requested_bytes
    has_batch = evidence.batch is not None and operation is not None
    if operation is None or (has_batch and (operation.copied or not operation.is_own)):
        return None if operation is not None else Shown()  # its parts are smaller batches
    headroom = evidence.memory.headroom_bytes
    fits = _ROOM * headroom / requested if requested and headroom else 0.0
    first = next((operand for operand in operation.operands if operand.shape), None)
    shape = first.shape if first is not None else operation.shape or ()
    # Of a batch of matrices one alone may be too large: then its rows.
    sizes = [(size, n) for n, size in enumerate(shape[:2]) if 0 < int(size * fits) < size]
    if not sizes or requested is None:
        return Shown()
    size, dimension = sizes[0]
    rows = 1 << int(size * fits).bit_length() - 1
    if first is None:
        example = f"for start in range(0, {size}, {rows}):\n    ...  # {rows} rows of it"
    else:
        text = re.sub(rf"\b{first.name}\b", "part", operation.text, count=1)
        split = f"{first.name}.split({rows}{f', dim={dimension}' if dimension else ''})"
        example = f"for part in {split}:\n    result = {text}"
    saved = int(requested * (1 - rows / size))
    shown = Shown({"rows": rows, "all_rows": size}, saved, title="parts", note="note_parts")
    return shown._replace(example=example if operation.is_own else None)  # no library is edited


def _edges(evidence: Evidence) -> int:
    """Return how many edges a graph on the GPU has, as a tensor of [2, edges]; 0: there is none."""
    shapes = [
        shape for group in evidence.groups for shape, dtype, _ in group.shapes if "int" in dtype
    ]
    edges = [shape[1] for shape in shapes if len(shape) == _ALL_PAIRS == shape[0]]
    return max([edge for edge in edges if edge >= _MANY_EDGES], default=0)


@suggestion(
    "sample-neighbors",
    "activations",
    title="Train on some nodes and samples of their neighbors at a time",
    note="The whole graph, of {edges} edges, goes through the model at once: it is the batch.",
)
def _sample_neighbors(evidence: Evidence, _: Finding) -> Shown | None:
    edges = _edges(evidence)
    example = (
        "from torch_geometric.loader import NeighborLoader\n\n"
        "loader = NeighborLoader(data, num_neighbors=[10, 10], batch_size=1024)"
    )
    return Shown({"edges": edges}, example=example) if edges and not evidence.batch else None


@suggestion(
    "call-in-parts",
    "activations",
    "data-on-gpu",
    title="`{call}` in parts of {rows}",
    note="All of `{name}`, {shape}, goes through at once; what a part makes is freed.",
    note_backward="Each part goes backward before the next: gradients add up, its graph is freed.",
    rounds="Fewer than {rounds} steps before the backward pass",
    note_rounds="Their graphs are there until it runs, unless they are of first order.",
)
def _call_in_parts(evidence: Evidence, _: Finding) -> Shown | None:
    scene, call, at_once = evidence.scene, evidence.scene.call, evidence.at_once
    given = (
        next((operand for operand in call.operands if operand.shape[:1] > (1,)), None)
        if call
        else None
    )
    if call is None or given is None or evidence.batch is not None or _edges(evidence):
        return None
    if scene.running.rounds is not None and scene.running.rounds_done is not None:
        return Shown({"rounds": scene.running.rounds[1]}, title="rounds", note="note_rounds")
    name, count = given.name, given.shape[0]
    scaling = scaling_bytes(evidence)
    rows = estimated(evidence, count, scaling)
    if rows is None or f"{name}[" in call.text or (at_once and at_once.attribute):
        return None
    saved = evidence.peak.saved_bytes(scaling, rows / count)
    if saved < (evidence.missing_bytes or 0):
        return None
    goes_back = scene.running.trains or scene.inputs_require_grad
    follows = "and all up to the backward pass of its part" if goes_back else "keep it on the host"
    alike = "|".join(operand.name for operand in call.operands if operand.shape[:1] == (count,))
    text = re.sub(rf"\b({alike})\b", rf"\1[n : n + {rows}]", call.text)
    return Shown(
        {"call": call.text, "rows": rows, "name": name, "shape": str(list(given.shape))},
        saved,
        example=f"for n in range(0, {count}, {rows}):\n    result = {text}  # {follows}",
        note="note_backward" if goes_back else "note",
    )


@suggestion(
    "shorter-batch",
    "activations",
    "huge-request",
    title="Truncate the longest samples, or sort by length",
    note="The longest sample sets the length: {now} here, {before} in the round before.",
)
def _shorter_batch(evidence: Evidence, _: Finding) -> Shown | None:
    if evidence.longer is None or not evidence.scene.running.loops:
        return None
    now, before = evidence.longer[:2]
    limit = max(before, now // 2)
    example = f"sample = sample[:{limit}]  # where it is loaded"
    if imported("transformers") is not None:
        example = f"tokenizer(..., truncation=True, max_length={limit})"
    saved = int(evidence.kinds.get("activations", 0) * (1 - limit / now))
    return Shown({"now": now, "before": before}, saved, example=example)
