"""Bytes of whole training programs against theory that is written out here.

Each program runs two steps; the second, where nothing is new any more, is measured after forward,
after backward and after the optimizer's step. The theory below counts tensors by hand: parameters,
gradients, optimizer state, what each layer saves for backward, cuBLAS's two workspaces, and what
sums take meanwhile. It uses no number from the simulator; its peaks are those of PyTorch 2.13.0's
own allocator over a stub runtime.

The tests marked `gpu` run the same programs on a real card.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest
import torch
from torch import nn
from torch.nn import functional as F  # noqa: N812 -- everybody's name for it
from torch.utils.checkpoint import checkpoint

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.simulator.conftest import StartCard

MIB = 2**20
WORKSPACES = 2 * (8 * 1024 + 128) * 1024
"""cuBLAS's default `:4096:2:16:8`, once for the forward and once for the backward thread."""

TOLERANCE = 0.01
"""Of the expected bytes: scalars such as the loss, and masks of the loss scaler."""
UNSPLIT = 2 * MIB
"""A large block keeps a remainder of up to 1 MiB, and the two workspaces stay."""
RESERVED_TOLERANCE = 0.4
"""What may be reserved above the peak: segments that are not full, and blocks that fit nothing."""
REAL_TOLERANCE, REAL_WORKSPACES = 0.1, 96 * MIB
"""For a real card: kernels have workspaces, 32 MiB for each cuBLAS handle since Hopper."""


@dataclass
class Bytes:
    """What a program's second step allocated, in bytes."""

    loaded: int
    forward: int
    backward: int
    stepped: int
    peak: int


@dataclass
class Measured(Bytes):
    """The same as the card tells it."""

    loaded_reserved: int
    peak_reserved: int
    ooms: int


@dataclass
class Program:
    """A training program and its theory."""

    make: Callable[[], tuple[nn.Module, Any, Callable[[nn.Module], torch.Tensor]]]
    theory: Callable[[], Bytes]
    loaded_reserved: int | None
    amp: bool = False


def float32(*shape: int) -> int:
    """Return the bytes of a float32 tensor."""
    return rounded(4 * torch.Size(shape).numel())


