"""The blocks of PyTorch's allocator on CUDA, and those of them that are workspaces of cuBLAS.

PyTorch up to 2.14 keeps a workspace for each handle of cuBLAS and stream (`CublasHandlePool.cpp`):
two after a step of training, as the backward pass has its own thread, and so its own handle. No
Python object refers to them, but their size is known.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from ...text.format import KIB, MIB
from ..imported import imported
from . import private

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

_DEFAULT, _SINCE_HOPPER = 8 * MIB + 128 * KIB, 32 * MIB
_HOPPER = 9  # its compute capability
_MOST_OF_A_STREAM = 2
_CONFIGURED = re.compile(r":([0-9]{1,9}):([0-9]{1,9})", re.ASCII)  # KiB, and the number of buffers


class UsedBlock(NamedTuple):
    """A block in use: its device, the stream it was allocated for, and its size in bytes."""

    device_index: int
    stream: int
    bytes: int


def blocks_in_use() -> dict[object, UsedBlock]:
    """Return the blocks in use by address; empty where the allocator has no snapshot."""
    cuda = imported("torch.cuda")
    if cuda is None or not cuda.is_initialized():
        return {}
    blocks: dict[object, UsedBlock] = {}
    for segment in (private.block_snapshot() or {}).get("segments", ()):
        address = segment.get("address", 0)
        for block in segment["blocks"]:
            # PyTorch 2.0 has only the segment's address; its blocks are contiguous.
            address = block.get("address", address)
            if block["state"] == "active_allocated":
                stream = segment.get("stream", 0)
                blocks[address] = UsedBlock(segment["device"], stream, block["size"])
            address += block["size"]
    return blocks


def workspaces(
    blocks: Mapping[object, UsedBlock], known: Collection[object]
) -> dict[object, UsedBlock]:
    """Return the blocks that are workspaces of cuBLAS: of their size, and of no `known` storage.

    At most two per stream, so that other blocks of this size are not mistaken for workspaces.
    """
    sizes: dict[int, int | None] = {}
    counts: Counter[tuple[int, int]] = Counter()
    matches: dict[object, UsedBlock] = {}
    for address, block in blocks.items():
        index = block.device_index
        if index not in sizes:
            sizes[index] = _workspace_bytes(index)
        where = index, block.stream
        if block.bytes == sizes[index] and address not in known:
            counts[where] += 1
            if counts[where] <= _MOST_OF_A_STREAM:
                matches[address] = block
    return matches


def _workspace_bytes(index: int) -> int | None:
    """Return the size of a workspace on a device with a context; `None` without any."""
    configured = _CONFIGURED.findall(os.environ.get("CUBLAS_WORKSPACE_CONFIG", ""))
    if configured:
        return sum(int(size) * int(count) for size, count in configured) * KIB or None
    if private.workspaces_clearer() is None:
        return None
    properties = imported("torch.cuda").get_device_properties(index)
    return _SINCE_HOPPER if getattr(properties, "major", 0) >= _HOPPER else _DEFAULT
