"""Remedies that trade time, precision or the model for memory."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ...frameworks.imported import imported
from ...holders.training import file_stem
from ...oom.fitting import fitting
from ..program import has, sources, torch_name
from ..remedy import Shown, suggestion

if TYPE_CHECKING:
    from ...holders.modules import Model
    from ...oom.evidence import Evidence
    from ..finding import Finding


_OF_MODEL = 0.2
_CASTS = ("to", "float")
_FEWER = 0.75  # 8 bits for 32
_TRAINERS = ("TrainingArguments", "SFTConfig", "DPOConfig", "Seq2SeqTrainingArguments")
_HALF = re.compile(r"\bautocast\b|GradScaler|\.half\(|\bbfloat16\b|\bbf16\b|\bfp16\b|precision=")
_AMPERE = 8  # the major compute capability of the first GPUs that compute `bfloat16` fast
_LEAST_SHARE = 0.1  # of the activations
_CERTAIN = 0.8  # of what is saved: casts of weights and what libraries compute in full come besides
_OF_STATE = 0.2  # of what is in use
_LEFT_FROZEN = 0.15  # of what its pass keeps, about
# Of the activations, about: what is between checkpoints, and with a head beside them.
_BETWEEN, _BESIDE = 0.1, 0.25
_FEWEST = 3
_BLOCKS = (
    "from torch.utils.checkpoint import checkpoint\n\n"
    "x = checkpoint(block, x, use_reentrant=False)  # for x = block(x)"
)
_SEQUENTIAL = (
    "from torch.utils.checkpoint import checkpoint_sequential\n\n"
    "checkpoint_sequential({name}, {segments}, x, use_reentrant=False)  # for {name}(x)"
)


def _trainer(evidence: Evidence) -> str:
    """Return the class of a trainer's arguments that the notebook makes."""
    return next((name for name in _TRAINERS if has(evidence, rf"\b{name}\(")), "")


def _optimizer(evidence: Evidence) -> str:
    """Return the name of a live optimizer, else the usual one."""
    return min(evidence.live.loads - evidence.live.models.keys(), default="optimizer")


@suggestion(
    "checkpointing",
    "activations",
    title="Gradient checkpointing",
    note_by_hand="A step takes about a third longer. What a pass counts is counted twice.",
    rank=2,
)
def _checkpointing(evidence: Evidence, _: Finding) -> Shown | None:
    blocks, lists = _blocks(evidence)
    if not (blocks or lists) or not fits_with_checkpoints(evidence):
        return None
    example = _BLOCKS
    if lists:
        segments = max(lists[0].blocks, _FEWEST + 1)
        example = _SEQUENTIAL.format(name=lists[0].name, segments=segments)
    return Shown(example=example, note="note_by_hand")


def fits_with_checkpoints(evidence: Evidence) -> bool:
    """Whether the cell trains, and fits with what is left of what its graphs keep."""
    blocks, lists = _blocks(evidence)
    ratio = (_BETWEEN if lists else _BESIDE) + 1 / max(blocks, _FEWEST)
    activations = evidence.kinds.get("activations", 0)
    return evidence.scene.running.trains and evidence.peak.fits(activations, ratio)


def _blocks(evidence: Evidence) -> tuple[int, list[Model]]:
    """Return how many blocks a model has at most, and the models that are lists of them."""
    blocks = max([model.blocks for model in evidence.models], default=0)
    return blocks, [model for model in evidence.models if model.type_name == "Sequential"]


@suggestion(
    "eval-mode",
    "evaluation-in-training-mode",
    title="`{model}.eval()` before the evaluation",
    note="Dropout and batch norm are then off. Call `{model}.train()` before training continues.",
)
def _eval_mode(evidence: Evidence, finding: Finding) -> Shown | None:
    model = finding.model
    if model is None or not evidence.scene.running.asks_mode:
        return None
    return Shown({"model": model.name}, example=f"{model.name}.eval()")


