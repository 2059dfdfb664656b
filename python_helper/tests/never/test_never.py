"""What the helper never does: a day of use, watched closely, then one question per promise."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest
from tests.conftest import IN_EACH
from tests.live import SOURCES, UNTIL_READ, LiveKernel, attached

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.live import Pack, Run

pytestmark = IN_EACH

WATCH = """
import gc, os, sys, threading
import torch
import gpu_headroom.session

calls, touched = [], []

def watch(owner, name):
    original = getattr(owner, name, None)
    if original is None:
        return
    def watched(*args, **kwargs):
        session = gpu_headroom.session.current()
        calls.append((name, session is not None and session.ledger.running))
        return original(*args, **kwargs)
    setattr(owner, name, watched)

for name in (
    "_cuda_resetPeakMemoryStats", "_cuda_resetAccumulatedMemoryStats", "_cuda_setMemoryFraction",
    "_cuda_cudaCachingAllocator_set_allocator_settings", "_accelerator_setAllocatorSettings",
    "_cuda_emptyCache", "_cuda_init", "_cuda_record_memory_history",
):
    watch(torch._C, name)
watch(gc, "collect")
settings = {key: value for key, value in os.environ.items() if "ALLOC" in key}

class Private:
    def __init__(self):
        self.tensor = torch.empty(2**20, device="cuda")
    def __getattr__(self, name):
        touched.append("getattr " + name)
        raise AttributeError(name)
    def _touch(self, *args):
        touched.append("a method")
        return NotImplemented
    __eq__ = __len__ = __iter__ = __bool__ = __contains__ = __getitem__ = _touch
    __hash__ = object.__hash__
    def __repr__(self):
        touched.append("repr")
        return "private"
    __str__ = __format__ = __repr__
    @property
    def secret(self):
        touched.append("property")
    shape = device = grad = data = storage = secret

class Proxy:
    @property
    def __class__(self):
        touched.append("class")
        return int
"""
USE = """
private, shared, proxies = Private(), [Private()], [Proxy(), {"a": Proxy()}]
model = torch.nn.Linear(512, 512).cuda()
optimizer = torch.optim.Adam(model.parameters())
kept = model(torch.ones(64, 512, device="cuda")).sum()
"""
FAIL = """
def fill(mine):
    chunks = [mine]
    while True:
        chunks.append(torch.empty(256 * 2**20, dtype=torch.uint8, device="cuda"))
