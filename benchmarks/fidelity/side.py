"""One of the two sides: plays programs, each in a fork of a Python that has PyTorch imported.

`python -m benchmarks.fidelity.side simulator NAME…` prints a line of JSON for each program: [its
name, what was measured]. It runs in an environment with a CUDA build of PyTorch: the side
`allocator` over the stub of the runtime, which has the programs' GPUs; the side `simulator` over
the same without a driver, where the simulation has them.
"""

from __future__ import annotations

import faulthandler
import importlib
import json
import linecache
import os
import signal
import sys
import tempfile
import traceback
import warnings
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import torch
import torch._dynamo  # an optimizer's first step imports it
from torch.optim.optimizer import register_optimizer_step_post_hook

from benchmarks.fidelity.measured import Failure, Gpu, Measured, Refusal
from benchmarks.fidelity.programs import FOLDER, PROGRAMS

if TYPE_CHECKING:
    from benchmarks.fidelity.programs import Program

PATIENCE_S = 150
"""A program takes seconds; one that hangs must not keep the others."""
LOUD = "GPU_HEADROOM_LOUD"
"""Set to see what programs print, and where they fail."""


def main() -> None:
    """Play the programs that are named."""
    side, *names = sys.argv[1:]
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    programs = [PROGRAMS[name] for name in names]
    for library in sorted({module for program in programs for module in program.libraries}):
        importlib.import_module(library)
    for program in programs:
        print(json.dumps([program.name, asdict(forked(side, program))]), flush=True)


def forked(side: str, program: Program) -> Measured:
    """Play a program in a child, and return what was measured there."""
    with tempfile.TemporaryFile("w+") as answer, tempfile.TemporaryDirectory() as folder:
        child = os.fork()
        if child == 0:
            try:
                os.chdir(folder)
                _be_quiet()
                signal.alarm(PATIENCE_S)
                json.dump(asdict(play(side, program)), answer)
                answer.flush()
            except BaseException:  # noqa: BLE001 -- the child ends here in any case
                traceback.print_exc()
            finally:
                # Nothing that CUDA or a library does at exit is of interest here.
                os._exit(0)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        answer.seek(0)
        text = answer.read()
    if text:
        return Measured.read(json.loads(text))
    return Measured((), (), Failure("ended", f"status {status}", ""))


def _be_quiet() -> None:
    if LOUD in os.environ:
        faulthandler.enable()
        os.dup2(2, 1)  # the answers are on the standard output
        return
    with open(os.devnull, "w") as nowhere:  # noqa: PTH123 -- a descriptor is what is needed
        os.dup2(nowhere.fileno(), 1)
        os.dup2(nowhere.fileno(), 2)


def play(side: str, program: Program) -> Measured:
    """Run a program on GPUs of its own, and measure each of them."""
    if side == "simulator":
        import gpu_headroom

        gpu_headroom.simulate(list(program.gpus), compute="meta", outside="420 MiB")
    torch.cuda.init()
    assert torch.cuda.device_count() == len(program.gpus)
    refusals: list[Refusal] = []
    steps = 0

    def count(*_: object) -> None:
        nonlocal steps
        steps += 1

    def observe(gpu: int, size: int, _total: int, _free: int) -> None:
        refusals.append(Refusal(gpu, size, steps))

    register_optimizer_step_post_hook(count)
    native: Any = torch._C  # noqa: SLF001 -- observers have no public name, nor types
    native._cuda_attach_out_of_memory_observer(observe)  # noqa: SLF001 -- as above
    failure = None
    try:
        program.function()
    except BaseException as error:  # noqa: BLE001 -- whatever ends a program is compared
        traceback.print_exc()
        failure = Failure(type(error).__name__, str(error).partition("\n")[0], _line(error))
    gpus = tuple(_gpu(index) for index in range(len(program.gpus)))
    return Measured(gpus, tuple(refusals), failure)


def _line(error: BaseException) -> str:
    """Return the innermost line of a program that an error came from."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if frame.filename.startswith(str(FOLDER))]
    if not own:
        return ""
    return linecache.getline(own[-1].filename, own[-1].lineno or 0).strip()


def _gpu(index: int) -> Gpu:
    stats = torch.cuda.memory_stats(index)
    return Gpu(
        peak_in_use=stats["allocated_bytes.all.peak"],
        peak_reserved=stats["reserved_bytes.all.peak"],
        allocations=stats["allocation.all.allocated"],
        retries=stats["num_alloc_retries"],
        ooms=stats["num_ooms"],
        in_use=stats["allocated_bytes.all.current"],
        asked=stats["allocated_bytes.all.allocated"],
    )


if __name__ == "__main__":
    main()
