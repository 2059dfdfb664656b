"""A real kernel with the helper at work and a simulated GPU, for libraries slow to import."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.live import LiveKernel

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.live import Run

IMPORT_PATIENCE_S = 150.0
OFFLINE = {
    "HF_HUB_OFFLINE": "1",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "TRANSFORMERS_VERBOSITY": "error",
    "DISABLE_TELEMETRY": "1",
}
BEGIN = """
%load_ext gpu_headroom
import gc, tempfile, warnings, gpu_headroom
from gpu_headroom.holders.survey import survey
from gpu_headroom.concurrency.turns import Turn
from gpu_headroom.holders.frames import drop_tracebacks
warnings.simplefilter("ignore")
simulation = gpu_headroom.simulate("1 GiB", compute={compute!r}, outside=0)
import torch
from torch import nn

def size(tensors):
    '''Return what different tensors take: each is rounded up to 512 bytes.'''
    different = {{id(each): each for each in tensors}}.values()
    return sum(-(-each.nbytes // 512) * 512 for each in different)

def in_use():
    '''Return the bytes in live tensors, without cuBLAS's workspaces.'''
    torch._C._cuda_clearCublasWorkspaces()
    return torch.cuda.memory_allocated()

def explained():
    '''Return the share of the bytes in use that the survey reaches by a name of the user's.'''
    in_use_bytes = in_use()
    found = survey(get_ipython(), Turn(30))
    return found.ledger.bytes(0, origin="names") / in_use_bytes

at_the_beginning = None
at_the_beginning = set(globals())
"""
CLEAN = """
for name in set(globals()) - at_the_beginning:
    if not name.startswith("_"):
        del globals()[name]
drop_tracebacks(get_ipython())
gc.collect()
torch.cuda.set_per_process_memory_fraction(1.0)
torch.cuda.empty_cache()
torch.cuda.reset_peak_memory_stats()
"""


class Notebook:
    """Cells of one kernel, where the helper measures and streams all the while."""

    def __init__(self, kernel: LiveKernel, compute: str) -> None:
        self.kernel = kernel
        self.has_values = compute == "cpu"
        self.run(BEGIN.format(compute=compute))

    def try_to_run(self, code: str) -> Run:
        """Run a cell to its end, whatever that is."""
        return self.kernel.result(self.kernel.submit(code), timeout_s=IMPORT_PATIENCE_S)

    def run(self, code: str) -> None:
        """Run a cell that must succeed."""
        run = self.try_to_run(code)
        errors = [content["traceback"] for kind, content in run.outputs if kind == "error"]
        assert run.status == "ok", "\n".join(errors[0][-12:]) if errors else run.reply

    def value(self, expression: str) -> Any:
        """Return the value of an expression, which must be a plain one."""
        return self.kernel.value(expression)

    def explained(self) -> float:
        """Return and print how much of the bytes in use the survey finds under a name."""
        share: float = self.value("explained()")
        print(f"{share:.2%} of {self.value('in_use()')} bytes named")
        return share


@pytest.fixture(scope="module", params=["cpu", "meta"])
def opened(
    request: pytest.FixtureRequest, newest_python: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Notebook]:
    """A kernel with a GPU of 1 GiB, once with and once without values."""
    folder = tmp_path_factory.mktemp("family")
    with LiveKernel(newest_python, folder, installed=True, **OFFLINE) as kernel:
        yield Notebook(kernel, request.param)


@pytest.fixture
def notebook(opened: Notebook) -> Iterator[Notebook]:
    """The kernel with nothing of other tests in it; when a test's names go, so do its bytes."""
    opened.kernel.attach()  # a page renews its lease
    yield opened
    opened.run(CLEAN)
    assert opened.value("in_use()") == 0
