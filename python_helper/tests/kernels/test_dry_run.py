"""Dry runs of a page: in a process beside the kernel, with the helper installed and brought."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from gpu_dry_run import sandbox
from gpu_dry_run.process import PREFIX
from tests.dry_runs.notebooks import write
from tests.dry_runs.page import Page, processes
from tests.live import SOURCES, LiveKernel, attached
from tests.programs import Programs, applied

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.live import Pack

MIB = 2**20
START = "import torch\nfrom torch import nn\nimport torch.nn.functional as F"
# Each keeps something else: what an optimizer has, what a convolution works in, what attention is.
OPTIMIZER = """
model = nn.Sequential(*[nn.Linear(512, 512) for _ in range(8)]).cuda()
optimizer = torch.optim.AdamW(model.parameters())
for step in range(1000):
    optimizer.zero_grad()
    model(torch.zeros(2048, 512).cuda()).square().mean().backward()
    optimizer.step()
"""
CONVOLUTION = """
torch.cuda.empty_cache()
layers = nn.Conv2d(3, 64, 7, 2), nn.BatchNorm2d(64), nn.ReLU(), nn.MaxPool2d(3)
net = nn.Sequential(*layers, nn.Conv2d(64, 128, 3)).cuda().to(memory_format=torch.channels_last)
net(torch.zeros(64, 3, 128, 128).cuda()).sum().backward()
"""
ATTENTION = """
layer = nn.TransformerEncoderLayer(256, 8, batch_first=True).cuda()
with torch.autocast("cuda", torch.bfloat16):
    seen = layer(torch.zeros(16, 512, 256).cuda())
q = torch.zeros(8, 8, 1024, 64, device="cuda", dtype=torch.float16, requires_grad=True)
F.scaled_dot_product_attention(q, q, q, is_causal=True).sum().backward()
"""
CELLS = [START, OPTIMIZER, CONVOLUTION, ATTENTION]
USES_SOME = f"{START}\nx = torch.ones({MIB}, device='cuda')"
NEVER_ENDS = [USES_SOME, "import time\nwhile True:\n    time.sleep(0.1)"]
BATCH = "batch_size = 8"
MODEL = (
    "layers = [nn.Sequential(nn.Linear(256, 256), nn.ReLU()) for _ in range(32)]\n"
    "model = nn.Sequential(*layers).cuda()\n"
    "optimizer = torch.optim.SGD(model.parameters(), lr=0.1)\n"
    "data = torch.utils.data.TensorDataset(torch.zeros(24, 2048, 256))"
)  # 2 MiB for each sample and layer
TRAIN = (
    "for (x,) in torch.utils.data.DataLoader(data, batch_size):\n"
    "    optimizer.zero_grad()\n"
    "    model(x.cuda()).square().mean().backward()\n"
    "    optimizer.step()"
)


@pytest.fixture(scope="module")
def scratch(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder for temporary files of all kernels here."""
    return tmp_path_factory.mktemp("tmp")


@pytest.fixture(scope="module")
def brought(
    newest_python: Path, pack: Pack, tmp_path_factory: pytest.TempPathFactory, scratch: Path
) -> Iterator[Page]:
    """A page of a kernel without the package, to which both packs have come."""
    folder = tmp_path_factory.mktemp("brought")
    with attached(newest_python, folder, pack, TMPDIR=str(scratch)) as kernel:
        kernel.inject(pack, sources=pack.for_dry_runs)
        yield Page(kernel)


@pytest.fixture(scope="module")
def installed(
    newest_python: Path, pack: Pack, tmp_path_factory: pytest.TempPathFactory, scratch: Path
) -> Iterator[Page]:
    """A page of a kernel with the package, and a simulated GPU of 800 MiB of its own."""
    folder = tmp_path_factory.mktemp("installed")
    options = {"TMPDIR": str(scratch), "GPU_HEADROOM_SIMULATE": "800MiB"}
    with attached(newest_python, folder, pack, installed=True, **options) as kernel:
        yield Page(kernel)


