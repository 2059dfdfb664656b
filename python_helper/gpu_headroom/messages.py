"""The catalogue: every sentence a person may read, by id, as an English template.

JupyterLab translates by `id` and `params` from its own copy in `src/messages.ts`; static
forms show `text`. In a template a placeholder ending in `_bytes` stands for a size, `code`
in backticks and **strong** in double asterisks are the only markup.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from .format import format_bytes

if TYPE_CHECKING:
    from .wire import Message

    Param = str | float | bool | None

CATALOGUE = {
    # The card: words of its layout.
    "card.title": "Out of GPU memory",
    "card.title_simulated": "Out of simulated GPU memory",
    "card.needed": "needed {requested} more, {available} was available",
    "card.needed_only": "needed {requested} more, what was available is not known",
    "card.size_unknown": "the size of the request is not known",
    "card.device": "GPU {index}, {name}, {capacity}",
    "card.simulated": "Simulated GPU: the numbers come from a model of PyTorch's allocator.",
    "card.place": "In [{execution_count}], line {line}.",
    "card.moment": "At the moment of failure",
    "card.cause": "Most likely cause",
    "card.no_cause": "No single cause stands out.",
    "card.traceback": (
        "The traceback of this error still keeps {traceback_bytes} in use: {variables}."
    ),
    "card.traceback_unnamed": "The traceback of this error still keeps {traceback_bytes} in use.",
    "card.remedies": "What you can do",
    "card.details": "Details",
    "card.source": "Source",
    "card.not_measured": "not measured",
    "card.type_this": "Run `{code}` in a new cell.",
    "card.recorded": "Recorded by GPU Headroom on {date} UTC. Numbers are from that run.",
    "card.stub": (
        "Out of GPU memory. The details are not kept in this notebook: "
        "they are shown while the kernel that made them lives."
    ),
    "card.incomplete": (
        "GPU Headroom's second part has not arrived in this kernel, so this is all it can say."
    ),
    # The card: parts of the bar.
    "part.outside": "outside",
    "part.parameters": "parameters",
    "part.optimizer_state": "optimizer state",
    "part.gradients": "gradients",
    "part.activations": "activations",
    "part.other_tensors": "other tensors",
    "part.not_attributed": "not attributed",
    "part.cached": "cached",
    "part.free": "free",
    # The card: how good a number is.
    "effect.measured": "{effect} measured",
    "effect.estimated": "about {effect} estimated",
    "effect.not_measured": "not measured",
    # The card: rows under Details.
    "detail.requested": "Requested",
    "detail.free": "Free on the device",
    "detail.in_use": "In use by tensors",
    "detail.reserved": "Reserved by the framework",
    "detail.largest_block": "Largest free block in the cache",
    "detail.outside": "Outside this kernel's frameworks",
    "detail.capacity": "Capacity",
    "detail.allowed": "Allowed by the memory fraction",
    "detail.traceback": "Kept by the traceback only",
    "detail.not_attributed": "Not attributed",
    # Causes: claim, then evidence.
    "cause.earlier-traceback": (
        "**The traceback of an earlier error held {held_bytes}** of the {in_use_bytes} in tensors."
    ),
    "cause.earlier-traceback.evidence": (
        "A cell failed before this one, and its variables were still alive. "
        "The request for {requested_bytes} would have fitted without them."
    ),
    "cause.other-programs": (
        "**Other programs: {outside_bytes} of the card's {capacity_bytes}** are not this kernel's."
    ),
    "cause.other-programs.evidence": (
        "This kernel's tensors take {in_use_bytes}. The request for {requested_bytes} "
        "would have fitted on a card that is otherwise empty."
    ),
    "cause.huge-request": "**One request of {requested_bytes}** on a card of {capacity_bytes}.",
    "cause.huge-request.evidence": (
        "It is larger than the whole card: freeing memory cannot help. "
        "Look at the shapes on line {line}."
    ),
    "cause.huge-request.evidence_unplaced": (
        "It is larger than the whole card: freeing memory cannot help. "
        "Look at the shapes of what the failing line makes."
    ),
    "cause.huge-request.evidence_fits_empty": (
        "It is larger than everything in use together ({in_use_bytes}). "
        "A single tensor fills most of the card: look at its shape."
    ),
    "cause.fragmentation": (
        "**Fragmentation: {unused_bytes} are reserved but scattered**, "
        "the largest free piece is {largest_bytes}."
    ),
    "cause.fragmentation.unmeasured": (
        "**Fragmentation: {unused_bytes} are reserved but scattered.**"
    ),
    "cause.fragmentation.evidence": (
        "The request for {requested_bytes} would fit into the {unused_bytes} of cache and the "
        "{free_bytes} free on the card if they were in one piece."
    ),
    "cause.model-too-large": (
        "**Model and optimizer: {model_bytes} of the {in_use_bytes} in tensors.**"
    ),
    "cause.model-too-large.evidence": (
        "Parameters {parameters_bytes}, gradients {gradients_bytes}, "
        "optimizer state {optimizer_bytes}. They do not shrink with the batch."
    ),
    "cause.evaluation-with-gradients": (
        "**A graph kept in evaluation: {activations_bytes} of the {in_use_bytes} in tensors.**"
    ),
    "cause.evaluation-with-gradients.evidence": (
        "`{model}` is in evaluation mode, yet its activations are kept for a backward pass."
    ),
    "cause.retained-graph": (
        "**`{name}` keeps {held_bytes} of activations** of the {in_use_bytes} in tensors."
    ),
    "cause.retained-graph.evidence": (
        "It collects {count} tensors with their graphs, so each step's activations stay alive."
    ),
    "cause.activations": "**Activations: {activations_bytes} of the {in_use_bytes} in tensors.**",
    "cause.activations.evidence": (
        "They are what the forward pass keeps for the backward pass; "
        "they grow with the batch and with the length of the input."
    ),
    "cause.activations.evidence_batch": (
        "They are what the forward pass keeps for the backward pass; "
        "they grow with `{name}` ({value})."
    ),
    # Remedies: title, then the line of its cost.
    "remedy.free-traceback": "Free {traceback_bytes} held by this error's traceback",
    "remedy.free-traceback.note": (
        "The traceback keeps the failed cell's variables alive. You lose `%debug` for this error."
    ),
    "remedy.free-traceback.note_not_enough": (
        "The traceback keeps the failed cell's variables alive. You lose `%debug` for this error. "
        "Freeing alone will not make this cell fit."
    ),
    "remedy.smaller-batch": "`{name} = {old}` → `{new}` (line {line})",
    "remedy.smaller-batch.elsewhere": (
        "`{name} = {old}` → `{new}` (line {line} of In [{execution_count}])"
    ),
    "remedy.smaller-batch.note": (
        "Activations scale with the batch. Training changes slightly: check the learning rate."
    ),
    "remedy.smaller-batch.note_unsure": (
        "Activations scale with the batch, but even so it may not fit. "
        "Training changes slightly: check the learning rate."
    ),
    "remedy.no-grad": "Run the evaluation under `torch.no_grad()`",
    "remedy.no-grad.note": "Activations are then not kept. Gradients cannot be had from it.",
    "remedy.detach": "Collect numbers instead of graphs in `{name}`",
    "remedy.detach.note": (
        "Append `loss.item()` or `tensor.detach()`: the graph of each step is then let go."
    ),
    "remedy.expandable-segments": "Let the allocator grow its segments",
    "remedy.expandable-segments.note": (
        "Set it before the first GPU tensor: the kernel must be restarted."
    ),
    "remedy.close-other-programs": "Free the GPU from other programs",
    "remedy.close-other-programs.note": (
        "Shut down other notebooks' kernels on this GPU; `nvidia-smi` lists all programs."
    ),
    "remedy.lighter-optimizer": "An optimizer with less state",
    "remedy.lighter-optimizer.note": (
        "The state takes {optimizer_bytes}. `SGD` without momentum keeps none, "
        "8-bit optimizers about a quarter. Training changes."
    ),
    "remedy.split-request": "Make the tensor in pieces",
    "remedy.split-request.note": (
        "Work through the input in chunks, or keep the large tensor on the CPU."
    ),
    # Answers to a fix request.
    "fix.ok": "`{name} = {old}` becomes `{new}`.",
    "fix.changed": "The cell was edited after it failed; line {line} no longer matches.",
    "fix.missing": "The cell with line {line} is no longer in the notebook.",
    "fix.unknown": "This kernel no longer knows the card that this button belongs to.",
    # Items of a plan: title, then what one loses.
    "item.traceback": "Tracebacks of failed cells",
    "item.traceback.cost": "You lose `%debug` for these errors.",
    "item.traceback.cost_debugging": "The debugger is open: leave it with `q` first.",
    "item.outputs": "Displayed values that no name holds",
    "item.outputs.cost": (
        "The outputs stay on screen; `Out[n]` and `_` no longer give these values."
    ),
    "item.garbage": "Objects that nothing reaches",
    "item.garbage.cost": "Nothing is lost.",
    "item.cache": "Unused cache of PyTorch",
    "item.cache.cost": (
        "For other programs. Adds no headroom here: this kernel can already reuse it."
    ),
    "plan.ready": "About {expected_bytes} can be freed without deleting a variable you named.",
    "plan.nothing": "Nothing can be freed without deleting a variable you named.",
    # What a release did.
    "released.done": "Freed {freed_bytes}: headroom is now {headroom_bytes}.",
    "released.done_no_headroom": "Freed {freed_bytes}.",
    "released.cache_only": (
        "Nothing was in the way; {returned_bytes} of unused cache went back to the card."
    ),
    "released.nothing": "Nothing was freed.",
    "released.nothing_held": (
        "Nothing was freed: {in_use_bytes} are held by names of yours, most by `{name}`."
    ),
    "released.not_measured": "Released, but not measured: no GPU framework is live.",
    "released.debugging": "Nothing was freed: the debugger is open. Leave it with `q` first.",
    "released.failed": "The release stopped early: {error}.",
    "released.cancelled": "The release was cancelled.",
    # Requests that cannot be answered, and failures of the helper itself.
    "refused.malformed": "The request cannot be read: `{key}` is missing or has a wrong type.",
    "refused.unknown": "The helper in this kernel does not know the request `{name}`.",
    "refused.protocol": (
        "The helper in this kernel speaks protocol {helper}, this page speaks {page}: "
        "restart the kernel to use the page's."
    ),
    "refused.no_reading": "The GPU could not be read; the reason is in the log.",
    "refused.incomplete": "The helper is still arriving in this kernel: try again in a moment.",
    "refused.failed": "The helper could not answer: {error}.",
    "error.part": "GPU Headroom: {part} failed: {error}.",
}

_PLACEHOLDER = re.compile(r"\{(\w+)\}")


def message(message_id: str, /, **params: Param) -> Message:
    """Return the catalogue's sentence `message_id` filled with `params`.

    Raises `KeyError` for an id or a placeholder that is not known: both are programming errors.
    """
    clean = {key: _clean(value) for key, value in params.items()}
    text = _PLACEHOLDER.sub(lambda found: _shown(found[1], clean), CATALOGUE[message_id])
    return {"id": message_id, "params": clean, "text": text}


def _clean(value: Param) -> Param:
    """Keep a user's own text from closing the `code` it stands in."""
    return value.replace("`", "'") if isinstance(value, str) else value


def _shown(key: str, params: dict[str, Param]) -> str:
    value = params[key]
    if key.endswith("_bytes") and isinstance(value, int):
        return format_bytes(value)
    return str(value)
