"""Which cards CUDA_VISIBLE_DEVICES leaves to the process, and in which order."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

if TYPE_CHECKING:
    from collections.abc import Sequence

ENVIRONMENT_VARIABLE = "CUDA_VISIBLE_DEVICES"


def visible_indices(uuids: Sequence[str]) -> list[int]:
    """Return the indices of the cards that are visible, by ordinal.

    `uuids` are those of all cards, without "GPU-". PyTorch has the driver's rules in Python: it
    reads the environment itself, and its answer ends at the first card that is not there.
    """
    wanted = torch.cuda._parse_visible_devices()  # noqa: SLF001 -- the driver's rules, no public name
    if wanted and isinstance(wanted[0], str):
        known = [f"GPU-{uuid}" for uuid in uuids]
        return torch.cuda._transform_uuid_to_ordinals(wanted, known)  # noqa: SLF001 -- as above
    indices: list[int] = []
    for index in wanted:
        if not isinstance(index, int) or index >= len(uuids):
            break
        indices.append(index)
    return indices
