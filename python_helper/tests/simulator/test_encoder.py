"""Layers of an encoder in inference."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import torch
from torch import nn

if TYPE_CHECKING:
    from gpu_simulator.simulation import Simulation


@pytest.mark.parametrize("norm_first", [True, False])
@pytest.mark.parametrize("options", [{}, {"activation": "gelu"}, {"bias": False}], ids=str)
@pytest.mark.parametrize("masked", [True, False])
def test_encoder_computes_what_the_host_does(
    norm_first: bool, options: dict[str, Any], masked: bool, valued_card: Simulation
) -> None:
    """With a mask and without, and the way it runs when gradients are wanted is the same."""
    assert valued_card is not None
    layer = nn.TransformerEncoderLayer(
        16, 2, 32, batch_first=True, norm_first=norm_first, **options
    ).eval()
    encoder = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
    inputs = torch.randn(2, 5, 16)
    mask = torch.ones(5, 5, dtype=torch.bool).triu(1) if masked else None
    wanted = encoder(inputs, mask).detach()
    encoder.cuda()
    there = None if mask is None else mask.cuda()
    with torch.inference_mode():
        found = encoder(inputs.cuda(), there)
    assert found.is_cuda
    torch.testing.assert_close(found.cpu(), wanted)
    torch.testing.assert_close(encoder(inputs.cuda(), there).detach().cpu(), wanted)


def test_padding_leaves_nested_tensors_alone(card: Simulation) -> None:
    """With a padding mask a card makes a nested tensor, which the simulation has not."""
    assert card is not None
    layer = nn.TransformerEncoderLayer(16, 2, 32, batch_first=True)
    encoder = nn.TransformerEncoder(layer, 2).cuda().eval()
    padding = torch.zeros(2, 5, dtype=torch.bool, device="cuda")
    with torch.inference_mode():
        result = encoder(torch.randn(2, 5, 16, device="cuda"), src_key_padding_mask=padding)
    assert result.shape == (2, 5, 16)
    assert result.is_cuda
