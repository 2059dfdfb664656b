"""A notebook on simulated GPUs, by the command: what it needs, what stays as it was."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
from gpu_dry_run import gpus, notebook, overlay, words
from gpu_dry_run.asks import asks
from tests.dry_runs.notebooks import write
from tests.dry_runs.page import processes

if TYPE_CHECKING:
    from collections.abc import Callable

pytest.importorskip("torch")
pytest.importorskip("IPython")

HELPER = Path(__file__).parents[2]
START = "import torch\nfrom torch import nn\nfrom torch.utils.data import DataLoader, TensorDataset"
BATCH = "batch_size = 16384"
MODEL = """layers = [nn.Sequential(nn.Linear(256, 256), nn.ReLU()) for _ in range(24)]
model = nn.Sequential(*layers).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
data = TensorDataset(torch.zeros(40000, 256))"""
TRAIN = """for epoch in range(1000):
    for (x,) in DataLoader(data, batch_size):
        optimizer.zero_grad()
        model(x.cuda()).square().mean().backward()
        optimizer.step()
done = epoch"""


class Answer(NamedTuple):
    """What the command came to."""

    code: int
    out: str
    err: str

    @property
    def found(self) -> Any:
        """What it printed as JSON."""
        return json.loads(self.out)


def call(*arguments: str | Path) -> list[str]:
    """Return the command line."""
    return [sys.executable, "-m", "gpu_headroom", "dry-run", *map(str, arguments)]


def environment() -> dict[str, str]:
    """Return the environment of a terminal in which the helper is found."""
    return {**os.environ, "PYTHONPATH": str(HELPER)}


@pytest.fixture(name="run")
def _run(tmp_path: Path) -> Callable[..., Answer]:
    def run(*arguments: str | Path) -> Answer:
        process = subprocess.run(
            call(*arguments),
            capture_output=True,
            text=True,
            cwd=tmp_path,
            env=environment(),
            timeout=240,
            check=False,
        )
        return Answer(process.returncode, process.stdout, process.stderr)

    return run


@pytest.fixture(name="train")
def _train(tmp_path: Path) -> Path:
    return write(tmp_path / "train.ipynb", START, BATCH, MODEL, TRAIN, "assert done < 10")


def state_of(folder: Path) -> dict[str, str]:
    """Return what stands in a folder, by path, with the times of its files."""
    return {
        str(path.relative_to(folder)): f"{path.lstat().st_mtime_ns} "
        + hashlib.sha256(path.read_bytes()).hexdigest()
        if path.is_file()
        else "folder"
        for path in sorted(folder.rglob("*"))
    }


def test_says_what_is_needed_where_and_what_would_do(
    run: Callable[..., Answer], train: Path
) -> None:
    """A training of a thousand epochs, in seconds; the code behind it runs as after a short one."""
    answer = run(train, "--gpu", "700 MiB", "--gpu", "T4", "--json")
    result = answer.found
    assert (answer.code, result["simulated"], result["outcome"]) == (0, True, "done"), answer
    peak = result["peak"]
    layers, batch = 24, 16384 * 256 * 4
    parameters = layers * 4 * (256 * 256 + 256)
    # What each layer was given is kept; the gradients of two are on their way.
    assert layers * batch < peak["allocated_bytes"] < (layers + 8) * batch
    assert (peak["cell_id"], peak["line"]) == ("cell-4", 4)
    parts = {part["kind"]: part["bytes"] for part in result["parts"]}
    assert parts["parameters"] == parameters
    assert parts["activations"] > (layers - 2) * batch
    fits = {row["gpu"]: row["fits"] for row in result["fits"]}
    assert fits == {"700 MiB": False, "T4": True}
    assert result["cut"] == ["cell-4"]
    *rest, last = [row for row in result["tries"] if row["remedy_id"] == "smaller-batch"]
    assert [row["fits"] for row in rest] == [False] * len(rest)
    assert last["fits"]
    assert last["peak_bytes"] <= 700 * 2**20


def test_what_an_edit_needs_is_what_it_needs_once_made(
    run: Callable[..., Answer], tmp_path: Path
) -> None:
    """The peak beside an edit is that of the notebook with that edit in it."""
    cells = START, "batch_size = 4096", MODEL, TRAIN
    result = run(write(tmp_path / "a.ipynb", *cells), "--gpu", "500 MiB", "--json").found
    trial = next(
        row for row in result["tries"] if row["remedy_id"] == "smaller-batch" and row["fits"]
    )
    new = f"batch_size = {trial['number']}"
    assert f"→ `{trial['number']}`" in trial["title"]["text"]
    (edit,) = trial["edits"]
    assert edit == {
        "cell_id": "cell-2",
        "first_line": 1,
        "old_lines": ["batch_size = 4096"],
        "new_lines": [new],
    }
    edited = START, new, MODEL, TRAIN
    again = run(write(tmp_path / "b.ipynb", *edited), "--gpu", "500 MiB", "--json").found
    assert again["needed_bytes"] == trial["peak_bytes"]
    assert again["fits"][0]["fits"]


def test_the_largest_batch_on_each_gpu(run: Callable[..., Answer], tmp_path: Path) -> None:
    """That one passes when it is run, and one more does not, whether the first one fits or not."""
    path = tmp_path / "a.ipynb"

    def fits(batch: int, gpu: str) -> bool:
        write(path, START, f"batch_size = {batch}", MODEL, TRAIN)
        (fit,) = run(path, "--gpu", gpu, "--json", "--no-tries").found["fits"]
        return bool(fit["fits"])

    write(path, START, "batch_size = 1024", MODEL, TRAIN)
    sizes = ("0.45 GiB", "0.5 GiB", "0.42 GiB")
    gpus = [part for size in sizes for part in ("--gpu", size)]
    answer = run(path, *gpus, "--json", "--largest", "--no-tries")
    assert answer.found["batch"] == "batch_size"
    largest = {row["gpu"]: row["largest"] for row in answer.found["fits"]}
    assert largest["0.45 GiB"] < 1024 < largest["0.5 GiB"], answer.found["fits"]
    for size in sizes[:2]:
        assert [fits(largest[size] + more, size) for more in (0, 1)] == [True, False], largest
    assert largest["0.42 GiB"] == 0  # the model alone is too much


def test_a_batch_that_holds_all_data_has_no_largest(
    run: Callable[..., Answer], tmp_path: Path
) -> None:
    """More than all of it is never in a batch, so nothing that is run tells of more."""
    few = MODEL.replace("40000", "200")
    path = write(tmp_path / "a.ipynb", START, "batch_size = 128", few, TRAIN)
    answer = run(path, "--gpu", "T4", "--largest")
    assert "Fits" in answer.out
    assert "Largest" not in answer.out


def test_a_peak_that_the_program_resets_is_one(run: Callable[..., Answer], tmp_path: Path) -> None:
    """Programs that print their own peaks start them again; what was needed was needed."""
    uses = [f"x = torch.empty({size} * 2**20, device='cuda'); del x" for size in (300, 100)]
    reset = "torch.cuda.empty_cache()\ntorch.cuda.reset_peak_memory_stats()"
    path = write(tmp_path / "a.ipynb", START, uses[0], reset, uses[1])
    result = run(path, "--gpu", "8 GiB", "--json").found
    peak = result["peak"]
    assert peak["allocated_bytes"] == peak["reserved_bytes"] == 300 * 4 * 2**20
    assert peak["line"] == 1


@pytest.mark.parametrize(
    "uses",
    [
        (
            "try:\n    x = torch.empty(2**29, device='cuda')\n"
            "except torch.cuda.OutOfMemoryError:\n    x = torch.empty(2**27, device='cuda')"
        ),
        "free, total = torch.cuda.mem_get_info()\nx = torch.empty(free // 8, device='cuda')",
    ],
    ids=["goes on", "asks"],
)
def test_what_goes_by_the_size_runs_on_each(
    run: Callable[..., Answer], tmp_path: Path, uses: str
) -> None:
    """A program that makes itself fit does; nothing is said of a GPU without end."""
    path = write(tmp_path / "a.ipynb", START, uses)
    result = run(path, "--gpu", "1 GiB", "--gpu", "8 GiB", "--json").found
    assert [row["fits"] for row in result["fits"]] == [True, True]
    assert result["peak"]["allocated_bytes"] < 8 * 2**30


@pytest.mark.skipif(not Path("/proc/self/autogroup").exists(), reason="Linux weighs sessions so")
def test_gives_way_to_all_others(tmp_path: Path) -> None:
    """By the priority of its session: that of a process counts among those of its session only."""
    look = "import os\nraise RuntimeError(open('/proc/self/autogroup').read(), os.nice(0))"
    path = write(tmp_path / "a.ipynb", look)
    env = {key: value for key, value in environment().items() if key != "GPU_HEADROOM_NICE"}
    command = call(path, "--gpu", "T4", "--json")
    for more, nice in ({}, 19), ({"GPU_HEADROOM_NICE": "5"}, 5):
        process = subprocess.run(command, env=env | more, capture_output=True, check=False)
        error = json.loads(process.stdout)["error"]
        assert f"nice {nice}\\n" in error, error
        assert error.endswith(f", {nice})")


def test_how_sure_it_is_told_to_be_is_what_was_found() -> None:
    """By `make fidelity`, whose page says so."""
    page = (HELPER.parent / "benchmarks" / "fidelity" / "results.md").read_text("utf-8")
    assert f"Of {words.PROGRAMS} programs {words.EQUAL} are equal to the byte" in page


def test_in_words(run: Callable[..., Answer], train: Path) -> None:
    """Every number is called simulated, and what was cut short is said."""
    answer = run(train, "--gpu", "700 MiB")
    text = answer.out
    assert "simulated" in text.splitlines()[0]
    assert "Reached in In [4], line 4" in text
    assert "In [4]: its training was ended once 3 steps changed nothing any more." in text
    assert "700 MiB  0.7 GiB" in text
    assert "missing" in text
    assert "On 700 MiB it runs out in In [4]" in text
    assert "fits, peak" in text
    assert not answer.err


@pytest.mark.parametrize(("limit", "code"), [("T4", 0), ("700 MiB", 1)])
def test_a_team_is_told_by_the_exit_code(
    run: Callable[..., Answer], train: Path, limit: str, code: int
) -> None:
    """As its continuous integration asks, on a machine without a GPU."""
    assert run(train, "--fail-over", limit, "--no-tries").code == code


def test_what_cannot_be_told_is_no_success(run: Callable[..., Answer], tmp_path: Path) -> None:
    """A notebook that ends by an error is not known to fit."""
    path = write(
        tmp_path / "a.ipynb",
        START,
        "x = torch.ones(2**20, device='cuda')",
        "def fails():\n    return undefined",
        "fails()",
    )
    answer = run(path, "--fail-over", "T4")
    assert answer.code == 2
    assert "It ended in In [3], line 2: NameError" in answer.out
    assert "Needed at least" in answer.out


OLDER = "(24 if torch.cuda.get_device_capability()[0] >= 8 else 300)"
DEPENDING = (
    START,
    BATCH,
    MODEL.replace("256", "1024").replace("(24)", OLDER),
    "assert torch.cuda.is_bf16_supported(including_emulation=False) is (len(layers) == 24)",
    TRAIN,
)


def test_a_gpu_without_bfloat16_answers_so(run: Callable[..., Answer], tmp_path: Path) -> None:
    """What code does on such a GPU only counts for that GPU, and for what is tried on it."""
    path = write(tmp_path / "a.ipynb", *DEPENDING)
    result = run(path, "--gpu", "T4", "--gpu", "9 GiB", "--json").found
    t4, ampere = result["fits"]
    sample = 1024 * 4
    assert (t4["fits"], ampere["fits"]) == (False, True), result
    assert t4["left_bytes"] < t4["total_bytes"] - 300 * 16384 * sample
    assert ampere["left_bytes"] > ampere["total_bytes"] - 50 * 16384 * sample
    assert result["tried_on"] == "T4"
    trials = [row for row in result["tries"] if row["remedy_id"] == "smaller-batch"]
    assert trials[-1]["fits"]
    assert trials[-1]["peak_bytes"] > 300 * trials[-1]["number"] * sample


SCRIPT = """import argparse, json, pathlib

