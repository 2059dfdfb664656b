"""Results, without values, of operators for which only CUDA has a kernel.

They follow `aten/src/ATen/native/cuda/RNN.cu` and `layer_norm_kernel.cu` of PyTorch: what they
return counts, for it is kept for backward.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
from torch.autograd.function import once_differentiable

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Maybe = torch.Tensor | None

_GATES_OF_GRU = 3
_SAVED_BY_GRU = 5
"""Reset, update and new gate, the state before, and what the new gate takes of it."""


def _like(tensor: torch.Tensor, shape: Sequence[int] | None = None) -> torch.Tensor:
    return tensor.new_empty(tensor.shape if shape is None else shape)


def _lstm_cell(
    input_gates: torch.Tensor, _hidden_gates: torch.Tensor, cx: torch.Tensor, *_biases: Maybe
) -> tuple[torch.Tensor, ...]:
    """Return hidden and cell state, [batch, width], and the gates, [batch, 4 x width]."""
    return _like(cx), _like(cx), _like(input_gates)


def _lstm_cell_backward(
    grad_hy: Maybe,
    grad_cy: Maybe,
    cx: torch.Tensor,
    _cy: torch.Tensor,
    workspace: torch.Tensor,
    has_bias: bool,
) -> tuple[Maybe, ...]:
    """Return the gradients of the gates, of the cell state and of both biases."""
    if grad_hy is None and grad_cy is None:
        return None, None, None
    return _like(workspace), _like(cx), _like(cx, workspace.shape[1:]) if has_bias else None


def _gru_cell(
    _input_gates: torch.Tensor, _hidden_gates: torch.Tensor, hx: torch.Tensor, *_biases: Maybe
) -> tuple[torch.Tensor, ...]:
    """Return the hidden state, [batch, width], and what backward needs, [batch, 5 x width]."""
    return _like(hx), _like(hx, (hx.shape[0], _SAVED_BY_GRU * hx.shape[1]))


def _gru_cell_backward(
    grad_hy: torch.Tensor, _workspace: torch.Tensor, has_bias: bool
) -> tuple[Maybe, ...]:
    """Return the gradients of both kinds of gates, of the hidden state and of both biases."""
    batch, width = grad_hy.shape
    gates = (batch, _GATES_OF_GRU * width)
    biases = [_like(grad_hy, gates[1:]) if has_bias else None for _ in range(2)]
    return _like(grad_hy, gates), _like(grad_hy, gates), _like(grad_hy), *biases


def _rms_norm(
    tensor: torch.Tensor, normalized_shape: Sequence[int], _weight: Maybe, _eps: float | None
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the result, and the reciprocal of what each row was divided by."""
    rows = (*tensor.shape[: tensor.dim() - len(normalized_shape)], *(1 for _ in normalized_shape))
    wide = torch.float64 if tensor.dtype is torch.float64 else torch.float32
    return _like(tensor), tensor.new_empty(rows, dtype=wide)


def _rms_norm_backward(
    _grad_out: torch.Tensor,
    tensor: torch.Tensor,
    _normalized_shape: Sequence[int],
    _rstd: torch.Tensor,
    weight: Maybe,
    output_mask: Sequence[bool],
) -> tuple[Maybe, Maybe]:
    """Return the gradients of the tensor and of its weight, where they are wanted."""
    of_weight = None if weight is None or not output_mask[1] else _like(weight)
    return _like(tensor) if output_mask[0] else None, of_weight


_aten = torch.ops.aten
KERNELS: dict[Any, Callable[..., Any]] = {
    _aten._thnn_fused_lstm_cell.default: _lstm_cell,  # noqa: SLF001 -- no public names, as all below
    _aten._thnn_fused_lstm_cell_backward_impl.default: _lstm_cell_backward,  # noqa: SLF001
    _aten._thnn_fused_gru_cell.default: _gru_cell,  # noqa: SLF001
    _aten._thnn_fused_gru_cell_backward.default: _gru_cell_backward,  # noqa: SLF001
    _aten._fused_rms_norm.default: _rms_norm,  # noqa: SLF001
    _aten._fused_rms_norm_backward.default: _rms_norm_backward,  # noqa: SLF001
}
"""Replacements of operators' kernels, by operator."""


class RootMeanSquareNormalisation(torch.autograd.Function):
    """`_fused_rms_norm` with its gradient: without a kernel for CUDA, C++ takes it apart."""

    @staticmethod
    def forward(
        tensor: torch.Tensor, normalized_shape: Sequence[int], weight: Maybe, eps: float | None
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the result, and the reciprocal of what each row was divided by."""
        with torch._C._AutoDispatchBelowAutograd():  # noqa: SLF001 -- no public name
            return _aten._fused_rms_norm(tensor, normalized_shape, weight, eps)  # type: ignore[no-any-return]  # noqa: SLF001 -- as above

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        """Keep what backward needs."""
        tensor, ctx.normalized_shape, weight, _ = inputs
        ctx.mark_non_differentiable(output[1])
        ctx.set_materialize_grads(False)
        ctx.save_for_backward(tensor, weight, output[1])

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, *gradients: Any) -> Any:
        """Return the gradients of the tensor and of its weight."""
        if gradients[0] is None:
            return None, None, None, None
        tensor, weight, rstd = ctx.saved_tensors
        wanted = [ctx.needs_input_grad[0], ctx.needs_input_grad[2]]
        kernel = _aten._fused_rms_norm_backward  # noqa: SLF001 -- no public name
        made = kernel(gradients[0], tensor, ctx.normalized_shape, rstd, weight, wanted)
        return made[0], None, made[1], None