@pytest.fixture
def starts(newest_python: Path, scratch: Path, tmp_path: Path) -> Iterator[Callable[..., Page]]:
    """Start kernels of a test's own, which may be ended by whatever comes."""
    kernels: list[LiveKernel] = []

    def start(*, installed: bool = True, **variables: str) -> Page:
        options = {"TMPDIR": str(scratch), **variables}
        kernels.append(LiveKernel(newest_python, tmp_path, installed=installed, **options))
        return Page(kernels[-1])

    yield start
    for page in kernels:
        page.close()


def command(python: Path, folder: Path, cells: list[str]) -> Any:
    """Return what the command of a terminal finds out about the same cells."""
    path = write(folder / "same.ipynb", *cells)
    result = subprocess.run(
        [python, "-m", "gpu_headroom", "dry-run", path, "--gpu", "T4", "--json"],
        env={**os.environ, "PYTHONPATH": str(SOURCES)},
        capture_output=True,
        check=True,
    )
    return json.loads(result.stdout)


# The engine, what waits for the rest, what imports, and the run; where it is apart two more.
PROCESSES = 6 if sandbox.kind(network=False) in sandbox.APART else 4


def leftovers(scratch: Path) -> list[object]:
    """Return what is left of dry runs: processes and folders."""
    return [*processes(scratch), *scratch.glob(f"{PREFIX}*")]


def test_needs_what_the_command_says(
    brought: Page, installed: Page, newest_python: Path, tmp_path: Path
) -> None:
    """To the byte, by the modules that travel too; each step is told as it begins."""
    expected = command(newest_python, tmp_path, CELLS)
    assert expected["outcome"] == "done", expected
    peaks = set()
    for page in (brought, installed):
        request_id = page.begin(*CELLS)
        last = page.end(request_id)
        assert (last["status"], last["message"], last["asks"]) == ("done", None, [])
        messages = [item["message"] for item in page.steps(request_id) if item["message"]]
        cells = list(dict.fromkeys(item["params"]["cell"] for item in messages))
        assert cells[:4] == [f"In [{n}]" for n in range(1, 5)]
        result = last["found"]
        peaks.add(result["needed_bytes"])
        assert result["whole"] is result["simulated"] is True
        assert result["parts"] == expected["parts"]
        assert result["said"] == expected["said"]
        fits = {item["gpu"]: item for item in result["fits"]}
        assert fits["T4"] == expected["fits"][0]
        assert len(fits) >= 10
    assert peaks == {expected["needed_bytes"]}


NAMESPACE = "{name: id(value) for name, value in get_ipython().user_ns.items() if name[0] != '_'}"
STATE = """(
    sorted(__import__('os').environ.items()),
    __import__('os').getcwd(),
    sorted(__import__('os').listdir()),
    __import__('sys').path,
    [each for each in ('gpu_simulator', 'torch') if each in __import__('sys').modules],
    __import__('gc').isenabled(),
)"""
TEXTS = (
    "[each for finder in __import__('sys').meta_path if hasattr(finder, 'sources')"
    " for each in finder.sources if each.startswith('gpu_simulator')]"
)
GOES_ON = """
import pathlib, time
print('begun', flush=True)
while not pathlib.Path('go').exists():
    time.sleep(0.01)
pathlib.Path('go').unlink()
"""


def test_goes_on_beside_a_cell_and_leaves_the_kernel_as_it_is(brought: Page) -> None:
    """It comes to its end while the kernel computes, and nothing of that kernel is used."""
    kernel = brought.kernel
    kernel.run("mine = [1, 2, 3]; import os, time, pathlib")
    folder = Path(kernel.value("os.getcwd()"))
    for name in ("random", "json"):  # as people call their files
        (folder / f"{name}.py").write_text("raise ValueError('not that one')", "utf-8")
    before = kernel.value(NAMESPACE), kernel.value(STATE)
    cell = kernel.start_cell(GOES_ON, cell_id="computes")
    last = brought.run(
        "assert 'mine' not in globals()\nmine = 7\n" + USES_SOME,
        "import os\nos.environ['SET'] = '1'\nos.makedirs('new')\nos.chdir('new')\n"
        "open('file', 'w').write('x')\nassert mine == 7",
    )
    assert last["status"] == "done", last
    assert last["found"]["whole"], last["found"]["said"]
    assert kernel.sample()["busy"] is True
    (folder / "go").touch()
    assert kernel.result(cell).status == "ok"
    assert (kernel.value(NAMESPACE), kernel.value(STATE)) == before
    assert kernel.value(TEXTS) == []
    assert kernel.value("mine") == [1, 2, 3]
    for name in ("random", "json"):
        (folder / f"{name}.py").unlink()


