"""A value that decides a size is never guessed; one that is only looked at is a plain number."""

from __future__ import annotations

import copy
import json
import logging
import math
import pickle
import sysconfig
from typing import TYPE_CHECKING, Any

import pytest
import torch
from gpu_simulator import simulate
from torch import nn
from torch.nn import functional
from torch.nn.utils import rnn

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from gpu_simulator.simulation import Simulation

    from .conftest import StartGpu

CUDA = "cuda"
BATCH, WIDTH, LONGEST = 6, 8, 10


@pytest.fixture
def sizes_only(start_gpu: StartGpu) -> Simulation:
    """A GPU without values."""
    return start_gpu("4 GiB", "meta")


def labels() -> Any:
    """Of a batch whose classes are not known."""
    return torch.randint(0, 9, (BATCH,), device=CUDA)


def rows() -> torch.Tensor:
    """Of a batch, on the GPU."""
    return torch.randn(BATCH, WIDTH, device=CUDA)


def count() -> Any:
    """Return a whole number that was never computed."""
    return labels().max().item()


def on_host() -> torch.Tensor:
    """Return as many known numbers."""
    return torch.zeros(BATCH, dtype=torch.long)


def share() -> Any:
    """Return a number that was never computed."""
    return rows().abs().mean().item()


def lengths() -> torch.Tensor:
    """Of sequences."""
    return torch.randint(1, LONGEST, (BATCH,), device=CUDA)


# How a number that decides a size is come by.
NUMBERS: dict[str, Callable[[], Any]] = {
    "as it is": count,
    "n + 1": lambda: count() + 1,
    "n - 1": lambda: count() - 1,
    "n * 2": lambda: count() * 2,
    "n // 2": lambda: count() // 2,
    "n % 2": lambda: count() % 2,
    "n ** 2": lambda: count() ** 2,
    "-n": lambda: -count(),
    "divmod(n, 2)": lambda: divmod(count(), 2)[0],
    "sum": lambda: sum([count(), 3]),
    "max(2, n)": lambda: max(2, count()),
    "max of a list": lambda: max([count(), 2]),
    "min(2, n)": lambda: min(2, count()),
    "tolist": lambda: labels().tolist()[0],
    "item of the host": lambda: labels().cpu().max().item(),
    "copied to the host": lambda: on_host().copy_(labels()).max().item(),
    "back on the GPU": lambda: labels().cpu().cuda().max().item(),
    "a tensor of it on the GPU": lambda: torch.tensor([count(), 1], device=CUDA).tolist()[1],
    "ceil": lambda: math.ceil(share() * 10),
    "round": lambda: round(share() * 10),
    "copied": lambda: copy.deepcopy(copy.copy(count())),
    "in a dict": lambda: {"classes": count()}["classes"],
    "a tensor": lambda: labels().max() + 1,
    "a tensor of the host": lambda: labels().max().cpu(),
}

# Where a number decides a size.
USES: dict[str, Callable[[Any], object]] = {
    "zeros": lambda n: torch.zeros(n, device=CUDA),
    "zeros by keyword": lambda n: torch.zeros(size=(2, n), device=CUDA),
    "full": lambda n: torch.full((n, 2), 1.0, device=CUDA),
    "arange": lambda n: torch.arange(n, device=CUDA),
    "arange by keyword": lambda n: torch.arange(start=0, end=n, device=CUDA),
    "eye": lambda n: torch.eye(n, device=CUDA),
    "new_zeros": lambda n: rows().new_zeros(n, 2),
    "view": lambda n: rows().view(n, -1),
    "reshape": lambda n: torch.reshape(rows(), (n, -1)),
    "expand": lambda n: rows()[:1].expand(n, -1),
    "repeat": lambda n: rows().repeat(n, 1),
    "repeat_interleave": lambda n: rows().repeat_interleave(n, dim=0),
    "resize_": lambda n: rows().resize_(n, 2),
    "split": lambda n: rows().split(n),
    "narrow": lambda n: rows().narrow(0, 0, n),
    "topk": lambda n: rows().topk(n),
    "multinomial": lambda n: torch.multinomial(rows().softmax(-1), n),
    "pad": lambda n: functional.pad(rows(), (0, n)),
    "interpolate by scale": lambda n: functional.interpolate(rows()[None], scale_factor=n / 2),
    "adaptive pooling": lambda n: functional.adaptive_avg_pool1d(rows(), n),
    "one_hot": lambda n: functional.one_hot(labels(), n),
    "Linear": lambda n: nn.Linear(10, n),
    "Embedding": lambda n: nn.Embedding(n, 8),
    "LayerNorm": nn.LayerNorm,
    "both ends of a slice": lambda n: rows()[count() : n],
}


