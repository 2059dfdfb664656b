"""Layers of every kind, trained: what each keeps, and what its backward takes."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import torch
from torch import nn
from torch.nn import functional as F  # noqa: N812 -- everybody's name for it
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from .program import Collection
from .training import train

if TYPE_CHECKING:
    from collections.abc import Callable

COLLECTION = Collection("Layers and losses")
Shape = tuple[int, ...]
LAYERS: dict[str, tuple[Callable[[], nn.Module], Shape]] = {
    "convolution with normalisation and pooling": (
        lambda: nn.Sequential(nn.Conv2d(3, 64, 3), nn.BatchNorm2d(64), nn.ReLU(), nn.MaxPool2d(2)),
        (32, 3, 128, 128),
    ),
    "convolution in three dimensions": (lambda: nn.Conv3d(4, 32, 3), (4, 4, 16, 64, 64)),
    "transposed convolution": (lambda: nn.ConvTranspose2d(64, 32, 2, stride=2), (16, 64, 64, 64)),
    "convolution by groups": (lambda: nn.Conv2d(64, 64, 3, groups=64), (16, 64, 64, 64)),
    "group normalisation": (lambda: nn.GroupNorm(8, 64), (16, 64, 64, 64)),
    "layer normalisation": (lambda: nn.LayerNorm(1024), (4096, 1024)),
    "root mean square normalisation": (lambda: nn.RMSNorm(1024), (4096, 1024)),
    "upsampling": (lambda: nn.Upsample(scale_factor=2, mode="bilinear"), (8, 32, 64, 64)),
    "average pooling": (lambda: nn.AvgPool2d(2), (16, 64, 64, 64)),
    "dropout": (lambda: nn.Dropout(0.5), (4096, 1024)),
    "softmax": (lambda: nn.Softmax(-1), (4096, 1024)),
    "GELU": (nn.GELU, (4096, 1024)),
    "PReLU": (nn.PReLU, (4096, 1024)),
    "gated linear unit": (nn.GLU, (4096, 1024)),
    "bilinear layer": (lambda: _Twice(nn.Bilinear(64, 64, 64)), (1024, 64)),
    "transformer layer": (
        lambda: nn.TransformerEncoderLayer(512, 8, 2048, batch_first=True),
        (16, 256, 512),
    ),
    "transformer's decoder": (
        lambda: _Twice(nn.TransformerDecoderLayer(256, 8, 1024, batch_first=True)),
        (16, 128, 256),
    ),
    "multi-head attention with weights": (
        lambda: _Attention(nn.MultiheadAttention(256, 8, batch_first=True)),
        (8, 256, 256),
    ),
}


class _Twice(nn.Module):
    """A layer that takes two inputs, and is given the same."""

    def __init__(self, layer: nn.Module) -> None:
        super().__init__()
        self.layer = layer

    def forward(self, inputs: torch.Tensor) -> Any:
        return self.layer(inputs, inputs)


class _Attention(nn.Module):
    """Attention of a sequence to itself."""

    def __init__(self, attention: nn.MultiheadAttention) -> None:
        super().__init__()
        self.attention = attention

    def forward(self, inputs: torch.Tensor) -> Any:
        return self.attention(inputs, inputs, inputs)[0]


def _train(make: Callable[[], nn.Module], shape: Shape) -> None:
    layer = make().cuda()
    inputs = torch.randn(shape, device="cuda", requires_grad=True)
    optimizer = torch.optim.SGD([inputs, *layer.parameters()], lr=0.1)
    train(optimizer, lambda: layer(inputs).square().mean())


for _name, (_make, _shape) in LAYERS.items():
    _id = _name.lower().replace("-", "_").replace("'", "").replace(" ", "_")
    COLLECTION.add(_id, f"{_name[0].upper()}{_name[1:]}", partial(_train, _make, _shape))


@COLLECTION.program()
def attention() -> None:
    """Causal attention over 2048 tokens, and with a mask."""
    query, key, value = (
        torch.randn(4, 8, 2048, 64, device="cuda", requires_grad=True) for _ in range(3)
    )
    F.scaled_dot_product_attention(query, key, value, is_causal=True).sum().backward()
    mask = torch.ones(2048, 2048, dtype=torch.bool, device="cuda").tril()
    F.scaled_dot_product_attention(query, key, value, attn_mask=mask).sum().backward()


@COLLECTION.program()
def attention_in_half_precision() -> None:
    """Causal attention over 2048 tokens in bfloat16."""
    query, key, value = (
        torch.randn(4, 8, 2048, 64, device="cuda", dtype=torch.bfloat16, requires_grad=True)
        for _ in range(3)
    )
    for _ in range(2):
        F.scaled_dot_product_attention(query, key, value, is_causal=True).sum().backward()


@COLLECTION.program()
def attention_by_hand() -> None:
    """Attention that stores its matrix of scores."""
    query, key, value = (
        torch.randn(4, 8, 512, 64, device="cuda", requires_grad=True) for _ in range(3)
    )
    for _ in range(2):
        scores = (query @ key.transpose(-2, -1)) / 8
        (F.dropout(scores.softmax(-1), 0.1) @ value).sum().backward()


@COLLECTION.program()
def embedding() -> None:
    """An embedding and the layer that it shares its weight with."""
    table = nn.Embedding(50_000, 256).cuda()
    ids = torch.randint(0, 50_000, (16, 128), device="cuda")
    optimizer = torch.optim.AdamW(table.parameters())
    train(optimizer, lambda: F.linear(table(ids), table.weight).float().logsumexp(-1).mean())


def _recurrent(
    kind: Any, lengths: list[int] | None = None, autocast: bool = False, **options: Any
) -> None:
    # What cuDNN takes for itself is not known here.
    with torch.backends.cudnn.flags(enabled=False):
        layer = kind(128, 256, batch_first=True, **options).cuda()
        batch: Any = torch.randn(32, 32, 128, device="cuda")
        if lengths is not None:
            batch = pack_padded_sequence(batch, torch.tensor(lengths), batch_first=True)

        def loss_of() -> torch.Tensor:
            with torch.autocast("cuda", enabled=autocast):
                output = layer(batch)[0]
                states = output if lengths is None else pad_packed_sequence(output)[0]
                return states.float().square().mean()

        train(torch.optim.Adam(layer.parameters()), loss_of, 2)


COLLECTION.add("lstm", "LSTM, cuDNN off", partial(_recurrent, nn.LSTM))
COLLECTION.add("gru", "GRU, cuDNN off", partial(_recurrent, nn.GRU))
COLLECTION.add("rnn", "RNN, cuDNN off", partial(_recurrent, nn.RNN))
COLLECTION.add(
    "deep_lstm",
    "LSTM of two layers in both directions with dropout, cuDNN off",
    partial(_recurrent, nn.LSTM, num_layers=2, bidirectional=True, dropout=0.2),
)
COLLECTION.add(
    "bidirectional_gru",
    "GRU of two layers in both directions without biases, cuDNN off",
    partial(_recurrent, nn.GRU, num_layers=2, bidirectional=True, bias=False),
)
COLLECTION.add(
    "packed_lstm",
    "LSTM of packed sequences in both directions, cuDNN off",
    partial(_recurrent, nn.LSTM, [32] * 9 + [20] * 11 + [7] * 12, bidirectional=True),
)
COLLECTION.add(
    "projected_lstm",
    "LSTM of two layers with a projection, cuDNN off",
    partial(_recurrent, nn.LSTM, num_layers=2, proj_size=64),
)
COLLECTION.add(
    "lstm_autocast",
    "LSTM under autocast, cuDNN off",
    partial(_recurrent, nn.LSTM, autocast=True),
)


LOSSES: dict[str, Callable[[torch.Tensor, torch.Tensor], torch.Tensor]] = {
    "cross entropy": F.cross_entropy,
    "cross entropy with smoothing": partial(F.cross_entropy, label_smoothing=0.1),
    "negative log-likelihood": lambda scores, classes: F.nll_loss(scores.log_softmax(1), classes),
    "margin loss": F.multi_margin_loss,
    "binary cross entropy": lambda scores, classes: F.binary_cross_entropy_with_logits(
        scores, F.one_hot(classes, 1000).float()
    ),
    "divergence": lambda scores, classes: F.kl_div(
        scores.log_softmax(1), F.one_hot(classes, 1000).float(), reduction="batchmean"
    ),
    "focal loss": lambda scores, classes: (
        (1 - scores.softmax(1).gather(1, classes[:, None])).pow(2)
        * F.cross_entropy(scores, classes, reduction="none")[:, None]
    ).mean(),
}


def _lose(loss_of: Callable[[torch.Tensor, torch.Tensor], torch.Tensor]) -> None:
    scores = torch.randn(8192, 1000, device="cuda", requires_grad=True)
    classes = torch.zeros(8192, dtype=torch.long, device="cuda")
    for _ in range(2):
        loss_of(scores, classes).backward()


for _name, _loss in LOSSES.items():
    _id = _name.lower().replace("-", "_").replace(" ", "_")
    COLLECTION.add(_id, f"{_name[0].upper()}{_name[1:]}", partial(_lose, _loss))