import torch

parser = argparse.ArgumentParser()
parser.add_argument("--width", type=int, required=True)
arguments = parser.parse_args()
if __name__ == "__main__":
    (batch,) = json.loads((pathlib.Path(__file__).parent / "shapes.json").read_text())
    x = torch.ones(batch, arguments.width, arguments.width, device="cuda")
"""


TOO_MUCH = """assert head.weight.shape == (7, 8) and labels.sum().item() < 1
x = torch.ones(64, 2**30, device='cuda')  # 256 GiB
assert (x > 0).all()"""


def test_values_up_to_one_cell(run: Callable[..., Answer], tmp_path: Path) -> None:
    """A model that no host could hold is run behind a cell whose values decide a size."""
    cells = (
        "def classes_of(labels):\n    return torch.nn.Linear(8, int(labels.max()) + 1)",
        START,
        "labels = torch.arange(7, device='cuda').repeat(100)\nhead = classes_of(labels).cuda()",
        TOO_MUCH,
    )
    path = write(tmp_path / "a.ipynb", *cells)
    result = run(path, "--gpu", "T4", "--json").found
    assert (result["outcome"], result["cell_id"], result["values_to"]) == (
        "not_simulated",
        "cell-1",  # the line of the function
        "cell-3",  # which this cell called
    )
    valued = run(path, "--gpu", "T4", "--json", "--values-to", "3").found
    assert (valued["outcome"], valued["values_to"]) == ("done", None), valued
    assert valued["needed_bytes"] > 256 * 2**30
    beyond = write(tmp_path / "b.ipynb", *cells[:-1], "torch.ones(int(head.weight.sum()))")
    assert run(beyond, "--json", "--values-to", "3").found["values_to"] == "cell-4"


def test_files_are_as_they_were(run: Callable[..., Answer], tmp_path: Path) -> None:
    """Whatever a notebook does to the files of its folder, it does to copies."""
    folder = tmp_path / "work"
    (folder / "sub" / "deep").mkdir(parents=True)
    for name in ("a.txt", "b.txt", "c.txt", "m.pt", "sub/d.txt", "sub/deep/e.txt"):
        (folder / name).write_text(name, "utf-8")
    (folder / "mine.py").write_text("value = 7", "utf-8")
    before = state_of(tmp_path)
    path = write(
        folder / "a.ipynb",
        START,
        "import os, pathlib, shutil, mine\nassert mine.value == 7\n"
        "assert open('a.txt').read() == 'a.txt'",
        "open('a.txt', 'a').write('more')\nassert open('a.txt').read() == 'a.txtmore'",
        "os.remove('b.txt'); os.rename('c.txt', 'd.txt'); shutil.rmtree('sub')\n"
        "pathlib.Path('new').mkdir()",
        "torch.save(torch.ones(4, device='cuda'), 'm.pt'); assert torch.load('m.pt').shape == (4,)",
        "x = torch.ones(2**20, device='cuda')",
    )
    answer = run(path, "--gpu", "T4", "--json")
    assert answer.found["outcome"] == "done", answer.found
    path.unlink()
    assert state_of(tmp_path) == before


def test_a_view_of_a_large_folder_links_what_is_too_large(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The nearest folders are copies, whole ones behind them links, and nothing goes in circles."""
    monkeypatch.setattr(overlay, "_MOST_ENTRIES", 12)
    folder = tmp_path / "work"
    for name in ("few", "many"):
        (folder / name).mkdir(parents=True)
    (folder / "few" / "one.txt").write_text("1", "utf-8")
    for number in range(20):
        (folder / "many" / f"{number}.txt").write_text("n", "utf-8")
    (folder / "circle").symlink_to(folder)
    (folder / "gone").symlink_to(folder / "nowhere")
    into = folder / "into"
    into.mkdir()
    view = overlay.view_of(folder, into)
    links = {path.name for path in view.iterdir() if path.is_symlink()}
    assert links == {"many", "circle", "gone", "into"}
    assert (view / "few" / "one.txt").is_symlink()
    assert (view / "many" / "7.txt").read_text("utf-8") == "n"
    assert (overlay.view_of(folder, into / "again") / "few" / "one.txt").is_symlink()


