"""The export of PyTorch's memory snapshot: a file its viewer opens, or a sentence."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import torch
from gpu_headroom.frameworks.torch.memory_snapshot import export
from gpu_headroom.text.format import format_bytes
from gpu_simulator import simulate
from torch.cuda import _memory_viz

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working directory."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def used_gpu() -> Iterator[torch.Tensor]:
    """A simulated GPU with 2 MiB in use."""
    with simulate("4 GiB"):
        yield torch.empty(2 * 2**20, dtype=torch.uint8, device="cuda")


@pytest.mark.usefixtures("used_gpu")
def test_writes_what_the_viewer_opens(folder: Path) -> None:
    """PyTorch's own viewer lays out the file, and finds the bytes in use in it."""
    result = export()
    assert result.path is not None
    file = Path(result.path)
    assert file.parent == folder
    assert file.match("gpu-headroom-snapshot-????????-??????.pickle")
    assert result.bytes == file.stat().st_size
    assert result.message["text"] == f"Wrote {format_bytes(result.bytes)} to `{file}`."
    snapshot = pickle.loads(file.read_bytes())  # noqa: S301  our own file
    assert sum(segment["allocated_size"] for segment in snapshot["segments"]) == 2 * 2**20
    assert "2.0MiB" in _memory_viz.segsum(snapshot)
    assert "<html" in _memory_viz.segment_plot(snapshot)
    assert "<html" in _memory_viz.trace_plot(snapshot)


@pytest.mark.usefixtures("used_gpu")
def test_never_overwrites(folder: Path) -> None:
    """A file that is there stays as it is, and the sentence says so."""
    (folder / "mine.pickle").write_text("mine")
    result = export("mine.pickle")
    assert (result.path, result.bytes) == (None, None)
    assert result.message["id"] == "snapshot.exists"
    assert (folder / "mine.pickle").read_text() == "mine"


@pytest.mark.usefixtures("used_gpu", "folder")
@pytest.mark.parametrize("path", ["no/such/folder/x.pickle", ".", "", "nul\0.pickle", "x" * 5000])
def test_says_what_is_wrong_with_a_path(path: str) -> None:
    """A path that cannot be written to gets one sentence; nothing is raised."""
    result = export(path)
    assert (result.path, result.bytes) == (None, None)
    assert result.message["id"] in ("snapshot.failed", "snapshot.exists")


@pytest.mark.usefixtures("used_gpu")
def test_leaves_no_half_file(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where writing fails midway nothing stays behind."""
    monkeypatch.setattr(torch.cuda.memory, "_snapshot", lambda: {"frames": lambda: None})
    assert export().path is None
    assert list(folder.iterdir()) == []


@pytest.mark.usefixtures("folder")
def test_initialises_nothing() -> None:
    """Before the GPU is in use there is nothing to write, and asking does not start it."""
    result = export()
    assert result.message["id"] == "snapshot.not_initialised"
    assert not torch.cuda.is_initialized()
