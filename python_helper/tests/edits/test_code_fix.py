"""The fix of every edit: made on the cell as it is at the click, or refused with a sentence."""

from __future__ import annotations

from gpu_headroom.edits.code_fix import CellChange, CodeFix
from gpu_headroom.edits.keep_numbers import kept_without_graph
from gpu_headroom.text.messages import message
from tests.advice.cases import cell

LOOP = """losses = []
for x, y in loader:
    loss = criterion(model(x), y)
    losses.append(loss)"""


def fix() -> CodeFix:
    """Make the fix that keeps losses without their graphs."""
    loop = cell(LOOP, "loop", 3)
    change = CellChange(loop, 4, kept_without_graph("losses"))
    return CodeFix(change, ("loop",), message("fix.ok", {"fix.ok": "Done."}), (loop,))


def test_changes_as_few_lines_as_can_be() -> None:
    """In the cell as it is now, wherever the line has moved to."""
    outcome = fix().edits({"loop": f"# more\n\n{LOOP}\nprint(1)", "other": "x = 1"})
    assert (outcome.status, outcome.run) == ("ok", ("loop",))
    (edit,) = outcome.edits
    assert (edit["cell_id"], edit["first_line"]) == ("loop", 6)
    assert edit["new_lines"] == ["    losses.append(loss.detach())"]


def test_refuses_what_is_another_by_now() -> None:
    """The cell has changed, is gone, or has the edit already."""
    assert fix().edits({"loop": "x = 1"}).message["text"].endswith("line 4 no longer matches.")
    assert fix().edits({"other": LOOP}).message["id"] == "fix.missing"
    source = LOOP.replace("(loss)", "(loss.detach())")
    assert fix().edits({"loop": source}).status == "changed"


def test_refuses_where_another_cell_needs_it_otherwise_by_now() -> None:
    """A cell was added that goes backward through what is kept."""
    outcome = fix().edits({"loop": LOOP, "new": "sum(losses).backward()"})
    assert (outcome.status, outcome.message["id"]) == ("changed", "fix.used_otherwise")
