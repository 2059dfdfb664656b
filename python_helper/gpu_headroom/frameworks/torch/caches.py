"""PyTorch's caches that are rebuilt on need: workspaces, plans, and compiled code."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...text.messages import message
from ..imported import imported
from ..view import Cache
from . import private

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ..view import View

TEXTS = {
    "item.framework_cache.cublas": "Workspaces of cuBLAS",
    "item.framework_cache.cublas.cost": "Taken again by the next product of matrices.",
    "item.framework_cache.cufft": "Plans of cuFFT",
    "item.framework_cache.cufft.cost": "Made again by the next Fourier transforms.",
    "item.framework_cache.compile": "What `torch.compile` has compiled",
}


def caches(
    views: tuple[View, ...], workspaces: Mapping[object, int], *, captured: bool
) -> Iterator[Cache]:
    """Yield the non-empty caches; `captured` graphs keep using the workspaces' addresses."""
    torch, clear = imported("torch"), private.workspaces_clearer()
    if clear is not None and workspaces:
        yield Cache(
            message("item.framework_cache.cublas", TEXTS),
            message("item.framework_cache.cublas.cost", TEXTS),
            clear,
            f"_torch.cuda.is_initialized() and {private.CLEAR_WORKSPACES}",
            workspaces,
            message("item.captured") if captured else None,
        )
    plans = [torch.backends.cuda.cufft_plan_cache[view.index] for view in views]
    used = [plan for plan in plans if _size(plan)]
    if used:
        yield Cache(
            message("item.framework_cache.cufft", TEXTS),
            message("item.framework_cache.cufft.cost", TEXTS),
            lambda: [cache.clear() for cache in used],
            "[_each.clear() for _each in _torch.backends.cuda.cufft_plan_cache.caches]",
        )
    compiled = getattr(imported("torch._dynamo.convert_frame"), "output_codes", None)
    if getattr(compiled, "seen", None):
        yield Cache(
            message("item.framework_cache.compile", TEXTS),
            message("item.compiled.cost"),
            torch.compiler.reset,
            "_torch.compiler.reset()",
        )


def _size(plans: Any) -> int:
    try:
        return int(plans.size)
    except RuntimeError:  # a build without cuFFT
        return 0