# What takes no tensor for a size, or makes a plain number of it first.
NO_TENSORS = ("interpolate by scale", "LayerNorm", "split")


def refused(call: Callable[[], object]) -> str:
    """Return what a program is told that stops because it needs a value."""
    with pytest.raises(NotImplementedError) as excinfo:
        call()
    message = str(excinfo.value)
    assert message.startswith("The simulated GPU does not know ")
    assert ' with compute="meta" there are sizes only; compute="cpu" computes values.' in message
    assert " in line " in message
    return message


@pytest.mark.parametrize("number", NUMBERS)
def test_a_number_stays_unknown(sizes_only: Simulation, number: str) -> None:
    """On its way to a size."""
    n = NUMBERS[number]()
    refused(lambda: torch.zeros(3, n, device=CUDA))
    refused(lambda: nn.Linear(4, n))
    del sizes_only


@pytest.mark.parametrize("use", USES)
def test_a_size_is_not_guessed(sizes_only: Simulation, use: str) -> None:
    """Wherever it is given, on the host as on the GPU; of values that are there it is right."""
    n = count() + 2
    refused(lambda: USES[use](n))
    if use != "both ends of a slice":
        USES[use](int(n))
    if use not in NO_TENSORS:
        refused(lambda: USES[use](labels().max() + 2))
    del sizes_only


def test_the_sentence_names_both_lines(sizes_only: Simulation) -> None:
    """Where the number is read, and where it is a size."""
    classes = labels().max().item() + 1
    said = refused(lambda: nn.Linear(10, classes))
    assert "(`said = refused(lambda: nn.Linear(10, classes))`)" in said
    assert "a value that line" in said
    assert "(`classes = labels().max().item() + 1`) reads" in said
    del sizes_only


# What asks for values itself.
ASKS: dict[str, Callable[[], object]] = {
    "one_hot": lambda: functional.one_hot(labels()),
    "bincount": lambda: torch.bincount(labels()),
    "repeat_interleave": lambda: torch.repeat_interleave(rows(), labels(), dim=0),
    "split by lengths": lambda: rows().split(labels().tolist()),
    "lstsq": lambda: torch.linalg.lstsq(rows(), rows()),
    "sum of masked and not": lambda: rows()[rows() > 0] + rows()[:, 0],
    "view of masked": lambda: rows()[rows() > 0].view(-1, 7),
    "product of masked": lambda: rows()[rows()[:, 0] > 0][:-1] @ rows(),
    "masked on the host": lambda: rows().cpu()[rows().cpu() > 0] + torch.ones(3),
    "trimmed": lambda: torch.cat([rows()[:, : count()], rows()[:2, :3]], dim=1),
}


@pytest.mark.parametrize("call", ASKS)
def test_a_size_that_values_decide_is_not_guessed(sizes_only: Simulation, call: str) -> None:
    """There the program ends with a sentence of ours, not with PyTorch's."""
    refused(ASKS[call])
    del sizes_only


def test_sizes_that_never_fit_are_the_programs_own_mistake(gpu: Simulation) -> None:
    """Where no mask is concerned, or values are there."""
    with pytest.raises(RuntimeError, match=r"size|broadcast") as excinfo:
        rows() + rows()[:, :3]
    assert type(excinfo.value) is RuntimeError
    if gpu.compute == "cpu":
        with pytest.raises(RuntimeError, match=r"size|broadcast") as excinfo:
            rows()[rows() < 9] + torch.ones(5, device=CUDA)
        assert type(excinfo.value) is RuntimeError


# What depends on values and takes the largest size that there can be, and what is computed of it.
LARGEST: dict[str, tuple[Callable[[], torch.Tensor], list[int]]] = {
    "masked": (lambda: rows()[rows() > 0], [BATCH * WIDTH]),
    "rows masked": (lambda: rows()[labels() > 3] * rows()[labels() > 3], [BATCH, WIDTH]),
    "masked on the host": (lambda: rows().cpu()[(rows() > 0).cpu()], [BATCH * WIDTH]),
    "unique on the host": (lambda: labels().cpu().unique(), [BATCH]),
    "nonzero on the host": (lambda: labels().cpu().nonzero(), [BATCH, 1]),
    "up to a number": (lambda: rows()[: count()], [BATCH, WIDTH]),
    "up to a tensor": (lambda: rows()[:, : labels().max()], [BATCH, WIDTH]),
    "from a number": (lambda: rows()[count() :], [BATCH, WIDTH]),
    "trimmed alike": (
        lambda: rows()[:, : count()] + rows()[:, : count()],
        [BATCH, WIDTH],
    ),
}


