"""The package as people meet it: installed, upgraded and removed beside live kernels."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

import pytest
from tests.lifecycle.wheels import Environment, present_wheel, version_of, with_version
from tests.live import LiveKernel
from tests.samples.collect import FILL, SIMULATE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.live import Pack

    Open = Callable[[], LiveKernel]

# Its functions have no types.
nbformat: Any = importlib.import_module("nbformat")

KERNEL = "-m ipykernel_launcher"
GIB = 2**30
HOLD = 'import torch\n\nheld = torch.empty(2**30, dtype=torch.uint8, device="cuda")'


@pytest.fixture(scope="module")
def old() -> Path:
    """The wheel as it was built."""
    return present_wheel()


@pytest.fixture(scope="module")
def new(old: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same as a release that comes later."""
    return with_version(old, "99.1.0", tmp_path_factory.mktemp("wheels"))


@pytest.fixture
def environment(tmp_path: Path, older_python: Path) -> Environment:
    """An environment with a kernel and without the package."""
    return Environment(tmp_path / "environment", older_python)


@pytest.fixture
def open_kernel(environment: Environment, tmp_path: Path) -> Iterator[Open]:
    """Start kernels of the environment, as Jupyter does: with what is installed there now."""
    kernels: list[LiveKernel] = []

    def start() -> LiveKernel:
        folder = tmp_path / f"kernel-{len(kernels)}"
        folder.mkdir()
        kernels.append(LiveKernel(environment.python, folder, script=KERNEL))
        return kernels[-1]

    yield start
    for kernel in kernels:
        kernel.close()


def simulate(kernel: LiveKernel) -> None:
    """Give a kernel a simulated GPU, and one GiB in use on it."""
    assert kernel.run(SIMULATE).status == "ok"
    assert kernel.run(HOLD).status == "ok"


def is_well(kernel: LiveKernel) -> str:
    """Check that a kernel's helper measures, walks, plans and explains; return its version."""
    hello = kernel.attach()["hello"]
    (device,) = kernel.ask("sample", client_id="a-page")["sample"]["devices"]
    assert device["in_use_bytes"] >= GIB
    reply = holders(kernel)
    assert "held" in [row["name"] for row in reply["devices"][0]["rows"]], reply
    plan = kernel.await_event("plan", request_id=kernel.ask("plan")["id"])
    assert plan["items"]
    assert "In use" in kernel.run("print(__import__('gpu_headroom').status())").text
    assert bundle_of(kernel)["text/html"]
    assert kernel.free()["freed_bytes"] >= 0
    return str(hello["helper_version"])


def holders(kernel: LiveKernel) -> dict[str, Any]:
    """Ask who holds what, as often as a person would where a walk was cut short."""
    for _ in range(3):
        reply = kernel.await_event("holders", request_id=kernel.ask("holders")["id"])
        if reply["complete"]:
            break
    return reply


def bundle_of(kernel: LiveKernel) -> dict[str, Any]:
    """Run a cell that runs out of memory, and return what its report put into the notebook."""
    run = kernel.run(FILL, cell_id="filling", stop_on_error=False)
    assert run.status == "error"
    assert kernel.run("del xs").status == "ok"
    return run.bundle


def test_live_kernels_outlive_upgrade_and_downgrade(
    environment: Environment, open_kernel: Open, old: Path, new: Path, pack: Pack
) -> None:
    """A kernel keeps the helper that it began with, and whatever starts later has the new one."""
    environment.install(old)
    assert environment.extension == version_of(old)
    first = open_kernel()
    first.inject(pack)
    simulate(first)
    helper_id = first.attach()["hello"]["helper_id"]

    environment.install(new)
    assert environment.extension == version_of(new)
    assert is_well(first) == version_of(old)
    second = open_kernel()
    second.inject(pack)
    simulate(second)
    assert is_well(second) == version_of(new)

    environment.install(old)
    assert environment.extension == version_of(old)
    assert is_well(second) == version_of(new)
    assert first.attach()["hello"]["helper_id"] == helper_id
    assert first.value("held.numel()") == GIB
    second.restart()
    second.inject(pack)
    assert second.attach()["hello"]["helper_version"] == version_of(old)


def test_uninstall_leaves_nothing(
    environment: Environment, open_kernel: Open, old: Path, new: Path, pack: Pack
) -> None:
    """What pip installed it removes, beside a kernel that goes on; a saved report can be read."""
    before = environment.files()
    environment.install(old)
    environment.install(new)
    kernel = open_kernel()
    assert kernel.run("%load_ext gpu_headroom").status == "ok"
    simulate(kernel)
    bundle = bundle_of(kernel)

    environment.uninstall()
    assert environment.files() == before
    assert [folder for folder in environment.folders() if "gpu" in folder] == []
    # It reads on, and no cell is harmed; what it had not imported yet is gone, and it says so.
    hello = kernel.attach()["hello"]
    assert hello["helper_version"] == version_of(new)
    more = kernel.run("more = torch.empty_like(held)")
    assert (more.status, more.outputs) == ("ok", [])
    (device,) = kernel.ask("sample", client_id="a-page")["sample"]["devices"]
    assert device["in_use_bytes"] == 2 * GIB
    kernel.expected_complaints = ["holders failed", "No module named 'gpu_headroom."]
    assert kernel.ask("holders")["status"] == "queued"
    kernel.until(lambda: "No module named 'gpu_headroom." in kernel.log)
    assert kernel.run("1 + 1").status == "ok"

    output = nbformat.v4.new_output("display_data", bundle)
    cell = nbformat.v4.new_code_cell(FILL, outputs=[output])
    text = nbformat.writes(nbformat.v4.new_notebook(cells=[cell]))
    saved = nbformat.reads(text, as_version=4)
    nbformat.validate(saved)
    data = saved.cells[0].outputs[0].data
    assert "Out of simulated GPU memory" in data["text/plain"]
    assert "Out of simulated GPU memory" in data["text/html"]

    # A page whose server still has it brings its own.
    later = open_kernel()
    assert later.run("import gpu_headroom").status == "error"
    later.inject(pack)
    hello = later.attach()["hello"]
    assert (hello["installed"], hello["helper_version"]) == (False, pack.version)


def test_only_the_server_has_it(environment: Environment, open_kernel: Open, pack: Pack) -> None:
    """The page brings the helper into a kernel whose environment has none, and leaves no file."""
    before = environment.files()
    kernel = open_kernel()
    kernel.inject(pack)
    hello = kernel.attach()["hello"]
    assert (hello["installed"], hello["helper_version"]) == (False, pack.version)
    assert kernel.run("import torch; torch.ones(2).sum().item()").status == "ok"
    assert kernel.ask("sample", client_id="a-page")["sample"]["host"] is not None
    assert environment.files() == before


def test_only_the_kernel_has_it(environment: Environment, open_kernel: Open, old: Path) -> None:
    """Where no page knows the extension it is a line of code, with reports for anybody's eyes."""
    environment.install(old)
    kernel = open_kernel()
    assert kernel.run("%load_ext gpu_headroom").outputs == []
    simulate(kernel)
    assert "In use" in kernel.run("%gpu_headroom").text
    bundle = bundle_of(kernel)
    assert bundle["text/plain"].startswith("Out of simulated GPU memory")
    assert "Out of simulated GPU memory" in bundle["text/html"]
    assert "<script" not in bundle["text/html"]
    assert "returned to the GPU" in kernel.run("%gpu_headroom free").text
