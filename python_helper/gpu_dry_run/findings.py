"""Needs of a notebook: the GPUs on which it fits, what fills the peak, the edit that makes it fit.

Each number is from a run. A GPU with more memory than the allocator ever reserved needs no run of
its own, as that would be like the first one; nor does one with less than was in use at once, where
it would fail. A GPU without bfloat16 has a run of its own if the code may check for that. Each GPU
has one if the code may read the memory size, or continue after a refused request.
"""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from gpu_headroom.text.messages import message

from .gpus import AMPERE, Gpu
from .job import DIED, NOTHING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from .job import DryRunOrder, EditedCells, Ended, RunPeak

    Run = Callable[..., Ended]

_BATCH, _MOST_TRIES, _MOST_RUNS, _MOST_TIMES = "smaller-batch", 6, 24, 4096
# Programs that ask what the GPU can compute, or have a library ask, go another way on some.
_DEPENDS = re.compile(r"capability|bf16|bfloat16|\.major\b")
_OF_ITS_SIZE = re.compile(
    r"memory_fraction|mem_get_info|total_memory|device_properties|device_map"
    r"|OutOfMemory|executable_batch_size|auto_find_batch_size"
)


class Fit(NamedTuple):
    """Whether a run fits on a GPU; `fits` is `None` if it did not end, so that this is unknown.

    `left_bytes` is what remains at the peak; negative if memory is missing. `largest` is the
    largest number of `Findings.batch` that fits, if one was found.
    """

    gpu: Gpu
    fits: bool | None
    left_bytes: int | None
    largest: int | None = None


class Try(NamedTuple):
    """Result of a run with an edit."""

    edit: EditedCells
    ended: Ended


class Findings(NamedTuple):
    """Results so far; `at_peak` is a run in which the request with the peak was refused.

    `tried_on` is the GPU of `failure` and of `tries`, which is too small.
    """

    ended: Ended
    fits: tuple[Fit, ...] = ()
    at_peak: Ended | None = None
    tried_on: Gpu | None = None
    failure: Ended | None = None
    tries: tuple[Try, ...] = ()

    @property
    def batch(self) -> EditedCells | None:
        """The edit of the number that sets the batch, where that is known."""
        offered = [*(self.failure or NOTHING)["edits"], *(self.at_peak or NOTHING)["edits"]]
        batches = (edit for edit in offered if edit["remedy_id"] == _BATCH and edit["number"])
        return next(batches, None)


def find(run: Run, order: DryRunOrder) -> Iterator[Findings]:
    """Run the cells on a GPU without limit, then on each one whose size decides.

    Where they may go by its size the first run is on the largest one. `run` takes the fields of a
    job that differ, and runs each job once. Edits, the order's or its failure's, are tried on the
    GPU that the order names, else on the largest one that is too small.
    """
    sources, gpus = order.sources.values(), [Gpu(*fields) for fields in order.gpus]
    depends, of_size = (any(map(pattern.search, sources)) for pattern in (_DEPENDS, _OF_ITS_SIZE))
    ended = _on(run, max(gpus, key=lambda gpu: gpu.total_bytes)) if of_size else run()
    gpus = [_left_by_others(gpu, ended) for gpu in gpus]
    fit = partial(_fit, depends=depends, of_size=of_size)
    fits = [fit(run, gpu) for gpu in gpus]
    findings = Findings(ended, tuple(fits))
    yield findings
    if ended["outcome"] == "done" and ended["peak"] is not None:
        findings = findings._replace(at_peak=run(refuse_at=ended["peak"]["request"]))
        yield findings
    small = [gpu_fit for gpu_fit in fits if gpu_fit.fits is False]
    if order.tries_on:
        small = [gpu_fit for gpu_fit in small if gpu_fit.gpu.name == order.tries_on]
    if order.tries and small:
        gpu_fit = max(small, key=lambda each: each.gpu.total_bytes)
        failure = _on(run, gpu_fit.gpu)
        findings = findings._replace(tried_on=gpu_fit.gpu, failure=failure)
        yield findings
        for edit in failure["edits"] if order.edits is None else order.edits:
            for trial in _tries(run, edit, gpu_fit, fit if order.largest else None):
                findings = findings._replace(tries=(*findings.tries, trial))
                yield findings
    if order.largest_on_each and findings.batch is not None:
        for place, gpu_fit in enumerate(fits):
            fits[place] = gpu_fit._replace(largest=_largest(run, findings.batch, gpu_fit, fit))
            findings = findings._replace(fits=tuple(fits))
            yield findings


def _left_by_others(gpu: Gpu, ended: Ended) -> Gpu:
    """Return a GPU on which as much is left for tensors as on one that was looked at."""
    if gpu.outside_bytes is None or ended["peak"] is None:
        return gpu
    more = ended["peak"]["outside_bytes"] - gpu.outside_bytes
    return gpu._replace(total_bytes=gpu.total_bytes + more, more_bytes=more)


def is_whole(ended: Ended) -> bool:
    """Whether all of it ran: else at least so much is needed as was seen."""
    return ended["outcome"] == "done" and not ended["timed_out"]


