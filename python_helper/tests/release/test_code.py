"""The clean-up cell: it frees what was chosen and nothing else, without the helper."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from gpu_headroom.holders.frames import drop_tracebacks
from gpu_headroom.release import code as cleanup
from gpu_headroom.release import items as freeable_items
from gpu_headroom.text.format import MIB

if TYPE_CHECKING:
    from tests.notebook import Notebook

TENSOR = "def tensor(mib): return torch.empty(mib * 2**20, dtype=torch.uint8, device='cuda')\n"
FAIL = "def work():\n    x = tensor(512)\n    fail()\nwork()"

LEFT_ALONE = "Chosen in an earlier session, and so left alone: {}\n"


def clean_up(notebook: Notebook, *items: str) -> str:
    """Write the cell, run it as it is, twice, and return it: it says what it freed."""
    code = cleanup.cleanup_code(notebook.situation(), items or None)
    names, before = own_names(notebook), notebook.in_use()
    assert run(notebook, code) == freed_text(before - notebook.in_use())
    assert run(notebook, code) == freed_text(0)
    assert own_names(notebook) <= names
    assert "gpu_headroom" not in code.replace("_free_gpu_memory", "")
    return code


def run(notebook: Notebook, code: str) -> str:
    """Run a cell that must succeed and shows no value; returns what it printed."""
    result = notebook.run(code)
    assert (result.success, result.result) == (True, None), notebook.printed
    return notebook.printed


def freed_text(size: int) -> str:
    """What a cell says that has freed so much."""
    return f"Freed {size / MIB:,.1f} MiB of GPU memory.\n"


def own_names(notebook: Notebook) -> set[str]:
    """Return the names of the notebook that are no history of IPython's."""
    return {name for name in notebook.shell.user_ns if not name.strip("_i").isdigit()}


def variables(notebook: Notebook) -> set[str]:
    """Return the names of the person's: no history, and no `_`."""
    return {name for name in own_names(notebook) if name[0] != "_"}


def test_frees_several_displayed_values(notebook: Notebook) -> None:
    """The last one goes first without hurting the others, and `_` and `Out` go on working."""
    before = notebook.in_use()
    for code in ("tensor(64)", "[tensor(32)]", "_", "tensor(16)"):
        notebook.run(code)
    assert notebook.in_use() - before == 112 * MIB
    clean_up(notebook, "outputs")
    assert notebook.in_use() == before
    assert notebook.run("_ is None or _").success
    assert notebook.run("6 * 7").result == 42
    assert notebook.run("_ + 1").result == 43


def test_is_short_enough_to_read(notebook: Notebook) -> None:
    """However much was displayed, and whatever failed, the safe set has at most twenty lines."""
    for _ in range(3):
        notebook.run("tensor(64)")
    notebook.run("[tensor(16)]")
    notebook.run(FAIL)
    code = clean_up(notebook)
    assert len(code.splitlines()) <= 20, code


FRESH = """
debug = True
epochs = 1
early_stop = True
model = [1, 2, 3]
best = torch.zeros(4)
on_gpu = tensor(8)
result = tensor(4)
shown = 'mine'
"""


@pytest.mark.parametrize("displayed", ["early_stop", "model", "best", "on_gpu", "1", "None"])
def test_takes_no_variable_in_another_session(notebook: Notebook, displayed: str) -> None:
    """There the same numbers are those of other values, which variables may hold."""
    for _ in range(4):
        notebook.run("tensor(32)")
    notebook.run(FAIL)
    code = cleanup.cleanup_code(notebook.situation())
    drop_tracebacks(notebook.shell)
    notebook.shell.reset()
    notebook.run("import torch\n" + TENSOR + FRESH)
    names = {name: id(notebook.shell.user_ns[name]) for name in variables(notebook)}
    for _ in range(6):
        notebook.run(displayed)
    for _ in range(2):
        assert run(notebook, code) == freed_text(0)
    assert {name: id(notebook.shell.user_ns[name]) for name in variables(notebook)} == names
    assert notebook.run("Out").success


def test_asks_nothing_of_what_is_no_array(notebook: Notebook) -> None:
    """What has the number in another session may be anything: its attributes are its own."""
    for _ in range(3):
        notebook.run("tensor(32)")
    code = cleanup.cleanup_code(notebook.situation())
    notebook.shell.reset()
    notebook.run(
        "touched = []\n"
        "class Private:\n"
        "    def __getattr__(self, name): touched.append(name); raise ZeroDivisionError\n"
        "    def _repr_mimebundle_(self, **_): return {'text/plain': 'private'}\n"
        "    __class__ = property(lambda self: touched.append('class') or int)\n"
    )
    for _ in range(5):
        notebook.run("Private()")
    notebook.run("touched.clear()")
    assert run(notebook, code) == freed_text(0)
    assert notebook.shell.user_ns["touched"] == []


