"""A transformer of GPT-2's size, which several programs train."""

from __future__ import annotations

import torch
from torch import nn
from torch.nn import functional as F  # noqa: N812 -- the usual name for it

TOKENS, POSITIONS, FEATURES, HEADS, BLOCKS = 50257, 1024, 768, 12, 12


class _Block(nn.Module):
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
        attention = F.scaled_dot_product_attention(query, key, value, is_causal=True)
        stream = stream + self.project(attention.transpose(1, 2).reshape(stream.shape))
        transformed: torch.Tensor = self.narrow(F.gelu(self.widen(self.norm_2(stream))))
        return stream + transformed


class Transformer(nn.Module):
    """GPT-2 with 124 million parameters; the head shares the embedding's weight."""

    def __init__(self) -> None:
        super().__init__()
        self.tokens = nn.Embedding(TOKENS, FEATURES)
        self.positions = nn.Embedding(POSITIONS, FEATURES)
        self.blocks = nn.ModuleList(_Block() for _ in range(BLOCKS))
        self.norm = nn.LayerNorm(FEATURES)

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        """Return the loss of predicting `ids` from themselves."""
        places = torch.arange(ids.shape[1], device=ids.device)
        stream = self.tokens(ids) + self.positions(places)
        for block in self.blocks:
            stream = block(stream)
        logits = F.linear(self.norm(stream), self.tokens.weight)
        return F.cross_entropy(logits.view(-1, TOKENS), ids.view(-1))