def test_asks_before_anything_runs(installed: Page, scratch: Path) -> None:
    """What cells do besides is listed, by cell; agreed to it runs, and commands are passed over."""
    cells = [
        "!pip install nothing-of-the-kind",
        f"{USES_SOME}\nclass Model:\n    def push_to_hub(self, name): self.name = name",
        "Model().push_to_hub('me')",
    ]
    request_id = installed.begin(*cells)
    last = installed.end(request_id)
    assert installed.steps(request_id) == [last]
    assert (last["status"], last["found"], last["message"]) == ("asking", None, None)
    asks = {cell["cell_id"]: cell["calls"] for cell in last["asks"]}
    assert asks == {"cell-1": ["!pip"], "cell-3": ["push_to_hub"]}
    assert leftovers(scratch) == []
    last = installed.run(*cells, agreed=True)
    assert (last["status"], last["asks"]) == ("done", [])
    assert last["found"]["whole"], last["found"]["said"]


def test_is_ended_where_a_person_says_so(brought: Page, scratch: Path) -> None:
    """Nothing of it is left; meanwhile there is no second one, and after it there is."""
    request_id = brought.begin(*NEVER_ENDS)
    brought.await_cell(request_id, "In [2]")
    assert len(processes(scratch)) == PROCESSES
    assert brought.refused(USES_SOME)["id"] == "dry_run.busy"
    assert brought.ask(action="end")["status"] == "queued"
    last = brought.end(request_id)
    assert (last["status"], last["message"]["id"]) == ("failed", "dry_run.cancelled")
    brought.kernel.until(lambda: leftovers(scratch) == [])
    assert brought.ask(action="end")["status"] == "queued"  # nothing goes on
    assert brought.run("no_gpu = 1")["found"]["needed_bytes"] is None


def test_goes_with_its_kernel(starts: Callable[..., Page], pack: Pack, scratch: Path) -> None:
    """Killed, by whomever: neither processes nor files are left."""
    page = starts()
    page.kernel.inject(pack)
    request_id = page.begin(*NEVER_ENDS)
    page.await_cell(request_id, "In [2]")
    assert len(processes(scratch)) == PROCESSES
    os.kill(page.kernel.value("__import__('os').getpid()"), signal.SIGKILL)
    page.kernel.until(lambda: leftovers(scratch) == [])


@pytest.mark.parametrize("how", ["detached", "stopped"])
def test_goes_with_who_asked(brought: Page, pack: Pack, scratch: Path, how: str) -> None:
    """Once no page is there, or the helper has been stopped, it is of no more use."""
    request_id = brought.begin(*NEVER_ENDS)
    brought.await_cell(request_id, "In [2]")
    kernel = brought.kernel
    if how == "detached":
        kernel.ask("detach", client_id="a-page")
    else:
        kernel.run("import gpu_headroom; gpu_headroom.stop()")
    kernel.until(lambda: leftovers(scratch) == [])
    kernel.inject(pack)
    kernel.attach()
    if how == "stopped":
        kernel.inject(pack, sources=pack.for_dry_runs)
    assert brought.run("!pip install x")["status"] == "asking"


@pytest.mark.parametrize(
    ("cell", "status", "sentence"),
    [
        ("def f():\n    return undefined\nf()", "done", "It ended in In [2], line 2: NameError"),
        ("import os; os._exit(3)", "failed", "ended by itself"),
        ("import os; os.killpg(0, 9)", "failed", "ended by itself"),
        ("torch.eye(64, device='cuda').to_sparse_csr()", "done", "because of the simulation"),
    ],
)
def test_one_sentence_says_how_it_ended(
    brought: Page, scratch: Path, cell: str, status: str, sentence: str
) -> None:
    """Whatever a cell does; the kernel goes on."""
    last = brought.run(USES_SOME, cell)
    assert last["status"] == status, last
    sentences = last["found"]["said"] if status == "done" else [last["message"]]
    assert [sentence in item["text"] for item in sentences].count(True) == 1, sentences
    if status == "done":
        assert not last["found"]["whole"]
        assert {item["fits"] for item in last["found"]["fits"]} <= {None, False}
    assert brought.kernel.value("1 + 1") == 2
    brought.kernel.until(lambda: leftovers(scratch) == [])


