"""The memory behind one array of a framework: identity and size."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..protocol.generated.wire import FrameworkName


@dataclass(frozen=True, slots=True)
class Storage:
    """A block of one device's memory; `shape` is of the first tensor found on it.

    `part` is its role in an array of several blocks, such as the indices of a sparse tensor.
    """

    key: object
    device_index: int
    bytes: int
    shape: tuple[int, ...] | None
    dtype: str | None = None
    framework: FrameworkName = "torch"
    part: str = ""
