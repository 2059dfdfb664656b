"""Peaks of small programs to the byte, as PyTorch 2.13.0's own allocator has them.

They were measured over a stub runtime that plays an Ampere card, where the test marked `gpu`
measures them again. Each program is small enough that one rule of CUDA's kernels decides it.
"""

from __future__ import annotations

import multiprocessing
import threading
from typing import TYPE_CHECKING

import pytest
import torch
from torch import nn
from torch.nn import functional as F  # noqa: N812 -- everybody's name for it
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.simulator.conftest import StartCard

WORKSPACE = 8_519_680


def random(
    *shape: int, requires_grad: bool = True, dtype: torch.dtype = torch.float32
) -> torch.Tensor:
    """Return a tensor on the card."""
    return torch.randn(shape, device="cuda", dtype=dtype, requires_grad=requires_grad)


def product_of_expanded() -> None:
    """The gradient of a sum is one number, expanded: cuBLAS needs a copy that has them all."""
    matrix = random(512, 512)
    (matrix @ matrix).sum().backward()


def product_of_batches() -> None:
    """So it is with batches."""
    matrices = random(4, 128, 128)
    torch.baddbmm(matrices, matrices, matrices).sum().backward()


def inner_product() -> None:
    """All of cuBLAS takes a workspace, products of vectors too."""
    vector = random(512, requires_grad=False)
    torch.dot(vector, vector)
    torch.addmv(vector, random(512, 512, requires_grad=False), vector)


def products_on_threads() -> None:
    """Each thread has a handle of cuBLAS, and one that ends leaves it to the next."""
    matrix = random(512, 512, requires_grad=False)
    torch.mm(matrix, matrix)
    for _ in range(3):
        thread = threading.Thread(target=torch.mm, args=(matrix, matrix))
        thread.start()
        thread.join()


def products_on_streams() -> None:
    """A handle has a workspace for each stream."""
    matrix = random(512, 512, requires_grad=False)
    torch.mm(matrix, matrix)
    for _ in range(2):
        with torch.cuda.stream(torch.cuda.Stream()):
            matrix.mm(matrix)


def memory_of_streams() -> None:
    """What one stream gave back another cannot have."""
    stream = torch.cuda.Stream()
    before = random(5, 1024, 1024)
    del before
    with torch.cuda.stream(stream):
        beside = random(5, 1024, 1024)
    kept = random(2, 1024, 1024)
    del beside
    kept = kept + random(2, 1024, 1024)


def pool_of_memory() -> None:
    """So it is with pools."""
    pool = torch.cuda.MemPool()
    with torch.cuda.use_mem_pool(pool):
        inside = random(1024, 1024)
    beside = random(1024, 1024)
    del inside
    kept = random(1024, 1024)
    del beside, kept


def captured_graph() -> None:
    """A graph has a pool, with a workspace, and gives both back with itself."""
    layer = nn.Linear(512, 512).cuda()
    batch = random(64, 512)
    optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)
    side = torch.cuda.Stream()
    with torch.cuda.stream(side):
        layer(batch).square().mean().backward()
        optimizer.step()
    optimizer.zero_grad()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        loss = layer(batch).square().mean()
        loss.backward()
        optimizer.step()
    graph.replay()
    optimizer.zero_grad()
    del graph, loss
    torch.cuda.empty_cache()
    random(4, 1024, 1024)


def graphed_layer() -> None:
    """Forward and backward captured for use in a program."""
    layer = nn.Sequential(nn.Linear(512, 512), nn.ReLU(), nn.Linear(512, 10)).cuda()
    graphed = torch.cuda.make_graphed_callables(layer, (random(64, 512),))
    for _ in range(2):
        graphed(random(64, 512)).sum().backward()  # type: ignore[union-attr]  # of what it was given


def sums() -> None:
    """Many inputs of few results are added up by several blocks, whose sums lie beside."""
    random(2048, 256, requires_grad=False).sum(0)
    random(64, 256, 512, requires_grad=False).mean((0, 2))