def needed_bytes(peak: RunPeak | None) -> int:
    """Return what was in use at once, with the driver's context; 0 where no GPU was used."""
    return 0 if peak is None else peak["allocated_bytes"] + peak["outside_bytes"]


def _on(run: Run, gpu: Gpu, **differs: Any) -> Ended:
    return run(capacity_bytes=gpu.total_bytes, capability=gpu.capability, **differs)


def _fit(run: Run, gpu: Gpu, *, depends: bool, of_size: bool) -> Fit:
    ended = _on(run, gpu) if of_size else run()
    if depends and not of_size and gpu.capability < AMPERE and ended["outcome"] not in DIED:
        ended = run(capability=gpu.capability)
    peak = ended["peak"]
    left_bytes = gpu.total_bytes - needed_bytes(peak)
    if left_bytes < 0 or ended["outcome"] == "oom":
        return Fit(gpu, fits=False, left_bytes=left_bytes)
    if not is_whole(ended):
        return Fit(gpu, fits=None, left_bytes=None)
    if peak is not None and peak["reserved_bytes"] + peak["outside_bytes"] > gpu.total_bytes:
        own = _on(run, gpu)
        fits = {"done": True, "oom": False}.get(own["outcome"])
        return Fit(gpu, fits=fits, left_bytes=None if fits is None else left_bytes)
    return Fit(gpu, fits=True, left_bytes=left_bytes)


def _tries(
    run: Run, edit: EditedCells, known: Fit, fit: Callable[..., Fit] | None
) -> Iterator[Try]:
    """Try an edit; where it fails again and is offered again, as a smaller batch is, that too.

    With `fit` the largest number that fits follows where it sets one, and one more, which does not.
    """
    numbers = {edit["before"]}
    following: EditedCells | None = edit
    for _ in range(_MOST_TRIES):
        if following is None:
            break
        ended = _on(run, known.gpu, cells=following["cells"])
        yield Try(following, ended)
        numbers.add(following["number"])
        again = (offer for offer in ended["edits"] if offer["remedy_id"] == edit["remedy_id"])
        following = next(again, None)
    largest = fit and edit["number"] and edit["before"] and _largest(run, edit, known, fit)
    for number in (largest, largest + 1) if largest else ():
        if number not in numbers:
            other = _with(edit, number)
            yield Try(other, _on(run, known.gpu, cells=other["cells"]))


def _largest(run: Run, edit: EditedCells, known: Fit, fit: Callable[..., Fit]) -> int | None:
    """Return the largest number of an edit that fits on the GPU of `known`, a run without the edit.

    0: not even one fits; `None`: the runs do not show it. The memory left is linear in the number,
    so two runs give the number at which none is left. If free memory is fragmented by then, the
    number is found by bisection. One run without a limit is used for all GPUs.
    """
    before = edit["before"] or 1
    left_bytes, most = {before: known.left_bytes}, _MOST_TIMES * before
    fits, fails = (before, most) if known.fits else (0, before)
    is_even = True
    for _ in range(_MOST_RUNS):
        if left_bytes[before] is None or fits + 1 >= fails:
            break
        half = (fits + fails) // 2 if fails < most else 2 * fits
        near = _where_none_is_left(left_bytes) if is_even else half
        number = min(max(half if near is None else near, fits + 1), fails - 1)
        now = fit(partial(run, cells=_with(edit, number)["cells"]), known.gpu)
        if now.fits is None or (number >= 2 * fits > 0 and now.left_bytes == left_bytes[fits]):
            return None  # no more than that is ever in a batch, as of few data
        left_bytes[number] = now.left_bytes
        is_even = is_even and (now.fits or (now.left_bytes or 0) < 0)
        fits, fails = (number, fails) if now.fits else (fits, number)
    return fits if fits + 1 == fails < most else None


def _where_none_is_left(left: dict[int, int | None]) -> int | None:
    """Return the number at which no memory is left, by linear extrapolation; `None` if constant."""
    sizes = sorted([(abs(size), number, size) for number, size in left.items() if size is not None])
    if not sizes[1:] or sizes[0][2] == sizes[1][2]:
        return None
    (_, one, size), (_, other, more) = sizes[:2]
    return one + (-size * (other - one)) // (more - size)


def _with(edit: EditedCells, number: int) -> EditedCells:
    """Return an edit that sets another number."""
    own = re.compile(rf"(?<![\w.]){edit['number']}(?![\w.])")
    begin, end = edit["lines"] or (0, 0)
    cells = []
    for cell_id, source in edit["cells"]:
        lines = source.split("\n")
        if cell_id == edit["cell_id"]:
            changed = [own.sub(str(number), line) for line in lines[begin - 1 : end]]
            lines[begin - 1 : end] = changed
        cells.append((cell_id, "\n".join(lines)))
    title = edit["title"]
    template, params = {title["id"]: title["template"]}, {**title["params"], "new": str(number)}
    new_title = message(title["id"], template, **params)
    return {**edit, "title": new_title, "cells": cells, "number": number}
