"""What drawn programs found: all that is allocated, to the byte, as PyTorch 2.13.0's allocator.

`make fidelity ARGS="--drawn 300"` plays many more of them. Here each program is one rule of CUDA's
kernels; its numbers were measured over a stub runtime that plays an Ampere card.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import torch
from tests.simulator.test_fidelity import random
from torch import nn
from torch.nn import functional as F  # noqa: N812 -- everybody's name for it
from torch.nn.attention import SDPBackend, sdpa_kernel

from benchmarks.fidelity import drawn
from benchmarks.fidelity.measured import Card, Comparison, Failure, Measured

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
    F.adaptive_max_pool2d(images.to(memory_format=torch.channels_last), 2).sum().backward()


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


def summed_into_another_type() -> None:
    """The result that is given decides the type, and so does one that was asked for."""
    table = random(300, 200, requires_grad=False)
    torch.sum(table, 1, out=torch.empty(0, device="cuda", dtype=torch.float64))
    torch.nansum(table, dtype=torch.int32)
    table[:1, :1].all()


def drawn_numbers() -> None:
    """Chances in half precision are read in float32; means are added to what is drawn."""
    torch.bernoulli(torch.zeros(300, 200, device="cuda", dtype=torch.float16))
    torch.normal(random(300, 200, requires_grad=False), 1.0)


def extremes() -> None:
    """A maximum of all is read row by row, one of rows in parts."""
    table = random(300, 200, requires_grad=False)
    table.t().max()
    table.t().median(1)
    table.t().kthvalue(1, 1)
    random(2, 800_000, requires_grad=False).amax(1)
    torch.histc(table, 10)
    table.isinf()


def gradients_added_to_transposed() -> None:
    """What is not in order is added up in a copy."""
    table = random(30, 20, requires_grad=False).t()
    places = torch.zeros(7, dtype=torch.long, device="cuda")
    table.index_put_((places,), table[:1].clone(), accumulate=True)


def sampled_images() -> None:
    """Where it is cuDNN that samples, it needs what lies row by row."""
    places = random(2, 9, 9, 2).to(memory_format=torch.channels_last)
    F.grid_sample(random(2, 3, 32, 32), places, align_corners=True)


def scattered_means() -> None:
    """What goes to each place is counted."""
    table = random(300, 200, requires_grad=False)
    table.scatter_reduce(0, torch.zeros_like(table, dtype=torch.long), table, "mean")


def limited_norms() -> None:
    """Norms in float32, and factors in half precision."""
    torch.renorm(random(300, 200, requires_grad=False, dtype=torch.float16), 2, 0, 1.0)


def margin_loss_of_one() -> None:
    """A batch of one is a batch."""
    F.multi_margin_loss(random(1, 9), torch.zeros(1, dtype=torch.long, device="cuda"))


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


def upsampled() -> None:
    """The nearest wants its input in order, and where channels are few its result as well."""
    few = random(6, 2, 7, 123, requires_grad=False).to(memory_format=torch.channels_last)
    F.interpolate(few, scale_factor=2)
    F.interpolate(random(6, 123, 7, requires_grad=False).transpose(1, 2), size=9)


def place_in_transposed() -> None:
    """A search through everything goes through one row."""
    random(500, 700, requires_grad=False).t().argmax()


def copies_between_host_and_card() -> None:
    """What is not of one piece has a copy on the card, and so has what that changes the type of."""
    there, here = random(40, 70, requires_grad=False), torch.zeros(40, 70)
    there[:, :30].cpu()
    there.t().to("cpu", torch.float64)
    there.t().to("cpu", torch.float16, non_blocking=True)
    here.t().to("cuda", torch.float16)
    here.to("cuda", torch.float64, non_blocking=True)
    there.t().copy_(here.t())
    there[:, :5] = here[:, :5]


def indices_in_lists() -> None:
    """A list of lists is an index for each dimension; a mask of the host becomes indices there."""
    tensor = random(300, 80)
    tensor[[[0, 1, 2], [3, 4, 5]]]
    tensor[torch.arange(300) % 3 == 0]
    tensor[:, torch.arange(80) % 3 == 0]


def gradients_of_scattered() -> None:
    """Each of their formulas scatters what it has made itself, and that makes the sum anew."""
    places = torch.zeros(30, dtype=torch.int64, device="cuda")
    for name in ("amax", "mean"):
        made = random(50, 100).index_reduce(0, places, random(30, 100), name)
        made.backward(torch.ones_like(made))
    made = random(5000).scatter_reduce(0, places, random(30), "prod")
    made.backward(torch.ones_like(made))


def norm_of_one() -> None:
    """Of one value it is the absolute one, in a copy that has its type."""
    torch.linalg.vector_norm(random(5, 1).half(), 2, 1, dtype=torch.float32)


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


def rolled() -> None:
    """A copy in order, and all that was rolled before the last dimension."""
    torch.roll(random(30, 40).t(), 3, 1)
    torch.roll(random(4, 30, 40).transpose(0, 1), (1, 2, 3), (0, 1, 2))
    torch.roll(random(30, 40), 3)


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
    pooling: (1_316_864, 2_240_512, 24),
    padding: (820_224, 820_224, 3),
    unfolded_sum: (2_205_696, 3_374_592, 9),
    attention_of_odd_width: (9_122_816, 9_184_256, 12),
    attention_across: (9_077_760, 9_143_296, 11),
    clipped_gradients: (21_292_032, 21_412_352, 33),
    bags: (700_928, 720_896, 24),
    gradient_of_few_rows: (119_808, 185_344, 7),
    indexed_by_lists: (29_184, 30_720, 8),
    cumulated: (1_200_640, 2_161_152, 8),
    summed_into_another_type: (722_944, 1_204_736, 8),
    drawn_numbers: (720_384, 1_201_152, 6),
    extremes: (6_642_176, 7_671_296, 18),
    gradients_added_to_transposed: (9_728, 12_288, 15),
    sampled_images: (31_232, 31_232, 5),
    scattered_means: (1_501_184, 1_501_184, 6),
    limited_norms: (243_200, 243_200, 4),
    margin_loss_of_one: (2_048, 2_048, 4),
    recurrent_layer_without_gates_under_autocast: (18_236_928, 23_399_936, 343),
    affine_grid: (8_584_192, 8_587_264, 10),
    evaluated_before_training: (17_105_920, 17_137_664, 24),
    evaluated_in_inference_mode: (17_105_920, 17_165_824, 30),
    upsampled: (413_696, 498_688, 8),
    place_in_transposed: (2_802_688, 2_802_688, 5),
    copies_between_host_and_card: (45_056, 84_992, 10),
    indices_in_lists: (129_536, 164_352, 8),
    gradients_of_scattered: (205_312, 697_856, 55),
    norm_of_one: (2_048, 2_048, 4),
    gradients_of_one_channel: (178_176, 485_888, 35),
    gradient_of_normalisation_by_channels: (2_660_352, 4_178_944, 22),
    attention_of_wide_heads: (8_503_808, 22_343_680, 51),
    rolled: (77_824, 122_880, 10),
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


def test_a_seed_is_a_program() -> None:
    """The same each time, and a part of it is its beginning."""
    text = drawn.text("drawn-3")
    drawn.statements.cache_clear()
    assert drawn.text("drawn-3") == text
    assert text.startswith(drawn.text("drawn-3:9"))
    assert drawn.text("drawn-4") != text


def test_drawn_programs_run(start_card: StartCard) -> None:
    """What is drawn for PyTorch's device "meta" is as good for a card."""
    for seed in range(40, 44):
        simulation = start_card("16 GiB", "meta")
        drawn.program("drawn", drawn.text(f"drawn-{seed}")).function()
        simulation.stop()


def test_outcomes() -> None:
    """A number that is smaller is a fault, whatever else is larger; so is one that raises alone."""
    card = Card(10, 20, 3, 0, 0, in_use=5, asked=30)
    fine = Measured((card,), (), None)
    raises = Measured((card,), (), Failure("RuntimeError", "no", "x + y"))
    refuses = Measured(
        (card,), (), Failure("NotImplementedError", "The simulated GPU has no x.", "")
    )

    def outcome(allocator: Measured, simulator: Measured) -> str:
        return Comparison(allocator, simulator).outcome

    def changed(**numbers: int) -> Measured:
        return Measured((replace(card, **numbers),), (), None)

    assert outcome(fine, fine) == "equal"
    assert outcome(fine, changed(asked=31)) == "larger"
    assert outcome(fine, changed(asked=31, peak_in_use=9)) == "smaller"
    assert outcome(raises, raises) == "raises alike"
    assert outcome(raises, fine) == outcome(fine, raises) == "raises on one side"
    assert outcome(fine, refuses) == "refused by name"