@pytest.mark.parametrize(
    "code",
    [
        "open({path!r}, 'w')",
        "import sqlite3; sqlite3.connect({path!r}).execute('create table t (x)')",
    ],
)
def test_nothing_elsewhere_is_touched(
    run: Callable[..., Answer], tmp_path: Path, code: str
) -> None:
    """An absolute path leads out of the copy: the run ends there; `test_sandbox.py` has others."""
    (tmp_path / "work").mkdir()
    folder = tmp_path / "kept"
    folder.mkdir()
    (folder / "file").write_text("mine", "utf-8")
    before = state_of(folder)
    path = write(tmp_path / "work" / "a.ipynb", code.format(path=str(folder / "file")))
    answer = run(path, "--gpu", "T4", "--json", "--run-all")
    assert answer.found["outcome"] == "error", answer.found
    assert state_of(folder) == before


def test_what_lies_beside_the_folder_is_found(run: Callable[..., Answer], tmp_path: Path) -> None:
    """As from the folder itself, and a folder that is there need not be made."""
    for name in ("work", "data/inner"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "data" / "file").write_text("mine", "utf-8")
    (tmp_path / "beside_it.py").write_text("number = 7", "utf-8")
    reads = "import os, sys\nsys.path.append('..')\nimport beside_it\nopen('../data/file').read()"
    makes = "for each in ('../data/inner', '../made/here'):\n    os.makedirs(each, exist_ok=True)"
    path = write(tmp_path / "work" / "a.ipynb", reads, makes)
    before = state_of(tmp_path)
    result = run(path, "--gpu", "T4", "--json", "--run-all").found
    assert (result["outcome"], result["error"]) == ("done", None)
    assert state_of(tmp_path) == before


