"""Errors after which CUDA fails in this process for good: only a restart helps.

NVIDIA documents each of these as leaving the process in an inconsistent state, in which any
further CUDA work returns the same error (cudaError_t in the CUDA Runtime API): they stick.

The text alone proves nothing, as any text may quote it. The error must have been raised by native
code or a framework in this process, and begin as CUDA's errors do.
"""

from __future__ import annotations

import opcode
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..frameworks.registry import TITLES
from ..inspection.kinds import is_kind, origins, top_of
from .origin import named_by, of_frame
from .reader import Reader
from .recognise import errors_within

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import TracebackType


# How the runtime's and the driver's errors begin in PyTorch, CuPy, Triton, Numba and PyCUDA, then
# those of NCCL (which says it further down), JAX, Thrust and faiss.
_OPENING = re.compile(
    r"(?i:(?:cuda|hip)(?: driver| runtime)? error\b|cudaError|CUDA_ERROR_|Triton Error \["
    r"|\[\d{1,4}\] Call to cu|cu\w{1,60} failed:)|(?P<nccl>NCCL [Ee]rror)"
    r"|[A-Z_]{5,30}: .{0,300}CUDA|\w{1,60}:? failed[\w ]{0,30}: cudaError"
    r"|Error in .{0,300}CUDA error"
)
# The first sentence of the report, and what CUDA says of it.
_FAULTS = {
    "sticky_error.assert": r"device-side assert triggered|CUDA_ERROR_ASSERT|cudaErrorAssert",
    "sticky_error.access": r"illegal memory access|(?:CUDA_ERROR_|cudaError)ILLEGAL_?ADDRESS",
    "sticky_error.kernel": (
        r"unspecified launch failure|launch timed out|misaligned address|illegal instruction"
        r"|hardware stack error|invalid program counter|global/shared address space"
        r"|(?:CUDA_ERROR_|cudaError)(?:LAUNCH_?FAIL\w{1,9}|LAUNCH_?TIMEOUT|MISALIGNED_?ADDRESS"
        r"|ILLEGAL_?INSTRUCTION|HARDWARE_?STACK_?ERROR|INVALID_?PC|INVALID_?ADDRESS_?SPACE)"
    ),
    "sticky_error.hardware": (
        r"uncorrectable (?:ECC|NVLink) error|(?:CUDA_ERROR_|cudaError)(?:ECC|NVLINK)_?UNCORRECTABLE"
    ),
}
_PATTERNS = {claim: re.compile(expression, re.IGNORECASE) for claim, expression in _FAULTS.items()}
_SPOKEN = 1000  # characters in which it is said
# PyTorch passes on what one of its threads raised: in `replica`, not in a worker process.
_CAUGHT = re.compile(r"Caught \w{1,99} in (?:replica|pin memory thread)")
_NAMED_LINE = re.compile(r"[\w.]{1,99}: ")
_MODULES = frozenset({"numba", "pycuda", "tensorflow"})  # whose errors are no `RuntimeError`
# Whose own code raises what CUDA's functions returned.
_FRAMEWORKS = frozenset({*TITLES, "numba", "numba_cuda", "pycuda"})
# Python code raises at these, or a generator or a coroutine receives another function's error.
_RAISES = frozenset({"RAISE_VARARGS", "RERAISE"})
_IS_GIVEN = frozenset(
    {"YIELD_VALUE", "YIELD_FROM", "SEND", "RESUME", "RETURN_GENERATOR", "POP_TOP"}
    | {"JUMP_BACKWARD_NO_INTERRUPT", "CLEANUP_THROW"}
)


@dataclass(frozen=True, slots=True)
class Fault:
    """Error that stopped CUDA: the id of the report's claim, and the error's text."""

    claim: str
    said: str
    error: BaseException


def recognise_fault(error: BaseException) -> Fault | None:
    """Return what `error`, or one in its chain or group, says of a CUDA that has stopped."""
    errors, reader = list(errors_within(error)), Reader()
    if named_by(errors) is not None:
        return None
    return next(filter(None, (_recognise_one(exception, reader) for exception in errors)), None)


def _recognise_one(error: BaseException, reader: Reader) -> Fault | None:
    kinds = origins(type(error))
    of_cuda = is_kind(error, RuntimeError) or any(module in _MODULES for module, _ in kinds)
    if not of_cuda or not _raised_here(error.__traceback__):
        return None
    for text in _spoken(reader.text_of(error).lstrip()):
        opening = _OPENING.match(text)
        words = text[:_SPOKEN] if opening and opening["nccl"] else text[:_SPOKEN].split("\n")[0]
        for claim, pattern in _PATTERNS.items() if opening else ():
            match = pattern.search(words)
            if match:
                return Fault(claim, match[0], error)
    return None


def _spoken(text: str) -> Iterator[str]:
    """Yield possible texts of a framework: a message, or the error of a thread in it."""
    yield text
    if _CAUGHT.match(text):
        for line in text.splitlines():
            name = _NAMED_LINE.match(line)
            if name:
                yield line[name.end() :]


def _raised_here(step: TracebackType | None) -> bool:
    """Whether native code or a framework raised the error of this traceback, in this process."""
    module = code = at = None
    while step is not None:
        code, at = step.tb_frame.f_code, step.tb_lasti
        # `exec` takes a dictionary of anybody's making.
        module = top_of(dict.get(step.tb_frame.f_globals, "__name__"))
        if of_frame(step.tb_frame) is not None:
            return False
        step = step.tb_next
    if code is None or at is None:
        return False
    instructions = code.co_code
    if not 0 <= at < len(instructions):
        return not instructions  # Cython's frames have none before Python 3.11
    name = opcode.opname[instructions[at]]
    if name in _RAISES:
        return module in _FRAMEWORKS
    # `result` of a future raises its error; the position in Cython's frames is the first step.
    return module != "asyncio" and (name not in _IS_GIVEN or (name == "RESUME" and at == 0))
