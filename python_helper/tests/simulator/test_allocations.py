"""All that is allocated, to the byte, as PyTorch 2.13.0's allocator has it.

Each program is one rule of CUDA's kernels, which programs drawn at random found; its numbers were
measured over a stub runtime that plays an Ampere card.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import torch
from tests.simulator.test_fidelity import random
from torch import nn
from torch.nn import functional as F  # noqa: N812 -- everybody's name for it
from torch.nn.attention import SDPBackend, sdpa_kernel

if TYPE_CHECKING:
    from collections.abc import Callable

    from gpu_simulator.simulation import Simulation
    from tests.simulator.conftest import StartCard


def gradient_of_convolution() -> None:
    """The gradient of a sum is one number: cuDNN needs a copy for each of the two gradients."""
    nn.Conv2d(8, 16, 3, bias=False).cuda()(random(4, 8, 32, 32)).sum().backward()
    nn.ConvTranspose2d(8, 16, 3, bias=False).cuda()(random(4, 8, 32, 32)).sum().backward()


def convolution_in_two_orders() -> None:
    """Channels last, and a weight that is not: it is copied each time."""
    nn.Conv2d(8, 16, 3).cuda()(random(4, 8, 32, 32).to(memory_format=torch.channels_last))


def convolution_of_transposed() -> None:
    """Neither order: the input is copied, forward and backward."""
    nn.Conv2d(8, 16, 3).cuda()(random(4, 8, 32, 32).transpose(2, 3)).square().mean().backward()


def group_normalisation() -> None:
    """Factors for each channel forward, and sums of them backward."""
    nn.GroupNorm(4, 32).cuda()(random(16, 32, 24, 24)).square().mean().backward()


def training_with_channels_last() -> None:
    """Results and gradients of convolutions keep the order."""
    layers = (nn.Conv2d(8, 16, 3), nn.BatchNorm2d(16), nn.ReLU(), nn.MaxPool2d(2))
    model = nn.Sequential(*layers, nn.Conv2d(16, 16, 3)).cuda()
    model.to(memory_format=torch.channels_last)  # type: ignore[call-overload]  # not in the stubs
    images = random(4, 8, 32, 32).to(memory_format=torch.channels_last)
    model(images).square().mean().backward()


def batch_normalisation_by_channels() -> None:
    """PyTorch's own kernels have buffers where channels lie beside each other."""
    nn.BatchNorm1d(512, affine=False).cuda()(random(4096, 512)).square().mean().backward()


def batch_normalisation_by_cudnn() -> None:
    """The gradient of a sum is copied, as for convolutions."""
    nn.BatchNorm2d(16).cuda()(random(4, 16, 32, 32)).sum().backward()


def pooling() -> None:
    """So it is with pooling."""
    images = random(4, 16, 32, 32)
    for pool in (F.max_pool2d, F.avg_pool2d):
        pool(images, 2).sum().backward()


def padding() -> None:
    """What is reflected is copied first if it does not lie row by row."""
    F.pad(random(4, 16, 32, 32).transpose(2, 3), (1, 1, 1, 1), mode="reflect")


def unfolded_sum() -> None:
    """So are the gradients of columns."""
    F.unfold(random(4, 8, 32, 32), 3).sum().backward()


def attention_of_odd_width() -> None:
    """No fused kernel has heads of this width: scores are stored, and those of nothing sought."""
    F.scaled_dot_product_attention(random(2, 4, 64, 30), random(2, 4, 64, 30), random(2, 4, 64, 30))


def attention_across() -> None:
    """None has numbers of a head that do not lie beside each other."""
    query, key = random(2, 4, 64, 32), random(2, 4, 32, 64).transpose(2, 3)
    F.scaled_dot_product_attention(query, key, key)


def clipped_gradients() -> None:
    """Norms of many tensors are made in parts."""
    model = nn.Sequential(nn.Linear(512, 512), nn.Linear(512, 512)).cuda()
    model(random(8, 512)).square().mean().backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)


def bags() -> None:
    """Indices of bags are sorted, however few."""
    bag = nn.EmbeddingBag(1000, 64, mode="sum").cuda()
    bag(torch.zeros(32, 16, dtype=torch.long, device="cuda")).sum().backward()


def gradient_of_few_rows() -> None:
    """The gradient of a sum is copied for an embedding too."""
    nn.Embedding(100, 64).cuda()(
        torch.zeros(32, 8, dtype=torch.long, device="cuda")
    ).sum().backward()


def indexed_by_lists() -> torch.Tensor:
    """A list goes to the card and stays there for backward; a tensor of the host does not."""
    table = random(100, 64)
    table.detach()[torch.zeros(7, dtype=torch.long, device="cuda")] = 3
    return table[[0, 1, 1]] + table[torch.tensor([0, 1, 1])]


def cumulated() -> None:
    """What does not lie row by row is copied."""
    table = random(300, 200, requires_grad=False).t()
    table.cumsum(1)
    table.cummax(1)
    table.logcumsumexp(1)


def gradients_added_to_transposed() -> None:
    """What is not in order is added up in a copy."""
    table = random(30, 20, requires_grad=False).t()
    places = torch.zeros(7, dtype=torch.long, device="cuda")
    table.index_put_((places,), table[:1].clone(), accumulate=True)


