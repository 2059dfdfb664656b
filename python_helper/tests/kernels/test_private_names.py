"""Each private name of PyTorch is taken away in turn: what is asked is answered with less."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, NamedTuple

import pytest
from tests.live import SOURCES, LiveKernel

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

GIB = 2**30


class Loss(NamedTuple):
    """What is lost without a name, as a person meets it, and whether these are among it."""

    what: str
    readings: bool = False
    walks: bool = False


NAMES: dict[str, Loss] = {
    "_cuda_memoryStats": Loss("nothing is read of PyTorch", readings=True, walks=True),
    "_cuda_getDeviceCount": Loss("nothing: the public name does, once CUDA is up"),
    "_cuda_hasPrimaryContext": Loss("a device with a context, but no tensor yet"),
    "_cuda_getMemoryFraction": Loss("the limit that `set_per_process_memory_fraction` sets"),
    "_cuda_getAllocatorBackend": Loss("that CUDA answers again after an error that stopped it"),
    "_cuda_attach_out_of_memory_observer": Loss(
        "a failure's numbers are the message's where CUDA comes up without it"
    ),
    "_queued_calls": Loss("the observer, in a cell that starts CUDA and fails at once"),
    "_cuda_memorySnapshot": Loss("the blocks' own sizes; the largest free block"),
    "_cuda_isCurrentStreamCapturing": Loss("that the cache is not emptied while capturing"),
    "_cuda_clearCublasWorkspaces": Loss("the item of the workspaces of cuBLAS"),
    "DisableTorchFunction": Loss("who holds what, and what can be freed by name", walks=True),
    "_cdata": Loss("storages without memory are not told apart"),
    "_fix_weakref": Loss("up to PyTorch 2.9, what only a graph holds counts as held by an object"),
    "_storage_Use_Count": Loss("parameters that a graph ends in count as kept by it"),
    "_input_metadata": Loss("that a batch is longer than the one before it"),
    "SavedTensor": Loss("of what graphs keep, all that Python has never seen"),
}

# Only our eyes are shut: PyTorch itself, and the simulator in its place, go on using them.
HIDE = """from gpu_headroom.frameworks.torch import private as _private
def _hide(name):
    class Without:
        def __init__(self, whole):
            self.whole = whole
        def __getattr__(self, key):
            if key == name:
                raise AttributeError(name)
            return getattr(self.whole, key)
    def missing(whole, key, *default):
        return getattr(Without(whole), key, *default)
    calls = _private._calls
    _private._calls = lambda: Without(calls())
    _private.getattr = missing
    def show():
        _private._calls = calls
        del _private.getattr
    return show
"""


@pytest.fixture(scope="module")
def kernel(newest_python: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveKernel]:
    """A kernel with a simulated GPU of 4 GiB, and a model on it."""
    folder = tmp_path_factory.mktemp("private")
    with LiveKernel(newest_python, folder, installed=True, GPU_HEADROOM_SIMULATE="4GiB") as kernel:
        kernel.run("%load_ext gpu_headroom")
        kernel.attach()
        kernel.run(HIDE + "import torch\nmodel = torch.nn.Linear(2**14, 2**14, device='cuda')")
        yield kernel


@pytest.mark.parametrize("name", NAMES)
def test_all_is_answered_without(kernel: LiveKernel, name: str) -> None:
    """Readings, walks, the report and a release each come to their end, with a sentence."""
    loss = NAMES[name]
    kernel.attach()
    assert kernel.run(f"_show = _hide({name!r})").status == "ok"
    try:
        sample = kernel.sample()
        assert (sample["state"] == "live") is not loss.readings, sample
        if not loss.readings:
            assert sample["devices"][0]["in_use_bytes"] >= GIB
        holders = kernel.asked("holders")
        assert holders["message"]["text"]
        names = [row["name"] for device in holders["devices"] for row in device["rows"]]
        assert ("model" in names) is not loss.walks, holders
        plan = kernel.asked("plan")
        assert plan["message"]["text"]
        run = kernel.run("held = torch.empty(2**34, device='cuda')", stop_on_error=False)
        assert "GiB" in run.bundle["text/plain"]
        assert run.report["requested_bytes"] == 64 * GIB
        assert kernel.free()["message"]["text"]
    finally:
        assert kernel.run("_show()").status == "ok"
    assert kernel.sample()["state"] == "live"


def test_no_other_file_touches_them() -> None:
    """A private name of PyTorch stands in one file; the simulator plays them all."""
    package = SOURCES / "gpu_headroom"
    private = set(NAMES)
    uses = [
        f"{path.relative_to(package)}: {name}"
        for path in package.rglob("*.py")
        if path.name != "private.py"
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        for name in [getattr(node, "attr", None) or getattr(node, "value", None)]
        if isinstance(name, str) and (name in private or name == "_C")
    ]
    assert uses == []