def test_what_it_would_do_besides_is_asked_first(
    run: Callable[..., Answer], tmp_path: Path
) -> None:
    """Nothing runs before that is answered; commands are passed over."""
    path = write(
        tmp_path / "a.ipynb",
        "!touch made",
        "%pip install nothing-of-the-kind",
        "model.push_to_hub('me')",
        "import torch\nopen('f', 'w').write('x')\nx = torch.ones(2**20, device='cuda')",
    )
    answer = run(path, "--gpu", "T4")
    assert answer.code == 2
    assert "In [1]: !touch" in answer.err
    assert "In [2]: %pip" in answer.err
    assert "In [3]: model.push_to_hub" in answer.err
    assert "In [4]" not in answer.err  # what it writes is a copy
    left = run(path, "--gpu", "T4", "--json", "--leave-out", "3")
    assert (left.code, left.found["outcome"]) == (0, "done"), left
    assert left.found["peak"]["cell_id"] == "cell-4"
    assert sorted(file.name for file in tmp_path.iterdir()) == ["a.ipynb"]


def test_a_cell_without_an_end_has_its_time(run: Callable[..., Answer], tmp_path: Path) -> None:
    """The cells behind it run on, and that it may need more is said."""
    path = write(
        tmp_path / "a.ipynb",
        f"{START}\nx = torch.ones(2**20, device='cuda')\n"
        "try:\n    while True: pass\nexcept BaseException: pass\nwhile True: pass",
        "y = torch.ones(2**21, device='cuda')",
    )
    answer = run(path, "--gpu", "T4", "--cell-time", "4")
    assert "In [1]: ended after 4 s; it may need more than was seen." in answer.out
    assert "Needed at least: 0.4 GiB" in answer.out
    assert "not known" in answer.out