@pytest.mark.parametrize("call", LARGEST)
def test_what_is_chosen_is_as_much_as_it_can_be(sizes_only: Simulation, call: str) -> None:
    """Never less than in truth."""
    make, shape = LARGEST[call]
    assert list(make().shape) == shape
    del sizes_only


def test_a_window_has_its_width(gpu: Simulation) -> None:
    """Wherever it begins."""
    first = labels().max().item() % 2 if gpu.compute == "cpu" else count()
    assert rows()[first : first + 4].shape == (4, WIDTH)
    assert torch.ones(50)[first + 1 : first + 4].shape == (3,)
    assert rows()[first + 3 - 3 : 1 + first].shape == (1, WIDTH)


@pytest.mark.parametrize("way", ["cpu", "to", "tolist", "unsorted"])
@pytest.mark.parametrize("batch_first", [False, True])
def test_sequences_of_unknown_length_are_as_long_as_they_can_be(
    sizes_only: Simulation, way: str, batch_first: bool
) -> None:
    """Packed, run through, and unpacked."""
    shape = (BATCH, LONGEST, 3) if batch_first else (LONGEST, BATCH, 3)
    where = lengths()
    sizes = where.tolist() if way == "tolist" else where.to("cpu") if way == "to" else where.cpu()
    inputs = torch.randn(shape, device=CUDA)
    sequence = rnn.pack_padded_sequence(
        inputs, sizes, batch_first=batch_first, enforce_sorted=way != "unsorted"
    )
    assert sequence.data.shape == (BATCH * LONGEST, 3)
    assert sequence.batch_sizes.tolist() == [BATCH] * LONGEST
    layer = nn.LSTM(3, 5, batch_first=batch_first).cuda()
    outputs, _ = layer(sequence)
    result, _ = rnn.pad_packed_sequence(outputs, batch_first=batch_first)
    assert result.shape == (*shape[:2], 5)
    result.sum().backward()
    refused(lambda: result.flatten(0, 1) + torch.ones(7, 5, device=CUDA))
    del sizes_only