def recurrent_layer_without_gates_under_autocast() -> None:
    """Each step is cast by itself."""
    with torch.backends.cudnn.flags(enabled=False):
        layer = nn.RNN(96, 160).cuda()
        with torch.autocast("cuda", dtype=torch.float16):
            output, _ = layer(random(24, 20, 96))
        output.float().square().mean().backward()


def affine_grid() -> None:
    """It is made of others, a product among them."""
    F.affine_grid(random(2, 2, 3, requires_grad=False), [2, 1, 40, 40], align_corners=False)


def evaluated_before_training() -> None:
    """Autocast keeps the copy of a weight for both, with its gradient."""
    layer, images = nn.Linear(96, 64).cuda(), random(8, 96, requires_grad=False)
    with torch.autocast("cuda", dtype=torch.float16):
        with torch.no_grad():
            layer(images)
        loss = layer(images).float().square().mean()
    loss.backward()


def evaluated_in_inference_mode() -> None:
    """There it keeps no copy: each call casts anew."""
    layer, images = nn.Linear(96, 64).cuda(), random(8, 96, requires_grad=False)
    with torch.autocast("cuda", dtype=torch.float16):
        with torch.inference_mode():
            layer(images), layer(images)
        loss = layer(images).float().square().mean()
    loss.backward()


def place_in_transposed() -> None:
    """A search through everything goes through one row."""
    random(500, 700, requires_grad=False).t().argmax()


def indices_in_lists() -> None:
    """A list of lists is an index for each dimension; a mask of the host becomes indices there."""
    tensor = random(300, 80)
    tensor[[[0, 1, 2], [3, 4, 5]]]
    tensor[torch.arange(300) % 3 == 0]
    tensor[:, torch.arange(80) % 3 == 0]


def gradients_of_one_channel() -> None:
    """Strides of a dimension with one element tell an order, which a gradient is copied for."""
    images = random(4, 3, 8, 122)
    layer = nn.Conv2d(3, 1, 3).cuda().to(memory_format=torch.channels_last)  # type: ignore[call-overload]  # not in the stubs
    layer(images).square().mean().backward()
    single = images[:, :1].to(memory_format=torch.channels_last)
    nn.Conv2d(1, 1, 3).cuda()(single).square().mean().backward()


def gradient_of_normalisation_by_channels() -> None:
    """It has the order of the input, not that of what comes back."""
    images = random(8, 30, 5, 79)
    layer = nn.BatchNorm2d(30).cuda()
    layer(images.to(memory_format=torch.channels_last)).square().mean().backward()


def attention_of_wide_heads() -> None:
    """Blocks of the gradients by width and type; widths are rounded up by FlashAttention."""
    for dtype in (torch.float32, torch.float16):
        query, key, value = (random(3, 2, 129, 160).to(dtype) for _ in range(3))
        for backend in (SDPBackend.FLASH_ATTENTION, SDPBackend.EFFICIENT_ATTENTION):
            if (dtype, backend) != (torch.float32, SDPBackend.FLASH_ATTENTION):
                with sdpa_kernel(backend):
                    made = F.scaled_dot_product_attention(query, key, value)
                made.backward(torch.ones_like(made))


def embedding_of_transposed() -> None:
    """Indices are read one after the other."""
    F.embedding(torch.zeros(30, 50, dtype=torch.int64, device="cuda").t(), random(9, 4))


def gradients_of_padding() -> None:
    """That of a reflection is read in order."""
    for dims in (1, 2, 3):
        for kind in ("reflect", "replicate"):
            F.pad(random(4, 3, *[6] * dims), [1] * 2 * dims, mode=kind).sum().backward()


ALLOCATED: dict[Callable[[], object], tuple[int, int, int]] = {
    gradient_of_convolution: (568_320, 1_827_840, 17),
    convolution_in_two_orders: (502_272, 502_272, 6),
    convolution_of_transposed: (1_289_216, 2_049_024, 17),
    group_normalisation: (7_080_960, 9_453_568, 25),
    training_with_channels_last: (1_212_928, 2_491_392, 41),
    batch_normalisation_by_channels: (50_340_864, 67_321_856, 23),
    batch_normalisation_by_cudnn: (791_552, 1_054_208, 15),
    pooling: (852_992, 1_181_696, 12),
    padding: (820_224, 820_224, 3),
    unfolded_sum: (2_205_696, 3_374_592, 9),
    attention_of_odd_width: (9_122_816, 9_184_256, 12),
    attention_across: (9_077_760, 9_143_296, 11),
    clipped_gradients: (21_292_032, 21_412_352, 33),
    bags: (700_928, 720_896, 24),
    gradient_of_few_rows: (119_808, 185_344, 7),
    indexed_by_lists: (29_184, 30_720, 8),
    cumulated: (1_200_640, 2_161_152, 8),
    gradients_added_to_transposed: (9_728, 12_288, 15),
    recurrent_layer_without_gates_under_autocast: (18_236_928, 23_399_936, 343),
    affine_grid: (8_584_192, 8_587_264, 10),
    evaluated_before_training: (17_105_920, 17_137_664, 24),
    evaluated_in_inference_mode: (17_105_920, 17_165_824, 30),
    place_in_transposed: (2_802_688, 2_802_688, 5),
    indices_in_lists: (129_536, 164_352, 8),
    gradients_of_one_channel: (178_176, 485_888, 35),
    gradient_of_normalisation_by_channels: (2_660_352, 4_178_944, 22),
    attention_of_wide_heads: (8_503_808, 22_343_680, 51),
    embedding_of_transposed: (49_152, 49_152, 4),
    gradients_of_padding: (35_840, 119_296, 32),
}
"""Of each program, the peak in use, the bytes of all allocations together, and their number."""