def variance_of_halves() -> None:
    """A variance keeps four numbers for each block."""
    random(4096, 1000, requires_grad=False, dtype=torch.float16).var(0)


def transposed_layer() -> None:
    """A layer adds its bias in place, whatever the strides of its input."""
    layer = nn.Linear(256, 768).cuda()
    layer(random(16, 64, 256).transpose(0, 1)).sum().backward()


def gradients_of_one_tensor() -> None:
    """Where a tensor was used several times, its gradients are added in place."""
    tensor = random(1024, 1024)
    doubled = tensor * 2
    (doubled.sin() + doubled.cos() + doubled.exp()).sum().backward()


def swish() -> None:
    """An activation that PyTorch could write in terms of others has a kernel."""
    F.silu(random(1024, 1024)).sum().backward()


def attention_of_floats() -> None:
    """The memory efficient kernel: a product of gradient and result, then its tiles."""
    query = random(4, 8, 512, 64)
    F.scaled_dot_product_attention(query, query, query, is_causal=True).sum().backward()


def attention_of_halves() -> None:
    """FlashAttention: gradients of the queries in float32."""
    query = random(4, 8, 512, 64, dtype=torch.float16)
    F.scaled_dot_product_attention(query, query, query).sum().backward()


def attention_with_mask() -> None:
    """A mask becomes something to add, its rows aligned."""
    query = random(2, 4, 250, 64)
    mask = torch.ones(250, 250, dtype=torch.bool, device="cuda")
    F.scaled_dot_product_attention(query, query, query, attn_mask=mask).sum().backward()


def attention_of_few_queries() -> None:
    """FlashAttention splits the keys where there is too little work for all of the card."""
    query, key = (random(2, 4, length, 96, dtype=torch.float16) for length in (64, 4096))
    F.scaled_dot_product_attention(query, key, key).sum().backward()


def dropout() -> None:
    """The mask is made before the result."""
    F.dropout(random(1500, 1024), 0.5).sum().backward()


def transformer_layer() -> None:
    """All of it together."""
    layer = nn.TransformerEncoderLayer(256, 8, 1024, batch_first=True).cuda()
    optimizer = torch.optim.AdamW(layer.parameters())
    tokens = random(16, 128, 256, requires_grad=False)
    for _ in range(2):
        layer(tokens).square().mean().backward()
        optimizer.step()
        optimizer.zero_grad()


def training_under_autocast() -> None:
    """The logarithms of softmax stay in half precision, and are copied to float32 for the loss."""
    layers = nn.Sequential(nn.Linear(1024, 1024), nn.ReLU(), nn.Linear(1024, 10)).cuda()
    batch = random(256, 1024, requires_grad=False)
    classes = torch.randint(0, 10, (256,), device="cuda")
    scaler, optimizer = torch.amp.GradScaler("cuda"), torch.optim.AdamW(layers.parameters())
    for _ in range(2):
        with torch.autocast("cuda", dtype=torch.float16):
            loss = F.cross_entropy(layers(batch), classes)
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
        optimizer.zero_grad()


def gradient_of_indexed() -> None:
    """Gradients of the same place are brought together by sorting, and put there in place."""
    tensor = random(2048, 512)
    tensor[torch.zeros(5000, dtype=torch.long, device="cuda")].sum().backward()


def gradient_of_embedding() -> None:
    """So are those of a table's rows, which are then added up in parts."""
    table = random(2048, 512)
    F.embedding(torch.zeros(5000, dtype=torch.long, device="cuda"), table).sum().backward()


def comparison() -> None:
    """To compare everything takes differences, and what may be different."""
    tensor = random(1024, 1024, requires_grad=False)
    torch.allclose(tensor, tensor)


def margin_losses() -> None:
    """Losses of rows become one; their gradient is like the scores."""
    scores = random(4096, 500)
    classes = torch.zeros(4096, dtype=torch.long, device="cuda")
    F.multi_margin_loss(scores, classes).backward()
    F.multilabel_margin_loss(scores, torch.zeros_like(scores, dtype=torch.long)).backward()