# What a person does with numbers that are no size.
LOOKS: dict[str, Callable[[], object]] = {
    "formatted": lambda: f"{count():3d} of {share():.4f} {share():.2e} {count()}",
    "str": lambda: (str(count()), repr(share())),
    "JSON": lambda: json.loads(json.dumps({"loss": share(), "right": count()})),
    "logged": lambda: logging.getLogger(__name__).info("%s %d %f", share(), count(), share()),
    "compared": lambda: (count() > 3, share() <= 0.5, count() == 0, share() != 1),
    "sorted": lambda: sorted([share(), 0.5, count()]),
    "divided by": lambda: (1 / share(), 1 / count(), 5 // count(), 5 % count(), share() / count()),
    "logarithm": lambda: math.log(share()),
    "a sum of losses": lambda: sum(share() for _ in range(3)) / 3,
    "an accuracy": lambda: (labels() == 1).sum().item() / BATCH,
    "a plain number": lambda: (int(count()), float(share()), bool(count()), int(labels()[0])),
    "a loop": lambda: list(range(count())),
    "an index of a list": lambda: ["cat", "dog"][count()],
    "repeated text": lambda: "#" * count() + str([0] * count()),
    "an index": lambda: rows()[count()] + rows()[labels()[0]],
    "set by an index": lambda: rows().__setitem__(count(), share()),
    "a factor": lambda: rows() * share() + count() - rows() / count(),
    "a value": lambda: torch.full((2,), share(), device=CUDA),
    "a learning rate": lambda: torch.optim.SGD(nn.Linear(2, 2).parameters(), lr=1 + share()),
    "a probability": lambda: functional.dropout(rows(), share()),
    "a mean of the host": lambda: torch.tensor([share(), share()]).mean().item(),
    "a histogram of the host": lambda: torch.bincount(labels().cpu(), minlength=9).tolist(),
    "an array": lambda: rows().cpu().numpy().mean() + labels().cpu().numpy().max(),
}


@pytest.mark.parametrize("look", LOOKS)
def test_a_number_that_is_no_size_is_a_plain_one(sizes_only: Simulation, look: str) -> None:
    """What a program does with its metrics goes on."""
    LOOKS[look]()
    del sizes_only


def test_a_number_is_saved_as_a_plain_one(sizes_only: Simulation, tmp_path: Path) -> None:
    """In a checkpoint too, which PyTorch loads with nothing but tensors and plain values."""
    for number, kind in ((count(), int), (share(), float)):
        assert isinstance(number, kind)
        assert type(pickle.loads(pickle.dumps(number))) is kind  # noqa: S301 -- our own
    torch.save({"loss": share(), "right": count()}, tmp_path / "checkpoint.pt")
    checkpoint = torch.load(tmp_path / "checkpoint.pt")
    assert type(checkpoint["loss"]) is float
    del sizes_only


def test_values_that_are_known_decide_sizes(gpu: Simulation) -> None:
    """What came from the host as a few numbers, and everything where values are computed."""
    n: Any = torch.tensor(3).cuda().item() + 1
    assert torch.zeros(n, device=CUDA).shape == (4,)
    assert type(n) is int
    most: Any = torch.tensor([5, 2]).max()
    assert torch.zeros(most).shape == (5,)
    if gpu.compute == "cpu":
        assert type(count()) is int
        assert torch.zeros(labels().max() + 1).dim() == 1
        assert functional.one_hot(labels()).dim() == 2


# What cells write, beside what it is in the end; None is a size that is not known.
CELLS: dict[str, object] = {
    "torch.zeros(int(labels.max()) + 1)": None,
    "torch.zeros(3, int(share.item() * 10))": None,
    "torch.zeros(max([int(each) for each in labels]))": None,
    "[torch.zeros(n) for n in [int(labels[0])]]": None,
    "(lambda: torch.zeros(int(\n  labels.max()\n)))()": None,
    "int('12') + int(3.7) + int(True)": 16,
    "int(*['7']), isinstance(3, int), list(map(int, '12'))": (7, True, [1, 2]),
    "type(int(labels.numel())) is int": True,
    "torch.zeros(int(known) + 1).shape[0]": 6,
    "f'{int(labels.sum())} of {int(share * 100)} %'": "0 of 0 %",
    "[int(each) + 1 for each in labels.tolist()][:2]": [1, 1],
}


@pytest.fixture
def cells(sizes_only: Simulation) -> Any:
    """Run cells of a notebook beside a GPU without values."""
    sizes_only.stop()
    module = pytest.importorskip("IPython.core.interactiveshell")
    shell = module.InteractiveShell(user_ns={})
    shell.history_manager.enabled = False
    shell.showtraceback = lambda *_, **__: None
    simulation = simulate("1 GiB")
    shell.run_cell(
        "import torch\n"
        "labels = torch.randint(0, 9, (6,), device='cuda')\n"
        "share = torch.rand(9, device='cuda').mean()\n"
        "known = torch.tensor(5).cuda()"
    )
    yield shell
    simulation.stop()


@pytest.mark.parametrize("cell", CELLS)
def test_a_cell_keeps_that_a_number_is_not_known(cells: Any, cell: str) -> None:
    """Where Python makes a plain one of it."""
    result = cells.run_cell(cell)
    if CELLS[cell] is None:
        error = result.error_in_exec
        assert isinstance(error, NotImplementedError)
        assert str(error).startswith("The simulated GPU does not know a size in line ")
    else:
        assert result.error_in_exec is None
        assert result.result == CELLS[cell]


def test_what_fails_in_a_cell_fails_there(cells: Any) -> None:
    """In a line of its own, and not in ours."""
    error = cells.run_cell("a = 1\nint('a')").error_in_exec
    assert isinstance(error, ValueError)
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    assert trace is not None
    assert trace.tb_lineno == 2
    assert "gpu_simulator" not in trace.tb_frame.f_code.co_filename


def test_a_batch_has_padding_where_transformers_asks(sizes_only: Simulation) -> None:
    """A mask that says so of all tokens is left out there, and less is kept."""
    assert sizes_only.compute == "meta"
    mask = torch.randint(0, 2, (BATCH, LONGEST), device=CUDA).bool()
    code = "def is_left_out(mask):\n    return bool(mask.all())"
    for name, answer in (("masking_utils", False), ("generation.utils", True)):
        file = f"{sysconfig.get_path('purelib')}/transformers/{name.replace('.', '/')}.py"
        space: dict[str, Any] = {"__name__": f"transformers.{name}"}
        exec(compile(code, file, "exec"), space)  # noqa: S102  a module of that name
        assert space["is_left_out"](mask) is answer
    assert bool(mask.all())
