"""Models of the sizes that people train, written out here."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import torch
from torch import nn
from torch.nn import functional as F  # noqa: N812 -- everybody's name for it

from benchmarks.fidelity.transformer import Transformer

from .program import Collection
from .training import train

COLLECTION = Collection("Models")


@COLLECTION.program()
def gpt2() -> None:
    """GPT-2 of 124 million parameters, AdamW, 8 sequences of 512 tokens."""
    with torch.device("cuda"):
        model = Transformer()
    ids = torch.randint(0, 50257, (8, 512), device="cuda")
    train(torch.optim.AdamW(model.parameters()), lambda: model(ids), steps=2)


@COLLECTION.program()
def gpt2_autocast() -> None:
    """GPT-2 under autocast to bfloat16, with clipping and fused AdamW."""
    with torch.device("cuda"):
        model = Transformer()
    ids = torch.randint(0, 50257, (8, 512), device="cuda")
    optimizer = torch.optim.AdamW(model.parameters(), fused=True)
    for _ in range(2):
        optimizer.zero_grad()
        with torch.autocast("cuda", dtype=torch.bfloat16):
            loss = model(ids)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()


@COLLECTION.program()
def gpt2_runs_out() -> None:
    """GPT-2 with 32 sequences, for which 16 GiB are too little."""
    with torch.device("cuda"):
        model = Transformer()
    ids = torch.randint(0, 50257, (32, 512), device="cuda")
    train(torch.optim.AdamW(model.parameters()), lambda: model(ids))


class Bottleneck(nn.Module):
    """A block of ResNet-50."""

    def __init__(self, entering: int, width: int, stride: int) -> None:
        super().__init__()
        leaving = 4 * width
        self.body = nn.Sequential(
            *(nn.Conv2d(entering, width, 1, bias=False), nn.BatchNorm2d(width), nn.ReLU(True)),
            nn.Conv2d(width, width, 3, stride, 1, bias=False),
            *(nn.BatchNorm2d(width), nn.ReLU(True)),
            *(nn.Conv2d(width, leaving, 1, bias=False), nn.BatchNorm2d(leaving)),
        )
        self.past: nn.Module = nn.Identity()
        if stride != 1 or entering != leaving:
            shrink = nn.Conv2d(entering, leaving, 1, stride, bias=False)
            self.past = nn.Sequential(shrink, nn.BatchNorm2d(leaving))

    def forward(self, images: torch.Tensor) -> torch.Tensor:
        """Add the block's result to what passed it by."""
        return F.relu(self.body(images) + self.past(images), inplace=True)


def resnet50() -> nn.Sequential:
    """Return ResNet-50 with 25.6 million parameters, on the host."""
    blocks: list[nn.Module] = []
    entering = 64
    for width, depth, stride in ((64, 3, 1), (128, 4, 2), (256, 6, 2), (512, 3, 2)):
        for number in range(depth):
            blocks.append(Bottleneck(entering, width, 1 if number else stride))
            entering = 4 * width
    return nn.Sequential(
        *(nn.Conv2d(3, 64, 7, 2, 3, bias=False), nn.BatchNorm2d(64), nn.ReLU(True)),
        *(nn.MaxPool2d(3, 2, 1), *blocks, nn.AdaptiveAvgPool2d(1), nn.Flatten()),
        nn.Linear(2048, 1000),
    )


def _classify(images: int, **options: Any) -> None:
    model = resnet50().cuda().to(**options)
    batch = torch.randn(images, 3, 224, 224, device="cuda").to(**options)
    classes = torch.zeros(images, dtype=torch.long, device="cuda")
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9, weight_decay=1e-4)
    train(optimizer, lambda: F.cross_entropy(model(batch), classes), steps=2)


@COLLECTION.program()
def resnet() -> None:
    """ResNet-50, SGD with momentum, 64 images."""
    _classify(64)


@COLLECTION.program()
def resnet_channels_last() -> None:
    """ResNet-50 with channels last, 64 images."""
    _classify(64, memory_format=torch.channels_last)


@COLLECTION.program()
def resnet_runs_out() -> None:
    """ResNet-50 with 256 images, for which 16 GiB are too little."""
    _classify(256)


class LowRank(nn.Module):
    """A layer that stays as it is, and a product of low rank beside it that is trained (LoRA)."""

    def __init__(self, layer: nn.Linear, rank: int = 8) -> None:
        super().__init__()
        self.layer = layer
        self.down = nn.Linear(layer.in_features, rank, bias=False)
        self.up = nn.Linear(rank, layer.out_features, bias=False)

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        """Return the sum of both."""
        result: torch.Tensor = self.layer(inputs) + self.up(self.down(inputs))
        return result