def test_a_loop_that_waits_for_a_value_ends(run: Callable[..., Answer], tmp_path: Path) -> None:
    """A `while` on a loss that never comes down is a training like any other."""
    path = write(
        tmp_path / "a.ipynb",
        START,
        "model = nn.Linear(64, 64).cuda()\noptimizer = torch.optim.Adam(model.parameters())",
        "loss = torch.tensor(1.0)\n"
        "while loss.item() > -1:\n"
        "    optimizer.zero_grad()\n"
        "    loss = model(torch.ones(8, 64).cuda()).sum()\n"
        "    loss.backward()\n"
        "    optimizer.step()",
        "after = 1",
    )
    result = run(path, "--gpu", "T4", "--json").found
    assert (result["outcome"], result["cut"], result["timed_out"]) == ("done", ["cell-3"], [])


def test_a_loop_that_grows_is_not_cut(run: Callable[..., Answer], tmp_path: Path) -> None:
    """What keeps more at each step is what a dry run is there to see."""
    path = write(
        tmp_path / "a.ipynb",
        START,
        "model = nn.Linear(1024, 1024).cuda()\n"
        "optimizer = torch.optim.SGD(model.parameters(), 0.1)",
        "kept = []\n"
        "for step in range(100):\n"
        "    kept.append(model(torch.ones(1024, 1024).cuda()))\n"
        "    kept[-1].sum().backward(retain_graph=True)\n"
        "    optimizer.step()",
    )
    result = run(path, "--gpu", "T4", "--json").found
    assert result["cut"] == []
    assert result["peak"]["allocated_bytes"] > 100 * 4 * 1024 * 1024


def test_loops_that_do_not_train_run_whole(run: Callable[..., Answer], tmp_path: Path) -> None:
    """The layers of a forward pass, a vocabulary, an evaluation: each has all its rounds."""
    path = write(
        tmp_path / "a.ipynb",
        START,
        "class Net(nn.Module):\n"
        "    def __init__(self):\n"
        "        super().__init__()\n"
        "        self.layers = nn.ModuleList([nn.Linear(64, 64) for _ in range(12)])\n"
        "    def forward(self, x):\n"
        "        rounds = 0\n"
        "        for layer in self.layers:\n"
        "            x, rounds = layer(x), rounds + 1\n"
        "        assert rounds == 12\n"
        "        return x",
        "net = Net().cuda()\noptimizer = torch.optim.SGD(net.parameters(), 0.1)",
        "for step in range(50):\n"
        "    net(torch.ones(8, 64).cuda()).sum().backward()\n"
        "    optimizer.step()",
        "with torch.no_grad():\n"
        "    found = [net(torch.ones(8, 64).cuda()) for _ in range(20)]\n"
        "    for number in range(20):\n"
        "        net(torch.ones(8, 64).cuda())\n"
        "assert (len(found), number) == (20, 19)\nassert step < 10",
    )
    result = run(path, "--gpu", "T4", "--json").found
    assert (result["outcome"], result["cut"]) == ("done", ["cell-4"]), result


def test_loops_that_others_go_on_from_are_not_ended(
    run: Callable[..., Answer], tmp_path: Path
) -> None:
    """A data set that draws until one suits it, a generator without an end, and a plot of rates."""
    path = write(
        tmp_path / "a.ipynb",
        START,
        "class Drawn(torch.utils.data.Dataset):\n"
        "    def __len__(self):\n"
        "        return 4000\n"
        "    def __getitem__(self, index):\n"
        "        while True:\n"
        "            found = torch.ones(8)\n"
        "            break\n"
        "        return found\n"
        "def cycle(loader):\n"
        "    while True:\n"
        "        for batch in loader:\n"
        "            yield batch",
        "net = nn.Linear(8, 8).cuda()\noptimizer = torch.optim.SGD(net.parameters(), 0.1)\n"
        "data, batches = Drawn(), cycle(DataLoader(Drawn(), 4))\n"
        "def step(batch):\n    net(batch.cuda()).sum().backward()\n    optimizer.step()",
        "for batch in DataLoader(data, 4):\n    step(batch)\ndata[0]\n"
        "for epoch in range(20):\n    for critic in range(2):\n        step(next(batches))",
        "for once in range(10):\n    step(next(batches))\n    data[0], next(batches)",
        "for number in range(20):\n    optimizer.zero_grad()\n    optimizer.step()\n"
        "assert number == 19",
    )
    result = run(path, "--gpu", "T4", "--json").found
    assert (result["outcome"], result["cut"]) == ("done", ["cell-4", "cell-5"]), result


