"""Memory that frameworks keep beside their tensors, where giving it back is known to work.

TensorFlow is not among them: what it took it keeps until the process ends.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..frameworks import cupy, jax
from ..frameworks.imported import imported
from ..frameworks.torch import private
from ..frameworks.torch.cuda import TorchCuda
from ..text.format import MIB
from ..text.messages import message
from .freeable import Freeable
from .memory import Storages

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

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
    if TorchCuda().state() == "live":
        yield from _of_torch(situation, imported("torch"))
    if jax.Jax().state() == "live":
        yield _item("jax", imported("jax").clear_caches, _code("jax", "_jax.clear_caches()"))
    if cupy.CuPy().state() == "live":
        pool = imported("cupy").get_default_memory_pool()
        unused = max(0, pool.total_bytes() - pool.used_bytes())
        if unused:
            code = _code("cupy", "_cupy.get_default_memory_pool().free_all_blocks()")
            yield _item("cupy", pool.free_all_blocks, code, gives=Storages({"cupy": unused}))


def _of_torch(situation: Situation, torch: Any) -> Iterator[Freeable]:
    clear = private.workspaces_clearer()
    views = TorchCuda().read()
    if clear is not None and _not_attributed(situation, views) >= MIB:
        code = _code("torch", f"_torch.cuda.is_initialized() and {private.CLEAR_WORKSPACES}")
        blocked = message("item.captured") if situation.candidates.captured else None
        yield _item("cublas", clear, code, blocked=blocked)
    plans = [torch.backends.cuda.cufft_plan_cache[view.index] for view in views]
    used = [each for each in plans if _size(each)]
    if used:
        code = _code(
            "torch", "[_each.clear() for _each in _torch.backends.cuda.cufft_plan_cache.caches]"
        )
        yield _item("cufft", lambda: [each.clear() for each in used], code)
    compiled = getattr(imported("torch._dynamo.convert_frame"), "output_codes", None)
    if getattr(compiled, "seen", None):
        yield _item("compile", torch.compiler.reset, _code("torch", "_torch.compiler.reset()"))


def _code(module: str, statement: str) -> str:
    """Return code that does nothing where the framework is not imported."""
    return f'_{module} = __import__("sys").modules.get("{module}")\nif _{module}:\n    {statement}'


def _size(plans: Any) -> int:
    try:
        return int(plans.size)
    except RuntimeError:  # a build without cuFFT
        return 0


def _not_attributed(situation: Situation, views: Any) -> int:
    """Return what no array and no graph has: such as the workspaces of cuBLAS."""
    in_use: int = sum(view.framework.in_use_bytes for view in views if view.framework)
    return in_use - situation.heap.memory.bytes


def _item(
    which: str,
    clear: Callable[[], object],
    code: str,
    *,
    gives: Storages | None = None,
    blocked: Message | None = None,
) -> Freeable:
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
        code=f"# {said['text']}.\n{code}",
    )
