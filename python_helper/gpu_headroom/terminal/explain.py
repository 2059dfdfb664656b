"""Explanation of a pasted error, traceback or log, from its text and numbers alone."""

from __future__ import annotations

import re
import time
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any, cast

from ..advice.registry import diagnose
from ..cells.runs import CellRun
from ..errors.besides import pool_in
from ..errors.pasted import recognise_text
from ..errors.recognise import Recognition
from ..errors.remote import RemoteWorker, named_in
from ..errors.statement import is_of_else, plain
from ..frameworks.registry import SETTINGS, TITLES
from ..oom.evidence import as_said
from ..oom.failure import Failure
from ..oom.others import Others
from ..render.text import lines
from ..reports.model import report_of
from ..text.headline import named, process
from ..text.messages import message, say

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ..errors.pasted import Pasted
    from ..errors.statement import Statement
    from ..oom.evidence import Evidence
    from ..protocol.generated.wire import Cause

TEXTS = {
    "explain.nothing": "The text does not say that a GPU ran out of memory.",
    "explain.something_else": (
        "The text does not say that a GPU ran out of memory. It speaks of another shortage or "
        "fault: host memory, shared memory, a disk, or a kernel that failed."
    ),
    "explain.offloaded": (
        "No GPU ran out of memory. Accelerate has left a part of the model on the CPU or the disk, "
        "as the GPU is too small for all of it: it is slow, and cannot be trained or moved."
    ),
    "explain.beyond": "**{in_use_bytes} are allocated on a GPU of {capacity_bytes}.**",
    "explain.beyond.evidence": "Windows lends host memory: slow, and no error until both are full.",
    "explain.metal": "**{metal_bytes} are other allocations of this process**, not PyTorch's.",
    "explain.metal.evidence": (
        "Metal has given them for compiled graphs, temporaries, other libraries; {allowed_bytes} "
        "are allowed. `PYTORCH_MPS_HIGH_WATERMARK_RATIO` has no effect once PyTorch is imported: "
        "set it before `import torch`. With 0.0 the Mac may stop responding."
    ),
    "explain.pool": "**{library} took {pool_bytes} in the same process**, says the same log.",
    "explain.pool.evidence": "Before its import, after a restart, run this: `{setting}`",
    "explain.own": "**This process has {rest_bytes} besides what {title} reserved.**",
    "explain.own.evidence": "It is another library's (TensorFlow, JAX take most) or an engine's.",
    "explain.trials": "**Earlier trials' models are the likely holder** of {in_use_bytes}.",
    "explain.trials.evidence": "End each with `del model, trainer`; Optuna: `gc_after_trial=True`.",
    "explain.refused": "**The GPU was not full:** {free_bytes} were free.",
    "explain.refused.shared": "With what is reserved that is more than its size: as under Windows.",
    "explain.refused.others": "Other processes have {outside_bytes}: one had more for a moment.",
    "explain.refused.limit": "Look for a limit: of the process (fraction, quota) or an allocation.",
    "explain.offload": "**The model does not fit on the GPU:** a part would lie on the CPU.",
    "explain.offload.evidence": (
        "Free the GPU, use fewer bits, or allow it: `llm_int8_enable_fp32_cpu_offload=True`."
    ),
    "explain.error": "{error} of {framework}. The numbers are the text's, rounded as they are.",
    "explain.message": "A message of {framework}. The numbers are the text's, rounded as they are.",
    "explain.doubtful": (
        "The same words stand for pinned host memory, and for a library that could not begin: "
        "look whether the GPU was full at that moment."
    ),
    "explain.process": "Process {pid} had {process_bytes} of the GPU.",
    "explain.process_unmeasured": "Process {pid} was on the GPU, with how much is not known.",
    "explain.lone_process": (
        "Process {pid} had {process_bytes} of the GPU: as no other is named, this is probably "
        "the failing program itself, by the number it has outside of its container."
    ),
    "explain.private_pools": (
        "{pools_bytes} of what was in use lay in private pools, which captured CUDA graphs keep."
    ),
    "explain.worker": "It is the failure of {worker}: its own GPU was full.",
    "explain.more": "To know more",
    "explain.more.full_message": "The whole message: PyTorch's names the request and what is free.",
    "explain.more.holders": "What filled the GPU: `%gpu_headroom holders` in the notebook tells.",
}
_OF_RAY = "ray::"  # before the name of a task or an actor's method
_NAMES = {**TITLES, "cuda": "a library that uses CUDA"}
_LIBRARIES = {
    "Transformers": r"dispatched on the|fit the quantized model",
    "Accelerate": r"no executable batch size",
    "SGLang": r"mem-fraction-static|(?:decode|prefill) out of memory",
    "vLLM": r"kv cache|cache blocks|gpu[ _]memory[ _]utilization",
    "TensorRT-LLM": r"tensorrt-llm",
    "NCCL": r"\bnccl",
}
_OFFLOADED = re.compile(r"on the meta device|modules? offloaded to (?:the )?(?:cpu|disk)")
_WINDOWS = re.compile(r"\b[A-Za-z]:\\\w")
_TRIAL = re.compile(r"\btrial (?!0\b)\d{1,6} failed.{0,4000}\.(?:to|cuda)\(")
_MUCH = 0.1  # of the GPU's capacity