@suggestion(
    "narrower-dtype",
    "wide-dtype",
    title="`float32` instead of `float64`",
    note="Half as many bytes, with seven digits instead of sixteen.",
    half="Weights in half precision",
    note_half="Results differ in the third digit; inputs have to be in half precision, too.",
    cast="Leave out `{call}`",
    note_cast="The weights stay as they are, half as many bytes.",
)
def _narrower_dtype(evidence: Evidence, finding: Finding) -> Shown | None:
    about, kinds, torch = finding.about, evidence.kinds, torch_name(evidence) or "torch"
    first = about[0]
    if first.share_of_dtype("float32") == 0:
        size = sum(group.bytes for group in about)
        if any(group.kind == "parameters" for group in about):  # all that follows them is as wide
            size += kinds.get("optimizer_state", 0) + kinds.get("activations", 0)
        example = f"{first.name} = {first.name}.float()"
        return Shown(bytes=evidence.peak.saved_bytes(size, 0.5), example=example)
    call, operation = evidence.scene.call, evidence.scene.operation
    cast = operation.operands if operation and operation.name in _CASTS else ()
    if call and any(
        first.share_of_dtype(dtype_call.dtype)
        for dtype_call in cast
        if dtype_call.dtype != "float32"
    ):
        return Shown({"call": call.text}, finding.bytes, title="cast", note="note_cast")
    size = sum(group.kinds.get("parameters", 0) for group in about) + evidence.being_made_bytes
    name = first.name if first.name.isidentifier() and not first.function else "model"
    example = f"{name} = {name}.half()"
    if first.function and call is not None:
        example = re.sub(r"(\.(?:to|cuda)\([^()]*\))$", r".half()\1", call.text)
    if evidence.scene.running.trains or evidence.kinds.get("optimizer_state"):
        # Adapters beside the weights are trained: these stay as they are.
        example = (
            f"for each in {name}.parameters():\n"
            "    if not each.requires_grad:\n        each.data = each.data.half()"
        )
    if has(evidence, r"\.from_pretrained\("):
        example = f"{name} = ....from_pretrained(..., torch_dtype={torch}.float16)"
    return Shown(bytes=size // 2, example=example, title="half", note="note_half")


@suggestion(
    "clear-gradients",
    "activations",
    "model-too-large",
    title="Clear the gradients before the forward pass",
    note="Those of the step before are then gone. Check that nothing reads them there.",
    alone=True,
)
def _clear_gradients(evidence: Evidence, _: Finding) -> Shown | None:
    size = evidence.kinds.get("gradients", 0)
    forward = not (evidence.scene.in_backward or evidence.in_step)
    if not (size and forward and evidence.scene.running.trains and evidence.peak.is_enough(size)):
        return None
    if evidence.live.accumulates or not has(evidence, r"\.zero_grad\("):
        return None
    return Shown(
        bytes=size, example=f"{_optimizer(evidence)}.zero_grad()  # before the forward pass"
    )


@suggestion(
    "freeze-backbone",
    "activations",
    title="Freeze what no optimizer trains of `{name}`",
    note="Its parameters get no gradients.",
    alone=True,
)
def _freeze_backbone(evidence: Evidence, _: Finding) -> Shown | None:
    size = evidence.pass_bytes
    trains = evidence.scene.running.trains and not evidence.scene.in_backward
    reached = {group.name for group in evidence.groups if group.progress}
    running = {module.key for module in evidence.scene.modules}
    models = [model.name for model in evidence.models if model.key in running]
    if not trains or len(models) != 1 or reached != set(models):
        return None
    (name,) = models
    facts = evidence.live.models.get(name)
    if facts is None or not facts.is_idle or not evidence.peak.fits(size, _LEFT_FROZEN):
        return None
    heads = [f"{name}.{part}.requires_grad_(True)" for part in facts.trained]
    example = "\n".join([f"{name}.requires_grad_(False)", *heads])
    return Shown({"name": name}, size, example=example)


@suggestion(
    "accumulate",
    "activations",
    title="Batches of {new}, and a step after every {steps} of them",
    note="Gradients add up to those of {old} where the loss is a mean. Check schedules, logs.",
    note_known="{steps} times as many make a step of as many samples. Check schedules, logs.",
    rank=2,
    alone=True,
)
def _accumulate(evidence: Evidence, _: Finding) -> Shown | None:
    batch, running = evidence.batch, evidence.scene.running
    value = None if batch is None or not running.trains else fitting(evidence)
    if batch is None or value is None:
        return None
    steps, optimizer = batch.value // value, _optimizer(evidence)
    setting = next(iter(evidence.live.accumulates.items()), None)
    example = (
        f"(loss / {steps}).backward()\nif step % {steps} == 0:\n"
        f"    {optimizer}.step()\n    {optimizer}.zero_grad()"
    )
    if setting is not None:
        example = f"{setting[0]} = {setting[1] * steps}"
    elif trainer := _trainer(evidence):
        example = f"{trainer}(..., gradient_accumulation_steps={steps})"
    return Shown(
        {"new": value, "steps": steps, "old": batch.value},
        evidence.peak.saved_bytes(evidence.batch_bytes, value / batch.value),
        example=example,
        note="note" if setting is None else "note_known",
    )


@suggestion(
    "autocast",
    "activations",
    title="Mixed precision in `{dtype}` for the forward pass",
    note="Most activations take half the bytes; the weights stay as they are. Check the loss.",
    note_scaled="A `GradScaler` keeps small gradients from becoming 0. Check the loss.",
    rank=2,
)
def _autocast(evidence: Evidence, _: Finding) -> Shown | None:
    activations, size = evidence.kinds.get("activations", 0), evidence.halves_bytes
    if not evidence.scene.running.trains or not activations or size < _LEAST_SHARE * activations:
        return None
    if any(map(_HALF.search, sources(evidence))):
        return None
    if not evidence.peak.fits(activations, 1 - _CERTAIN * size / activations, kept_only=True):
        return None
    cuda = imported("torch.cuda")
    is_old = (
        cuda is not None
        and cuda.is_initialized()
        and cuda.get_device_properties(evidence.device_index).major < _AMPERE
    )
    dtype, short = ("float16", "fp16") if is_old else ("bfloat16", "bf16")
    torch = torch_name(evidence)
    if trainer := _trainer(evidence):
        example = f"{trainer}(..., {short}=True)"
    elif has(evidence, r"\bAccelerator\("):
        example = f'Accelerator(mixed_precision="{short}")'
    elif has(evidence, r"\bkeras\b"):
        example = f'keras.mixed_precision.set_global_policy("mixed_{dtype}")'
    elif has(evidence, r"\b(?:pl|L|lightning)\.Trainer\("):
        example = f'Trainer(..., precision="{short.replace("fp16", "16")}-mixed")'
    elif torch is not None:
        example = (
            f'with {torch}.autocast("cuda", dtype={torch}.{dtype}):\n    loss = ...  # forward'
        )
    else:
        return None
    note = "note_scaled" if is_old else "note"
    saved = evidence.peak.saved_bytes(activations, 1 - size / activations)
    return Shown({"dtype": dtype}, saved, example=example, note=note)


@suggestion(
    "lighter-optimizer",
    "model-too-large",
    title="An optimizer with less state",
    note="The state takes {optimizer_bytes}; `Adafactor` keeps next to none. Training changes.",
    one_by_one="One parameter after the other: `foreach=False`",
    note_one_by_one="All at once takes as much as the model again. A step takes longer.",
    rank=2,
)
def _lighter_optimizer(evidence: Evidence, _: Finding) -> Shown | None:
    state, running = evidence.kinds.get("optimizer_state", 0), evidence.scene.running
    if evidence.share(state) < _OF_STATE:
        return None
    if any(function.startswith("_multi_tensor") for function in running.functions):
        example = f"{_optimizer(evidence)} = torch.optim.AdamW(..., foreach=False)"
        return Shown(example=example, title="one_by_one", note="note_one_by_one")
    size = state + (evidence.requested_bytes or 0) * evidence.in_step
    example = f"{_optimizer(evidence)} = torch.optim.Adafactor(model.parameters())"
    if trainer := _trainer(evidence):
        example = f'{trainer}(..., optim="adafactor")'
    return Shown({"optimizer_bytes": state}, size, example=example)


@suggestion(
    "lighter-model",
    "model-too-large",
    title="Train a small part of the model: LoRA",
    note="Gradients and optimizer state are then small. The result is another.",
    few_bits="Weights of 8 or 4 bits, or partly on the host",
    note_few_bits="`quantization_config` or `device_map='auto'` of `from_pretrained`.",
    rank=2,
)
def _lighter_model(evidence: Evidence, _: Finding) -> Shown | None:
    kinds, trains = evidence.kinds, evidence.scene.running.trains
    size = kinds.get("gradients", 0) + kinds.get("optimizer_state", 0)
    if not trains:
        size = int(_FEWER * (kinds.get("parameters", 0) + evidence.being_made_bytes))
    if evidence.share(size) < _OF_MODEL:
        return None
    return Shown(bytes=size) if trains else Shown({}, size, title="few_bits", note="note_few_bits")


@suggestion(
    "save-training",
    title="Save model and optimizer state",
    note="A file of about {file_bytes} with `{names}`, without counters and random numbers.",
    note_in_step=(
        "A file of about {file_bytes} with `{names}`, without counters and random numbers. "
        "The optimizer failed in the middle of a step: some weights may be ahead."
    ),
    alone=True,
)
def _save_training(evidence: Evidence, _: Finding) -> Shown | None:
    training, cell = evidence.training, evidence.failure.cell
    if training is None:
        return None
    stem = file_stem(cell.execution_count, evidence.failure.time_s)
    states = ", ".join(f"{name!r}: {name}.state_dict()" for name in training.names)
    return Shown(
        {"file_bytes": training.bytes, "names": ", ".join(training.names)},
        type_this=f"import torch; torch.save({{{states}}}, open('{stem}.pt', 'xb'))",
        note="note_in_step" if evidence.scene.running.in_optimizer else "note",
        kind="save",
    )