def largest_split() -> None:
    """Batches of changing sizes where large blocks are not split."""
    torch._C._accelerator_setAllocatorSettings("max_split_size_mb:32")
    layers = nn.Sequential(nn.Linear(512, 2048), nn.ReLU(), nn.Linear(2048, 10)).cuda()
    for size in (3000, 9000, 5000):
        layers(random(size, 512)).square().mean().backward()


def softmax() -> None:
    """Backward makes the product of gradient and result, and a contiguous copy of it."""
    table = random(1024, 512)
    (random(512, 1024) * table.softmax(0).t()).sum().backward()


def complex_numbers() -> None:
    """An absolute value is complex at first."""
    random(1024, 1024, dtype=torch.complex64, requires_grad=False).abs()


def unfolded_images() -> None:
    """The columns are made in the size of the image first."""
    columns = F.unfold(random(8, 16, 128, 128), 3, padding=1)
    F.fold(columns, (128, 128), 3, padding=1).sum().backward()


def logarithms_of_sums() -> None:
    """C++ writes it in terms of others, and so it does for the three below."""
    random(1024, 1024).logsumexp(1).sum().backward()


def distances() -> None:
    """A product of rows that are two numbers longer."""
    torch.cdist(random(512, 1024), random(256, 1024)).sum().backward()


def bilinear_layer() -> None:
    """A product of batches for each output, on two operands of a batch."""
    nn.Bilinear(256, 128, 16).cuda()(random(64, 256), random(64, 128)).sum().backward()


def losses_of_labels() -> None:
    """Losses of independent labels, of which a card's sigmoid keeps no buffer."""
    labels = F.one_hot(torch.zeros(1024, dtype=torch.long, device="cuda"), 1024).float()
    F.binary_cross_entropy_with_logits(random(1024, 1024), labels).backward()


def losses_of_elements() -> None:
    """Some keep room for each element in the loss that is one number; all take it meanwhile."""
    predicted, wanted = random(1024, 1024), random(1024, 1024, requires_grad=False)
    for loss in (F.mse_loss, F.smooth_l1_loss, F.huber_loss):
        loss(predicted, wanted).backward()
    kept = [loss(predicted, wanted) for loss in (F.mse_loss, F.smooth_l1_loss)]
    F.binary_cross_entropy(predicted.sigmoid(), wanted)
    del kept


def gradients_of_chosen_elements() -> None:
    """Backward of what chooses writes into zeros."""
    table = random(2048, 1024)
    index = torch.zeros(2048, 16, dtype=torch.long, device="cuda")
    table.gather(1, index).sum().backward()
    table.index_select(0, index[:, 0]).sum().backward()
    table.max(1).values.sum().backward()


def counting() -> None:
    """Whole numbers and masks are summed as a copy in int64; half precision needs no copy."""
    predictions = torch.zeros(1024, 1024, device="cuda", dtype=torch.long)
    (predictions == 0).sum()
    (predictions == 0).cumsum(1)
    predictions.count_nonzero()
    random(1024, 1024, requires_grad=False, dtype=torch.half).sum(dtype=torch.float64)


def masked() -> None:
    """Putting elements in their places takes the place of each in front of it."""
    words = random(1024, 1024, requires_grad=False)
    words.masked_scatter(words > 0, words)


def printing() -> None:
    """Printing looks at the edges of a large tensor, on the card."""
    repr(random(1024, 1024, requires_grad=False))


def recurrent_layers() -> None:
    """Each step is two products, and a kernel that makes the states and keeps the gates."""
    with torch.backends.cudnn.flags(enabled=False):
        for layer in (
            nn.LSTM(96, 160, 2, batch_first=True, bidirectional=True, dropout=0.1),
            nn.GRU(96, 160, bias=False),
            nn.LSTM(96, 160, proj_size=32),
        ):
            layer.cuda()(random(24, 20, 96))[0].square().mean().backward()


