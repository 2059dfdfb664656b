"""The fix of every remedy that edits code: several cells, all or none, proven as they are now."""

from __future__ import annotations

from gpu_headroom.advice.code_fix import CellChange, CodeFix, diffs_of
from gpu_headroom.code.literals import literals_in
from gpu_headroom.edits.accumulate import accumulated
from gpu_headroom.edits.keep_numbers import kept
from gpu_headroom.edits.number import set_number
from gpu_headroom.text.messages import message
from tests.advice.cases import cell

SIZES = "import torch\nbatch_size = 64  # rows"
LOOP = """losses = []
for x, y in loader:
    optimizer.zero_grad()
    loss = criterion(model(x), y)
    loss.backward()
    optimizer.step()
    losses.append(loss)"""


def two_cells() -> tuple[CellChange, CellChange]:
    """A quarter of the batch, and accumulation over four."""
    sizes, loop = cell(SIZES, "sizes", 2), cell(LOOP, "loop", 3)
    (literal,) = literals_in(sizes, SIZES)
    return (
        CellChange(sizes, 2, set_number(literal, 16)),
        CellChange(loop, 6, accumulated(4)),
    )


def fix(*changes: CellChange) -> CodeFix:
    """Make the fix of these changes."""
    done = message("fix.ok", {"fix.ok": "Done."})
    return CodeFix(changes, ("sizes", "loop"), done)


def applied(sources: dict[str, str], made: CodeFix) -> dict[str, str]:
    """Apply the edits as a page does: from the bottom up, if the old lines are there."""
    outcome = made.edits(sources)
    assert outcome.status == "ok"
    lines = {name: text.split("\n") for name, text in sources.items()}
    for edit in sorted(outcome.edits, key=lambda each: -each["first_line"]):
        start, old = edit["first_line"] - 1, edit["old_lines"]
        assert lines[edit["cell_id"]][start : start + len(old)] == old
        lines[edit["cell_id"]][start : start + len(old)] = edit["new_lines"]
    return {name: "\n".join(each) for name, each in lines.items()}


def test_changes_several_cells() -> None:
    """Each in as few lines as can be."""
    found = applied({"sizes": SIZES, "loop": LOOP, "other": "x = 1"}, fix(*two_cells()))
    assert found == {
        "sizes": "import torch\nbatch_size = 16  # rows",
        "loop": """losses = []
for step, (x, y) in enumerate(loader, start=1):
    if step % 4 == 1:
        optimizer.zero_grad()
    loss = criterion(model(x), y)
    (loss / 4).backward()
    if step % 4 == 0:
        optimizer.step()
    losses.append(loss)""",
        "other": "x = 1",
    }


def test_edits_no_line_that_stays() -> None:
    """The lines between two hunks are not sent."""
    edits = fix(*two_cells()).edits({"sizes": SIZES, "loop": LOOP}).edits
    assert [(each["cell_id"], each["first_line"], len(each["old_lines"])) for each in edits] == [
        ("sizes", 2, 1),
        ("loop", 2, 2),
        ("loop", 5, 2),
    ]


def test_two_changes_of_one_cell() -> None:
    """The second finds its place in what the first left."""
    loop = cell(LOOP, "loop", 3)
    made = fix(
        CellChange(loop, 6, accumulated(4)),
        CellChange(loop, 7, kept("losses", ".detach()")),
    )
    text = applied({"loop": LOOP}, made)["loop"]
    assert "losses.append(loss.detach())" in text
    assert "(loss / 4).backward()" in text


def test_all_or_none() -> None:
    """Where one cell is another by now, none is edited, and the sentence says which line."""
    made = fix(*two_cells())
    outcome = made.edits({"sizes": SIZES, "loop": "x = 1"})
    assert (outcome.status, outcome.edits, outcome.run) == ("changed", (), ())
    assert outcome.message["text"].endswith("line 6 no longer matches.")
    assert made.edits({"sizes": SIZES}).message["id"] == "fix.missing"


def test_is_made_once() -> None:
    """What is there already is not put there again."""
    made = fix(*two_cells())
    assert made.edits(applied({"sizes": SIZES, "loop": LOOP}, made)).status == "changed"


def test_a_cell_edited_elsewhere() -> None:
    """Another line of it does not matter."""
    text = applied({"sizes": SIZES, "loop": f"# more\n\n{LOOP}\nprint(1)"}, fix(*two_cells()))
    assert text["loop"].startswith("# more\n\nlosses = []\nfor step, (x, y) in")


def test_shows_each_cell() -> None:
    """With its number, and what the first of them sets."""
    first, second = diffs_of(*two_cells(), sets="batch_size = 16") or ()
    assert (first["execution_count"], first["sets"]) == (2, "batch_size = 16")
    assert [row["text"] for row in first["rows"]] == [
        "batch_size = 64  #…",
        "batch_size = 16  #…",
    ]
    assert (second["cell_id"], second["sets"]) == ("loop", None)


def test_shows_nothing_that_it_cannot_do() -> None:
    """A change that does not apply to the cell as it ran is no remedy."""
    changes = two_cells()
    assert diffs_of(CellChange(cell("x = 1"), 1, changes[1].rewrite)) is None
