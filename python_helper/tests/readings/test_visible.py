"""Which GPUs CUDA shows, for what CUDA_VISIBLE_DEVICES says."""

from __future__ import annotations

import itertools

import pytest
import torch
from gpu_headroom.readings.visible import Board, is_certain, visible

MIG = (Board(3, "MIG-3333-0", "H100 MIG 1g.10gb"), Board(4, "MIG-3333-1", "H100 MIG 1g.10gb"))
BOARDS = (
    Board(0, "GPU-1111-aa", "T4"),
    Board(1, "GPU-1122-bb", "T4"),
    Board(2, "GPU-3333-cc", "H100", MIG),
)


@pytest.mark.parametrize(
    ("setting", "handles"),
    [
        (None, [3]),
        ("GPU-1111,GPU-1111-aa", []),
        ("GPU-9999", []),
        ("GPU-3333", [3]),
        ("MIG-3333-1", [4]),
        ("MIG-3333", []),
        ("2", [3]),
        ("0,2", [3]),
        ("MIG-3333-1,MIG-3333-0", [4]),
    ],
)
def test_shows_what_cuda_shows(setting: str | None, handles: list[int]) -> None:
    """Nothing counts after an invalid entry, none if doubled, one MIG instance or whole GPUs."""
    assert [board.handle for board in visible(setting, BOARDS)] == handles


@pytest.mark.parametrize(
    "setting",
    [
        *("", "0", "1,0", " 1 , 0 ", "+1", "1x,0", "-1", "0,-1,1", "0,7,1", "none", "1,1", "0,1,0"),
        *("GPU-1122-bb", "GPU-1122", "GPU-11", "GPU-1122,GPU-1111", "GPU-1111,GPU-1111-aa"),
    ],
)
def test_agrees_with_pytorch(setting: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """PyTorch reads the same rules in Python, where no GPU is split by MIG."""
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", setting)
    gpus = torch.cuda._parse_visible_devices()
    if gpus and isinstance(gpus[0], str):
        gpus = torch.cuda._transform_uuid_to_ordinals(gpus, [board.uuid for board in BOARDS[:2]])
    indices = [index for index in gpus if isinstance(index, int)]
    expected = list(itertools.takewhile(lambda index: index < 2, indices))
    assert [board.handle for board in visible(setting, BOARDS[:2])] == expected


@pytest.mark.parametrize(
    ("setting", "order", "certain"),
    [
        (None, None, False),
        ("0", "FASTEST_FIRST", False),
        ("0", "PCI_BUS_ID", True),
        ("GPU-1122", None, True),
    ],
)
def test_an_index_is_certain_only_in_one_order(
    setting: str | None, order: str | None, certain: bool
) -> None:
    """CUDA and its driver count different models differently, unless told to count by the bus."""
    assert is_certain(setting, order, BOARDS) is certain
    assert is_certain(setting, order, BOARDS[:2]) is True
