"""The clean-up cell: it frees what was chosen and nothing else, without the helper."""

from __future__ import annotations

import io
import sys
from typing import TYPE_CHECKING

import pytest
from gpu_headroom import release
from gpu_headroom.format import MIB

if TYPE_CHECKING:
    from tests.notebook import Notebook

FAIL = "def work():\n    x = tensor(512)\n    fail()\nwork()"
GROUP = """
def work():
    x = tensor(512)
    try:
        fail()
    except RuntimeError as error:
        raise ExceptionGroup("several", [error, ValueError()])
work()"""
CHAIN = """
def work():
    x = tensor(512)
    try:
        fail()
    except RuntimeError as error:
        y = tensor(256)
        raise ValueError("training failed") from error
work()"""


def clean_up(notebook: Notebook, *wanted: str) -> str:
    """Write the cell, run it as it is, twice, and return it; it shows and leaves nothing."""
    code = release.cleanup_code(notebook.situation(), wanted or None)
    names = own_names(notebook)
    result = notebook.run(code)
    assert (result.success, result.result, notebook.printed) == (True, None, "")
    assert own_names(notebook) <= names
    assert "gpu_headroom" not in code.replace("_free_gpu_memory", "")
    return code


def own_names(notebook: Notebook) -> set[str]:
    """Return the names of the notebook that are no history of IPython's."""
    return {name for name in notebook.shell.user_ns if not name.strip("_i").isdigit()}


@pytest.mark.parametrize("code", [FAIL, CHAIN, GROUP])
def test_frees_what_failed_cells_held(notebook: Notebook, code: str) -> None:
    """Errors, those they are chained to and those of a group let their variables go."""
    if code is GROUP and sys.version_info < (3, 11):
        pytest.skip("exception groups came with Python 3.11")
    before = notebook.in_use()
    notebook.run(code)
    assert notebook.in_use() - before >= 512 * MIB
    written = clean_up(notebook)
    assert notebook.in_use() == before
    assert notebook.run(written).success


def test_frees_what_the_debugger_was_left_with(notebook: Notebook) -> None:
    """After `%debug` and `q` an older failure is kept behind a newer one: it goes, too."""
    before = notebook.in_use()
    notebook.run(FAIL)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sys.stdin", io.StringIO("q\n"))
        notebook.run("%debug")
    notebook.run("1 / 0")
    clean_up(notebook, "traceback")
    assert notebook.in_use() == before


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


def test_says_once_how_displayed_values_are_forgotten(notebook: Notebook) -> None:
    """However many there are, each of them is a line."""
    for _ in range(3):
        notebook.run("tensor(64)")
    notebook.run("'text'")
    code = clean_up(notebook, "outputs")
    assert [code.count(each) for each in ("# Displayed", "def forget", "del_var")] == [1, 1, 1]
    lines = [line.strip() for line in code.splitlines() if line.startswith("    forget(")]
    assert lines == ['forget("_2")', 'forget("_3")', 'forget("_4")']


def test_frees_what_a_reset_of_the_history_left(notebook: Notebook) -> None:
    """`%reset -f out` lets go of `Out`, but IPython keeps the last values elsewhere."""
    before = notebook.in_use()
    notebook.run("tensor(64)")
    notebook.run("%reset -f out")
    assert notebook.in_use() - before == 64 * MIB
    clean_up(notebook, "outputs")
    assert notebook.in_use() == before
    notebook.run("1 + 1")
    assert notebook.run("_").result == 2


def test_deletes_the_chosen_variable_and_no_other(notebook: Notebook) -> None:
    """Its aliases go with it, as the plan says; what was not chosen stays as it is."""
    before = notebook.in_use()
    notebook.run("tensor(64)")
    notebook.run("batch = tensor(128); same = batch; other = tensor(32)")
    code = clean_up(notebook, "variable:batch")
    assert "del batch, same\n" in code
    assert notebook.in_use() - before == (64 + 32) * MIB
    assert {"keep", "other", "work"} - own_names(notebook) == {"work"}


def test_does_nothing_else_about_what_is_deleted(notebook: Notebook) -> None:
    """With a model its gradients go; code for them would stumble over the missing name."""
    notebook.run(
        "model = nn.Linear(2048, 2048).cuda()\n"
        "model(torch.randn(8, 2048, device='cuda')).sum().backward()"
    )
    alone = release.cleanup_code(notebook.situation(), ["gradients:model"])
    assert "model" in alone
    before = notebook.in_use()
    code = clean_up(notebook, "variable:model", "gradients:model")
    assert [line for line in code.splitlines() if "model" in line] == ["del model"]
    assert before - notebook.in_use() == 2 * (2048 * 2048 + 2048) * 4


def test_says_what_is_left_out(notebook: Notebook, monkeypatch: pytest.MonkeyPatch) -> None:
    """What cannot be freed now stands in the cell as a comment with the reason."""
    import torch

    monkeypatch.setattr(torch._C, "_cuda_isCurrentStreamCapturing", lambda: True, raising=False)
    code = release.cleanup_code(notebook.situation(), ["garbage", "cache"])
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
    items = release.plan(notebook.situation())
    items.sort(key=lambda each: each["kind"] in ("offload", "variable", "leftover"))
    ids = [each["id"] for each in items if each["adds_headroom"]]
    done = set()
    for item_id in ids:
        found = [each for each in release.plan(notebook.situation()) if each["id"] == item_id]
        before = notebook.in_use()
        code = clean_up(notebook, item_id)
        if found and found[0]["blocked"] is None and "# Left out" not in code:
            freed, expected = before - notebook.in_use(), found[0]["expected_bytes"]
            assert freed >= (expected or 0), (item_id, freed, expected, code)
            done.add(found[0]["kind"])
    assert done >= {"outputs", "error", "variable", "leftover", "graph", "gradients", "traceback"}
