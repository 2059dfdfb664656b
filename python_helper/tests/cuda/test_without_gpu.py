"""A CUDA build of PyTorch where there is no GPU: the helper says so, and starts nothing."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.cuda.kernel import VARIABLE, is_played, need_the_stub

if TYPE_CHECKING:
    from tests.cuda.conftest import StartCuda

pytestmark = pytest.mark.cuda


def without_driver() -> dict[str, str]:
    """PyTorch's libraries are there, the driver's are not, as in a hub's runtime without GPU."""
    need_the_stub("no driver")
    return {"LD_LIBRARY_PATH": str(Path(os.environ.get(VARIABLE, "")) / "cuda_runtime" / "lib")}


@pytest.mark.parametrize("installed", [False, True], ids=["injected", "installed"])
@pytest.mark.parametrize("why", ["no driver", "none visible"])
def test_it_says_that_there_is_no_gpu(start_cuda: StartCuda, why: str, *, installed: bool) -> None:
    """Also once a cell has asked for it; every request is answered, and the log is silent."""
    variables = without_driver() if why == "no driver" else {"CUDA_VISIBLE_DEVICES": ""}
    kernel = start_cuda(installed=installed, **variables)
    for code in ("import torch", "assert not torch.cuda.is_available()", "x = torch.ones(4)"):
        kernel.good(code)
        sample = kernel.sample()
        assert sample["state"] == "no_gpu"
        assert sample["devices"] == []
    assert not any(kernel.expected().values())
    assert kernel.asked("holders")["devices"] == []
    assert kernel.run("torch.ones(1, device='cuda')", stop_on_error=False).status == "error"
    assert kernel.sample()["state"] == "no_gpu"
    assert kernel.value("torch.cuda.is_initialized()") is False
    if is_played():
        assert "context" not in kernel.calls()