def explain(text: str) -> list[str] | None:
    """Return the report of a full GPU from a text, as lines; `None` for any other text."""
    pasted = recognise_text(text)
    if pasted is None:
        return None
    evidence = _evidence(pasted)
    report = report_of(evidence).report
    report["device_index"] = pasted.said.device_index
    net_evidence = _without_own(evidence, pasted, text)
    free, requested = net_evidence.memory.usable_bytes, net_evidence.requested_bytes
    fits = requested is not None and free is not None and requested <= free
    diagnosis, offers = diagnose(_with(net_evidence, outside_bytes=None) if fits else net_evidence)
    causes = [*_causes(pasted, text, net_evidence, refused=fits and not diagnosis), *diagnosis]
    report["cause"], report["further_causes"] = causes[0] if causes else None, causes[1:]
    report["remedies"] = [offer.remedy for offer in offers]
    return [
        *lines(report),
        "",
        *_about(pasted, text),
        *_whose(text),
        "",
        say("explain.more", TEXTS),
        *_wanted(pasted.said),
    ]


def explain_nothing(text: str) -> str:
    """Return a sentence for a text that reports no full GPU."""
    kind = "something_else" if is_of_else(text) else "nothing"
    return say("explain." + ("offloaded" if _OFFLOADED.search(plain(text)) else kind), TEXTS)


def _without_own(evidence: Evidence, pasted: Pasted, text: str) -> Evidence:
    """Return the evidence without counting this process's own memory as other programs'."""
    if pasted.besides.hidden or _WINDOWS.search(text):
        return replace(evidence, others=Others(hidden=True))
    memory, own = evidence.memory, pasted.besides.own_bytes
    outside, pool = memory.outside_bytes, pool_in(text, pasted.said)
    if outside is not None and own is not None:
        outside = max(0, (memory.capacity_bytes or 0) - (memory.free_bytes or 0) - own)
    elif outside is not None and pool is not None:
        outside = max(0, outside - pool[1])
    return _with(evidence, outside_bytes=outside)


def _with(evidence: Evidence, **sizes: int | None) -> Evidence:
    return replace(evidence, memory=replace(evidence.memory, **cast("Any", sizes)))


