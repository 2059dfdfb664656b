"""Errors after which CUDA answers nothing more in this process: only a restart helps.

NVIDIA documents each of these as leaving the process in an inconsistent state, in which any
further CUDA work returns the same error (cudaError_t in the CUDA Runtime API). After one of
them nothing here touches the GPU: not even reading, since a call may wait for ever.
"""

from __future__ import annotations

import re
import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from ..kinds import is_kind, name_of
from ..messages import message
from ..sources import Reading
from .excerpt import Reader
from .recognise import errors_within

if TYPE_CHECKING:
    from ..session import Session

# Who speaks must stand in the same line: PyTorch, CuPy, JAX, Triton, NCCL or the driver's API.
_SPEAKER = re.compile(r"cuda|\bHIP error|Triton Error|\bcu[A-Z]\w+ failed", re.IGNORECASE)
# The first sentence of the card, and what CUDA says of it.
_FAULTS = {
    "poisoned.assert": r"device-side assert triggered|CUDA_ERROR_ASSERT|cudaErrorAssert",
    "poisoned.access": r"illegal memory access|(?:CUDA_ERROR_|cudaError)ILLEGAL_?ADDRESS",
    "poisoned.kernel": (
        r"unspecified launch failure|launch timed out|misaligned address|illegal instruction"
        r"|hardware stack error|invalid program counter|global/shared address space"
        r"|(?:CUDA_ERROR_|cudaError)(?:LAUNCH_?FAIL\w+|LAUNCH_?TIMEOUT|MISALIGNED_?ADDRESS"
        r"|ILLEGAL_?INSTRUCTION|HARDWARE_?STACK_?ERROR|INVALID_?PC|INVALID_?ADDRESS_?SPACE)"
    ),
    "poisoned.hardware": (
        r"uncorrectable (?:ECC|NVLink) error|(?:CUDA_ERROR_|cudaError)(?:ECC|NVLINK)_?UNCORRECTABLE"
    ),
}
_PATTERNS = {claim: re.compile(each, re.IGNORECASE) for claim, each in _FAULTS.items()}
_MODULES = frozenset({"numba", "pycuda", "tensorflow"})  # whose errors are no `RuntimeError`
# What came from another process says nothing of this one.
_REMOTE = frozenset({"RemoteTraceback", "_RemoteTraceback", "RemoteError", "RayTaskError"})
_REMOTE_TEXT = re.compile(r"DataLoader worker|Process \d+ terminated|\bray::")


@dataclass(frozen=True, slots=True)
class Fault:
    """What stopped CUDA: the id of the card's claim, and the words of the error."""

    claim: str
    said: str
    error: BaseException


def recognise_fault(error: BaseException) -> Fault | None:
    """Return what `error`, or one in its chain or group, says of a CUDA that has stopped."""
    errors = list(errors_within(error))
    if any(name_of(type(each)) in _REMOTE for each in errors):
        return None
    return next(filter(None, map(_recognise_one, errors)), None)


def notice(session: Session, error: BaseException) -> Fault | None:
    """Recognise a fault of this kernel's CUDA, and leave the GPU alone from then on."""
    fault = recognise_fault(error)
    if fault is None or not _is_up(session):
        return None
    if session.poisoned is None:
        _leave_alone(session)
    return fault


def _leave_alone(session: Session) -> None:
    session.poisoned = message("poisoned.sentence", since_s=time.time())
    latest = session.sampler.latest
    devices = () if latest is None else latest.devices
    session.sources.frozen = Reading(
        "live" if latest is None else latest.state,
        tuple(replace(each, **_UNKNOWN, notes=(session.poisoned,)) for each in devices),
        None if latest is None else latest.host,
    )


_UNKNOWN: dict[str, Any] = dict.fromkeys(("free_bytes", "outside_bytes", "others_bytes"))


def _is_up(session: Session) -> bool:
    """Whether a framework of this process uses CUDA, told from what is known already."""
    latest = session.sampler.latest
    return session.sources.torch.state() == "live" or (
        latest is not None and latest.state == "live"
    )


def _recognise_one(error: BaseException) -> Fault | None:
    native = is_kind(error, RuntimeError) or any(
        each.__module__.partition(".")[0] in _MODULES for each in type(error).__mro__
    )
    text = Reader().text_of(error) if native else ""
    if _REMOTE_TEXT.search(text):
        return None
    for line in text.splitlines():
        for claim, pattern in _PATTERNS.items() if _SPEAKER.search(line) else ():
            found = pattern.search(line)
            if found:
                return Fault(claim, found[0], error)
    return None
