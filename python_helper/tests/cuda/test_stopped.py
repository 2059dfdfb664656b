"""CUDA stops in the middle: real errors of PyTorch, and every later call of CUDA is counted."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.live import UNTIL_READ

if TYPE_CHECKING:
    from tests.cuda.conftest import StartCuda

pytestmark = pytest.mark.cuda


@pytest.mark.parametrize(
    ("status", "text"),
    [(710, "device-side assert triggered"), (700, "illegal memory access")],
)
def test_nothing_of_ours_touches_the_gpu_afterwards(
    start_cuda: StartCuda, status: int, text: str
) -> None:
    """The GPU says that only a restart helps; requests are answered without a call of CUDA's."""
    kernel = start_cuda()
    kernel.good("import torch\nkept = torch.empty(2**20, device='cuda')")
    kernel.sample()
    report = kernel.fail(kernel.poison(status) + "(kept + 1).sum().item()", cell_id="bad")
    assert report["sticky_error"] is True
    assert report["cause"]["claim"]["params"] == {"said": text}
    assert [remedy["kind"] for remedy in report["remedies"]] == ["restart"]
    before, written = kernel.counted(), len(kernel.calls())
    kernel.sample()
    for kind in ("plan", "holders"):
        kernel.asked(kind)
    assert kernel.release()["status"] == "failed"
    kernel.good(UNTIL_READ)
    assert kernel.counted() == before
    assert kernel.calls()[written:] == []


def test_should_cuda_answer_again_all_is_as_before(start_cuda: StartCuda) -> None:
    """Proof is memory that PyTorch got from the driver."""
    kernel = start_cuda()
    kernel.good("import torch\nkept = torch.empty(2**20, device='cuda')")
    kernel.fail(kernel.poison(710) + "(kept + 1).sum().item()")
    assert kernel.device()["headroom_bytes"] is None
    kernel.good(kernel.poison(0) + "more = torch.empty(2**28, device='cuda')")
    kernel.check_numbers()