def _causes(pasted: Pasted, text: str, evidence: Evidence, *, refused: bool) -> Iterator[Cause]:
    """Yield the causes found in the text; `refused` means that less than was free was requested."""
    error, besides, memory = pasted.said, pasted.besides, evidence.memory
    in_use, capacity, reserved = error.in_use_bytes or 0, error.capacity_bytes, error.reserved_bytes
    own, pool, trial = besides.own_bytes, pool_in(text, error), _TRIAL.search(plain(text))
    rest, free = (own or 0) - (reserved or 0), memory.free_bytes
    values = asdict(error) | {"metal_bytes": besides.metal_bytes, "rest_bytes": rest}
    values |= {"outside_bytes": memory.outside_bytes, "title": _NAMES.get(error.framework)}
    if capacity is not None and in_use > capacity:
        yield _cause("beyond", values)
    if (besides.metal_bytes or 0) > in_use:
        yield _cause("metal", values)
    if pool is not None and (own is None or own >= pool[1]):
        names = {"library": TITLES[pool[0]], "setting": SETTINGS[pool[0]]}
        yield _cause("pool", values | names | {"pool_bytes": pool[1]})
    elif capacity is not None and reserved is not None and rest > max(reserved, _MUCH * capacity):
        yield _cause("own", values)
    elif trial and in_use > (capacity or 0) / 2:
        yield _cause("trials", values)
    elif error.requested_bytes is None and re.search(_LIBRARIES["Transformers"], plain(text)):
        yield _cause("offload", values)
    elif refused and capacity is not None:
        is_beyond = (reserved or 0) + (free or 0) > capacity
        kind = "others" if (memory.outside_bytes or 0) > _MUCH * capacity else "limit"
        yield _cause("refused", values, "shared" if is_beyond else kind)


def _cause(rule: str, values: Mapping[str, Any], why: str = "evidence") -> Cause:
    claim, basis = [message(f"explain.{key}", TEXTS, **values) for key in (rule, f"{rule}.{why}")]
    return {"rule": f"explain.{rule}", "claim": claim, "evidence": basis, "bytes": None}


def _about(pasted: Pasted, text: str) -> Iterator[str]:
    error = pasted.said
    framework = _NAMES.get(error.framework, error.framework)
    if error.framework == "cuda" or (error.framework == "torch" and not error.requested_bytes):
        signs = (name for name, sign in _LIBRARIES.items() if re.search(sign, plain(text)))
        framework = next(signs, framework)
    if pasted.error_name is None:
        yield say("explain.message", TEXTS, framework=framework)
    else:
        yield say("explain.error", TEXTS, error=pasted.error_name, framework=framework)
    if not error.certain:
        yield say("explain.doubtful", TEXTS)
    besides = pasted.besides
    for clause in besides.processes:
        if clause.bytes is None:
            yield say("explain.process_unmeasured", TEXTS, pid=clause.pid)
        else:
            kind = "explain.lone_process" if besides.is_alone else "explain.process"
            yield say(kind, TEXTS, pid=clause.pid, process_bytes=clause.bytes)
    if besides.private_pools_bytes:
        yield say("explain.private_pools", TEXTS, pools_bytes=besides.private_pools_bytes)


def _whose(text: str) -> Iterator[str]:
    """Yield the process whose failure it is, if the text names one."""
    worker = named_in(text, RemoteWorker("ray" if _OF_RAY in text else "rank"))
    if worker.rank is not None or worker.engine == "ray":
        yield say("explain.worker", TEXTS, worker=named(worker.engine, worker.rank))
    if worker.pid is not None:
        yield process(worker.pid, worker.host)


def _wanted(said: Statement) -> Iterator[str]:
    if said.requested_bytes is None or (said.capacity_bytes or said.allowed_bytes) is None:
        yield "  - " + say("explain.more.full_message", TEXTS)
    yield "  - " + say("explain.more.holders", TEXTS)


def _evidence(pasted: Pasted) -> Evidence:
    """Return evidence for rules and remedies from the text's numbers, without a kernel."""
    error, now_s, metal = RuntimeError(), time.time(), pasted.besides.metal_bytes
    recognition = Recognition(error, pasted.error_name or "", pasted.said)
    cell = CellRun(None, None, "", None, now_s)
    evidence = as_said(Failure(error, recognition, None, "", cell, (), None, None, now_s))
    if metal is None or pasted.said.allowed_bytes is None:
        return evidence
    free = max(0, pasted.said.allowed_bytes - (pasted.said.in_use_bytes or 0) - metal)
    return _with(evidence, outside_bytes=metal, free_bytes=free, usable_bytes=free)
