"""What a person's code sees of a tensor on the GPU: nothing of what it is made of."""

from __future__ import annotations

import copy
import io
import pickle
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import torch
from torch import nn

if TYPE_CHECKING:
    from collections.abc import Callable

    from gpu_simulator.simulation import Simulation

CUDA = "cuda"


class Marked(torch.Tensor):
    """A tensor of a person's own kind."""


def tensor() -> Any:
    """Of two rows, on the GPU."""
    return torch.ones(2, 3, device=CUDA)


def marked() -> Any:
    """Of a person's own kind."""
    return tensor().as_subclass(Marked)


def file_copy(value: Any, location: Any = None, **options: Any) -> Any:
    """Return what was saved and loaded again."""
    file = io.BytesIO()
    torch.save(value, file, **options)
    file.seek(0)
    return torch.load(file, map_location=location)


def pickle_copy(value: Any) -> Any:
    """Return what was pickled and is unpickled again."""
    return pickle.loads(pickle.dumps(value))  # noqa: S301 -- our own


# What a question is answered with on a GPU.
ANSWERS: dict[str, tuple[Callable[[], object], object]] = {
    "isinstance": (lambda: isinstance(tensor(), torch.Tensor), True),
    "type": (lambda: type(tensor()), torch.Tensor),
    "device.type": (lambda: tensor().device.type, "cuda"),
    "device": (lambda: tensor().device == torch.device("cuda", 0), True),
    "device as a key": (lambda: {torch.device("cuda:0"): 1}.get(tensor().device), 1),
    "is_cuda": (
        lambda: (tensor().is_cuda, tensor().is_cpu, tensor().is_meta),
        (True, False, False),
    ),
    "type name": (lambda: tensor().type(), "torch.cuda.FloatTensor"),
    "storage is_cuda": (lambda: tensor().untyped_storage().is_cuda, True),
    "rows": (lambda: [row.device.type for row in tensor()], ["cuda", "cuda"]),
    "two addresses": (lambda: len({tensor().data_ptr() for _ in range(1)} - {0}), 1),
    "deepcopy of a module": (lambda: copy.deepcopy(nn.Linear(2, 2).cuda()).weight.is_cuda, True),
    "pickle of a module": (lambda: pickle_copy(nn.Linear(2, 2).cuda()).weight.is_cuda, True),
    "saved": (lambda: file_copy(tensor()).is_cuda, True),
    "saved, loaded to the host": (lambda: file_copy(tensor(), "cpu").is_cpu, True),
    "saved state": (lambda: file_copy(nn.Linear(2, 2).cuda().state_dict())["bias"].is_cuda, True),
    "numpy by force": (lambda: tensor().numpy(force=True).shape, (2, 3)),
    "times a number of numpy": (lambda: (tensor() * np.float64(2)).is_cuda, True),
    "equal to another shape": (lambda: torch.equal(tensor(), tensor()[0]), False),
    "own kind": (lambda: type(marked() * 2), Marked),
    "own kind, is_cuda": (lambda: marked().is_cuda, True),
    "own kind, masked": (lambda: marked().masked_select(marked() > 0).shape[0] <= 6, True),
    "own kind, backward": (lambda: gradient_of(marked().requires_grad_()).is_cuda, True),
    "under another mode": (lambda: on_gpu(lambda: tensor().masked_select(tensor() > 0)), True),
}


def gradient_of(leaf: Any) -> Any:
    """Return what backward gives to `leaf`."""
    leaf.sum().backward()
    return leaf.grad


def on_gpu(make: Callable[[], torch.Tensor]) -> bool:
    """Whether what is made in a `with torch.device` is on the GPU."""
    with torch.device(CUDA):
        return make().is_cuda


@pytest.mark.parametrize("question", ANSWERS)
def test_a_question_is_answered_as_on_a_gpu(gpu: Simulation, question: str) -> None:
    """With values and without."""
    ask, answer = ANSWERS[question]
    assert ask() == answer
    del gpu


NO_NUMPY = "can't convert cuda:0 device type tensor to numpy"
# What raises on a GPU, and what it says.
MISTAKES: dict[str, tuple[Callable[[], object], type[Exception], str]] = {
    "numpy": (lambda: tensor().numpy(), TypeError, NO_NUMPY),
    "asarray": (lambda: np.asarray(tensor()), TypeError, NO_NUMPY),
    "an array times": (lambda: tensor() * np.ones(3), TypeError, NO_NUMPY),
    "pinned": (lambda: tensor().pin_memory(), RuntimeError, "'torch.cuda.FloatTensor' only dense"),
    "deep copy of a result": (
        lambda: copy.deepcopy(tensor().requires_grad_() * 2),
        RuntimeError,
        "Only Tensors created explicitly by the user",
    ),
    "DLPack": (
        lambda: vars(torch)["to_dlpack"](tensor()),
        NotImplementedError,
        "The simulated GPU has no memory that DLPack could share",
    ),
    "copied from another size": (lambda: tensor().copy_(torch.ones(5)), RuntimeError, "size"),
    "mask of another size": (
        lambda: tensor()[torch.ones(5, device=CUDA) > 0],
        IndexError,
        r"shape of the mask \[5\] at index 0 does not match .* \[2, 3\] at index 0",
    ),
    "mask behind an index": (
        lambda: tensor()[:, torch.ones(2, device=CUDA) > 0],
        IndexError,
        r"shape of the mask \[2\] at index 0 does not match .* \[2, 3\] at index 1",
    ),
    "a model on the host": (
        lambda: nn.Linear(3, 2)(tensor()),
        RuntimeError,
        "Expected all tensors to be on the same device",
    ),
    "a name that is not there": (lambda: tensor().names_of, AttributeError, "names_of"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_refused_as_on_a_gpu(gpu: Simulation, mistake: str) -> None:
    """In CUDA's words where it has any, and never of what the GPU is made of."""
    make, error, words = MISTAKES[mistake]
    with pytest.raises(error, match=words) as excinfo:
        make()
    assert "meta" not in str(excinfo.value)
    del gpu


VALUES: dict[str, Callable[[], object]] = {
    "tensor": tensor,
    "parameter": lambda: nn.Parameter(tensor()),
    "result": lambda: tensor().requires_grad_() * 2,
    "own kind": marked,
    "state": lambda: nn.Linear(2, 2).cuda().state_dict(),
    "storage": lambda: tensor().untyped_storage(),
}


@pytest.mark.parametrize("name", VALUES)
def test_what_is_printed_says_where_it_is(gpu: Simulation, name: str) -> None:
    """And of which kind it is."""
    value = VALUES[name]()
    for text in (repr(value), str(value)):
        assert "cuda:0" in text
        assert "meta" not in text
        assert text.startswith("Marked(") == (name == "own kind")
    del gpu
