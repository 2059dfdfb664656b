"""What PyTorch makes again when it needs it: workspaces, plans, and what it has compiled."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...text.messages import message
from ..imported import imported
from ..view import Cache
from . import private

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ..view import View


def caches(
    views: tuple[View, ...], workspaces: Mapping[object, int], *, captured: bool
) -> Iterator[Cache]:
    """Yield them where there are any; `captured` graphs go on using the workspaces' addresses."""
    torch, clear = imported("torch"), private.workspaces_clearer()
    if clear is not None and workspaces:
        yield Cache(
            "item.framework_cache.cublas",
            "item.framework_cache.cublas.cost",
            clear,
            f"_torch.cuda.is_initialized() and {private.CLEAR_WORKSPACES}",
            workspaces,
            message("item.captured") if captured else None,
        )
    plans = [torch.backends.cuda.cufft_plan_cache[view.index] for view in views]
    used = [plan for plan in plans if _size(plan)]
    if used:
        yield Cache(
            "item.framework_cache.cufft",
            "item.framework_cache.cufft.cost",
            lambda: [each.clear() for each in used],
            "[_each.clear() for _each in _torch.backends.cuda.cufft_plan_cache.caches]",
        )
    compiled = getattr(imported("torch._dynamo.convert_frame"), "output_codes", None)
    if getattr(compiled, "seen", None):
        yield Cache(
            "item.framework_cache.compile",
            "item.framework_cache.compile.cost",
            torch.compiler.reset,
            "_torch.compiler.reset()",
        )


def _size(plans: Any) -> int:
    try:
        return int(plans.size)
    except RuntimeError:  # a build without cuFFT
        return 0
