"""Suggestions that change no code: another GPU, another model, a setting, other programs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..frameworks.registry import SETTINGS
from ..text.format import GIB
from .suggestion import Shown, Suggestion

if TYPE_CHECKING:
    from ..oom.evidence import Evidence
    from .finding import Finding

_SIZES = (16, 24, 32, 40, 48, 80, 96, 141, 192)  # of common GPUs, as they are sold
_USABLE = 0.93  # of that, in GiB: a T4 of 16 GB has 14.7 to 15.0
_SPARE = 0.15  # the peak is told to within about that
_SHARE = 0.2
_FEWER = 0.75  # 8 bits for 32
# The older name is read by every PyTorch; 2.9.1 ignores the newer one for this setting.
_SEGMENTS = 'import os; os.environ["PYTORCH_CUDA_ALLOC_CONF"] = "expandable_segments:True"'
_GROWTH = (
    'for gpu in tf.config.list_physical_devices("GPU"):\n'
    "    tf.config.experimental.set_memory_growth(gpu, True)"
)


def _expandable_segments(evidence: Evidence, _: Finding) -> Shown | None:
    capture = evidence.failure.capture
    if capture is not None and capture.segments_expand:
        return None
    return Shown(bytes=evidence.memory.cached_bytes, type_this=_SEGMENTS)


def _less_preallocation(_: Evidence, finding: Finding) -> Shown | None:
    framework = finding.framework
    if framework is None:
        return None
    grows = framework.name == "tensorflow"
    return Shown(
        {"framework": str(finding.claim["params"]["framework"])},
        framework.cached_bytes,
        example=_GROWTH if grows else None,
        type_this=None if grows else SETTINGS[framework.name],
    )


def _close_other_programs(evidence: Evidence, finding: Finding) -> Shown | None:
    if finding.bytes is None:
        return None
    whose = evidence.others.whose(finding.bytes)
    title, note = ("", "note") if whose == "programs" else (whose, f"note_{whose}")
    return Shown(bytes=finding.bytes, type_this="!nvidia-smi", title=title, note=note)


def _lighter_model(evidence: Evidence, _: Finding) -> Shown | None:
    kinds, trains = evidence.kinds, evidence.scene.running.trains
    size = kinds.get("gradients", 0) + kinds.get("optimizer_state", 0)
    if not trains:
        size = int(_FEWER * (kinds.get("parameters", 0) + evidence.being_made_bytes))
    if evidence.share(size) < _SHARE:
        return None
    return Shown(bytes=size) if trains else Shown({}, size, title="few_bits", note="note_few_bits")


def _needed(evidence: Evidence) -> int | None:
    in_use, requested = evidence.memory.in_use_bytes, evidence.requested_bytes
    return None if in_use is None or requested is None else in_use + requested


def _other_gpu(evidence: Evidence, _: Finding) -> Shown | None:
    needed = _needed(evidence)
    if needed is None:
        return None
    if evidence.scene.running.trains:
        needed = evidence.peak.step_bytes
    rooms = [(device.free_bytes or 0, device.index) for device in evidence.failure.other_devices]
    free, index = max(rooms, default=(0, 0))
    if free < needed:
        return None
    failed = evidence.device_index
    params = {"index": index, "free_bytes": free, "needed_bytes": needed, "failed": failed}
    return Shown(params, example=f'model.to("cuda:{index}")')


def _larger_gpu(evidence: Evidence, _: Finding) -> Shown | None:
    memory, needed, peak = evidence.memory, _needed(evidence), evidence.peak.cell_bytes
    if needed is None:
        return None
    needed = (peak or needed) + (memory.outside_bytes or 0)
    spare = 0 if peak is None else needed * _SPARE
    size = next((each for each in _SIZES if each * _USABLE * GIB >= needed + spare), None)
    if size is None or needed <= (memory.capacity_bytes or needed):
        return None
    note = "note_unknown" if peak is None else "note"
    return Shown({"gigabytes": size, "needed_bytes": needed}, note=note)


SURROUNDINGS = (
    Suggestion(
        "expandable-segments",
        ("fragmentation",),
        _expandable_segments,
        {
            "": "Let the allocator grow its segments",
            "note": "Set it before the first GPU tensor: the kernel must be restarted.",
        },
    ),
    Suggestion(
        "less-preallocation",
        ("preallocation",),
        _less_preallocation,
        {
            "": "Let {framework} take memory as it needs it",
            "note": "It has to be set before it starts: the kernel must be restarted.",
        },
    ),
    Suggestion(
        "close-other-programs",
        ("other-programs",),
        _close_other_programs,
        {
            "": "Free the GPU from other programs",
            "note": (
                "Shut down other notebooks' kernels on this GPU; `nvidia-smi` lists all programs."
            ),
            "notebooks": "Shut down other notebooks on this GPU",
            "note_notebooks": "Their variables are lost. `nvidia-smi` lists all programs.",
            "started": "End the processes that this notebook started",
            "note_started": (
                "Workers of a pool and ranks of a launcher each have a context and tensors of "
                "their own: close the pool, or start fewer of them. `nvidia-smi` lists all "
                "programs."
            ),
        },
    ),
    Suggestion(
        "lighter-model",
        ("model-too-large",),
        _lighter_model,
        {
            "": "Train a small part of the model: LoRA",
            "note": (
                "Gradients and optimizer state are then those of small matrices beside the "
                "weights, which may have 4 bits (QLoRA). The result is another."
            ),
            "few_bits": "Weights of 8 or 4 bits, or partly on the host",
            "note_few_bits": (
                "`quantization_config` of `from_pretrained` loads them so; with "
                "`device_map='auto'` what does not fit stays on the host, which is slow."
            ),
        },
        rank=2,
    ),
    Suggestion(
        "other-gpu",
        ("other-programs", "model-too-large", "activations", "huge-request"),
        _other_gpu,
        {
            "": "GPU {index} has {free_bytes} free",
            "note": (
                "At least {needed_bytes} were needed on GPU {failed}. Models and data go to the "
                "other one by `cuda:{index}` in the place of `cuda`."
            ),
        },
        rank=2,
    ),
    Suggestion(
        "larger-gpu",
        ("model-too-large", "activations", "huge-request"),
        _larger_gpu,
        {
            "": "A GPU with {gigabytes} GB or more",
            "note": "The cell needs about {needed_bytes} at its peak.",
            "note_unknown": (
                "{needed_bytes} were in use or asked for when it failed; how much the whole cell "
                "needs is not known."
            ),
        },
        rank=3,
    ),
)
"""What changes no code, in the order in which it is looked for."""
