"""The memory behind one array of a framework: identity and size."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..protocol.generated.wire import FrameworkName


@dataclass(frozen=True, slots=True)
class Storage:
    """A block of one device's memory; `shape` is that of the tensor it was first seen through.

    `part` names what it is of an array that has several, such as the indices of a sparse tensor.
    """

    key: object
    device_index: int
    bytes: int
    shape: tuple[int, ...] | None
    dtype: str | None = None
    framework: FrameworkName = "torch"
    part: str = ""