def measure(program: Callable[[], object]) -> tuple[int, int, int]:
    """Return the peak in use, the bytes of all allocations together, and their number."""
    kept = program()
    stats = torch.cuda.memory_stats()
    del kept
    names = (
        "allocated_bytes.all.peak",
        "allocated_bytes.all.allocated",
        "allocation.all.allocated",
    )
    return stats[names[0]], stats[names[1]], stats[names[2]]


@pytest.mark.filterwarnings("ignore:Using a non-tuple sequence:UserWarning")
@pytest.mark.parametrize("program", ALLOCATED, ids=lambda program: program.__name__)
def test_allocations_are_those_of_the_real_allocator(
    start_card: StartCard, program: Callable[[], object]
) -> None:
    """Equal to the byte, and in number."""
    start_card("16 GiB", "meta")
    assert measure(program) == ALLOCATED[program]


@pytest.mark.filterwarnings("ignore:Using a non-tuple sequence:UserWarning")
@pytest.mark.parametrize(
    "index",
    [
        [[0, 1], [1, 0]],
        [[[0, 1]]],
        [[0]] * 33,
        [slice(0, 2), [0, 1]],
        [0, [1, 2]],
        [..., 0],
        [None, 0],
        [True, False, True],
        [torch.tensor([True, False, True])],
        [np.array([0, 1]), np.array([1, 0], dtype=np.int32)],
        np.array([True, False, True]),
        [],
        range(2),
        torch.tensor([True, False, True]),
        (slice(None), torch.arange(8) > 2),
        torch.arange(24).view(3, 8) % 5 == 0,
    ],
    ids=str,
)
def test_an_index_means_what_it_means_on_the_host(start_card: StartCard, index: Any) -> None:
    """Read and set; a mask of the host chooses as many as it says, without values too."""
    start_card("16 GiB", "meta")
    here, there = torch.zeros(3, 8, 4), torch.zeros(3, 8, 4, device="cuda")
    assert there[index].shape == here[index].shape
    here[index] = there[index] = 1.0
    there[index] = torch.ones_like(there[index])


def test_a_mask_of_another_size_is_refused(start_card: StartCard) -> None:
    """As PyTorch says it."""
    start_card("16 GiB", "meta")
    with pytest.raises(IndexError, match=r"shape of the mask \[2\] at index 0 does not match"):
        torch.zeros(3, 8, device="cuda")[torch.tensor([True, False])]


@pytest.mark.parametrize(
    ("name", "options"),
    [("SGD", {}), ("Adam", {}), ("SGD", {"fused": True}), ("Adam", {"fused": True})],
)
def test_a_step_is_a_change_to_autograd(
    card: Simulation, name: str, options: dict[str, Any]
) -> None:
    """A graph from before it cannot go back, unless the step is one fused kernel."""
    del card
    layer = nn.Conv2d(2, 3, 2).cuda()
    optimizer = getattr(torch.optim, name)(layer.parameters(), lr=0.1, **options)
    before = layer(random(2, 2, 5, 5))
    layer(random(2, 2, 5, 5)).sum().backward()
    version = layer.weight._version
    optimizer.step()
    assert layer.weight._version == version + (not options)
    if not options:
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            before.sum().backward()


def test_setting_to_nothing_is_no_change_to_autograd(card: Simulation) -> None:
    """As CUDA's kernels do not count it."""
    del card
    tensor = random(3, requires_grad=False)
    torch._foreach_zero_([tensor])
    assert tensor._version == 0


@pytest.mark.parametrize(
    ("mistake", "said"),
    [
        (lambda x: 1 - (x > 0), "with a bool tensor is not supported"),
        (lambda x: (x > 0) - (x > 1), "with two bool tensors is not supported"),
        (
            lambda x: x.long().mul_(0.5),
            "result type Float can't be cast to the desired output type",
        ),
        (lambda x: x.long().std(), "std and var only support floating point"),
    ],
)
def test_types_that_do_not_go_together(
    card: Simulation, mistake: Callable[[torch.Tensor], object], said: str
) -> None:
    """PyTorch's form without values does not look at them."""
    del card
    with pytest.raises(RuntimeError, match=said):
        mistake(random(3, requires_grad=False))


def test_a_number_is_copied(card: Simulation) -> None:
    """As a tensor without dimensions would be."""
    del card
    tensor: Any = random(3, requires_grad=False)
    assert tensor.copy_(2).shape == (3,)
