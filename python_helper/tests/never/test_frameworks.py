"""What the helper never does to a framework: real ones, without a GPU, in kernels of their own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest
from tests.conftest import FRAMEWORKS, interpreter
from tests.live import UNTIL_READ, LiveKernel, attached

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.conftest import Start
    from tests.live import Pack

pytestmark = pytest.mark.kernel


@dataclass(frozen=True)
class Framework:
    """How a framework is started, and how it is seen without us that it has."""

    name: str
    started: str
    use: str
    after_import: str


FRAMEWORK = {
    "torch": Framework("torch", "torch.cuda.is_initialized()", "torch.ones(3)", "no_gpu"),
    "jax": Framework(
        "jax",
        "bool(sys.modules['jax._src.xla_bridge']._backends)",
        "jax.numpy.ones(3).block_until_ready()",
        "not_initialised",
    ),
    "tensorflow": Framework(
        "tensorflow",
        "bool(getattr(sys.modules['tensorflow.python.eager.context']._context,"
        " '_initialized', False))",
        "tensorflow.ones(3)",
        "not_initialised",
    ),
}
TENSORS = (
    "sum(type(each).__name__ in ('Tensor', 'ArrayImpl', 'EagerTensor')"
    " for each in gc.get_objects())"
)
MODULES = "sorted(name for name in sys.modules if not name.startswith('gpu_headroom'))"


@pytest.fixture(scope="module", params=FRAMEWORKS)
def started(
    request: pytest.FixtureRequest, pack: Pack, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[LiveKernel, Framework]]:
    """A kernel that has the framework, with the helper injected and a page that looks."""
    folder = tmp_path_factory.mktemp(request.param)
    with attached(interpreter(request.param), folder, pack, TF_CPP_MIN_LOG_LEVEL="3") as kernel:
        kernel.run("import gc, sys")
        yield kernel, FRAMEWORK[request.param]


def look(kernel: LiveKernel) -> str:
    """Read at rest, around a cell and while it runs; return what was said in the end."""
    kernel.sample()
    kernel.run(UNTIL_READ)
    sample = kernel.sample()
    assert sample["devices"] == []
    assert kernel.events("error") == []
    state: str = sample["state"]
    return state


def test_never_imports_starts_or_fills_it(started: tuple[LiveKernel, Framework]) -> None:
    """However often we look, before and after the import and after the first use."""
    kernel, framework = started
    assert look(kernel) == "no_framework"
    assert framework.name not in kernel.value(MODULES)

    kernel.run(f"import {framework.name}")
    modules = kernel.value(MODULES)
    assert kernel.value(framework.started) is False
    assert look(kernel) == framework.after_import
    assert kernel.value(framework.started) is False
    assert kernel.value(MODULES) == modules

    kernel.run(f"kept = {framework.use}")
    modules, tensors = kernel.value(MODULES), kernel.value(TENSORS)
    assert tensors > 0
    assert look(kernel) == "no_gpu"
    assert kernel.value(MODULES) == modules
    assert kernel.value(TENSORS) == tensors


def test_one_framework_at_work_starts_no_other(start_newest: Start, pack: Pack) -> None:
    """With JAX live (a stand-in) and PyTorch imported, nothing that starts CUDA is called."""
    kernel = start_newest()
    kernel.inject(pack)
    kernel.attach()
    kernel.run(
        "import sys, torch\n"
        "from types import ModuleType, SimpleNamespace\n"
        "torch.version.cuda, asked = '99.9', []\n"
        "torch.cuda._lazy_init = lambda: asked.append('init')\n"
        "torch._C._cuda_attach_out_of_memory_observer = asked.append\n"
        "device = SimpleNamespace(\n"
        "    memory_stats=lambda: {'bytes_in_use': 5}, local_hardware_id=0, id=0,\n"
        "    device_kind='T4', client=SimpleNamespace(platform_version='cuda'))\n"
        "bridge = sys.modules['jax._src.xla_bridge'] = ModuleType('jax._src.xla_bridge')\n"
        "bridge._backends = {'cuda': SimpleNamespace(local_devices=lambda: [device])}\n"
        "sys.modules['jax'] = ModuleType('jax')"
    )
    sample = kernel.sample()
    kernel.run("1")
    assert sample["state"] == "live"
    assert [framework["name"] for framework in sample["devices"][0]["frameworks"]] == ["jax"]
    assert kernel.value("(torch.cuda.is_initialized(), asked)") == (False, [])
