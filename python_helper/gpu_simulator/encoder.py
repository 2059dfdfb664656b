"""Layers of an encoder in inference: on a card they are one operator, written in C++ of others.

PyTorch takes that path where no mode of functions is on, and the simulator is one. Without a mask,
in `aten/src/ATen/native/transformers`, it is what is written here; with one it runs part by part,
and so does attention whose weights are asked for.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import torch
from torch import nn
from torch.nn import functional as F  # noqa: N812 -- everybody's name for it

from .torch_internals import seen_without_mode, thread_state

if TYPE_CHECKING:
    from collections.abc import Callable

    from .machine import Machine
    from .patches import Patches
    from .torch_internals import Arguments, Keywords

_PLAIN = (torch.Tensor, nn.Parameter)

_has_torch_function = torch.overrides.has_torch_function
_run_layer = nn.TransformerEncoderLayer.forward


def put_encoder(patches: Patches, machine: Machine) -> None:
    """Let layers of an encoder on a card take the path that they take where there is no mode."""
    patches.put(torch.overrides, "has_torch_function", _is_overridden)
    patches.put(nn.TransformerEncoderLayer, "forward", _without_mask(machine))


def _is_overridden(tensors: Any) -> bool:
    if thread_state.seen_without_mode and all(type(tensor) in _PLAIN for tensor in tensors):
        return False
    return _has_torch_function(tensors)


def _without_mask(machine: Machine) -> Callable[..., torch.Tensor]:
    def forward(
        layer: nn.TransformerEncoderLayer,
        src: torch.Tensor,
        src_mask: torch.Tensor | None = None,
        src_key_padding_mask: torch.Tensor | None = None,
        is_causal: bool = False,
    ) -> torch.Tensor:
        """Pass the input through the encoder layer."""
        run = partial(_run_layer, layer, src, src_mask, src_key_padding_mask, is_causal)
        if src_mask is None and src_key_padding_mask is None and machine.holds(src):
            with seen_without_mode():
                return run()
        return run()

    return forward


def encoder_layer(attend: Callable[..., torch.Tensor]) -> Callable[..., torch.Tensor]:
    """Return what serves `torch._transformer_encoder_layer_fwd`; `attend` is fused attention."""

    def run(machine: Machine, func: Any, args: Arguments, kwargs: Keywords) -> torch.Tensor:
        if kwargs or not machine.holds(args[0]) or any(each is not None for each in args[18:]):
            return func(*args, **kwargs)  # type: ignore[no-any-return]  # as any kernel
        src, width, heads, *attention, uses_gelu, norm_first, eps = args[:10]
        first, second, up, down = args[10:12], args[12:14], args[14:16], args[16:18]
        hidden = _norm(src, first, eps) if norm_first else src
        hidden = _attention(partial(attend, machine), hidden, width, heads, *attention)
        hidden.add_(src)
        if not norm_first:
            hidden = _norm(hidden, first, eps)
        before = hidden
        if norm_first:
            hidden = _norm(hidden, second, eps)
        hidden = _forward(hidden, up, down, uses_gelu=uses_gelu)
        hidden.add_(before)
        return hidden if norm_first else _norm(hidden, second, eps)

    return run


def _norm(tensor: torch.Tensor, weights: Any, eps: float) -> torch.Tensor:
    weight, bias = weights
    return F.layer_norm(tensor, weight.shape, weight, bias, eps)


def _attention(  # noqa: PLR0913, PLR0917 -- PyTorch's own arguments
    attend: Callable[..., torch.Tensor],
    tensor: torch.Tensor,
    width: int,
    heads: int,
    qkv_weight: torch.Tensor,
    qkv_bias: torch.Tensor,
    weight: torch.Tensor,
    bias: torch.Tensor,
) -> torch.Tensor:
    """Return the attention of a sequence to itself, [batch, length, width]."""
    batch, length, _ = tensor.shape
    projected = F.linear(tensor, qkv_weight, qkv_bias)
    parts = [
        each.view(batch, length, heads, width // heads).transpose(1, 2)
        for each in projected.chunk(3, -1)
    ]
    attended = attend(F.scaled_dot_product_attention, tuple(parts), {}).transpose(1, 2)
    result = F.linear(attended.reshape(batch, length, width), weight, bias)
    del attended  # the last first, as C++ does
    return result


def _forward(tensor: torch.Tensor, up: Any, down: Any, *, uses_gelu: bool) -> torch.Tensor:
    """Return the result of the two layers after attention; the first has its activation in it."""
    flat = tensor.reshape(-1, tensor.shape[-1])
    wide = torch._addmm_activation(up[1], flat, up[0].t(), use_gelu=uses_gelu)  # noqa: SLF001 -- no public name
    return torch.addmm(down[1], wide, down[0].t()).view(tensor.shape)
