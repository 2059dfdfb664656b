"""CuPy arrays: views of blocks of a memory pool. Declared, not run: it needs a real GPU."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..imported import imported
from ..storage import Storage

if TYPE_CHECKING:
    from collections.abc import Iterator

_ROUNDING = 512  # CuPy's pool rounds sizes up to multiples of this


class CupyArrays:
    """Arrays of CuPy, read through the attributes of their C base class."""

    def __init__(self, kind: Any) -> None:
        self.kinds: tuple[type, ...] = (kind,)
        self._kind = kind

    def storages(self, array: Any) -> Iterator[Storage]:
        """Yield the block that contains an array; views of one block have one storage."""
        try:
            memory = self._kind.data.__get__(array).mem
            if not memory.size:
                return
            yield Storage(
                key=memory.ptr,
                device_index=memory.device_id,
                bytes=-(-memory.size // _ROUNDING) * _ROUNDING,
                shape=tuple(self._kind.shape.__get__(array)),
                dtype=str(self._kind.dtype.__get__(array)),
                framework="cupy",
            )
        except (RuntimeError, TypeError, AttributeError):
            return  # memory that CuPy does not own


def arrays() -> CupyArrays | None:
    """Return CuPy's arrays if it is imported, else `None`."""
    core = imported("cupy._core.core")
    kind = getattr(core, "_ndarray_base", None) or getattr(core, "ndarray", None)
    return CupyArrays(kind) if kind is not None else None
