"""Causes in what was running: its batch, its mode, its types, its tasks, its model."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from ...concurrency.other_threads import kind_of_file
from ...own import SIMULATOR
from ...text.messages import say
from ..finding import A_LINE, ANOTHER, TRADED, cause, place_of
from ..kept_in_module import kept_in_module
from .holding import largest_retained

if TYPE_CHECKING:
    from ...frameworks.torch.observer import FrameLine
    from ...holders.modules import Model
    from ...oom.evidence import Evidence
    from ...oom.operation import FailedOperation
    from ..finding import Finding

TEXTS = {
    "cause.huge-request": "**One request of {requested_bytes}** on a GPU of {capacity_bytes}.",
    "cause.huge-request.evidence": (
        "Freeing memory cannot help: look at the shapes of what the failing line makes."
    ),
    "cause.huge-request.evidence_fits_empty": (
        "All in use together is {in_use_bytes}: look at the shape of this one tensor."
    ),
    "cause.huge-request.evidence_made": (
        "`{expression}` asks for it: {operands} make a result of {shape}."
    ),
    "cause.huge-request.evidence_numbers": "`{expression}` asks for it: its shape is {shape}.",
    "cause.huge-request.evidence_copied": "`{expression}` copies it to the GPU: {operands}.",
    "cause.huge-request.evidence_operands": "`{expression}` asks for it: {operands}.",
    "cause.evaluation-with-gradients": (
        "**A graph kept in evaluation: {held_bytes} of the {in_use_bytes} in tensors.**"
    ),
    "cause.evaluation-with-gradients.evidence": (
        "`{model}` is in evaluation mode, yet its activations are kept for a backward pass."
    ),
    "cause.evaluation-with-gradients.evidence_no_backward": (
        "Nothing here goes backward, yet the activations of `{model}` are kept for it."
    ),
    "cause.wide-dtype": (
        "**`float64`: {wide_bytes} of the {in_use_bytes} in tensors** are twice as wide as usual."
    ),
    "cause.wide-dtype.evidence": "The largest is `{name}`. `float32` takes half of it.",
    "cause.wide-dtype.inference": (
        "**Weights in `float32`: {wide_bytes} of {in_use_bytes}**, and nothing trains them."
    ),
    "cause.wide-dtype.evidence_inference": "`bfloat16` or `float16` takes half of it.",
    "cause.several-tasks": "**{count} threads were computing on the GPU** when the memory ran out.",
    "cause.several-tasks.at_once": "**Several tasks are computing on the GPU at once.**",
    "cause.several-tasks.evidence": "{names}: one after the other, or fewer at once, needs less.",
    "cause.several-tasks.evidence_at_once": "`{function}` is one of them: fewer at once need less.",
    "cause.activations": "**Activations: {held_bytes} of the {in_use_bytes} in tensors.**",
    "cause.activations.evidence": (
        "The backward pass needs them; they grow with the batch and the size of the input."
    ),
    "cause.activations.evidence_batch": (
        "The backward pass needs them, of {value} samples at once (`{name}`, {place})."
    ),
    "cause.activations.evidence_saver": (
        "The backward pass needs them; {saved_bytes} are of `{operation}`, such as {shape}."
    ),
    "cause.activations.evidence_longer": (
        "This batch is {times} times as long as the one before it: {now} for {before}, in a "
        "shape of {shape}."
    ),
    "place.either": "{place}, or {name}, {other}",
    "cause.activations.layer": (
        "**What one layer is given and makes: {layer_bytes}** on a GPU of {capacity_bytes}."
    ),
    "cause.activations.evidence_begun": (
        "The forward pass has only begun, and keeps more with each layer."
    ),
    "cause.activations.evidence_begun_batch": (
        "The forward pass has only begun, and keeps more with each layer, of {value} samples "
        "at once (`{name}`, {place})."
    ),
    "cause.activations.evidence_layer": (
        "Without gradients no more is kept, but both are there at once."
    ),
    "cause.activations.evidence_layer_batch": (
        "Without gradients no more is kept, but both are there at once, of {value} samples "
        "(`{name}`, {place})."
    ),
    "cause.model-too-large": (
        "**Model and optimizer: {held_bytes} of the {in_use_bytes} in tensors.**"
    ),
    "cause.model-too-large.evidence": (
        "Parameters {parameters_bytes}, gradients {gradients_bytes}, "
        "optimizer state {optimizer_bytes}. They do not shrink with the batch."
    ),
    "cause.unnamed-values": (
        "**Values without a name: {held_bytes} of the {in_use_bytes} in tensors.**"
    ),
    "cause.unnamed-values.evidence": (
        "The failing line was still making them: a comprehension or a long expression keeps "
        "all its values until it is done."
    ),
    "cause.evaluation-in-training-mode": (
        "**`{model}` is in training mode**, and this code only evaluates it."
    ),
    "cause.evaluation-in-training-mode.evidence": (
        "Dropout keeps masks, and batch normalization updates its statistics."
    ),
}
_MOST_OF_THE_GPU = 0.5
_MUCH_OF_THE_GPU = 0.15
_BLOWN_UP = 8  # times the largest of what it was made of


def huge_request(evidence: Evidence) -> Finding | None:
    """Find a request larger than the GPU or all memory in use, or enlarged by its shapes."""
    requested, memory = evidence.requested_bytes, evidence.memory
    if requested is None or memory.capacity_bytes is None:
        return None
    impossible = requested > memory.capacity_bytes + memory.kept_back_bytes
    in_use = memory.in_use_bytes
    large = requested > _MOST_OF_THE_GPU * memory.capacity_bytes
    # What a layer makes of a batch is as large as the number of the batch says.
    of_batch = evidence.batch is not None and bool(evidence.scene.modules)
    alone = large and in_use is not None and requested > in_use and not of_batch
    blown_up, rows, operation = is_blown_up(evidence), evidence.at_once, evidence.scene.operation
    of_rows = rows and operation and any(e.shape[:1] == (rows.value,) for e in operation.operands)
    if evidence.scene.modules and of_rows and not blown_up and activations(evidence) is not None:
        return None  # what is made of all that goes through at once
    if not (impossible or alone or blown_up):
        return None
    params = {
        "requested_bytes": requested,
        "capacity_bytes": memory.capacity_bytes,
        "held_bytes": requested,
        **_shapes_of(operation),
    }
    end = _sentence_of(operation) or ("evidence" if impossible else "evidence_fits_empty")
    price = A_LINE if impossible or blown_up else TRADED
    return cause(evidence, TEXTS, "huge-request", end, params, price=price, certain=impossible)


def is_blown_up(evidence: Evidence) -> bool:
    """Whether the request was many times larger than the operands, and much of the GPU."""
    requested, capacity = evidence.requested_bytes, evidence.memory.capacity_bytes
    operation = evidence.scene.operation
    if requested is None or capacity is None or operation is None or operation.shape is None:
        return False
    largest = max((operand.bytes for operand in operation.operands), default=0)
    return requested >= _MUCH_OF_THE_GPU * capacity and requested >= _BLOWN_UP * largest > 0


def _sentence_of(operation: FailedOperation | None) -> str:
    """Return which sentence shows what an operation has made its result of, if any does."""
    if operation is None or not (operation.operands or operation.shape):
        return ""
    if not operation.operands:
        return "evidence_numbers"
    sentence = "evidence_made" if operation.shape else "evidence_operands"
    return "evidence_copied" if operation.copied else sentence


def _shapes_of(operation: FailedOperation | None) -> dict[str, Any]:
    if operation is None:
        return {}
    operands = [
        f"{operand.name} {list(operand.shape)} {operand.dtype}" for operand in operation.operands
    ]
    shape = str(list(operation.shape or ()))
    return {"expression": operation.text, "operands": ", ".join(operands), "shape": shape}


_EVALUATION_SHARE = 0.3
_MUCH = 0.2
_PHASE = re.compile(r"val|eval|test|pred|infer|embed|extract|generat|score|encode|sample|feature")


def evaluation_with_gradients(evidence: Evidence) -> Finding | None:
    """Find a cause where activations fill the GPU although there is no backward pass."""
    model = evaluated_model(evidence)
    if model is None:
        return None
    params = {"model": model.name, "held_bytes": evidence.kinds.get("activations", 0)}
    end = "evidence_no_backward" if model.training else "evidence"
    more = {"model": None if _piles_up(evidence) else model}
    return cause(evidence, TEXTS, "evaluation-with-gradients", end, params, price=A_LINE, **more)


def _piles_up(evidence: Evidence) -> bool:
    """Whether results themselves pile up, with graphs or without."""
    held = largest_retained(evidence)
    return held is not None and held.bytes - held.graph_bytes > _MUCH * held.bytes


def evaluated_model(evidence: Evidence) -> Model | None:
    """Return the model that is evaluated: in that mode, or by code that goes nowhere backward.

    A forward pass on its own may be one whose backward pass is in another cell: code of the second
    kind has to say that it evaluates, or to be a loop.
    """
    size, running = evidence.kinds.get("activations", 0), evidence.scene.running
    other_model = _evaluated_beside(evidence)
    if evidence.scene.inputs_require_grad:
        return None  # gradients are what it is for
    if other_model is not None:
        return other_model
    if running.trains or evidence.scene.in_backward or evidence.share(size) < _EVALUATION_SHARE:
        return None
    evaluating = next((model for model in evidence.models if not model.training), None)
    training = next((model for model in evidence.models if model.training), None)
    if training is None or (evaluating is not None and not running.loops):
        return evaluating
    says_so = any(_PHASE.search(name.lower()) for name in running.own)
    return training if says_so or running.loops else None


def _evaluated_beside(evidence: Evidence) -> Model | None:
    """Return a model in evaluation mode whose forward pass failed while another one trains.

    Not one through which gradients go back to that, as through a network that judges its results.
    """
    modules = evidence.scene.modules
    running = {module.key for module in modules} - {
        module.key for module in modules if module.hands_back
    }
    trains = any(model.training for model in evidence.models)
    if not trains or evidence.share(evidence.pass_bytes) < _EVALUATION_SHARE:
        return None
    return next(
        (model for model in evidence.models if model.key in running and not model.training), None
    )


_DTYPE_SHARE = 0.4
_OF_WEIGHTS = 0.6
_ADAPTED = re.compile(r"\bget_peft_model\(|\bLoraConfig\(")  # adapters beside the weights train
_TRAINS = re.compile(r"\.backward\(|optim|Trainer|\.fit\(|GradientTape|\.train\(\)")
_MOSTLY, _HALF = 0.9, 0.5


def wide_dtype(evidence: Evidence) -> Finding | None:
    """Find a cause where much of the memory in use is in double precision."""
    wide = [
        group
        for group in evidence.groups
        if group.root and group.share_of_dtype("float64") >= _MOSTLY
    ]
    size = sum(group.bytes for group in wide)
    if evidence.share(size) < _DTYPE_SHARE:
        return _of_inference(evidence)
    params = {"wide_bytes": size, "held_bytes": size // 2, "name": wide[0].name}
    return cause(evidence, TEXTS, "wide-dtype", "evidence", params, price=TRADED, about=tuple(wide))


def _of_inference(evidence: Evidence) -> Finding | None:
    """Find models in single precision that no cell trains, if they fill the GPU.

    Weights under adapters, such as LoRA's, are among them.
    """
    kinds, finding = evidence.kinds, kept_in_module(evidence)
    sources = [run.source for run in evidence.failure.cells]
    if not any(map(_ADAPTED.search, sources)):
        trains = evidence.scene.running.trains or kinds.get("optimizer_state")
        if trains or kinds.get("gradients") or any(map(_TRAINS.search, sources)):
            return None
    wide = [
        group
        for group in evidence.groups
        if group.kind == "parameters" and group.share_of_dtype("float32") >= _HALF
        if finding is None or group not in finding.about  # these are not used in computations
    ]
    size = sum(int(group.bytes * group.share_of_dtype("float32")) for group in wide)
    size = min(size, kinds.get("parameters", 0)) + evidence.being_made_bytes
    if not wide or evidence.share(size) < _OF_WEIGHTS:
        return None
    params, rule = {"wide_bytes": size, "held_bytes": size // 2}, "wide-dtype.inference"
    end, about = "evidence_inference", tuple(wide)
    return cause(evidence, TEXTS, rule, end, params, price=TRADED, about=about)


_SEVERAL = 2
_NAMED = 4
_OWN = ("gpu-headroom", "pydevd", "pt_autograd")
_OF_FRAMEWORK = "/torch/"
_SIMULATED = f"/{SIMULATOR}/"  # each thread begins there
# Threads that wait for data, or that serve others, are in these folders.
_SERVE = ("/torch/utils/data/", "/torch/multiprocessing/", "/torch/_inductor/")


def several_tasks(evidence: Evidence) -> Finding | None:
    """Find a cause where several threads were inside PyTorch, or tasks ran at the same time."""
    capture = evidence.failure.capture
    threads = () if capture is None else capture.threads
    busy = [name for name, lines in threads if not name.startswith(_OWN) and _computes(lines)]
    running = evidence.scene.running
    if running.at_once and running.own:
        functions = [name for name in running.own if not name.startswith("<")] or running.own
        at_once = {"function": functions[0], "held_bytes": evidence.memory.in_use_bytes}
        rule, end = "several-tasks.at_once", "evidence_at_once"
        return cause(evidence, TEXTS, rule, end, at_once, price=A_LINE)
    if len(busy) < _SEVERAL:
        return None
    names = ", ".join([f"`{name}`" for name in busy[:_NAMED]])
    params = {"count": len(busy), "names": names}
    return cause(evidence, TEXTS, "several-tasks", "evidence", params, price=TRADED)


def _computes(lines: tuple[FrameLine, ...]) -> bool:
    """Whether a thread is inside PyTorch for the person, who has called it or given it to begin."""
    files = [file.replace("\\", "/") for file, _, _ in lines if kind_of_file(file) != "standard"]
    files = [file for file in files if _SIMULATED not in file]
    theirs = any(_OF_FRAMEWORK in file for file in files[-1:])
    theirs |= any(kind_of_file(file) == "own" for file in files)
    serves = any(part in file for file in (*files[:1], *files[-1:]) for part in _SERVE)
    return theirs and not serves and any(_OF_FRAMEWORK in file for file in files[:20])


_ACTIVATION_SHARE = 0.4


def activations(evidence: Evidence) -> Finding | None:
    """Find a cause where activations are much of the memory in use, and more than the model."""
    size = evidence.kinds.get("activations", 0)
    # What a backward pass has let go of as it failed.
    size += evidence.temporary_bytes if evidence.scene.in_backward and size else 0
    rule, end = "activations", "evidence"
    if not _fill(evidence, size):
        size += given_bytes(evidence)
        if not _fill(evidence, size):
            return None
        trains = evidence.scene.running.trains
        rule, end = "activations.layer", "evidence_begun" if trains else "evidence_layer"
    params: dict[str, Any] = {
        "held_bytes": size,
        "layer_bytes": size + (evidence.requested_bytes or 0),
        "capacity_bytes": evidence.memory.capacity_bytes,
    }
    batch, call, saver = evidence.batch or evidence.at_once, evidence.scene.call, evidence.saver
    if evidence.longer is not None:
        now, before, shape = evidence.longer
        end = "evidence_longer"
        params |= {"times": now // before, "now": now, "before": before, "shape": str(list(shape))}
    elif evidence.batch is None and saver is not None and end == "evidence":
        operation, saved, shape = saver
        end = "evidence_saver"
        params |= {"operation": operation, "saved_bytes": saved, "shape": str(list(shape))}
    elif batch is not None:
        place = f"`{call.text}`" if call else ""
        if evidence.batch is not None:
            place, twin = place_of(evidence.batch, evidence.failure.cell), evidence.batch_twin
            if twin is not None:
                other = place_of(twin, evidence.failure.cell)
                place = say("place.either", TEXTS, place=place, name=twin.name, other=other)
        end = f"{end}_batch"
        params |= {"name": batch.name, "value": batch.value, "place": place}
    return cause(evidence, TEXTS, rule, end, params, price=TRADED)


def _fill(evidence: Evidence, size: int) -> bool:
    return evidence.share(size) >= _ACTIVATION_SHARE and size >= evidence.model_bytes


def scaling_bytes(evidence: Evidence) -> int:
    """Return the bytes that scale with the batch, for code without a literal for it."""
    return evidence.kinds.get("activations", 0) + given_bytes(evidence)


def given_bytes(evidence: Evidence) -> int:
    """Return what a pass that goes forward has as plain values: its batch, a layer's input.

    Also that of a library's function behind the model, where it has as many rows as was given.
    """
    scene = evidence.scene
    is_pass = scene.modules or (evidence.at_once is not None and not is_blown_up(evidence))
    if scene.in_backward or not is_pass or evidence.being_made_bytes:
        return 0
    temporary = 0 if evidence.collected_bytes else evidence.temporary_bytes
    return temporary + sum(
        group.bytes
        for group in evidence.groups
        if evidence.is_batch(group)
        or (
            group.kind == "tensor"
            and not group.keys & scene.running.growing
            and (group.origin == "traceback" or evidence.is_of_round(group))
        )
    )


_MODEL_SHARE = 0.6


def model_too_large(evidence: Evidence) -> Finding | None:
    """Find a cause where parameters, gradients and optimizer state use most of the memory."""
    model = evidence.model_bytes + evidence.being_made_bytes
    if evidence.share(model) < _MODEL_SHARE:
        return None
    params = {
        "held_bytes": model,
        "parameters_bytes": evidence.kinds.get("parameters", 0) + evidence.being_made_bytes,
        "gradients_bytes": evidence.kinds.get("gradients", 0),
        "optimizer_bytes": evidence.kinds.get("optimizer_state", 0),
    }
    return cause(evidence, TEXTS, "model-too-large", "evidence", params, price=ANOTHER)


_UNNAMED_SHARE = 0.5


def unnamed_values(evidence: Evidence) -> Finding | None:
    """Find a cause where the request would fit without the temporaries of the failing line."""
    requested, memory = evidence.requested_bytes, evidence.memory
    if requested is None or memory.headroom_bytes is None:
        return None
    values = evidence.temporary_bytes
    # What a backward pass lets go of when it fails was never a value of the program's.
    if evidence.scene.in_backward or evidence.share(values) < _UNNAMED_SHARE:
        return None
    if evidence.scene.modules or evidence.collected_bytes:
        return None  # parts of a model that was being made, what a layer makes, what is gathered
    if requested > memory.headroom_bytes + values:
        return None
    params = {"held_bytes": values}
    return cause(evidence, TEXTS, "unnamed-values", "evidence", params, price=TRADED)


def evaluation_in_training_mode(evidence: Evidence) -> Finding | None:
    """Find a cause where a model is evaluated that is still in training mode."""
    model = evaluated_model(evidence) or _asked_for_its_mode(evidence)
    if model is None or not model.training:
        return None
    asks, rule = evidence.scene.running.asks_mode, "evaluation-in-training-mode"
    size = evidence.pass_bytes or evidence.traceback_bytes if asks else None
    params, price = {"model": model.name, "held_bytes": size}, A_LINE if asks else TRADED
    return cause(evidence, TEXTS, rule, "evidence", params, price=price, model=model)


def _asked_for_its_mode(evidence: Evidence) -> Model | None:
    """Return a model in training mode whose own code does otherwise in evaluation."""
    running = evidence.scene.running
    if running.trains or evidence.scene.in_backward or not running.asks_mode:
        return None
    keys = {module.key for module in evidence.scene.modules}
    return next((model for model in evidence.models if model.key in keys), None)
