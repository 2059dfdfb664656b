"""Who holds the real allocator's memory: every byte has its place."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.cuda.kernel import MIB, TRAIN, torch_version

if TYPE_CHECKING:
    from tests.cuda.kernel import CudaKernel

pytestmark = pytest.mark.cuda
PARTS = ("named_bytes", "graph_bytes", "unnamed_bytes", "not_attributed_bytes")


@pytest.mark.usefixtures("trash")
def test_the_parts_add_up_to_what_is_in_use(cuda: CudaKernel) -> None:
    """Names and graphs have theirs; what no walk finds are the workspaces of cuBLAS."""
    cuda.good(TRAIN)
    (device,) = cuda.asked("holders")["devices"]
    assert device["in_use_bytes"] == cuda.allocated()
    assert sum(device[part] for part in PARTS) == device["in_use_bytes"]
    rows = {row["name"]: row["bytes"] for row in device["rows"]}
    weights = 4 * (1024 * 1024 + 1024) * 4
    assert rows["model"] == 2 * weights  # parameters and gradients
    before = device["not_attributed_bytes"]
    workspaces = cuda.expected().get("framework_cache:cublas", 0)
    assert device["graph_bytes"] >= (4 if cuda.shows_graphs() else 3) * MIB
    assert before <= 2 * (8 * MIB + 128 * 1024) + MIB
    if workspaces:
        cuda.release("framework_cache:cublas", confirmed=True)
        (device,) = cuda.asked("holders")["devices"]
        assert device["not_attributed_bytes"] < before


@pytest.mark.usefixtures("trash")
def test_the_way_to_a_holder(cuda: CudaKernel) -> None:
    """A name of the notebook leads there."""
    cuda.good(TRAIN)
    assert cuda.asked("path", holder_id="0/names/out")["paths"]


@pytest.mark.usefixtures("trash")
def test_where_memory_was_made_is_recorded_on_request(cuda: CudaKernel) -> None:
    """Rows name the cell while it is asked for, and PyTorch records nothing afterwards."""
    if torch_version() < (2, 1):
        pytest.skip("recording of live memory only came with PyTorch 2.1")
    cuda.good("first = torch.ones(4, device='cuda')")
    cuda.attach(record_allocations=True)
    cuda.sample()
    cuda.good("hidden = [torch.empty(2**22, device='cuda') for _ in range(3)]", cell_id="maker")
    cuda.sample()
    (device,) = cuda.asked("holders")["devices"]
    parts = [part for row in device["rows"] for part in (row, *row.get("parts", []))]
    made = [each["allocation_site"] for each in parts if each.get("allocation_site")]
    assert "maker" in [each["cell_id"] for each in made]
    cuda.attach(record_allocations=False)
    cuda.sample()
    cuda.good("again = torch.empty(2**22, device='cuda')")
    blocks = "[b for s in torch.cuda.memory_snapshot() for b in s['blocks']]"
    frames = f"[b.get('frames') for b in {blocks} if b.get('address') == again.data_ptr()]"
    assert not any(cuda.value(frames))