LIBRARIES = {
    "transformers": """from transformers import GPT2Config, GPT2LMHeadModel
from transformers import Trainer, TrainingArguments
model = GPT2LMHeadModel(GPT2Config(n_layer=2, n_embd=64, n_head=2, vocab_size=512))
ids = torch.zeros(64, dtype=torch.long)
data = [{"input_ids": ids, "labels": ids}] * 4000
arguments = TrainingArguments("out", num_train_epochs=4, report_to=[], save_strategy="no")
trainer = Trainer(model=model, args=arguments, train_dataset=data)""",
    "lightning": """import lightning
class Net(lightning.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(64, 64)
    def training_step(self, batch, index):
        return self.layer(batch[0]).sum()
    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters())
options = dict(logger=False, enable_checkpointing=False, enable_progress_bar=False)
trainer = lightning.Trainer(accelerator="gpu", devices=1, max_epochs=4, **options)
loader = DataLoader(TensorDataset(torch.zeros(40000, 64)), 8)""",
    "accelerate": """from accelerate import Accelerator
accelerator = Accelerator()
model = nn.Linear(64, 64)
loader = DataLoader(TensorDataset(torch.zeros(40000, 64)), 8)
made = accelerator.prepare(model, torch.optim.Adam(model.parameters()), loader)
def train(model, optimizer, loader):
    for epoch in range(4):
        for (x,) in loader:
            optimizer.zero_grad()
            accelerator.backward(model(x).sum())
            optimizer.step()""",
}
CALLS = {
    "transformers": "trainer.train()",
    "lightning": "trainer.fit(Net(), loader)",
    "accelerate": "train(*made)",
}


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_library_that_trains_comes_to_its_end(
    run: Callable[..., Answer], tmp_path: Path, library: str
) -> None:
    """Thousands of steps in four epochs: what the loop gives out ends early, each time."""
    pytest.importorskip(library)
    path = write(tmp_path / "a.ipynb", START, LIBRARIES[library], CALLS[library], "after = 1")
    result = run(path, "--gpu", "T4", "--json").found
    assert (result["outcome"], result["timed_out"]) == ("done", []), result
    assert result["cut"] == ["cell-3"]
    whole = run(path, "--gpu", "T4", "--json", "--steps", "40", "--no-tries").found
    assert whole["peak"]["allocated_bytes"] == result["peak"]["allocated_bytes"]


@pytest.mark.parametrize(
    "fails", ["x.numpy()", "x @ torch.ones(8, 8)", "x @ torch.ones(7, 7, device='cuda')"]
)
def test_what_fails_on_a_real_gpu_too_is_an_error_of_the_notebook(
    run: Callable[..., Answer], tmp_path: Path, fails: str
) -> None:
    """The simulation is not said to be the reason, where PyTorch's own words are."""
    path = write(tmp_path / "a.ipynb", START, "x = torch.ones(8, 8, device='cuda')", fails)
    answer = run(path, "--gpu", "T4")
    assert "because of the simulation" not in answer.out
    assert "It ended in In [3], line 1: " in answer.out


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "cannot be read as a notebook or a script"),
        ("[]", "cannot be read as a notebook or a script"),
        ('{"cells": []}', "has no code to run"),
    ],
)
def test_a_broken_notebook(
    run: Callable[..., Answer], tmp_path: Path, text: str, message: str
) -> None:
    """One sentence, and nothing is run."""
    (tmp_path / "a.ipynb").write_text(text, "utf-8")
    answer = run("a.ipynb")
    assert (answer.code, answer.out) == (2, "")
    assert message in answer.err


def test_bad_commands(run: Callable[..., Answer], train: Path) -> None:
    """An unknown GPU's nearest names; a file that is not there; a cell that is no Python."""
    assert "Near it: " in (unknown := run(train, "--gpu", "A100 60GB")).err
    assert "A100 40GB" in unknown.err
    assert unknown.code == 2
    assert "cannot be read" in run("nowhere.ipynb").err
    broken = run(write(train.with_name("b.ipynb"), "def (", START), "--gpu", "T4")
    assert "It ended in In [1]: SyntaxError" in broken.out