def recurrent_layer_without_gradients() -> None:
    """The steps of one direction are kept until the other is done."""
    with torch.no_grad(), torch.backends.cudnn.flags(enabled=False):
        nn.GRU(96, 640, bidirectional=True).cuda()(random(200, 20, 96))


def recurrent_layer_of_packed_sequences() -> None:
    """Sequences that end let the others go on."""
    lengths = torch.tensor([20] * 6 + [13] * 6 + [7] * 11 + [1])
    with torch.backends.cudnn.flags(enabled=False):
        layer = nn.GRU(96, 160, 2, batch_first=True, bidirectional=True).cuda()
        packed = pack_padded_sequence(random(24, 20, 96), lengths, batch_first=True)
        pad_packed_sequence(layer(packed)[0])[0].square().mean().backward()


def recurrent_layer_under_autocast() -> None:
    """Each step makes a copy of the weights in half precision, for they are transposed."""
    with torch.backends.cudnn.flags(enabled=False):
        layer = nn.LSTM(96, 160).cuda()
        with torch.autocast("cuda", dtype=torch.bfloat16):
            output, _ = layer(random(24, 20, 96))
        output.float().square().mean().backward()


def recurrent_cells() -> None:
    """The same, called by hand."""
    batch = random(24, 20, 96)
    for cell in (nn.LSTMCell(96, 160).cuda(), nn.GRUCell(96, 160).cuda()):
        state = cell(batch[0])
        for step in batch[1:]:
            state = cell(step, state)
        torch.cat([*state] if isinstance(state, tuple) else [state]).sum().backward()


def root_mean_square_normalisation() -> None:
    """One kernel, which keeps a number for each row; half precision has its weight in it too."""
    nn.RMSNorm(1024).cuda()(random(1024, 1024)).sum().backward()
    halves = random(1024, 1024, dtype=torch.bfloat16)
    nn.RMSNorm(1024).cuda().bfloat16()(halves).sum().backward()


def classes_under_autocast() -> None:
    """Logarithms are kept in half precision, and copied to float32 for the loss."""
    classes = torch.zeros(1024, dtype=torch.long, device="cuda")
    for dtype in (torch.float16, torch.bfloat16):
        for smoothing in (0.0, 0.1):
            with torch.autocast("cuda", dtype=dtype):
                logits = random(1024, 1000).to(dtype)
                loss = F.cross_entropy(logits, classes, label_smoothing=smoothing)
            loss.backward()


def softmax_of_halves() -> None:
    """Float16 becomes float32 in the kernel, bfloat16 before."""
    random(1024, 1000, dtype=torch.float16).softmax(
        1, dtype=torch.float32
    ).square().sum().backward()
    with torch.autocast("cuda", dtype=torch.bfloat16):
        random(512, 1000, dtype=torch.bfloat16).log_softmax(1).square().sum().backward()


def sums_of_other_types() -> None:
    """What is added up in another type is copied first, but for half precision in float32."""
    random(512, 3000, dtype=torch.float16).sum(dtype=torch.float32).backward()
    (random(512, 1000, requires_grad=False) > 0).sum(0)
    random(512, 3000, requires_grad=False, dtype=torch.float16).cumsum(0, dtype=torch.float32)


def upsampled_images() -> None:
    """The gradient of a sum is one number, expanded: backward needs a copy that has them all."""
    F.interpolate(random(8, 16, 64, 64), scale_factor=2, mode="bilinear").sum().backward()


def product_of_bytes() -> None:
    """Whole numbers are multiplied without a workspace."""
    torch._int_mm(*(torch.zeros(512, 512, dtype=torch.int8, device="cuda") for _ in range(2)))


