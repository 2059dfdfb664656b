"""Remedies outside of the code that ran: settings, other programs, another GPU."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...frameworks.registry import SETTINGS
from ...text.format import GIB
from ..program import torch_name
from ..remedy import Shown, suggestion

if TYPE_CHECKING:
    from ...oom.evidence import Evidence
    from ..finding import Finding


_SIZES = (16, 24, 32, 40, 48, 80, 96, 141, 192)  # of common GPUs, as they are sold
_USABLE = 0.93  # of that, in GiB: a T4 of 16 GB has 14.7 to 15.0
_SPARE = 0.15  # of what is needed: an estimate
# The older name is read by every PyTorch; 2.9.1 ignores the newer one for this setting.
_SEGMENTS = 'import os; os.environ["PYTORCH_CUDA_ALLOC_CONF"] = "expandable_segments:True"'
_GROWTH = (
    'for gpu in tf.config.list_physical_devices("GPU"):\n'
    "    tf.config.experimental.set_memory_growth(gpu, True)"
)


@suggestion(
    "raise-fraction",
    "memory-fraction",
    title="Let PyTorch use the whole GPU",
    note="Other programs on this GPU may run out of memory.",
)
def _raise_fraction(evidence: Evidence, finding: Finding) -> Shown | None:
    torch = torch_name(evidence) or "torch"
    example = f"{torch}.cuda.set_per_process_memory_fraction(1.0)"
    return Shown(bytes=finding.bytes, example=example)


@suggestion(
    "expandable-segments",
    "fragmentation",
    title="Let the allocator grow its segments",
    note="Set it before the first GPU tensor: the kernel must be restarted.",
)
def _expandable_segments(evidence: Evidence, _: Finding) -> Shown | None:
    capture = evidence.failure.capture
    if capture is not None and capture.segments_expand:
        return None
    return Shown(bytes=evidence.memory.unallocated_bytes, example=_SEGMENTS)


@suggestion(
    "less-preallocation",
    "preallocation",
    title="Let {framework} take memory as it needs it",
    note="It has to be set before it starts: the kernel must be restarted.",
)
def _less_preallocation(_: Evidence, finding: Finding) -> Shown | None:
    framework = finding.framework
    if framework is None:
        return None
    grows = framework.name == "tensorflow"
    return Shown(
        {"framework": str(finding.claim["params"]["framework"])},
        framework.cached_bytes,
        example=_GROWTH if grows else SETTINGS[framework.name],
    )


@suggestion(
    "close-other-programs",
    "other-programs",
    title="Free the GPU from other programs",
    note="`nvidia-smi` lists all programs.",
    notebooks="Shut down other notebooks on this GPU",
    note_notebooks="Their variables are lost. `nvidia-smi` lists all programs.",
    hidden="See which programs use the GPU",
    note_hidden="Task Manager lists them: *Details*, column *Dedicated GPU memory*.",
    started="End the processes that this notebook started",
    note_started="Close the pool, or start fewer workers. `nvidia-smi` lists all programs.",
)
def _close_other_programs(evidence: Evidence, finding: Finding) -> Shown | None:
    if finding.bytes is None:
        return None
    whose = evidence.others.whose(finding.bytes)
    title, note = ("", "note") if whose == "programs" else (whose, f"note_{whose}")
    command = None if whose == "hidden" else "!nvidia-smi"
    return Shown(bytes=finding.bytes, type_this=command, title=title, note=note)


@suggestion(
    "other-gpu",
    "other-programs",
    "model-too-large",
    "activations",
    "huge-request",
    "data-on-gpu",
    "unnamed-values",
    title="GPU {index} has {free_bytes} free",
    note="{needed_bytes} were needed on GPU {failed}. Write `cuda:{index}` for `cuda`.",
    hidden="A hidden GPU of this machine has {free_bytes} free",
    note_hidden="Set `CUDA_VISIBLE_DEVICES` to {index} in a restarted kernel, if you may use it.",
    note_half="About {half_bytes} would be needed on either, with half of each batch.",
    note_part="`{name}` ({held_bytes}) fits there. Move back only the part that is computed with.",
    rank=2,
    alone=True,
)
def _other_gpu(evidence: Evidence, _: Finding) -> Shown | None:
    needed = evidence.failed_at_bytes
    if needed is None:
        return None
    if evidence.scene.running.trains:
        needed = evidence.peak.step_bytes
    failure, failed = evidence.failure, evidence.device_index
    rooms = [(device.free_bytes or 0, device.index) for device in failure.other_devices]
    free, index = max(rooms, default=(0, 0))
    params = {"index": index, "free_bytes": free, "needed_bytes": needed, "failed": failed}
    if free >= needed:
        return Shown(params, example=f'model.to("cuda:{index}")')
    free_bytes, number = max(failure.hidden_devices, default=(0, 0))
    if free_bytes >= needed:
        code = f'import os; os.environ["CUDA_VISIBLE_DEVICES"] = "{number}"'
        shown = {"index": number, "free_bytes": free_bytes}
        return Shown(shown, example=code, title="hidden", note="note_hidden")
    memory, kinds, missing = evidence.memory, evidence.kinds, evidence.missing_bytes or 0
    if evidence.scene.running.trains:
        state = sum(kinds.get(kind, 0) for kind in ("parameters", "gradients", "optimizer_state"))
        half = int((1 + _SPARE) * (state + (needed - state) / 2))
        room = min(free, (memory.capacity_bytes or 0) - (memory.outside_bytes or 0))
        name = evidence.models[0].name if len(evidence.models) == 1 else "model"
        shown = {**params, "half_bytes": half}
        code = f"{name} = torch.nn.DataParallel({name})"
        fits = state < needed / 2 and half <= room
        return Shown(shown, example=code, note="note_half") if fits else None
    named = [
        group for group in evidence.groups if group.origin == "names" and group.path == group.root
    ]
    data = max(named, key=lambda holder: holder.bytes, default=None)
    if data is None or data.kinds.get("parameters") or not 0 < missing <= data.bytes <= free:
        return None
    held: dict[str, str | int] = {**params, "name": data.path, "held_bytes": data.bytes}
    return Shown(held, example=f'{data.path} = {data.path}.to("cuda:{index}")', note="note_part")


@suggestion(
    "larger-gpu",
    "model-too-large",
    "activations",
    "huge-request",
    title="A GPU with {gigabytes} GB or more",
    note="The cell needs {needed_bytes}: it failed at its last step.",
    rank=3,
)
def _larger_gpu(evidence: Evidence, _: Finding) -> Shown | None:
    memory, needed = evidence.memory, evidence.failed_at_bytes
    if needed is None or not evidence.scene.is_last:
        return None  # how much more is not known
    needed += memory.outside_bytes or 0
    size = next((gib for gib in _SIZES if gib * _USABLE * GIB >= needed), None)
    if size is None or needed <= (memory.capacity_bytes or needed):
        return None
    return Shown({"gigabytes": size, "needed_bytes": needed})