DEATHS = {
    "died": "ended by itself",
    "memory": "took more than 2.0 GiB",
    "time": "took more than 8 s",
}
# The process tells of itself once a second; what it tells first it may have begun before.
UNTIL_TOLD = """
import sys, time
def told():
    for frame in sys._current_frames().values():
        while frame is not None:
            if frame.f_code.co_name == "_tell_so_far":
                return frame.f_locals["told"]
            frame = frame.f_back
def until_told():
    for _ in range(2):
        last = told()
        while told() is last:
            time.sleep(0.02)
"""


@pytest.mark.parametrize(
    ("ends", "how", "options"),
    [
        ("import os; os._exit(3)", "died", ()),
        ("kept = [bytes([1]) * 10**8 for _ in range(40)]", "memory", ("--memory", "2")),
        (
            "while True:\n    try: time.sleep(60)\n    except BaseException: pass",
            "time",
            ("--time", "8"),
        ),
    ],
)
def test_what_was_seen_before_it_died_stays(
    run: Callable[..., Answer], tmp_path: Path, ends: str, how: str, options: tuple[str, ...]
) -> None:
    """It is needed at least, so that a GPU that has less is too small, and the others not known."""
    path = write(
        tmp_path / "a.ipynb",
        f"{START}\n{UNTIL_TOLD}\nx = torch.ones(20, 2**28, device='cuda')  # 20 GiB\n"
        f"until_told()\n{ends}",
    )
    answer = run(path, "--gpu", "T4", "--gpu", "A100 40GB", "--json", "--no-tries", *options)
    result = answer.found
    assert (result["outcome"], result["whole"], answer.code) == (how, False, 2)
    assert result["needed_bytes"] >= 20 * 2**30
    assert [row["fits"] for row in result["fits"]] == [False, None]
    assert DEATHS[how] in answer.err
    assert run(path, "--gpu", "T4", "--fail-over", "T4", "--no-tries", *options).code == 1


def test_printing_megabytes_and_asking(run: Callable[..., Answer], tmp_path: Path) -> None:
    """What a notebook prints goes nowhere, and its questions have no answer."""
    path = write(
        tmp_path / "a.ipynb",
        "import sys\nfor _ in range(100): print('x' * 10**5); sys.stderr.write('y' * 10**5)",
        "input('password: ')",
    )
    answer = run(path, "--gpu", "T4", "--run-all")
    assert len(answer.out) < 1000
    assert "It ended in In [2]" in answer.out


def leftover(tmp_path: Path) -> list[Path]:
    """Return the files that runs have left in the folder for temporary ones."""
    paths = [
        Path(folder, name)
        for folder, folders, files in os.walk(tmp_path / "tmp")  # which may go meanwhile
        for name in (*folders, *files)
    ]
    return [path for path in paths if path.is_file() or path.is_symlink()]


def test_a_disk_that_takes_nothing_is_told(tmp_path: Path, train: Path) -> None:
    """One sentence, no traceback, and the notebook's folder is as it was."""
    resource = pytest.importorskip("resource")
    before = state_of(tmp_path)
    process = subprocess.run(
        call(train, "--gpu", "T4"),
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env=environment(),
        timeout=120,
        check=False,
        # No file may have a byte: what a full disk says, where none can be filled.
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0)),
    )
    assert (process.returncode, process.stdout) == (2, ""), process
    assert process.stderr.startswith("A dry run needs a folder for what it writes: ")
    assert len(process.stderr.splitlines()) == 1
    assert state_of(tmp_path) == before


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_it_goes_with_who_asked(tmp_path: Path, how: signal.Signals) -> None:
    """Ctrl+C, or killed: the run ends, and its files go."""
    (tmp_path / "tmp").mkdir()
    path = write(
        tmp_path / "a.ipynb",
        "import os, pathlib, time\npathlib.Path('big').write_text('x' * 10**6)",
        "time.sleep(300)",
    )
    env = {**environment(), "TMPDIR": str(tmp_path / "tmp")}
    # Where this test was started with interrupts ignored, the command is not.
    handler = "signal.signal(signal.SIGINT, signal.default_int_handler)"
    command = f"import signal, sys; {handler}; from gpu_headroom.__main__ import main; main()"
    arguments = [sys.executable, "-c", command, "dry-run", str(path), "--gpu", "T4"]
    process = subprocess.Popen(arguments, env=env, stderr=subprocess.DEVNULL)
    try:
        until_s = time.monotonic() + 60
        while not any(file.name == "big" for file in leftover(tmp_path)):
            assert time.monotonic() < until_s
            time.sleep(0.05)
        assert processes(tmp_path / "tmp")
        process.send_signal(how)
        process.wait(30)
        while processes(tmp_path / "tmp") or leftover(tmp_path):
            assert time.monotonic() < until_s + 30
            time.sleep(0.05)
    finally:
        process.kill()
        process.wait()


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("T4", "T4"),
        ("NVIDIA A100 40GB", "A100 40GB"),
        ("a100-80gb", "A100 80GB"),
        ("GeForce RTX 4090", "RTX 4090"),
        ("24 GiB", "24 GiB"),
    ],
)
def test_gpus_by_name_and_size(text: str, name: str) -> None:
    """As people write them."""
    assert gpus.find(text).name == name