fill(Private())
"""
FAIL_OTHERWISE = "raise RuntimeError('CUDA out of memory.', Proxy())"
NAMES = "{name: id(value) for name, value in globals().items() if name in watched_names}"


@dataclass
class Day:
    """A day of use: the kernel, its cells, and what the watchers wrote down."""

    kernel: LiveKernel
    runs: list[Run]
    calls: list[tuple[str, bool]]
    touched: list[str]
    names_before: dict[str, int]
    names_after: dict[str, int]
    failures: list[dict[str, Any]]


@pytest.fixture(scope="module")
def day(python: Path, pack: Pack, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Day]:
    """Attach, work, fail, look, free, fail again and free again."""
    folder = tmp_path_factory.mktemp("day")
    with attached(python, folder, pack, installed=True, GPU_HEADROOM_SIMULATE="2GiB") as kernel:
        runs = [kernel.run(WATCH), kernel.run(USE)]
        kernel.run("watched_names = ('private', 'shared', 'model', 'kept')")
        before = kernel.value(NAMES)
        kernel.run("calls.clear(); touched.clear()")
        for items in (None, ["traceback", "outputs", "garbage", "cache"]):
            kernel.sample()
            runs.append(kernel.run(f"private.tensor\n{UNTIL_READ}"))
            kernel.run(FAIL_OTHERWISE, stop_on_error=False)
            runs.append(kernel.run(FAIL, stop_on_error=False))
            kernel.await_event("plan", request_id=kernel.ask("plan")["id"])
            kernel.cleanup()
            look_for_holders(kernel)
            save(kernel)
            wish = {"items": items, "confirmed": [], "report_id": None}
            with kernel.busy_cell() as cell:
                waiting = kernel.ask("release", **wish)["release_id"]
            runs.append(cell.result())
            kernel.await_event("released", release_id=waiting)
        yield Day(
            kernel,
            runs,
            kernel.value("calls"),
            kernel.value("touched"),
            before,
            kernel.value(NAMES),
            kernel.events("error"),
        )


def look_for_holders(kernel: LiveKernel) -> None:
    """Ask who holds what, who holds each holder, and for a snapshot, all at rest."""
    event = kernel.await_event("holders", request_id=kernel.ask("holders")["id"])
    rows = [row for device in event["devices"] for row in device["rows"]]
    for holder in [entry for row in rows for entry in (row, *row["parts"][:1])]:
        reply = kernel.ask("path", holder_id=holder["id"])
        kernel.await_event("path", request_id=reply["id"])
    assert {"private", "model"} <= {row["name"] for row in rows}
    kernel.await_event("snapshot", request_id=kernel.ask("snapshot", path=None)["id"])


def save(kernel: LiveKernel) -> None:
    """Have model and optimizer saved, beside objects that must not be touched."""
    report_id = kernel.events("oom")[-1]["report_id"]
    reply = kernel.ask("rescue", report_id=report_id)
    event = kernel.await_event("rescue", request_id=reply["id"])
    assert event["message"]["params"]["names"] == "model, optimizer"


def test_works_through_the_day(day: Day) -> None:
    """The day was one on which all of this could have gone wrong."""
    assert [run.status for run in day.runs] == ["ok", "ok", *["ok", "error", "ok"] * 2]
    assert len(day.kernel.events("oom")) == 4
    assert [event["status"] for event in day.kernel.events("released")] == ["done", "done"]
    assert day.failures == []


def test_never_imports_a_framework(kernel: LiveKernel) -> None:
    """PyTorch is installed in this kernel; only its user may import it."""
    kernel.sample()
    kernel.run("1")
    frameworks = "[each for each in ('torch', 'jax', 'tensorflow', 'cupy') if each in modules]"
    kernel.run("from sys import modules")
    assert kernel.value(frameworks) == []


def test_never_initialises_a_framework(kernel: LiveKernel) -> None:
    """An imported PyTorch stays uninitialised however often we look, and nothing is asked of it."""
    kernel.run(
        "import torch\n"
        "asked = []\n"
        "torch.cuda._lazy_init = lambda: asked.append('init')\n"
        "torch.version.cuda = '99.9'\n"
        "from gpu_headroom.readings.nvml import DRIVER\n"
        "DRIVER.shows_none = lambda: False"  # as where there is a GPU
    )
    for _ in range(3):
        assert kernel.sample()["state"] == "not_initialised"
        kernel.run("1")
    assert kernel.value("(torch.cuda.is_initialized(), asked)") == (False, [])


def test_never_makes_a_context(kernel: LiveKernel) -> None:
    """Of two devices the one without a context is not touched."""
    kernel.run(
        "import torch\n"
        "read = []\n"
        "def stats(index):\n"
        "    read.append(index)\n"
        "    return {'allocated_bytes': {'all': {'current': 5}}}\n"
        "torch._C._cuda_memoryStats = stats\n"
        "torch._C._cuda_getDeviceCount = lambda: 2\n"
        "torch._C._cuda_hasPrimaryContext = lambda index: index == 1\n"
        "torch.cuda.mem_get_info = lambda index: read.append(index) or (10, 100)\n"
        "torch.cuda.get_device_properties = lambda index: read.append(index)\n"
        "was, torch.cuda.is_initialized = torch.cuda.is_initialized, lambda: True"
    )
    devices = kernel.sample()["devices"]
    kernel.run("torch.cuda.is_initialized = was")
    assert [device["index"] for device in devices] == [1]
    assert set(kernel.value("read")) == {1}


def test_never_resets_counters(day: Day) -> None:
    """Peaks and totals belong to the user."""
    assert not [name for name, _ in day.calls if "reset" in name]


def test_never_changes_allocator_settings(day: Day) -> None:
    """Neither by a call nor by the environment."""
    assert not [name for name, _ in day.calls if "ettings" in name or "Fraction" in name]
    now = "{key: value for key, value in os.environ.items() if 'ALLOC' in key} == settings"
    assert day.kernel.value(now) is True


def test_never_records_allocations_unasked(day: Day) -> None:
    """Recording costs time and memory, and may be the user's own: it is on only when asked for."""
    expression = "any('record' in name for name, _ in calls)"
    assert day.kernel.value(expression) is False
    day.kernel.attach(record_allocations=True)
    assert day.kernel.value(expression) is True
    day.kernel.attach()


def test_never_looks_into_foreign_objects(day: Day) -> None:
    """No `repr`, `str`, property, comparison or attribute of a user's object is asked for."""
    assert day.touched == []


def test_never_cleans_up_while_a_cell_runs(day: Day) -> None:
    """Caches are emptied and garbage collected between cells, and they were."""
    assert ("_cuda_emptyCache", False) in day.calls
    assert ("collect", False) in day.calls
    assert [name for name, running in day.calls if running] == []


def test_never_frees_what_the_user_named(day: Day) -> None:
    """After everything that can be freed was freed, the user's variables are what they were."""
    assert day.names_after == day.names_before
    assert day.kernel.value("(private.tensor.numel(), kept.grad_fn is not None)") == (2**20, True)


def test_never_prints(day: Day) -> None:
    """Cells show what they print, their errors and their reports: nothing else."""
    expected = [[], [], *[[], ["error", "display_data"], ["stream"]] * 2]
    assert [[kind for kind, _ in run.outputs] for run in day.runs] == expected