def test_an_engine_that_dies_is_told(installed: Page, scratch: Path) -> None:
    """The system may end it, where memory is short: what it has started goes with it."""
    request_id = installed.begin(*NEVER_ENDS)
    installed.await_cell(request_id, "In [2]")
    pids = processes(scratch)
    parents = {pid: int(Path(f"/proc/{pid}/stat").read_text("ascii").split()[3]) for pid in pids}
    (engine,) = [pid for pid in pids if parents[pid] not in pids]
    os.kill(engine, signal.SIGKILL)
    last = installed.end(request_id)
    assert (last["status"], last["message"]["id"]) == ("failed", "dry_run.died")
    installed.kernel.until(lambda: leftovers(scratch) == [])


def test_each_edit_of_a_report_is_tried(installed: Page) -> None:
    """The largest batch that passes does so in the kernel, and the next one runs out again."""
    kernel = installed.kernel
    programs = Programs(kernel)
    cell = programs.fail(START, BATCH, MODEL, TRAIN)
    edits = {item["id"] for item in cell.report["remedies"] if item["kind"] == "edit"}
    assert "smaller-batch" in edits
    labels = {name: f"In [{n}]" for n, name in enumerate(cell.sources, start=1)}
    request = {"sources": cell.sources, "labels": labels, "gpu": ""}
    last = installed.run(report_id=cell.report["report_id"], **request)
    assert last["status"] == "done", last
    result = last["found"]
    assert result["fits"][0]["total_bytes"] == 800 * MIB
    assert result["tried_on"] == result["fits"][0]["gpu"]
    assert {item["remedy_id"] for item in result["tries"]} == edits
    batches = [item for item in result["tries"] if item["remedy_id"] == "smaller-batch"]
    fits = [item for item in batches if item["fits"]]
    largest = max(fits, key=lambda item: int(item["number"]))
    failures = [item["number"] for item in batches if not item["fits"]]
    assert min([8, *failures]) == largest["number"] + 1
    cells = applied(cell.sources, largest["edits"])
    assert f"batch_size = {largest['number']}" in cells.values()
    assert programs.value("batch_size", *cells.values()) == largest["number"]
    one_more = [
        item.replace(BATCH, f"batch_size = {largest['number'] + 1}")
        for item in cell.sources.values()
    ]
    assert programs.fail(*one_more).report["simulated"] is True


def test_in_a_cell(brought: Page, installed: Page) -> None:
    """The cells that ran, by a function and by the magic."""
    asks = "import gpu_headroom; print(gpu_headroom.dry_run('T4'))", "%gpu_headroom dry-run T4"
    for page, code in zip((installed, brought), asks, strict=True):
        kernel = page.kernel
        kernel.run("%load_ext gpu_headroom")
        # It may fail here, where there is no such GPU; a dry run has one.
        kernel.run("import torch; x = torch.ones(2**28, device='cuda')", cell_id="uses")
        run = kernel.run(code, cell_id="asks")
        assert "Needed at its peak: 1.4 GiB, simulated." in run.text, run.outputs
        assert "Reached in In [" in run.text
    assert brought.kernel.value(TEXTS) == []


def test_in_a_cell_before_any_page_has_brought_it(starts: Callable[..., Page], pack: Pack) -> None:
    """One sentence says how to have it; an unknown GPU has one, too."""
    page = starts(installed=False)
    page.kernel.inject(pack)
    code = "%load_ext gpu_headroom\n%gpu_headroom dry-run T4"
    run = page.kernel.run(code, stop_on_error=False)
    assert (run.reply["ename"], "pip install" in run.reply["evalue"]) == ("RuntimeError", True)
    assert page.refused(USES_SOME)["id"] == "refused.not_now"
    page.kernel.inject(pack, sources=pack.for_dry_runs)
    run = page.kernel.run("import gpu_headroom; gpu_headroom.dry_run('T5')", stop_on_error=False)
    assert (run.reply["ename"], "T4" in run.reply["evalue"]) == ("ValueError", True)
