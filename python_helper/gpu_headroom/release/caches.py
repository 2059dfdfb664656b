"""Memory that frameworks keep beside their tensors, where giving it back is known to work."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..frameworks.imported import imported
from ..frameworks.registry import BESIDE_TORCH, part
from ..frameworks.torch import private
from ..frameworks.torch.blocks import workspaces
from ..frameworks.torch.caches import caches
from ..frameworks.torch.cuda import TorchCuda
from ..text.messages import message
from .freeable import Freeable
from .memory import Storages

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..frameworks.view import Cache, View
    from .situation import Situation


def items(situation: Situation) -> Iterator[Freeable]:
    """Yield the caches of frameworks that are live in this kernel."""
    views = _views()
    torch = situation.inspector.torch
    if views is not None:
        blocks = workspaces(torch.blocks, situation.heap.memory.sizes) if torch is not None else {}
        gives = {address: block.bytes for address, block in blocks.items()}
        torch_caches = caches(views, gives, captured=situation.candidates.captured)
        yield from [_item("torch", cache) for cache in torch_caches]
    for framework in BESIDE_TORCH:
        source = part(framework, "reading").SOURCE()
        if source.state() == "live":
            yield from [_item(framework.NAME, cache) for cache in source.caches()]


def unused_blocks(_: Situation) -> Iterator[Freeable]:
    """Yield what PyTorch keeps for later: headroom for others, this kernel can use it anyway."""
    views = _views()
    cached = sum(view.framework.cached_bytes or 0 for view in views or () if view.framework)
    # Emptying the cache would break a graph that is being captured.
    capturing = views is not None and private.is_capturing()
    yield Freeable(
        id="cache",
        kind="cache",
        title=message("item.cache"),
        cost=message("item.cache.cost"),
        gives=None if views is None else Storages({"cache": cached}),
        free=_empty_cache,
        blocked=message("item.cache.capturing") if capturing else None,
    )


def _views() -> tuple[View, ...] | None:
    """Return the devices that PyTorch uses; `None` where CUDA is not up."""
    source = TorchCuda()
    return source.read() if source.state() == "live" else None


def _empty_cache() -> None:
    """Return whole free segments to the GPU."""
    if TorchCuda().state() == "live":
        imported("torch").cuda.empty_cache()


def _item(module: str, cache: Cache) -> Freeable:
    """Return an item whose code does nothing where the framework is not imported."""

    def free() -> None:
        cache.clear()

    return Freeable(
        id=f"framework_cache:{cache.title['id'].rpartition('.')[2]}",
        kind="framework_cache",
        title=cache.title,
        cost=cache.cost,
        gives=None if cache.gives is None else Storages(cache.gives),
        free=free,
        confirm=message("confirm.framework_cache"),
        blocked=cache.blocked,
        code=(
            f'# {cache.title["text"]}.\n_{module} = __import__("sys").modules.get("{module}")\n'
            f"if _{module}:\n    {cache.statement}"
        ),
    )
