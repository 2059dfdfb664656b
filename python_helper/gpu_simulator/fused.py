"""Operators for which only CUDA has a kernel, written out for the host's tensors and for sizes.

They follow `aten/src/ATen/native/cuda/RNN.cu` and `layer_norm_kernel.cu` of PyTorch: what they
return counts, for it is kept for backward. Without values they make their results alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

from .torch_internals import is_meta

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Maybe = torch.Tensor | None

_GATES_OF_LSTM, _GATES_OF_GRU = 4, 3
_SAVED_BY_GRU = 5
"""Reset, update and new gate, the state before, and what the new gate takes of it."""


def _lstm_cell(
    input_gates: torch.Tensor,
    hidden_gates: torch.Tensor,
    cx: torch.Tensor,
    input_bias: Maybe = None,
    hidden_bias: Maybe = None,
) -> tuple[torch.Tensor, ...]:
    """Return hidden and cell state, [batch, width], and the gates, [batch, 4 x width]."""
    if is_meta(cx):
        return (*(cx.new_empty(cx.shape) for _ in range(2)), cx.new_empty(input_gates.shape))
    gates = _with_bias(input_gates, input_bias) + _with_bias(hidden_gates, hidden_bias)
    enter, forget, new, leave = gates.chunk(_GATES_OF_LSTM, 1)
    enter, forget, new, leave = enter.sigmoid(), forget.sigmoid(), new.tanh(), leave.sigmoid()
    cy = forget * cx + enter * new
    return leave * cy.tanh(), cy, torch.cat((enter, forget, new, leave), 1)


def _lstm_cell_backward(  # noqa: PLR0913, PLR0917 -- PyTorch's own arguments
    grad_hy: Maybe,
    grad_cy: Maybe,
    cx: torch.Tensor,
    cy: torch.Tensor,
    workspace: torch.Tensor,
    has_bias: bool,
) -> tuple[Maybe, ...]:
    """Return the gradients of the gates, of the cell state and of both biases."""
    if grad_hy is None and grad_cy is None:
        return None, None, None
    if is_meta(cx):
        bias = cx.new_empty(workspace.shape[1:]) if has_bias else None
        return cx.new_empty(workspace.shape), cx.new_empty(cx.shape), bias
    enter, forget, new, leave = workspace.chunk(_GATES_OF_LSTM, 1)
    shown = cy.tanh()
    grad_hy = torch.zeros_like(cy) if grad_hy is None else grad_hy
    grad_cell = grad_hy * leave * (1 - shown * shown)
    if grad_cy is not None:
        grad_cell = grad_cell + grad_cy
    parts = (
        grad_cell * new * (1 - enter) * enter,
        grad_cell * cx * (1 - forget) * forget,
        grad_cell * enter * (1 - new * new),
        grad_hy * shown * (1 - leave) * leave,
    )
    gates = torch.cat(parts, 1)
    return gates, grad_cell * forget, gates.sum(0) if has_bias else None


def _gru_cell(
    input_gates: torch.Tensor,
    hidden_gates: torch.Tensor,
    hx: torch.Tensor,
    input_bias: Maybe = None,
    hidden_bias: Maybe = None,
) -> tuple[torch.Tensor, ...]:
    """Return the hidden state, [batch, width], and what backward needs, [batch, 5 x width]."""
    if is_meta(hx):
        return hx.new_empty(hx.shape), hx.new_empty((hx.shape[0], _SAVED_BY_GRU * hx.shape[1]))
    of_input = _with_bias(input_gates, input_bias).chunk(_GATES_OF_GRU, 1)
    of_hidden = _with_bias(hidden_gates, hidden_bias).chunk(_GATES_OF_GRU, 1)
    reset = (of_input[0] + of_hidden[0]).sigmoid()
    update = (of_input[1] + of_hidden[1]).sigmoid()
    new = (of_input[2] + reset * of_hidden[2]).tanh()
    hy = new + update * (hx - new)
    return hy, torch.cat((reset, update, new, hx, of_hidden[2]), 1)


def _gru_cell_backward(
    grad_hy: torch.Tensor,
    workspace: torch.Tensor,
    has_bias: bool,
) -> tuple[Maybe, ...]:
    """Return the gradients of both kinds of gates, of the hidden state and of both biases."""
    if is_meta(workspace):
        batch, width = grad_hy.shape
        gates = (batch, _GATES_OF_GRU * width)
        shapes = (gates, gates, (batch, width), *((gates[1:],) * 2 if has_bias else ()))
        made = tuple([workspace.new_empty(shape) for shape in shapes])
        return made if has_bias else (*made, None, None)
    reset, update, new, hx, of_hidden = workspace.chunk(_SAVED_BY_GRU, 1)
    grad_update = grad_hy * (hx - new) * (1 - update) * update
    grad_new = grad_hy * (1 - update) * (1 - new * new)
    grad_reset = grad_new * of_hidden * (1 - reset) * reset
    input_gates = torch.cat((grad_reset, grad_update, grad_new), 1)
    hidden_gates = torch.cat((grad_reset, grad_update, grad_new * reset), 1)
    biases = (input_gates.sum(0), hidden_gates.sum(0)) if has_bias else (None, None)
    return input_gates, hidden_gates, grad_hy * update, *biases


def _with_bias(gates: torch.Tensor, bias: Maybe) -> torch.Tensor:
    return gates if bias is None else gates + bias


def _rms_norm(
    tensor: torch.Tensor, normalized_shape: Sequence[int], weight: Maybe, eps: float | None
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the result, and the reciprocal of what each row was divided by."""
    kept = tensor.dim() - len(normalized_shape)
    wide = torch.float64 if tensor.dtype is torch.float64 else torch.float32
    if is_meta(tensor):
        rows = (*tensor.shape[:kept], *(1 for _ in normalized_shape))
        return tensor.new_empty(tensor.shape), tensor.new_empty(rows, dtype=wide)
    values = tensor.to(wide, memory_format=torch.contiguous_format)
    rstd = _reciprocals(values, kept, eps)
    scaled = values * rstd
    return (scaled if weight is None else scaled * weight).to(tensor.dtype), rstd


