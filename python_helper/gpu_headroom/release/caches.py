"""Memory that frameworks keep beside their tensors, where giving it back is known to work.

TensorFlow is not among them: what it took it keeps until the process ends.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..frameworks import cupy, jax
from ..frameworks.imported import imported
from ..frameworks.torch import private
from ..frameworks.torch.blocks import workspaces
from ..frameworks.torch.cuda import TorchCuda
from ..text.messages import message
from .freeable import Freeable
from .memory import Storages

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ..frameworks.view import View
    from ..protocol.wire import Message
    from .situation import Situation

_COSTS = {
    "item.framework_cache.cublas": "item.framework_cache.cublas.cost",
    "item.framework_cache.cufft": "item.framework_cache.cufft.cost",
    "item.framework_cache.compile": "item.framework_cache.compile.cost",
    "item.framework_cache.jax": "item.framework_cache.compile.cost",
    "item.framework_cache.cupy": "item.framework_cache.cupy.cost",
}


def items(situation: Situation) -> Iterator[Freeable]:
    """Yield the caches of frameworks that are live in this kernel."""
    views = _views()
    if views is not None:
        yield from _of_torch(situation, views)
    if jax.Jax().state() == "live":
        yield _item("jax", imported("jax").clear_caches, "jax", "_jax.clear_caches()")
    if cupy.CuPy().state() == "live":
        pool = imported("cupy").get_default_memory_pool()
        unused = max(0, pool.total_bytes() - pool.used_bytes())
        if unused:
            clear = "_cupy.get_default_memory_pool().free_all_blocks()"
            gives = Storages({"cupy": unused})
            yield _item("cupy", pool.free_all_blocks, "cupy", clear, gives=gives)


def unused_blocks(_: Situation) -> Iterator[Freeable]:
    """Yield what PyTorch keeps for later: headroom for others, this kernel can use it anyway."""
    views = _views()
    cached = sum(each.framework.cached_bytes or 0 for each in views or () if each.framework)
    # Emptying the cache would break a graph that is being captured.
    capturing = views is not None and private.is_capturing()
    yield Freeable(
        id="cache",
        kind="cache",
        title=message("item.cache"),
        cost=message("item.cache.cost"),
        gives=None if views is None else Storages({"cache": cached}),
        free=_empty_cache,
        safe=True,
        adds_headroom=False,
        blocked=message("item.cache.capturing") if capturing else None,
    )


def _views() -> tuple[View, ...] | None:
    """Return the devices that PyTorch uses; `None` where CUDA is not up."""
    source = TorchCuda()
    return source.read() if source.state() == "live" else None


def _empty_cache() -> None:
    """Return whole free segments to the card."""
    if TorchCuda().state() == "live":
        imported("torch").cuda.empty_cache()


def _of_torch(situation: Situation, views: tuple[View, ...]) -> Iterator[Freeable]:
    torch, clear = imported("torch"), private.workspaces_clearer()
    looked, known = situation.inspector.torch, situation.heap.memory.sizes
    found = workspaces(looked.blocks, known) if looked is not None else {}
    gives = Storages((address, block.bytes) for address, block in found.items())
    if clear is not None and gives:
        code = f"_torch.cuda.is_initialized() and {private.CLEAR_WORKSPACES}"
        blocked = message("item.captured") if situation.candidates.captured else None
        yield _item("cublas", clear, "torch", code, gives=gives, blocked=blocked)
    plans = [torch.backends.cuda.cufft_plan_cache[view.index] for view in views]
    used = [each for each in plans if _size(each)]
    if used:
        code = "[_each.clear() for _each in _torch.backends.cuda.cufft_plan_cache.caches]"
        yield _item("cufft", lambda: [each.clear() for each in used], "torch", code)
    compiled = getattr(imported("torch._dynamo.convert_frame"), "output_codes", None)
    if getattr(compiled, "seen", None):
        yield _item("compile", torch.compiler.reset, "torch", "_torch.compiler.reset()")


def _size(plans: Any) -> int:
    try:
        return int(plans.size)
    except RuntimeError:  # a build without cuFFT
        return 0


def _item(  # noqa: PLR0913 — all that tells one from another
    which: str,
    clear: Callable[[], object],
    module: str,
    statement: str,
    *,
    gives: Storages | None = None,
    blocked: Message | None = None,
) -> Freeable:
    """Return an item whose code does nothing where the framework is not imported."""

    def free() -> None:
        clear()

    title = f"item.framework_cache.{which}"
    said = message(title)
    return Freeable(
        id=f"framework_cache:{which}",
        kind="framework_cache",
        title=said,
        cost=message(_COSTS[title]),
        gives=gives,
        free=free,
        confirm=message("confirm.framework_cache"),
        blocked=blocked,
        code=(
            f'# {said["text"]}.\n_{module} = __import__("sys").modules.get("{module}")\n'
            f"if _{module}:\n    {statement}"
        ),
    )
