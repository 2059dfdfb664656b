"""Several threads that compute on the card at the same time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...concurrency.other_threads import kind_of_file
from ...own import SIMULATOR
from ...text.messages import message
from ..finding import A_LINE, TRADED, Finding

if TYPE_CHECKING:
    from ...frameworks.torch.observer import FrameLine
    from ...oom.evidence import Evidence

TEXTS = {
    "cause.several-tasks": "**{count} threads were computing on the GPU** when the memory ran out.",
    "cause.several-tasks.at_once": "**Several tasks are computing on the GPU at once.**",
    "cause.several-tasks.evidence": (
        "{names}: what each needs stands on the card at the same time. One after the other, or "
        "fewer at once, needs less."
    ),
    "cause.several-tasks.evidence_at_once": (
        "`{function}` is one of them: what each has made stands on the card while others go on. "
        "One after the other, or fewer at once, needs less."
    ),
}
_SEVERAL = 2
_NAMED = 4
_OWN = ("gpu-headroom", "pydevd", "pt_autograd")
_OF_FRAMEWORK = "/torch/"
_SIMULATED = f"/{SIMULATOR}/"  # each thread begins there
# Whoever stands there waits for data, and what begins there serves.
_SERVE = ("/torch/utils/data/", "/torch/multiprocessing/", "/torch/_inductor/")


def check(evidence: Evidence) -> Finding | None:
    """Speak where the observer saw several threads inside PyTorch, or tasks were begun at once."""
    capture = evidence.failure.capture
    threads = () if capture is None else capture.threads
    busy = [name for name, lines in threads if not name.startswith(_OWN) and _computes(lines)]
    running = evidence.scene.running
    if running.at_once and running.own:
        functions = [each for each in running.own if not each.startswith("<")]
        return Finding(
            message("cause.several-tasks.at_once", TEXTS),
            message(
                "cause.several-tasks.evidence_at_once",
                TEXTS,
                function=functions[0] if functions else running.own[0],
            ),
            bytes=evidence.memory.in_use_bytes,
            price=A_LINE,
        )
    if len(busy) < _SEVERAL:
        return None
    names = ", ".join([f"`{each}`" for each in busy[:_NAMED]])
    return Finding(
        message("cause.several-tasks", TEXTS, count=len(busy)),
        message("cause.several-tasks.evidence", TEXTS, names=names),
        bytes=None,
        price=TRADED,
    )


def _computes(lines: tuple[FrameLine, ...]) -> bool:
    """Whether a thread is inside PyTorch for the person, who has called it or given it to begin."""
    files = [file.replace("\\", "/") for file, _, _ in lines if kind_of_file(file) != "standard"]
    files = [file for file in files if _SIMULATED not in file]
    theirs = any(_OF_FRAMEWORK in file for file in files[-1:])
    theirs |= any(kind_of_file(file) == "own" for file in files)
    serves = any(part in each for each in (*files[:1], *files[-1:]) for part in _SERVE)
    return theirs and not serves and any(_OF_FRAMEWORK in file for file in files[:20])