class Layer(nn.Module):
    """A layer of a transformer of 1.3 billion parameters: width 2048, 16 heads."""

    WIDTH, HEADS = 2048, 16

    def __init__(self) -> None:
        super().__init__()
        self.norm_1, self.norm_2 = nn.LayerNorm(self.WIDTH), nn.LayerNorm(self.WIDTH)
        self.attend = LowRank(nn.Linear(self.WIDTH, 3 * self.WIDTH))
        self.project = nn.Linear(self.WIDTH, self.WIDTH)
        self.widen = nn.Linear(self.WIDTH, 4 * self.WIDTH)
        self.narrow = nn.Linear(4 * self.WIDTH, self.WIDTH)

    def forward(self, stream: torch.Tensor) -> torch.Tensor:
        """Attend, then transform each position, each beside the stream."""
        batch, length, _ = stream.shape
        heads = self.attend(self.norm_1(stream)).view(batch, length, 3, self.HEADS, -1)
        query, key, value = heads.permute(2, 0, 3, 1, 4).unbind()
        attended = F.scaled_dot_product_attention(query, key, value, is_causal=True)
        stream = stream + self.project(attended.transpose(1, 2).reshape(stream.shape))
        result: torch.Tensor = stream + self.narrow(F.gelu(self.widen(self.norm_2(stream))))
        return result


@COLLECTION.program()
def low_rank_adaptation() -> None:
    """A transformer of 1.3 billion parameters in bfloat16 with LoRA, 4 sequences of 512 tokens."""
    with torch.device("cuda"):
        tokens = nn.Embedding(50257, Layer.WIDTH, dtype=torch.bfloat16)
        layers = nn.ModuleList(Layer().to(torch.bfloat16) for _ in range(24))
    for parameter in (*tokens.parameters(), *layers.parameters()):
        parameter.requires_grad_(False)
    trained = [
        parameter.requires_grad_()
        for module in layers.modules()
        if isinstance(module, LowRank)
        for parameter in (module.down.weight, module.up.weight)
    ]
    ids = torch.zeros(4, 512, dtype=torch.long, device="cuda")

    def loss_of() -> torch.Tensor:
        stream = tokens(ids)
        for layer in layers:
            stream = layer(stream)
        logits = F.linear(stream, tokens.weight).float()
        return F.cross_entropy(logits.view(-1, 50257), ids.view(-1))

    train(torch.optim.AdamW(trained), loss_of, steps=2)


class Net(nn.Module):
    """A U-Net of four depths with skip connections."""

    def __init__(self, widths: tuple[int, ...] = (64, 128, 256, 512)) -> None:
        super().__init__()
        self.down = nn.ModuleList(
            self.twice(entering, leaving)
            for entering, leaving in zip((3, *widths), widths, strict=False)
        )
        turned = widths[::-1]
        pairs = list(pairwise(turned))
        self.raise_ = nn.ModuleList(nn.ConvTranspose2d(a, b, 2, 2) for a, b in pairs)
        self.up = nn.ModuleList(self.twice(2 * b, b) for _, b in pairs)
        self.head = nn.Conv2d(widths[0], 2, 1)

    @staticmethod
    def twice(entering: int, leaving: int) -> nn.Sequential:
        """Return two convolutions, each with its normalisation."""
        return nn.Sequential(
            nn.Conv2d(entering, leaving, 3, padding=1),
            *(nn.BatchNorm2d(leaving), nn.ReLU(inplace=True)),
            nn.Conv2d(leaving, leaving, 3, padding=1),
            *(nn.BatchNorm2d(leaving), nn.ReLU(inplace=True)),
        )

    def forward(self, images: torch.Tensor) -> torch.Tensor:
        """Shrink and widen, then go back beside what was seen on the way."""
        seen = []
        for number, block in enumerate(self.down):
            images = block(F.max_pool2d(images, 2) if number else images)
            seen.append(images)
        for higher, block, beside in zip(self.raise_, self.up, seen[-2::-1], strict=True):
            images = block(torch.cat([higher(images), beside], 1))
        result: torch.Tensor = self.head(images)
        return result


@COLLECTION.program()
def u_net() -> None:
    """A U-Net with Adam, 8 images of 256 × 256."""
    model = Net().cuda()
    images = torch.randn(8, 3, 256, 256, device="cuda")
    classes = torch.zeros(8, 256, 256, dtype=torch.long, device="cuda")
    optimizer = torch.optim.Adam(model.parameters())
    train(optimizer, lambda: F.cross_entropy(model(images), classes), steps=2)


@COLLECTION.program()
def vision_transformer() -> None:
    """An encoder of 12 layers on patches of 32 images, in evaluation and in training."""
    layer = nn.TransformerEncoderLayer(384, 6, 1536, batch_first=True, norm_first=True)
    model = nn.TransformerEncoder(layer, 12, enable_nested_tensor=False).cuda()
    patches = torch.randn(32, 197, 384, device="cuda")
    with torch.inference_mode():
        model.eval()(patches)
    model.train()
    optimizer = torch.optim.AdamW(model.parameters())
    train(optimizer, lambda: model(patches).square().mean(), steps=2)
