"""GPUs of the machine that this process sees, and their order: CUDA_VISIBLE_DEVICES.

The rules are CUDA's (Programming Guide, "CUDA Environment Variables"): a list of indices, or of
UUIDs that may be shortened; entries after one that matches no device are ignored, and a device that
is named twice leaves none.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True)
class Board:
    """One GPU of the machine, or one MIG instance of it, with the driver's handle."""

    handle: Any
    uuid: str
    name: str | None
    instances: tuple[Board, ...] = ()


def visible(setting: str | None, boards: Sequence[Board]) -> list[Board]:
    """Return the devices that CUDA counts as 0, 1, …, for a value of CUDA_VISIBLE_DEVICES.

    `boards` are in the driver's order. A process uses one MIG instance at most, and no whole GPU
    beside it (NVIDIA MIG User Guide, "CUDA Device Enumeration").
    """
    chosen = _named(setting, boards)
    instances = {instance.uuid for board in boards for instance in board.instances}
    return next(([board] for board in chosen if board.uuid in instances), chosen)


def _named(setting: str | None, boards: Sequence[Board]) -> list[Board]:
    if setting is None:
        return [_whole(board) for board in boards]
    chosen: list[Board] = []
    for entry in setting.split(","):
        board = _find(entry.strip(), boards)
        if board is None:
            break
        if board in chosen:
            return []
        chosen.append(board)
    return chosen


def is_certain(setting: str | None, order: str | None, boards: Sequence[Board]) -> bool:
    """Whether an index means the same device to CUDA and to its driver.

    CUDA counts the fastest device first unless CUDA_DEVICE_ORDER is PCI_BUS_ID, the driver counts
    in bus order: no difference where all devices are of one kind, or are named by UUID.
    """
    by_uuid = setting is not None and setting.strip().startswith(("GPU-", "MIG-"))
    return by_uuid or order == "PCI_BUS_ID" or len({board.name for board in boards}) <= 1


def _find(entry: str, boards: Sequence[Board]) -> Board | None:
    number = re.match(r"\+?\d+", entry)  # read as C's strtoul does: what follows is ignored
    if number is not None:
        index = int(number[0])
        return _whole(boards[index]) if index < len(boards) else None
    if not entry.startswith(("GPU-", "MIG-")):
        return None
    candidates = [instance for board in boards for instance in (board, *board.instances)]
    fitting = [candidate for candidate in candidates if candidate.uuid.startswith(entry)]
    return _whole(fitting[0]) if len(fitting) == 1 else None


def _whole(board: Board) -> Board:
    return board.instances[0] if board.instances else board
