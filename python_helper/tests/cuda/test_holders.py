"""Who holds the real allocator's memory: every byte has its place."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.cuda.kernel import MIB, TRAIN, WORKSPACE, parts_of, torch_version

if TYPE_CHECKING:
    from tests.cuda.conftest import StartCuda
    from tests.cuda.kernel import CudaKernel

pytestmark = pytest.mark.cuda


@pytest.mark.usefixtures("trash")
def test_the_parts_add_up_to_what_is_in_use(cuda: CudaKernel) -> None:
    """Names, graphs and cuBLAS have theirs, which is nearly all."""
    cuda.good(TRAIN)
    (device,) = cuda.asked("holders")["devices"]
    assert device["in_use_bytes"] == cuda.allocated()
    parts = parts_of(device)
    assert sum(parts.values()) == device["in_use_bytes"]
    rows = {row["name"]: row["bytes"] for row in device["rows"]}
    weights = 4 * (1024 * 1024 + 1024) * 4
    assert rows["model"] == 2 * weights  # parameters and gradients
    assert parts["graphs"] >= (4 if cuda.shows_graphs() else 3) * MIB
    assert parts["not_attributed"] < 2 * MIB
    workspaces = cuda.expected().get("framework_cache:cublas", 0)
    assert parts["workspaces"] == workspaces
    if torch_version() < (2, 15):  # which keeps none between two products
        assert workspaces == 2 * WORKSPACE
        cuda.release("framework_cache:cublas", confirmed=True)
        (device,) = cuda.asked("holders")["devices"]
        assert parts_of(device)["workspaces"] == 0


@pytest.mark.parametrize(
    ("variables", "size"),
    [
        ({}, WORKSPACE),
        ({"capabilities": "9.0"}, 32 * MIB),
        ({"CUBLAS_WORKSPACE_CONFIG": ":4096:2:16:8"}, WORKSPACE),
        ({"CUBLAS_WORKSPACE_CONFIG": ":16:8"}, MIB // 8),
    ],
    ids=["before Hopper", "Hopper", "configured as before", "configured small"],
)
def test_workspaces_of_each_stream_and_gpu(
    start_cuda: StartCuda, variables: dict[str, Any], size: int
) -> None:
    """Each has its own, and no tensor of the same size is called one."""
    if torch_version() >= (2, 15):
        pytest.skip("PyTorch 2.15 keeps no workspace of cuBLAS between two calls")
    kernel = start_cuda(devices="16GiB,16GiB", **variables)
    kernel.good(
        "import torch\n"
        f"kept = [torch.empty({size}, dtype=torch.uint8, device='cuda') for _ in range(3)]\n"
        "def multiply(index):\n"
        "    x = torch.ones(64, 64, device=f'cuda:{index}')\n"
        "    (x @ x).numel()\n"
        "multiply(0); multiply(1)\n"
        "with torch.cuda.stream(torch.cuda.Stream(0)):\n"
        "    multiply(0)"
    )
    devices = kernel.asked("holders")["devices"]
    assert [parts_of(device)["workspaces"] for device in devices] == [2 * size, size]
    assert all(sum(parts_of(device).values()) == device["in_use_bytes"] for device in devices)
    assert kernel.expected()["framework_cache:cublas"] == 3 * size
