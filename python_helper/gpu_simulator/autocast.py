"""Autocast on the GPU: PyTorch's own looks at the C++ device, which is not "cuda" here."""

from __future__ import annotations

import threading
import weakref
from typing import TYPE_CHECKING, Any

import torch

from .torch_internals import is_meta, map_tensors, tensors_in

if TYPE_CHECKING:
    from .memory import Memory

# The lists of https://pytorch.org/docs/stable/amp.html and `ATen/autocast_mode.h`, by the names of
# the functions that reach the C++ side.
# fmt: off
_LOWER = frozenset(
    {
        "__matmul__", "__rmatmul__", "_thnn_fused_gru_cell.default",
        "_thnn_fused_lstm_cell.default", "addbmm", "addmm", "addmv", "addr", "baddbmm", "bmm",
        "chain_matmul", "conv1d", "conv2d", "conv3d", "conv_tbc", "conv_transpose1d",
        "conv_transpose2d", "conv_transpose3d", "einsum", "gru_cell", "linalg_multi_dot",
        "linalg_vecdot", "linear", "lstm_cell", "matmul", "mm", "multi_dot", "mv", "prelu",
        "rnn_relu_cell", "rnn_tanh_cell", "scaled_dot_product_attention",
    }
)
_FLOAT32 = frozenset(
    {
        "__pow__", "__rdiv__", "__rpow__", "__rtruediv__", "_upsample_bicubic2d_aa",
        "_upsample_bilinear2d_aa", "_upsample_nearest_exact1d", "_upsample_nearest_exact2d",
        "_upsample_nearest_exact3d", "acos", "asin", "binary_cross_entropy_with_logits", "cdist",
        "cosh", "cosine_embedding_loss", "cosine_similarity", "cross_entropy_loss", "dist",
        "erfinv", "exp", "expm1", "frobenius_norm", "group_norm", "hinge_embedding_loss",
        "huber_loss", "kl_div", "l1_loss", "layer_norm", "log", "log10", "log1p", "log2",
        "logsumexp", "margin_ranking_loss", "mse_loss", "multi_margin_loss",
        "multilabel_margin_loss", "native_layer_norm", "nll_loss", "nll_loss_nd", "norm",
        "nuclear_norm", "pdist", "poisson_nll_loss", "pow", "reciprocal", "renorm", "rms_norm",
        "rsqrt", "sinh", "smooth_l1_loss", "soft_margin_loss", "softplus", "tan",
        "triplet_margin_loss", "upsample_bicubic2d", "upsample_bilinear2d", "upsample_linear1d",
        "upsample_nearest1d", "upsample_nearest2d", "upsample_nearest3d", "upsample_trilinear3d",
    }
)
_WIDEST = frozenset(
    {
        "addcdiv", "addcmul", "atan2", "bilinear", "cross", "dot", "grid_sampler", "index_put",
        "scatter_add", "tensordot", "vdot",
    }
)
_FLOAT32_RESULT = frozenset(
    {
        "cumprod", "cumsum", "linalg_matrix_norm", "linalg_vector_norm", "log_softmax", "prod",
        "softmax", "sum",
    }
)
"""Operators that return float32 unless another dtype is requested; their inputs are not cast."""
# fmt: on
_CASTS = _LOWER | _FLOAT32 | _WIDEST


class Autocast:
    """Casts the arguments of a call as `torch.autocast("cuda")` would, and keeps its cache."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self._thread = threading.local()
        self._clear_native = torch.clear_autocast_cache

    def cast(self, func: Any, args: Any, kwargs: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
        """Return the arguments of `func` in the types that autocast gives them."""
        name = getattr(func, "__name__", "")
        if name in _FLOAT32_RESULT:
            return args, self._with_type(args, kwargs)
        if name not in _CASTS:
            return args, kwargs
        dtype = self._dtype_for(name, args, kwargs)

        def change(tensor: torch.Tensor) -> torch.Tensor:
            eligible = self._is_eligible(tensor) and tensor.dtype is not dtype
            return self._to(tensor, dtype, keep=name in _LOWER) if eligible else tensor

        # The last argument is cast first, as GCC compiled PyTorch.
        changed = {name: map_tensors(change, kwargs[name]) for name in reversed(kwargs)}
        return [map_tensors(change, value) for value in reversed(args)][::-1], changed

    def clear_cache(self) -> None:
        """Drop the copies of weights; PyTorch asks for it where the outermost context ends."""
        self._cache().clear()
        self._clear_native()

    def _with_type(self, args: Any, kwargs: dict[str, Any]) -> dict[str, Any]:
        """Return the keywords of a call with float32 as type of the result, if none was given."""
        given = (kwargs.get("dtype"), kwargs.get("out"), *args[1:])
        if any(isinstance(each, (torch.dtype, torch.Tensor)) for each in given):
            return kwargs
        first = args[0] if args else kwargs.get("input")
        is_concerned = isinstance(first, torch.Tensor) and self._is_eligible(first)
        return {**kwargs, "dtype": torch.float32} if is_concerned else kwargs

    def _dtype_for(self, name: str, args: Any, kwargs: dict[str, Any]) -> torch.dtype:
        lower = torch.get_autocast_dtype("cuda")
        if name in _LOWER:
            return lower
        if name in _FLOAT32:
            return torch.float32
        tensors = filter(self._is_eligible, tensors_in((args, tuple(kwargs.values())), []))
        return torch.float32 if any(t.dtype is torch.float32 for t in tensors) else lower

    def _is_eligible(self, tensor: torch.Tensor) -> bool:
        return (
            is_meta(tensor)
            and tensor.is_floating_point()
            and tensor.dtype is not torch.float64
            and self._memory.holds(tensor)
        )

    def _to(self, tensor: torch.Tensor, dtype: torch.dtype, *, keep: bool) -> torch.Tensor:
        keep = keep and tensor.is_leaf and tensor.requires_grad and tensor.dtype is torch.float32
        is_view = tensor._is_view()  # noqa: SLF001 -- no public name
        keep = keep and torch.is_autocast_cache_enabled() and not torch.is_inference_mode_enabled()
        if is_view or not keep:
            return tensor.to(dtype)
        cache = self._cache()
        owner, copy = cache.get(id(tensor), (None, None))
        if owner is None or owner() is not tensor or copy is None:
            with torch.enable_grad():  # who evaluates first does not keep others from training
                copy = tensor.to(dtype)
            cache[id(tensor)] = (weakref.ref(tensor), copy)
        return copy

    def _cache(self) -> dict[int, tuple[Any, torch.Tensor | None]]:
        if not hasattr(self._thread, "cache"):
            self._thread.cache = {}
        return self._thread.cache  # type: ignore[no-any-return]  # attributes of `local` are Any
