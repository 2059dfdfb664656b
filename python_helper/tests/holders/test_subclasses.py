"""Tensors that are more than one storage, or hold their memory in attributes.

The simulated GPU has no sparse and no jagged tensors: these are told on the CPU, where the
walk takes the CPU for a GPU.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import torch
from gpu_headroom.concurrency.turns import Turn
from gpu_headroom.frameworks.torch import tensors as storages
from gpu_headroom.holders.inspector import Inspector
from gpu_headroom.holders.place import Place
from gpu_headroom.holders.walk import Walk
from gpu_headroom.text.format import MIB
from tests.holders.conftest import sizes

if TYPE_CHECKING:
    from tests.holders.conftest import Measure

QUANTISED = """
import warnings
warnings.simplefilter('ignore')
class QuantState:
    def __init__(self): self.absmax, self.code = tensor(1), tensor(2)
class Params4bit(nn.Parameter):
    pass
x = Params4bit(tensor(8), requires_grad=False)
x.quant_state = QuantState()
"""


def test_finds_the_state_of_a_quantised_parameter(measure: Measure) -> None:
    """As bitsandbytes keeps it: packed data, and an object with more tensors beside it."""
    assert sizes(measure(QUANTISED)) == {"x": (8 + 1 + 2) * MIB}


def test_looks_into_a_subclass_with_torch_function(measure: Measure) -> None:
    """Its own function is not asked."""
    account = measure(
        "asked = []\nclass Sub(torch.Tensor):\n"
        "    @classmethod\n    def __torch_function__(cls, f, types, args=(), kwargs=None):\n"
        "        asked.append(f); return super().__torch_function__(f, types, args, kwargs or {})\n"
        "x = tensor(8).as_subclass(Sub)\nx.more = tensor(1)\nasked.clear()"
    )
    assert sizes(account) == {"x": 9 * MIB}


def test_calls_nothing_of_a_subclass_that_dispatches(measure: Measure) -> None:
    """A wrapper's memory is in its attributes; its device and shape are its own code."""
    account = measure(
        "asked = []\nclass Wrapper(torch.Tensor):\n"
        "    @staticmethod\n    def __new__(cls, inner):\n"
        "        self = torch.Tensor._make_wrapper_subclass(cls, inner.shape, dtype=inner.dtype)\n"
        "        self.inner = inner; return self\n"
        "    def __tensor_flatten__(self): asked.append('flatten'); return ['inner'], None\n"
        "    @classmethod\n    def __torch_dispatch__(cls, f, types, args=(), kwargs=None):\n"
        "        asked.append(f); return NotImplemented\n"
        "x = Wrapper(tensor(8))\nasked.clear()\nshapes = asked.append"
    )
    assert sizes(account) == {"x": 8 * MIB}


@pytest.fixture
def host_as_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the walk take the CPU for a GPU."""
    monkeypatch.setattr(storages, "_GPUS", frozenset({"cpu"}))


def bytes_of(value: object) -> dict[str, int]:
    """Return the bytes of each path under a value."""
    turn = Turn(30.0)
    with turn.walking():
        walk = Walk(Inspector(turn))
        walk.run([(value, Place("names", "x"))])
    assert not walk.truncated
    return {entry.path: entry.storage.bytes for entry in walk.ledger}


def indices() -> torch.Tensor:
    """Return 1024 × 256 positions on the diagonal."""
    return torch.arange(1024 * 256)


@pytest.mark.usefixtures("host_as_gpu")
def test_adds_up_the_parts_of_a_sparse_tensor() -> None:
    """COO: indices and values."""
    count = 1024 * 256
    x = torch.sparse_coo_tensor(
        indices()[None], torch.ones(count), (count,), check_invariants=False
    )
    assert bytes_of(x) == {"x._indices()": 8 * count, "x._values()": 4 * count}


@pytest.mark.parametrize(
    ("make", "rows", "columns"),
    [("csr", "crow_indices", "col_indices"), ("csc", "ccol_indices", "row_indices")],
)
@pytest.mark.filterwarnings("ignore:Sparse")
@pytest.mark.usefixtures("host_as_gpu")
def test_adds_up_the_parts_of_a_compressed_tensor(make: str, rows: str, columns: str) -> None:
    """CSR and CSC: two kinds of indices, and values."""
    compressed, plain = torch.arange(0, 2049, 2), torch.arange(2048) % 1024
    function = getattr(torch, f"sparse_{make}_tensor")
    x = function(compressed, plain, torch.ones(2048), (1024, 1024), check_invariants=False)
    assert bytes_of(x) == {f"x.{rows}()": 8704, f"x.{columns}()": 16384, "x.values()": 8192}


@pytest.mark.usefixtures("host_as_gpu")
def test_looks_into_jagged_tensors() -> None:
    """A jagged tensor keeps values and offsets in attributes."""
    x = torch.nested.nested_tensor_from_jagged(torch.ones(1024, 256), torch.tensor([0, 512, 1024]))
    totals = bytes_of(x)
    assert totals["x._values"] == 1024 * 256 * 4
    assert totals["x._offsets"] == 512


@pytest.mark.filterwarnings("ignore")
@pytest.mark.usefixtures("host_as_gpu")
def test_counts_quantised_tensors_with_their_scales() -> None:
    """One byte per element; per channel also a scale and a zero point each."""
    values = torch.randn(1024, 1024)
    whole = torch.quantize_per_tensor(values, 0.1, 0, torch.quint8)
    assert bytes_of(whole) == {"x": 1024 * 1024}
    rows = torch.quantize_per_channel(values, torch.ones(1024), torch.zeros(1024), 0, torch.quint8)
    totals = bytes_of(rows)
    assert totals["x"] == 1024 * 1024
    assert totals["x.q_per_channel_scales()"] == 1024 * 4
    assert totals["x.q_per_channel_zero_points()"] == 1024 * 4


@pytest.mark.usefixtures("host_as_gpu")
def test_looks_into_distributed_tensors(tmp_path: Any) -> None:
    """A DTensor's memory is that of its local part."""
    import torch.distributed as dist
    from torch.distributed.device_mesh import DeviceMesh
    from torch.distributed.tensor import DTensor, Shard

    dist.init_process_group("gloo", init_method=f"file://{tmp_path}/store", rank=0, world_size=1)
    try:
        mesh = DeviceMesh("cpu", [0])
        x: Any = DTensor.from_local(torch.ones(1024, 256), mesh, [Shard(0)])
        assert bytes_of(x)["x._local_tensor"] == 1024 * 256 * 4
        module = torch.nn.Module()
        module.weight = torch.nn.Parameter(x)
        assert bytes_of(module)["x.weight._local_tensor"] == 1024 * 256 * 4
    finally:
        dist.destroy_process_group()


def test_ignores_tensors_that_only_pretend() -> None:
    """A fake tensor says `cuda` and has no memory there."""
    from torch._subclasses.fake_tensor import FakeTensorMode

    with FakeTensorMode():
        x = torch.empty(1024, device="cuda")
    assert bytes_of(x) == {}