@pytest.mark.parametrize(
    ("name", "capability"),
    [
        ("Tesla T4", (7, 5)),
        ("Tesla V100-SXM2-16GB", (7, 0)),
        ("NVIDIA GeForce RTX 3090", (8, 6)),
        ("NVIDIA L4", (8, 9)),
        ("NVIDIA H100 80GB HBM3", (9, 0)),
        ("24 GiB", (8, 0)),
    ],
)
def test_what_a_gpu_can_compute(name: str, capability: tuple[int, int]) -> None:
    """By the name that its driver says; a size alone is taken for an A100."""
    assert gpus.Gpu(name, 1).capability == capability


@pytest.mark.parametrize("text", ["T5", "", "0 GiB", "-1 GiB", "many"])
def test_unknown_gpus(text: str) -> None:
    """The error has the nearest names."""
    with pytest.raises(ValueError, match=r"\w"):
        gpus.find(text)


def test_each_gpu_has_a_place_and_a_name_of_its_own() -> None:
    """Sizes are those that PyTorch says, less than what is printed on the box."""
    names = [name for gpu in gpus.GPUS for name in (gpu.name.lower(), *gpu.also)]
    assert len(names) == len(set(names))
    for gpu in gpus.GPUS:
        assert gpu.where
        assert gpus.find(gpu.name) == gpu
        assert all(gpus.find(name) == gpu for name in gpu.also)


def test_a_script_is_cells_too(tmp_path: Path) -> None:
    """A cell for each `# %%`; what is only a comment is none."""
    path = tmp_path / "train.py"
    path.write_text("# %% one\nx = 1\n# %%\ny = 2\n#%% three\n", "utf-8")
    assert [cell.source.strip() for cell in notebook.read(path)] == ["x = 1", "y = 2"]


def test_a_script_has_its_arguments_and_its_name(
    run: Callable[..., Answer], tmp_path: Path
) -> None:
    """As `python train.py --width 2048` has them; an argument that is not there is told."""
    (tmp_path / "shapes.json").write_text("[64]", "utf-8")
    path = tmp_path / "train.py"
    path.write_text(SCRIPT, "utf-8")
    answer = run(path, "--gpu", "T4", "--", "--width", "2048")
    assert "Reached in train.py, line 10" in answer.out
    assert "Needed at its peak: 1.4 GiB" in answer.out
    assert run(path, "--json", "--", "--width", "64").found["needed_bytes"] < 450 * 2**20
    assert "It ended in train.py, line 7: SystemExit" in run(path).out


def test_what_writes_files_only_is_not_asked(tmp_path: Path) -> None:
    """A copy is written; what others would hear of is asked."""
    cells = notebook.read(
        write(
            tmp_path / "a.ipynb",
            "torch.save(x, 'm.pt')\ndf.to_csv('x.csv')\nopen('f', 'w')",
            "def log():\n    wandb.init()",
            "log()",
            "name = input()",
        )
    )
    assert [(ask.cell.label, ask.calls) for ask in asks(cells)] == [
        ("In [3]", ("wandb.init",)),
        ("In [4]", ("input",)),
    ]


def test_values_where_a_cell_needs_them(run: Callable[..., Answer], tmp_path: Path) -> None:
    """Sizes only go no further; the sentence names the option that does."""
    path = write(
        tmp_path / "a.ipynb",
        START,
        "labels = torch.arange(7, dtype=torch.float64, device='cuda').repeat(100)",
        "classes = int(labels.max().item()) + 1\nassert classes == 7",
    )
    answer = run(path, "--gpu", "T4")
    assert "It ended in In [3], line 2: AssertionError" in answer.out
    assert "run it with values up to In [3] (`--values-to` of the command)" in answer.out
    assert run(path, "--gpu", "T4", "--json", "--values").found["outcome"] == "done"


def test_a_process_that_dies_is_told(run: Callable[..., Answer], tmp_path: Path) -> None:
    """Before it used a GPU there is nothing to print."""
    path = write(tmp_path / "a.ipynb", f"{START}\nimport os; os._exit(3)")
    answer = run(path, "--gpu", "T4")
    assert (answer.code, answer.out) == (2, "")
    assert "ended by itself" in answer.err