def test_never_prints_by_its_code() -> None:
    """Only the magic prints: it was asked to."""
    printing = [
        path.name
        for path in SOURCES.glob("gpu_*/**/*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and getattr(node.func, "id", None) == "print"
    ]
    assert set(printing) <= {"magics.py"}


def test_never_runs_cells_of_a_dry_run_in_a_kernel_by_its_code() -> None:
    """One module runs cells, with a shell of its own; one asks for that: the process of a run."""
    running, asking = set(), set()
    for path in [*SOURCES.glob("gpu_headroom/**/*.py"), *SOURCES.glob("gpu_dry_run/**/*.py")]:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if getattr(node, "attr", None) in {"run_cell", "run_cell_async", "run_line_magic"}:
                running.add(path.name)
            if isinstance(node, ast.ImportFrom) and node.module == "runner":
                asking.add(path.name)
    assert (running, asking) == ({"runner.py"}, {"child.py"})
    for path in SOURCES.glob("gpu_dry_run/*.py"):
        if path.name != "runner.py":
            nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
            attributes = {getattr(item, "attr", None) for item in nodes}
            assert not attributes & {"user_ns", "user_global_ns", "shell"}, path


def test_never_touches_warnings() -> None:
    """Whether a warning is shown is set for the whole process, and so for a cell that runs.

    The simulated GPU warns, as PyTorch would, and changes nothing.
    """
    machinery = {"catch_warnings", "simplefilter", "filterwarnings", "resetwarnings", "showwarning"}
    for path in SOURCES.glob("gpu_*/**/*.py"):
        nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
        names = {getattr(node, "attr", getattr(node, "id", None)) for node in nodes}
        imports = {
            alias.name
            for node in nodes
            if isinstance(node, (ast.Import, ast.ImportFrom))
            for alias in node.names
        }
        assert not machinery & (names | imports), path
        if path.relative_to(SOURCES).parts[0] != "gpu_simulator":
            assert "warnings" not in imports, path
            assert "warnings" not in names, path


def test_never_listens_to_execute_hooks(kernel: LiveKernel) -> None:
    """`pre_execute` and `post_execute` fire for every comm message: none is ours."""
    hooks = (
        "[each.__module__ for event in ('pre_execute', 'post_execute')"
        " for each in get_ipython().events.callbacks[event]]"
    )
    assert not [hook for hook in kernel.value(hooks) if hook.startswith("gpu_headroom")]


@pytest.mark.parametrize(
    ("part", "method"),
    [
        ("ledger", "begin"),
        ("ledger", "end"),
        ("sampler", "measure_edge"),
        ("session", "stream"),
        ("session", "notice"),
        ("mainloop", "resume"),
        ("channel", "send"),
    ],
)
def test_never_raises_into_a_cell(kernel: LiveKernel, part: str, method: str) -> None:
    """Whatever of ours breaks, the cell runs and shows what it would have shown."""
    owner = "session" if part == "session" else f"session.{part}"
    kernel.expected_complaints.append("failed")
    kernel.run(
        "import gpu_headroom.session\n"
        "session = gpu_headroom.session.current()\n"
        "def broken(*args, **kwargs): raise ZeroDivisionError('broken on purpose')\n"
        f"original, {owner}.{method} = {owner}.{method}, broken",
        store_history=False,
    )
    run = kernel.run("print('mine')\n6 * 7")
    assert run.status == "ok"
    # A text may come in several pieces.
    assert list(dict(run.outputs)) == ["stream", "execute_result"]
    result = kernel.run(f"{owner}.{method} = original")
    assert (result.status, result.outputs) == ("ok", [])
    kernel.run("session._errors.clear()")
    # A cell whose end was lost is let go of at rest, and the next one is a cell again.
    kernel.until(lambda: kernel.sample()["busy"] is False)
    kernel.attach()
    since = kernel.now
    kernel.run("pass", cell_id="afterwards")
    kernel.await_event("cell", since, status="ok", cell_id="afterwards")


def test_never_touches_the_gpu_in_a_forked_child(day: Day) -> None:
    """A child asks nothing of PyTorch, whatever it runs."""
    run = day.kernel.run(
        "reader, writer = os.pipe()\n"
        "if os.fork() == 0:\n"
        "    asked = []\n"
        "    torch._C._cuda_memoryStats = lambda index: asked.append(index) or {}\n"
        "    session = vars(get_ipython())['_gpu_headroom']\n"
        "    session.sampler.measure(); session.sample(); get_ipython().run_cell('1')\n"
        "    os.write(writer, repr(asked).encode())\n"
        "    os._exit(0)\n"
        "os.wait()\n"
        "print(os.read(reader, 100).decode())"
    )
    assert run.text.splitlines()[-1] == "[]"