def _reciprocals(values: torch.Tensor, kept: int, eps: float | None) -> torch.Tensor:
    """Return what each row is multiplied by; rows begin after the first `kept` dimensions."""
    mean = values.square().mean(list(range(kept, values.dim())), keepdim=True)
    return (mean + (torch.finfo(values.dtype).eps if eps is None else eps)).rsqrt()


def _rms_norm_backward(  # noqa: PLR0913, PLR0917 -- PyTorch's own arguments
    grad_out: torch.Tensor,
    tensor: torch.Tensor,
    normalized_shape: Sequence[int],
    rstd: torch.Tensor,
    weight: Maybe,
    output_mask: Sequence[bool],
) -> tuple[Maybe, Maybe]:
    """Return the gradients of the tensor and of its weight, where they are wanted."""
    if not is_meta(tensor):
        return _rms_gradients(grad_out, tensor, normalized_shape, rstd, weight, output_mask)
    like = (tensor if output_mask[0] else None, weight if output_mask[1] else None)
    of_tensor, of_weight = (None if each is None else each.new_empty(each.shape) for each in like)
    return of_tensor, of_weight


def _rms_gradients(  # noqa: PLR0913, PLR0917 -- as above
    grad_out: torch.Tensor,
    tensor: torch.Tensor,
    normalized_shape: Sequence[int],
    rstd: torch.Tensor,
    weight: Maybe,
    output_mask: Sequence[bool],
) -> tuple[Maybe, Maybe]:
    grad, values = grad_out.to(rstd.dtype), tensor.to(rstd.dtype) * rstd
    weighted = grad if weight is None else grad * weight
    rest = list(range(tensor.dim() - len(normalized_shape), tensor.dim()))
    of_tensor = (weighted - values * (weighted * values).mean(rest, keepdim=True)) * rstd
    of_weight = (grad * values).reshape(-1, *normalized_shape).sum(0)
    return (
        of_tensor.to(tensor.dtype).contiguous() if output_mask[0] else None,
        None if weight is None or not output_mask[1] else of_weight.to(weight.dtype),
    )


def _softmax(kernel: Any) -> Callable[..., torch.Tensor]:
    """Return a kind of softmax that makes float32 of float16 on the host too."""

    def softmax(tensor: torch.Tensor, dim: int, half_to_float: bool) -> torch.Tensor:
        if half_to_float and not is_meta(tensor):
            tensor, half_to_float = tensor.float(), False
        return kernel(tensor, dim, half_to_float)  # type: ignore[no-any-return]  # operators are Any

    return softmax


def _softmax_backward(kernel: Any) -> Callable[..., torch.Tensor]:
    """Return its gradient, in the type that the tensor had."""

    def gradient(
        grad: torch.Tensor, output: torch.Tensor, dim: int, input_dtype: torch.dtype
    ) -> torch.Tensor:
        if is_meta(grad):
            return kernel(grad, output, dim, input_dtype)  # type: ignore[no-any-return]  # as above
        return kernel(grad, output, dim, grad.dtype).to(input_dtype)  # type: ignore[no-any-return]  # as above

    return gradient


_aten = torch.ops.aten
KERNELS: dict[Any, Callable[..., Any]] = {
    _aten._thnn_fused_lstm_cell.default: _lstm_cell,  # noqa: SLF001 -- no public names, as all below
    _aten._thnn_fused_lstm_cell_backward_impl.default: _lstm_cell_backward,  # noqa: SLF001
    _aten._thnn_fused_gru_cell.default: _gru_cell,  # noqa: SLF001
    _aten._thnn_fused_gru_cell_backward.default: _gru_cell_backward,  # noqa: SLF001
    _aten._fused_rms_norm.default: _rms_norm,  # noqa: SLF001
    _aten._fused_rms_norm_backward.default: _rms_norm_backward,  # noqa: SLF001
    **{
        operator: make(operator)
        for make, operators in (
            (_softmax, (_aten._softmax.default, _aten._log_softmax.default)),  # noqa: SLF001
            (
                _softmax_backward,
                (
                    _aten._softmax_backward_data.default,  # noqa: SLF001
                    _aten._log_softmax_backward_data.default,  # noqa: SLF001
                ),
            ),
        )
        for operator in operators
    },
}
"""What takes the place of each operator's kernel."""


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
        tensor, ctx.normalized_shape, weight, ctx.eps = inputs
        ctx.mark_non_differentiable(output[1])
        ctx.set_materialize_grads(False)
        ctx.save_for_backward(tensor, weight, output[1])

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        """Return the gradients of the tensor and of its weight."""
        if gradients[0] is None:
            return None, None, None, None
        tensor, weight, rstd = ctx.saved_tensors
        wanted = [ctx.needs_input_grad[0], ctx.needs_input_grad[2]]
        shape = ctx.normalized_shape
        if torch.is_grad_enabled():  # in operators that have gradients themselves
            rstd = _reciprocals(tensor.to(rstd.dtype), tensor.dim() - len(shape), ctx.eps)
            made = _rms_gradients(gradients[0], tensor, shape, rstd, weight, wanted)
        else:
            kernel = _aten._fused_rms_norm_backward  # noqa: SLF001 -- no public name
            made = kernel(gradients[0], tensor, shape, rstd, weight, wanted)
        return made[0], None, made[1], None