PEAKS: dict[Callable[[], None], tuple[int, int]] = {
    product_of_expanded: (21_234_688, 27_262_976),
    product_of_batches: (18_088_960, 23_068_672),
    inner_product: (9_572_352, 23_068_672),
    products_on_threads: (19_136_512, 23_068_672),
    products_on_streams: (27_656_192, 69_206_016),
    memory_of_streams: (29_360_128, 62_914_560),
    pool_of_memory: (8_388_608, 41_943_040),
    captured_graph: (36_706_304, 48_234_496),
    graphed_layer: (36_624_896, 48_234_496),
    sums: (33_555_456, 56_623_104),
    variance_of_halves: (140_315_136, 155_189_248),
    transposed_layer: (25_697_280, 27_262_976),
    gradients_of_one_tensor: (25_166_848, 44_040_192),
    swish: (8_390_144, 23_068_672),
    attention_of_floats: (29_557_760, 44_040_192),
    attention_of_halves: (19_007_488, 23_068_672),
    attention_with_mask: (3_933_184, 6_291_456),
    attention_of_few_queries: (19_767_296, 23_068_672),
    dropout: (13_826_048, 23_068_672),
    transformer_layer: (82_701_824, 117_440_512),
    training_under_autocast: (39_291_392, 67_108_864),
    gradient_of_indexed: (18_918_912, 23_068_672),
    gradient_of_embedding: (24_064_000, 44_040_192),
    comparison: (20_971_520, 25_165_824),
    largest_split: (270_534_656, 679_477_248),
    margin_losses: (49_579_008, 60_817_408),
    softmax: (16_778_240, 23_068_672),
    complex_numbers: (20_971_520, 20_971_520),
    unfolded_images: (234_882_048, 249_561_088),
    logarithms_of_sums: (16_782_336, 23_068_672),
    distances: (30_679_040, 48_234_496),
    bilinear_layer: (27_756_544, 44_040_192),
    losses_of_labels: (16_778_752, 23_068_672),
    losses_of_elements: (29_361_664, 44_040_192),
    gradients_of_chosen_elements: (25_445_376, 44_040_192),
    counting: (26_214_400, 44_040_192),
    masked: (17_845_760, 23_068_672),
    printing: (4_197_888, 23_068_672),
    recurrent_layers: (42_194_944, 48_234_496),
    recurrent_layer_without_gradients: (83_916_800, 88_080_384),
    recurrent_layer_of_packed_sequences: (31_647_232, 37_748_736),
    recurrent_layer_under_autocast: (28_943_360, 33_554_432),
    recurrent_cells: (23_912_960, 29_360_128),
    root_mean_square_normalisation: (12_596_224, 23_068_672),
    classes_under_autocast: (20_996_096, 23_068_672),
    softmax_of_halves: (18_433_024, 23_068_672),
    sums_of_other_types: (15_360_000, 23_068_672),
    upsampled_images: (12_583_936, 23_068_672),
    product_of_bytes: (1_572_864, 2_097_152),
}
"""Of each program, the bytes in use and reserved at most."""


def run(program: Callable[[], None]) -> tuple[int, int]:
    """Return the peaks of bytes in use and reserved."""
    program()
    return torch.cuda.max_memory_allocated(), torch.cuda.max_memory_reserved()


@pytest.mark.parametrize("program", PEAKS, ids=lambda program: program.__name__)
def test_peaks_are_those_of_the_real_allocator(
    start_card: StartCard, program: Callable[[], None]
) -> None:
    """Equal to the byte, in use and reserved."""
    start_card("16 GiB", "meta")
    assert run(program) == PEAKS[program]


@pytest.mark.gpu
@pytest.mark.skipif(
    not torch.cuda.is_available() or torch.cuda.get_device_capability() != (8, 0),
    reason="no Ampere card of compute capability 8.0",
)
@pytest.mark.skipif(not torch.__version__.startswith("2.13."), reason="measured with PyTorch 2.13")
def test_peaks_of_the_real_allocator() -> None:
    """The same on a CUDA build of PyTorch, each program in a process that has done nothing yet."""
    processes = multiprocessing.get_context("forkserver")
    processes.set_forkserver_preload(["torch"])
    with processes.Pool(1, maxtasksperchild=1) as pool:
        measured = pool.map(run, PEAKS, chunksize=1)
    assert dict(zip(PEAKS, measured, strict=True)) == PEAKS
