"""What the tests share: the pack as it travels, and kernels of three generations."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zlib import crc32

import pytest
from gpu_headroom.concurrency import turns
from tests.live import LiveKernel, Pack, attached
from tests.sampling import IS_FULL

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.notebook import Notebook

    Start = Callable[..., LiveKernel]

ROOT = Path(__file__).parents[2]
GENERATIONS = {
    "ipykernel-7": ("GPU_HEADROOM_PYTHON_LAB_46", ".venv"),
    "ipykernel-6.29": ("GPU_HEADROOM_PYTHON_LAB_42", ".venvs/lab-4.2"),
    "ipykernel-6.17": ("GPU_HEADROOM_PYTHON_KERNEL_617", ".venvs/kernel-6.17"),
}
IN_EACH = pytest.mark.generations(*GENERATIONS)
NEWEST_AND_COLAB = pytest.mark.generations("ipykernel-7", "ipykernel-6.17")
# The newest kernel on a newer Python, where there is one; without any framework.
NEWER = ("GPU_HEADROOM_PYTHON_NEWER", ".venvs/python-3.13")
FRAMEWORKS = {
    "torch": GENERATIONS["ipykernel-7"],
    "jax": ("GPU_HEADROOM_PYTHON_JAX", ".venvs/jax"),
    "tensorflow": ("GPU_HEADROOM_PYTHON_TENSORFLOW", ".venvs/tensorflow"),
}

ENGINES = ("GPU_HEADROOM_PYTHON_ENGINES", ".venvs/engines")
# Each leads to an interpreter that a kernel is started with.
KERNEL_FIXTURES = frozenset(
    ("python", "newest_python", "newer_python", "older_python", "engines_python", "start_cuda")
)
ONLY_GENERATION = os.environ.get("GPU_HEADROOM_GENERATION")

# Several kernels compute at a time, on few cores: threads would wait for each other.
os.environ.setdefault("OMP_NUM_THREADS", "1")
# Dry runs give way to whatever else runs, such as other tests.
os.environ.setdefault("GPU_HEADROOM_NICE", "0")
# Reports are whole at once, however slow a busy machine is.
os.environ.setdefault("GPU_HEADROOM_HOLD_S", "60")


@pytest.fixture(scope="session")
def pack() -> Pack:
    """The helper as the extension carries it, made from the sources as they are now."""
    subprocess.run(["node", ROOT / "scripts" / "pack.mjs", "--quiet"], check=True)
    return Pack.read(ROOT / "src" / "kernel" / "pack.ts")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Spread what asks for `python` over the generations, unless all are wanted.

    A module marked `generations` runs in those that it names, as the generation decides what
    comes of it; any other in one, by its name.
    """
    if "python" not in metafunc.fixturenames:
        return
    every = list(GENERATIONS)
    marker = metafunc.definition.get_closest_marker("generations")
    by_name = every[crc32(metafunc.module.__name__.encode()) % len(every)]
    chosen = marker.args if marker else [by_name]
    if ONLY_GENERATION:
        chosen = [ONLY_GENERATION]
    elif IS_FULL:
        chosen = every
    metafunc.parametrize("python", chosen, indirect=True, scope="session")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what starts kernels, by the fixtures that it asks for: `make test` leaves most out."""
    for item in items:
        if not KERNEL_FIXTURES.isdisjoint(getattr(item, "fixturenames", ())):
            item.add_marker(pytest.mark.kernel)


@pytest.fixture(scope="session")
def python(request: pytest.FixtureRequest) -> Path:
    """The Python of a kernel generation that we promise to work in."""
    return interpreter(request.param)


@pytest.fixture(scope="session")
def newest_python() -> Path:
    """The Python of the newest generation, for what does not depend on it."""
    return interpreter("ipykernel-7")


@pytest.fixture(scope="session")
def newer_python() -> Path:
    """A newer Python than the others; tests that ask for it are skipped where there is none."""
    return _python_of(NEWER, "`make recovery` prepares it where it finds NEWER_PYTHON.")


@pytest.fixture(scope="session")
def engines_python() -> Path:
    """One with Dask, Ray, ipyparallel and what else sends work to other processes."""
    return _python_of(ENGINES, "`make test-engines` prepares it.")


def _python_of(place: tuple[str, str], otherwise: str) -> Path:
    path = _python_at(*place)
    if not path.exists():
        pytest.skip(f"{path} is missing: {otherwise}")
    return path


def interpreter(name: str) -> Path:
    """Find the environment of a generation or framework; missing it is a failure, not a skip."""
    path = _python_at(*(GENERATIONS | FRAMEWORKS)[name])
    if not path.exists():
        pytest.fail(f"{path} is missing: run `make environments` to prepare all of them.")
    return path


def _python_at(variable: str, folder: str) -> Path:
    return Path(os.environ.get(variable) or ROOT / folder / "bin" / "python")


@pytest.fixture(scope="module")
def kernel(
    python: Path, pack: Pack, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[LiveKernel]:
    """A kernel of each generation with the helper injected and one page attached.

    Shared by the tests of a module: each leaves it idle and with the helper alive.
    """
    with attached(python, tmp_path_factory.mktemp("kernel"), pack) as process:
        yield process


@pytest.fixture
def start(python: Path, tmp_path: Path) -> Iterator[Start]:
    """Start kernels of a test's own, of each generation; they end with it."""
    yield from _starting(python, tmp_path)


@pytest.fixture
def start_newest(newest_python: Path, tmp_path: Path) -> Iterator[Start]:
    """Start kernels of the newest generation, for what does not depend on it."""
    yield from _starting(newest_python, tmp_path)


@pytest.fixture
def start_newer(newer_python: Path, tmp_path: Path) -> Iterator[Start]:
    """Start kernels of a newer Python, where there is one."""
    yield from _starting(newer_python, tmp_path)


def _starting(python: Path, folder: Path) -> Iterator[Start]:
    kernels: list[LiveKernel] = []

    def start_one(**options: Any) -> LiveKernel:
        own = folder / str(len(kernels))
        own.mkdir()
        kernels.append(LiveKernel(python, own, **options))
        return kernels[-1]

    yield start_one
    for process in kernels:
        process.close()


@pytest.fixture
def notebook(request: pytest.FixtureRequest) -> Iterator[Notebook]:
    """A notebook on the simulated GPU that is the `GPU` of a module, whose `START` has run."""
    from gpu_simulator import simulate
    from tests.notebook import open_notebook

    with simulate(request.module.GPU), open_notebook() as book:
        assert book.run(request.module.START).success, book.printed
        yield book


@pytest.fixture(autouse=True, scope="module")
def _own_main() -> Iterator[None]:
    """A shell in this process takes the place of `__main__`; no process could be spawned after."""
    main = sys.modules["__main__"]
    yield
    sys.modules["__main__"] = main


@pytest.fixture(autouse=True)
def _room_to_look(monkeypatch: pytest.MonkeyPatch) -> None:
    """What other tests have imported into this process, and leave it to do, is in no kernel.

    Beside a thread that waits a walk has one short slice, in which it must list all objects.
    """
    monkeypatch.setattr(turns, "_MANY_BLOCKS", 10**9)
    monkeypatch.setattr(turns, "_ONLY_SLICE_S", 5.0)
    monkeypatch.setattr(turns, "_ONLY_SLICE_ASKED_S", 5.0)
