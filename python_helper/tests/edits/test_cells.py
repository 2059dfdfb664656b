"""Edits of cells that failed on a simulated GPU: once they are made the cells pass."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpu_headroom import testing
from gpu_headroom.release import outcome as releasing
from tests.reports.test_report import GPU, START, failed_report

if TYPE_CHECKING:
    from tests.notebook import Notebook

__all__ = ["GPU", "START"]  # of the fixture `notebook`


def test_apply_and_re_run_succeeds(notebook: Notebook) -> None:
    """Free, edit the literal, run again: the cell succeeds and no variable is lost."""
    source = "batch_size = 128 * 1024\ntrain(DataLoader(data, batch_size))"
    built = failed_report(notebook, source)
    testing.check(built.report, "report")
    outcome = built.fixes["smaller-batch"].edits({"failing": source})
    assert outcome.status == "ok"
    names = set(notebook.shell.user_ns)
    releasing.run(None, notebook.situation(), notebook.read)
    (edit,) = outcome.edits
    lines = source.split("\n")
    lines[edit["first_line"] - 1 : edit["first_line"]] = edit["new_lines"]
    assert notebook.run("\n".join(lines), cell_id="failing").success
    assert names <= set(notebook.shell.user_ns)


def test_apply_and_re_run_succeeds_over_three_cells(notebook: Notebook) -> None:
    """The literal stands in one cell, the loader is made in a second, the third fails."""
    cells = {
        "sizes": "batch_size = 128 * 1024",
        "loader": "loader = DataLoader(data, batch_size=batch_size)",
    }
    for name, source in cells.items():
        assert notebook.run(source, cell_id=name).success
    cells["failing"] = "train(loader)"
    built = failed_report(notebook, cells["failing"])
    outcome = built.fixes["smaller-batch"].edits(cells)
    assert outcome.run == ("sizes", "loader", "failing")
    cells["sizes"] = outcome.edits[0]["new_lines"][0]
    releasing.run(None, notebook.situation(), notebook.read)
    assert all(notebook.run(cells[name], cell_id=name).success for name in outcome.run)


def test_edits_a_cell_that_begins_with_blank_lines(notebook: Notebook) -> None:
    """The failing line, the diff and the edit count alike."""
    source = "\n\nbatch_size = 128 * 1024\ntrain(DataLoader(data, batch_size))"
    built = failed_report(notebook, source)
    assert built.report["line"] == 4
    (remedy,) = [entry for entry in built.report["remedies"] if entry["id"] == "smaller-batch"]
    assert {row["line"] for row in remedy["diffs"][0]["rows"]} == {3}
    (edit,) = built.fixes["smaller-batch"].edits({"failing": source}).edits
    assert (edit["first_line"], edit["old_lines"]) == (3, ["batch_size = 128 * 1024"])
