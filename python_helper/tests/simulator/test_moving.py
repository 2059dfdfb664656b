"""Every form in which a program says where something shall be, held to PyTorch's own parser."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

import pytest
import torch
from torch import nn
from torch.nn.utils import rnn

if TYPE_CHECKING:
    from collections.abc import Callable

    from gpu_simulator.simulation import Simulation

SHAPE = (2, 8, 16, 16)
ELEMENTS = 2 * 8 * 16 * 16
HALF = torch.float16
LAST = torch.channels_last
DEVICES: list[Any] = [
    "cuda",
    "cuda:0",
    "cuda:1",
    0,
    1,
    torch.device("cuda"),
    torch.device("cuda:1"),
]

# What may follow a device, by position and by keyword.
AFTER: list[tuple[tuple[Any, ...], dict[str, Any]]] = [
    ((), {}),
    ((None,), {}),
    ((HALF,), {}),
    ((None, True), {}),
    ((HALF, True), {}),
    ((), {"dtype": HALF}),
    ((), {"dtype": None}),
    ((), {"non_blocking": True}),
    ((HALF,), {"non_blocking": True}),
    ((), {"memory_format": LAST}),
    ((HALF, True), {"memory_format": LAST}),
]
FORMS: list[tuple[tuple[Any, ...], dict[str, Any]]] = [
    *[((device, *args), kwargs) for device in (*DEVICES, "cpu", "meta") for args, kwargs in AFTER],
    *[
        ((), {"device": device, **kwargs})
        for device in (*DEVICES, None)
        for args, kwargs in AFTER
        if not args
    ],
    ((HALF,), {}),
    ((HALF, True), {}),
    ((HALF,), {"memory_format": LAST}),
    ((), {"dtype": HALF}),
    ((), {"dtype": HALF, "non_blocking": True}),
    ((), {"memory_format": LAST}),
]
"""Forms of `to` without a tensor, which modules take as well."""


def in_use() -> list[int]:
    """Return the bytes on each GPU."""
    return [torch.cuda.memory_allocated(index) for index in (0, 1)]


def at(device: torch.device | None, otherwise: torch.device) -> torch.device:
    """Return where something is that was asked for on `device`; "cuda" is the current GPU."""
    device = otherwise if device is None else device
    return torch.device("cuda", 0) if str(device) == "cuda" else device


def parse_to(args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...]:
    """Return what PyTorch reads from the arguments of `to`."""
    result: tuple[Any, ...] = torch._C._nn._parse_to(*args, **kwargs)
    return result


def size_of(dtype: torch.dtype) -> int:
    """Return the bytes of a tensor, a multiple of what the allocator rounds to."""
    return ELEMENTS * torch.empty(0, dtype=dtype).element_size()


@pytest.mark.parametrize("start", ["cpu", "cuda:0", "cuda:1"])
def test_a_tensor_goes_where_it_is_told(two_gpus: Simulation, start: str) -> None:
    """As what it is told to be, in each form; where nothing changes it is itself."""
    for args, kwargs in FORMS:
        device, dtype, _, memory_format = parse_to(args, kwargs)
        tensor: Any = torch.ones(SHAPE, device=start)
        place, kind = at(device, tensor.device), dtype or tensor.dtype
        before = in_use()
        result = tensor.to(*args, **kwargs)
        assert (result.device, result.dtype, result.shape) == (place, kind, tensor.shape), (
            args,
            kwargs,
        )
        is_new = place != tensor.device or kind is not tensor.dtype or memory_format is not None
        assert (result is not tensor) == is_new, (args, kwargs)
        if memory_format is not None and place.type != "meta":
            assert result.is_contiguous(memory_format=LAST), (args, kwargs)
        expected = list(before)
        if is_new and place.type == "cuda":
            expected[place.index] += size_of(kind)
        assert in_use() == expected, (args, kwargs)
        copy = tensor.to(*args, **kwargs, copy=True)
        assert copy is not tensor
        assert (copy.device, copy.dtype) == (place, kind), (args, kwargs)
        del tensor, result, copy
    assert in_use() == [0, 0]
    del two_gpus


def module() -> Any:
    """Return one of 4 KiB, on the host or wherever things are made by default."""
    return nn.Linear(32, 32, bias=False)


# Each puts 4 KiB on the second GPU.
ON_SECOND: dict[str, Callable[[], object]] = {
    "module.cuda": lambda: module().cuda(1),
    "module.to_empty": lambda: module().to_empty(device="cuda:1"),
    "skip_init": lambda: nn.utils.skip_init(nn.Linear, 32, 32, bias=False, device="cuda:1"),
    "module._apply": lambda: module()._apply(lambda tensor: tensor.cuda(1)),
    "module of a device": lambda: nn.Linear(32, 32, False, "cuda:1"),
    "tensor.cuda": lambda: torch.ones(1024).cuda(1),
    "parameter.cuda": lambda: nn.Parameter(torch.ones(1024)).cuda(1),
    "pinned": lambda: torch.ones(1024).pin_memory().to(1, non_blocking=True),
    "type_as": lambda: torch.ones(1024).type_as(torch.empty(0, device="cuda:1")),
    "copy_": lambda: torch.empty(1024, device="cuda:1").copy_(torch.ones(1024)),
    "zeros_like": lambda: torch.zeros_like(torch.ones(1024), device="cuda:1"),
    "tensor": lambda: torch.tensor([1.0] * 1024, device=1),
    "as_tensor": lambda: torch.as_tensor([1.0] * 1024, device="cuda:1"),
    "new_zeros": lambda: torch.ones(1).new_zeros(1024, device="cuda:1"),
    "storage.cuda": lambda: torch.ones(1024).untyped_storage().cuda(1),
    "packed.cuda": lambda: sequence().cuda(1),
    "packed.to": lambda: sequence().to("cuda:1"),
    "device of the thread": lambda: on_second(lambda: torch.zeros(1024, device="cuda")),
    "cuda on the device of the thread": lambda: on_second(lambda: torch.zeros(1024).cuda()),
    "loaded by a function": lambda: file_copy(torch.ones(1024), lambda s, _: s.cuda(1)),
}


def sequence() -> Any:
    """Return a packed sequence on the host."""
    return rnn.pack_sequence([torch.ones(512, 1), torch.ones(512, 1)])


def on_second(make: Callable[[], object]) -> object:
    """Return what is made while the second GPU is the current one."""
    with torch.cuda.device(1):
        return make()


def file_copy(tensor: torch.Tensor, location: Any) -> torch.Tensor:
    """Return a tensor that was saved and loaded again."""
    file = io.BytesIO()
    torch.save(tensor, file)
    file.seek(0)
    result: torch.Tensor = torch.load(file, map_location=location)
    return result


@pytest.mark.parametrize("form", ON_SECOND)
def test_what_is_asked_for_on_the_second_gpu_is_there(two_gpus: Simulation, form: str) -> None:
    """All of it, and nothing else anywhere."""
    value = ON_SECOND[form]()
    assert in_use() == [0, 4096]
    del value, two_gpus


# What is made where nothing is said of a device, each of 4 KiB; then what is not.
FACTORIES: dict[str, Callable[[], object]] = {
    "zeros": lambda: torch.zeros(1024),
    "of no device": lambda: torch.zeros(1024, device=None),
    "tensor": lambda: torch.tensor([1.0] * 1024),
    "as_tensor": lambda: torch.as_tensor([1.0] * 1024),
    "randperm": lambda: torch.randperm(512),
    "module": module,
    "embedding": lambda: nn.Embedding(32, 32),
    "of the default": lambda: torch.zeros(1024, device=torch.get_default_device()),
}
UNAFFECTED: dict[str, Callable[[], object]] = {
    "on the host": lambda: torch.zeros(1024, device="cpu"),
    "like one of the host": lambda: torch.zeros_like(torch.zeros(1024, device="cpu")),
    "moved": lambda: torch.zeros(1024, device="cpu").to(HALF),
    "of nothing": lambda: torch.zeros(1024, device="meta"),
    "of the old kind": lambda: torch.Tensor(1024),
}


@pytest.mark.parametrize("way", ["with", "default"])
@pytest.mark.parametrize("device", ["cuda:1", 1, torch.device("cuda:1")])
def test_what_is_made_by_default_is_there(two_gpus: Simulation, way: str, device: Any) -> None:
    """In a `with torch.device`, and after `torch.set_default_device`."""
    for factories, size in ((FACTORIES, 4096), (UNAFFECTED, 0)):
        for name, make in factories.items():
            if way == "with":
                with torch.device(device):
                    value = make()
            else:
                torch.set_default_device(device)
                try:
                    value = make()
                finally:
                    torch.set_default_device(None)
            assert in_use() == [0, size], name
            del value
    del two_gpus