def test_frees_nothing_in_a_fresh_kernel(notebook: Notebook) -> None:
    """Where PyTorch is not imported it is not imported either, and the cell says so."""
    notebook.run("tensor(32)")
    notebook.run(FAIL)
    safe = cleanup.cleanup_code(notebook.situation())
    items = [item["id"] for item in freeable_items.plan(notebook.situation())]
    everything = cleanup.cleanup_code(notebook.situation(), items)
    for code in (safe, everything):
        script = (
            "import sys\n"
            "from IPython.core.interactiveshell import InteractiveShell\n"
            "shell = InteractiveShell.instance()\n"
            f"for _ in range(2): assert shell.run_cell({code!r}).success\n"
            "assert 'torch' not in sys.modules"
        )
        proc = subprocess.run(
            [sys.executable, "-c", script], capture_output=True, text=True, check=False
        )
        note = LEFT_ALONE.format("keep, cublas") if code is everything else ""
        assert (proc.returncode, proc.stdout) == (0, 2 * (note + freed_text(0))), proc.stderr


def test_names_nothing_that_deletes_by_identity() -> None:
    """`del_var` of IPython takes every name of an object; nothing of ours calls it."""
    sources = Path(cleanup.__file__).parents[2]
    for path in sources.glob("gpu_*/**/*.py"):
        assert "del_var" not in path.read_text(encoding="utf-8"), path


def test_deletes_nothing_that_was_chosen_in_another_session(notebook: Notebook) -> None:
    """There the names are those of other values; the safe part of the cell goes on to work."""
    notebook.run("model = tensor(64); batch = tensor(32)")
    ids = ["variable:model", "variable:batch", "traceback", "cache"]
    code = cleanup.cleanup_code(notebook.situation(), ids)
    notebook.shell.reset()
    notebook.run("import torch\n" + TENSOR + "model = tensor(128); batch = tensor(16)")
    notebook.run(FAIL.replace("fail()", "1 / 0"))
    before = notebook.in_use()
    note = LEFT_ALONE.format("model, batch")
    assert run(notebook, code) == note + freed_text(512 * MIB)
    assert run(notebook, code) == note + freed_text(0)
    assert {"model", "batch"} <= own_names(notebook)
    assert before - notebook.in_use() == 512 * MIB
    new_code = cleanup.cleanup_code(notebook.situation(), ids)
    assert run(notebook, new_code) == freed_text((128 + 16) * MIB)


def test_does_nothing_else_about_what_is_deleted(notebook: Notebook) -> None:
    """With a model its gradients go; code for them would stumble over the missing name."""
    notebook.run(
        "model = nn.Linear(2048, 2048).cuda()\n"
        "model(torch.randn(8, 2048, device='cuda')).sum().backward()"
    )
    alone = cleanup.cleanup_code(notebook.situation(), ["gradients:model"])
    assert "model" in alone
    before = notebook.in_use()
    code = clean_up(notebook, "variable:model", "gradients:model")
    lines = [line.strip() for line in code.splitlines() if "model" in line]
    assert lines[:-1] == ["for _name in ('model',):"]
    assert lines[-1].startswith("print(")
    assert before - notebook.in_use() == 2 * (2048 * 2048 + 2048) * 4


def test_says_what_is_left_out(notebook: Notebook, monkeypatch: pytest.MonkeyPatch) -> None:
    """What cannot be freed now stands in the cell as a comment with the reason."""
    import torch

    monkeypatch.setattr(torch._C, "_cuda_isCurrentStreamCapturing", lambda: True, raising=False)
    code = cleanup.cleanup_code(notebook.situation(), ["garbage", "cache"])
    assert "# Left out: Unused cache of PyTorch. A CUDA graph is being captured" in code
    assert "empty_cache" not in code


def test_needs_nothing_to_do_nothing(notebook: Notebook) -> None:
    """What is no longer there makes a cell that runs all the same."""
    clean_up(notebook, "variable:gone", "output:99")


EVERYTHING = """
model = nn.Sequential(nn.Linear(1024, 1024), nn.Linear(1024, 1024)).cuda()
optimizer = torch.optim.Adam(model.parameters())
model(torch.randn(8, 1024, device="cuda")).sum().backward()
optimizer.step()
graph = model(torch.randn(4096, 1024, device="cuda"))
for batch in [tensor(32)]:
    pass
errors = []
def work():
    x = tensor(64)
    1 / 0
try:
    work()
except ZeroDivisionError as error:
    errors.append(error)
"""


def test_each_item_has_code_that_gives_what_the_plan_says(notebook: Notebook) -> None:
    """One cell for each item of the plan; what has no code is told in the cell."""
    notebook.run(EVERYTHING)
    notebook.run("tensor(16)")
    notebook.run("work()")
    items = freeable_items.plan(notebook.situation())
    items.sort(key=lambda item: item["kind"] in ("offload", "variable", "leftover"))
    ids = [item["id"] for item in items if item["adds_headroom"]]
    kinds = set()
    for item_id in ids:
        rows = [item for item in freeable_items.plan(notebook.situation()) if item["id"] == item_id]
        before = notebook.in_use()
        code = clean_up(notebook, item_id)
        if rows and rows[0]["kind"] in ("error", "graph") and not rows[0]["blocked"]:
            assert code.startswith(f"# Left out: {rows[0]['title']['text']}. Release it in the p")
        if rows and rows[0]["blocked"] is None and "# Left out" not in code:
            size, expected = before - notebook.in_use(), rows[0]["expected_bytes"]
            assert size >= (expected or 0), (item_id, size, expected, code)
            kinds.add(rows[0]["kind"])
    assert kinds >= {"outputs", "variable", "leftover", "gradients", "optimizer_state", "traceback"}