def rounded(nbytes: int) -> int:
    """Round up to 512 bytes, as every allocation is."""
    return -(-nbytes // 512) * 512


def partial_sums(rows: int, columns: int) -> int:
    """Return what CUDA takes while it sums a matrix of `rows` over them, for a bias's gradient.

    128 threads of a block make four results each, and 64 rows are enough for a block.
    """
    return rows // 64 * 128 * float32(columns)


def run(program: Program) -> Measured:
    """Run two steps and measure the second."""
    cuda = torch.cuda
    model, optimizer, loss_of = program.make()
    loaded, loaded_reserved = cuda.memory_allocated(), cuda.memory_reserved()
    scaler = torch.amp.GradScaler("cuda", enabled=program.amp)
    forward = backward = 0
    for _ in range(2):
        cuda.reset_peak_memory_stats()
        loss = loss_of(model)
        forward = cuda.memory_allocated()
        scaler.scale(loss).backward()
        backward = cuda.memory_allocated()
        scaler.step(optimizer)
        scaler.update()
        optimizer.zero_grad()
        del loss
    stats = cuda.memory_stats()
    return Measured(
        loaded=loaded,
        forward=forward,
        backward=backward,
        stepped=cuda.memory_allocated(),
        peak=cuda.max_memory_allocated(),
        loaded_reserved=loaded_reserved,
        peak_reserved=cuda.max_memory_reserved(),
        ooms=stats["num_ooms"],
    )


# --- A multilayer perceptron of 4 hidden layers, with SGD and with AdamW ------------------------

WIDTH, DEPTH, CLASSES = 1024, 4, 10
LAYER = float32(WIDTH, WIDTH) + float32(WIDTH)
HEAD = float32(WIDTH, CLASSES) + float32(CLASSES)
PERCEPTRON = DEPTH * LAYER + HEAD


def perceptron() -> nn.Sequential:
    """Return the model, on the card."""
    hidden = [layer for _ in range(DEPTH) for layer in (nn.Linear(WIDTH, WIDTH), nn.ReLU())]
    return nn.Sequential(*hidden, nn.Linear(WIDTH, CLASSES)).to("cuda")


def perceptron_batch(batch: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Return inputs and classes, on the card."""
    inputs = torch.randn(batch, WIDTH, device="cuda")
    return inputs, torch.randint(0, CLASSES, (batch,), device="cuda")


def train_perceptron(batch: int, optimizer: Any) -> Any:
    """Return a maker of the perceptron's program."""

    def make() -> Any:
        model = perceptron()
        inputs, classes = perceptron_batch(batch)

        def loss_of(model: nn.Module) -> torch.Tensor:
            return F.cross_entropy(model(inputs), classes)

        return model, optimizer(model.parameters()), loss_of

    return make


def perceptron_sgd_theory() -> Bytes:
    """Forward keeps each ReLU's result, which is the next layer's input, and the log-softmax.

    The peak is in the backward of the last hidden layer, where its bias's gradient is summed: all
    results, the gradient that comes in, the layer's and the head's gradients, and partial sums.
    """
    batch = 4096
    activation = float32(batch, WIDTH)
    loaded = PERCEPTRON + activation + rounded(8 * batch)
    base = loaded + WORKSPACES
    kept = DEPTH * activation
    return Bytes(
        loaded=loaded,
        forward=base + kept + float32(batch, CLASSES),
        backward=base + PERCEPTRON,
        stepped=base,
        peak=base + kept + activation + partial_sums(batch, WIDTH) + LAYER + HEAD,
    )


def perceptron_adamw_theory() -> Bytes:
    """AdamW keeps two states for each parameter, and its peak is one more copy of the parameters.

    With so small a batch that peak is above backward's.
    """
    batch = 64
    loaded = PERCEPTRON + float32(batch, WIDTH) + rounded(8 * batch)
    steady = loaded + WORKSPACES + 2 * PERCEPTRON
    return Bytes(
        loaded=loaded,
        forward=steady + DEPTH * float32(batch, WIDTH) + float32(batch, CLASSES),
        backward=steady + PERCEPTRON,
        stepped=steady,
        peak=steady + PERCEPTRON + PERCEPTRON,
    )


# --- The perceptron under autocast --------------------------------------------------------------


def autocast_program() -> Any:
    """Return the perceptron's program under autocast to float16."""
    model = perceptron()
    inputs, classes = perceptron_batch(4096)

    def loss_of(model: nn.Module) -> torch.Tensor:
        with torch.autocast("cuda", dtype=torch.float16):
            return F.cross_entropy(model(inputs), classes)

    return model, torch.optim.SGD(model.parameters(), lr=0.01), loss_of


def autocast_theory() -> Bytes:
    """Activations take half, and backward keeps float16 copies of inputs and weights.

    The first layer's weight is not needed, since no gradient goes to the inputs. Copies of biases
    go when autocast ends. The gradients are float32 again. The peak is as without autocast: half a
    gradient and half a weight's gradient, but the partial sums are float32.
    """
    batch = 4096
    half = rounded(2 * batch * WIDTH)
    loaded = PERCEPTRON + float32(batch, WIDTH) + rounded(8 * batch)
    weights = (DEPTH - 1) * rounded(2 * WIDTH * WIDTH) + rounded(2 * WIDTH * CLASSES)
    base = loaded + WORKSPACES
    kept = half + DEPTH * half + weights
    return Bytes(
        loaded=loaded,
        forward=base + kept + float32(batch, CLASSES),
        backward=base + PERCEPTRON,
        stepped=base,
        peak=base + kept + half + partial_sums(batch, WIDTH) + LAYER // 2 + HEAD,
    )


# --- A convolutional network with SGD and momentum ----------------------------------------------

IMAGES, SIDE = 64, 64


def convolutional_program() -> Any:
    """Return two convolutions with normalisation, a pooling between them, and a head."""
    model = nn.Sequential(
        nn.Conv2d(3, 32, 3, padding=1),
        nn.BatchNorm2d(32),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Conv2d(32, 64, 3, padding=1),
        nn.BatchNorm2d(64),
        nn.ReLU(),
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
        nn.Linear(64, CLASSES),
    ).to("cuda")
    images = torch.randn(IMAGES, 3, SIDE, SIDE, device="cuda")
    classes = torch.randint(0, CLASSES, (IMAGES,), device="cuda")

    def loss_of(model: nn.Module) -> torch.Tensor:
        return F.cross_entropy(model(images), classes)

    return model, torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9), loss_of


def convolutional_theory() -> Bytes:
    """Each normalisation keeps its input, each ReLU its result, the pooling 8-byte indices too.

    The peak is in the backward of the second ReLU: everything kept, and two gradients of its size.
    """
    first = float32(IMAGES, 32, SIDE, SIDE)
    second = float32(IMAGES, 64, SIDE // 2, SIDE // 2)
    pooled = float32(IMAGES, 32, SIDE // 2, SIDE // 2)
    indices = 2 * pooled
    parameters = float32(32, 3, 3, 3) + float32(64, 32, 3, 3) + float32(64, CLASSES)
    parameters += 3 * float32(32) + 3 * float32(64) + float32(CLASSES)
    statistics = 2 * float32(32) + 2 * float32(64) + 2 * 512
    loaded = parameters + statistics + float32(IMAGES, 3, SIDE, SIDE) + rounded(8 * IMAGES)
    steady = loaded + WORKSPACES + parameters
    kept = 2 * first + pooled + indices + 2 * second
    return Bytes(
        loaded=loaded,
        forward=steady + kept + float32(IMAGES, 64),
        backward=steady + parameters,
        stepped=steady,
        peak=steady + kept + 2 * second,
    )


# --- A transformer of GPT-2's size with AdamW ---------------------------------------------------

TOKENS, POSITIONS, FEATURES, HEADS, BLOCKS = 50257, 1024, 768, 12, 12
SEQUENCES, LENGTH = 4, 512


class Block(nn.Module):
    """A transformer block as in GPT-2."""

    def __init__(self) -> None:
        super().__init__()
        self.norm_1, self.norm_2 = nn.LayerNorm(FEATURES), nn.LayerNorm(FEATURES)
        self.attend, self.project = nn.Linear(FEATURES, 3 * FEATURES), nn.Linear(FEATURES, FEATURES)
        self.widen = nn.Linear(FEATURES, 4 * FEATURES)
        self.narrow = nn.Linear(4 * FEATURES, FEATURES)

    def forward(self, stream: torch.Tensor) -> torch.Tensor:
        """Attend, then transform each position, each beside the stream."""
        batch, length, _ = stream.shape
        heads = self.attend(self.norm_1(stream)).view(batch, length, 3, HEADS, FEATURES // HEADS)
        query, key, value = heads.permute(2, 0, 3, 1, 4).unbind()
        attended = F.scaled_dot_product_attention(query, key, value, is_causal=True)
        stream = stream + self.project(attended.transpose(1, 2).reshape(stream.shape))
        transformed: torch.Tensor = self.narrow(F.gelu(self.widen(self.norm_2(stream))))
        return stream + transformed


class Transformer(nn.Module):
    """GPT-2 with 124 million parameters; the head shares the embedding's weight."""

    def __init__(self) -> None:
        super().__init__()
        self.tokens = nn.Embedding(TOKENS, FEATURES)
        self.positions = nn.Embedding(POSITIONS, FEATURES)
        self.blocks = nn.ModuleList(Block() for _ in range(BLOCKS))
        self.norm = nn.LayerNorm(FEATURES)

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        """Return the loss of predicting `ids` from themselves."""
        places = torch.arange(ids.shape[1], device=ids.device)
        stream = self.tokens(ids) + self.positions(places)
        for block in self.blocks:
            stream = block(stream)
        logits = F.linear(self.norm(stream), self.tokens.weight)
        return F.cross_entropy(logits.view(-1, TOKENS), ids.view(-1))


def transformer_program() -> Any:
    """Return the transformer, made on the card, with AdamW."""
    with torch.device("cuda"):
        model = Transformer()
    ids = torch.randint(0, TOKENS, (SEQUENCES, LENGTH), device="cuda")
    return model, torch.optim.AdamW(model.parameters()), lambda model: model(ids)


def transformer_theory() -> Bytes:
    """Count what a block keeps in units of the stream, 4·batch·length·features bytes.

    The stream twice, two normalised streams, query, key and value, the attended values, and before
    and after the activation four each: 16 units, with attention's logarithms and the
    normalisations' statistics. After the blocks the stream, its normalisation, and log-softmax.
    The peak is in log-softmax's backward: two gradients of the size of the logits.
    """
    norm, square = 2 * float32(FEATURES), float32(FEATURES, FEATURES)
    block = 2 * norm + 12 * square + float32(3 * FEATURES) + float32(4 * FEATURES)
    block += 2 * float32(FEATURES)
    embeddings = float32(TOKENS, FEATURES) + float32(POSITIONS, FEATURES)
    parameters = BLOCKS * block + norm + embeddings
    unit = float32(SEQUENCES, LENGTH, FEATURES)
    per_position = float32(SEQUENCES, LENGTH)
    logits = float32(SEQUENCES, LENGTH, TOKENS)
    kept = BLOCKS * (16 * unit + float32(SEQUENCES, HEADS, LENGTH) + 4 * per_position)
    kept += 2 * unit + 2 * per_position + logits
    loaded = parameters + rounded(8 * SEQUENCES * LENGTH)
    steady = loaded + WORKSPACES + 2 * parameters
    return Bytes(
        loaded=loaded,
        forward=steady + kept + rounded(8 * LENGTH),
        backward=steady + parameters,
        stepped=steady,
        peak=steady + kept + 2 * logits,
    )


# --- Activation checkpointing -------------------------------------------------------------------

ROWS, NARROW, STAGES = 8192, 256, 8


def staged_program(*, checkpointed: bool) -> Any:
    """Return 8 stages that widen by four and narrow again, kept or computed anew in backward."""

    def make() -> Any:
        stages = nn.ModuleList(
            nn.Sequential(nn.Linear(NARROW, 4 * NARROW), nn.GELU(), nn.Linear(4 * NARROW, NARROW))
            for _ in range(STAGES)
        ).to("cuda")
        inputs = torch.randn(ROWS, NARROW, device="cuda")

        def loss_of(model: nn.Module) -> torch.Tensor:
            stream = inputs
            for stage in model.children():
                if checkpointed:
                    stream = checkpoint(stage, stream, use_reentrant=False)
                else:
                    stream = stage(stream)
            return stream.square().mean()

        return stages, torch.optim.SGD(stages.parameters(), lr=0.01), loss_of

    return make


def staged_theory(*, checkpointed: bool) -> Bytes:
    """Kept, a stage costs its result and four units before and after its activation.

    Checkpointed it costs its result only, and backward computes one stage anew. The peak is in the
    backward of the last stage's last layer: the gradient of its input, four units, comes while that
    input is still there, so does its weight's gradient, and its bias's gradient is summed. The
    gradient of the result has by then taken the place of the result. Checkpointed, what is computed
    anew hides the partial sums.
    """
    unit = float32(ROWS, NARROW)
    parameters = STAGES * (2 * float32(NARROW, 4 * NARROW) + float32(NARROW) + float32(4 * NARROW))
    loaded = parameters + unit
    base = loaded + WORKSPACES
    wide = 0 if checkpointed else 8 * unit
    in_backward = 4 * unit + float32(NARROW, 4 * NARROW)
    in_backward += 8 * unit if checkpointed else partial_sums(ROWS, NARROW)
    return Bytes(
        loaded=loaded,
        forward=base + STAGES * (unit + wide),
        backward=base + parameters,
        stepped=base,
        peak=base + STAGES * (unit + wide) + in_backward,
    )


PROGRAMS = {
    # 17 weights and inputs of 4 and 16 MiB: 4 weights in one segment of 20 MiB, the input in one of
    # its own; small tensors in one of 2 MiB.
    "perceptron with SGD": Program(
        train_perceptron(4096, lambda p: torch.optim.SGD(p, lr=0.01)),
        perceptron_sgd_theory,
        loaded_reserved=(20 + 16 + 2) * MIB,
    ),
    # The input has 256 KiB and is small here.
    "perceptron with AdamW": Program(
        train_perceptron(64, torch.optim.AdamW),
        perceptron_adamw_theory,
        loaded_reserved=(20 + 2) * MIB,
    ),
    "perceptron with autocast": Program(
        autocast_program, autocast_theory, loaded_reserved=(20 + 16 + 2) * MIB, amp=True
    ),
    # The images have 3 MiB.
    "convolutional network": Program(
        convolutional_program, convolutional_theory, loaded_reserved=(20 + 2) * MIB
    ),
    # Its blocks' weights of 2.25 to 9 MiB share segments in ways that no formula tells.
    "transformer with AdamW": Program(transformer_program, transformer_theory, None),
    "stages": Program(
        staged_program(checkpointed=False),
        lambda: staged_theory(checkpointed=False),
        loaded_reserved=(16 + 2 + 20) * MIB,
    ),
    "stages with checkpointing": Program(
        staged_program(checkpointed=True),
        lambda: staged_theory(checkpointed=True),
        loaded_reserved=(16 + 2 + 20) * MIB,
    ),
}


def check(measured: Measured, expected: Bytes, *, relative: float, absolute: int) -> None:
    """Compare each number with its theory."""
    for name in ("loaded", "forward", "backward", "stepped", "peak"):
        wanted = pytest.approx(getattr(expected, name), rel=relative, abs=absolute)
        assert getattr(measured, name) == wanted, name
    assert measured.peak <= measured.peak_reserved
    assert measured.peak_reserved <= measured.peak * (1 + RESERVED_TOLERANCE) + absolute
    assert measured.ooms == 0


@pytest.mark.parametrize(
    ("name", "compute"),
    [
        *((name, "meta") for name in PROGRAMS),
        ("perceptron with AdamW", "cpu"),
        ("convolutional network", "cpu"),
    ],
)
def test_bytes_follow_theory(start_card: StartCard, name: str, compute: str) -> None:
    """Allocated, reserved and peak bytes are those of the theory, and nothing ran out.

    The card has half as much again as the theory's peak.
    """
    program = PROGRAMS[name]
    expected = program.theory()
    start_card(expected.peak * 3 // 2, compute, outside=0)
    measured = run(program)
    check(measured, expected, relative=TOLERANCE, absolute=UNSPLIT)
    if program.loaded_reserved is None:
        # A segment of 20 MiB holds two weights of 9 MiB, and what is left may stay empty.
        assert expected.loaded <= measured.loaded_reserved <= expected.loaded * 1.15
    else:
        assert measured.loaded_reserved == program.loaded_reserved


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_card_below_the_theorys_peak_runs_out_once(start_card: StartCard, name: str) -> None:
    """With nine tenths of the expected peak the program raises, after one retry at least."""
    program = PROGRAMS[name]
    start_card(program.theory().peak * 9 // 10, "meta", outside=0)
    with pytest.raises(torch.OutOfMemoryError, match=r"^CUDA out of memory\. Tried to allocate"):
        run(program)
    stats = torch.cuda.memory_stats()
    assert stats["num_ooms"] == 1
    assert stats["num_alloc_retries"] >= 1


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA card")
@pytest.mark.skipif(
    not hasattr(torch.amp, "GradScaler"), reason="the programs are written for PyTorch 2.3"
)
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_real_card_follows_the_same_theory(name: str) -> None:
    """The same programs on a real card, which has workspaces that the theory leaves out."""
    torch.cuda.empty_cache()
    program = PROGRAMS[name]
    check(run(program), program.theory(), relative=REAL_TOLERANCE, absolute=REAL_WORKSPACES)
