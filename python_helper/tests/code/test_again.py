"""Which cells may run again, and which other cells that needs."""

from __future__ import annotations

import pytest
from gpu_headroom.code.again import Again
from gpu_headroom.code.loaders import Way
from gpu_headroom.code.notebook import Notebook

LOOP = "for x in loader:\n  loss = model(x)\n  loss.backward()\n  opt.step()"


def again(cells: list[str], fails: str, lengths: dict[str, int] | None = None) -> Again:
    """Ask about cells called 1, 2, 3 …, of which the last failed in a line."""
    keys = [str(n) for n in range(1, len(cells) + 1)]
    line = [each.strip() for each in cells[-1].split("\n")].index(fails) + 1
    way = Way(tuple(keys), ((keys[-1], line, fails),))
    notebook = Notebook.of(zip(keys, cells, strict=True))
    return Again(notebook, way, lengths or {}, set(keys[:-1]), {})


@pytest.mark.parametrize(
    ("cells", "run", "fails", "needed"),
    [
        (["rows = load()", "rows, held = split(rows)\nn = 8", LOOP], "23", "loss = model(x)", "1"),
        (["rows = load()", "rows = rows.to(device)\nn = 8", LOOP], "23", "loss = model(x)", ""),
        (["model = Net()\nopt = Adam(model)", "n = 8", LOOP], "23", "loss = model(x)", ""),
        (["rows = load()", "n = size(rows)", "del rows", "model(n)"], "24", "model(n)", "1"),
        (["count = 0", "count += 1\nmodel(count)"], "2", "model(count)", "1"),
        (["source = iter(rows)", "row = next(source)\nmodel(row)"], "2", "model(row)", "1"),
        (["kept = []", "def f():\n  kept.append(1)", "f()\nmodel(kept)"], "3", "model(kept)", "1"),
        (["kept = []", "n = 8", "model(n)\nkept.append(n)"], "23", "model(n)", ""),
        (["x = 1", "def f():\n  return x", "x = f()", "model(x)"], "34", "model(x)", "1"),
        (["x = 1", "y = x\nn = 8", "z = y", "model(z)"], "24", "model(z)", ""),
        (["x = 1", "z = n(x)", "model(z)\nx = z"], "23", "model(z)", ""),
    ],
)
def test_what_has_another_value_by_now_is_made_again(
    cells: list[str], run: str, fails: str, needed: str
) -> None:
    """By the cell that made what was read the first time; of the failing cell only what ran."""
    found = again(cells, fails).stale(set(run))
    assert {maker.key for *_, maker in found if maker is not None} == set(needed)
    assert again(cells, fails).stale({*run, *needed}) == []


EPOCHS = "for e in range(3):\n  for x in loader:\n    loss = model(x)\n  print(loss)"


@pytest.mark.parametrize(
    ("cells", "stale"),
    [
        (["n = 8", EPOCHS], False),  # a loop of no rounds would have been an error then
        (["loss = 0", EPOCHS], True),
        (["n = 8", "best = min(best, model(x))"], True),  # somebody has made it
        (["n = 8", "if n > 8:\n  best = 1\nmodel(best)\nbest = 2"], True),
    ],
)
def test_what_nobody_else_makes_was_not_read_before(cells: list[str], *, stale: bool) -> None:
    """The first run would have ended there."""
    line = next(each.strip() for each in cells[-1].split("\n") if "model(" in each)
    assert bool(again(cells, line).stale({"2"})) is stale


def test_an_empty_list_was_not_filled() -> None:
    """The failing cell fills it later."""
    cells = ["kept = []", "for x in loader:\n  model(x)\n  kept.append(x)"]
    assert again(cells, "model(x)").stale({"2"}) != []
    assert again(cells, "model(x)", {"kept": 0}).stale({"2"}) == []


@pytest.mark.parametrize(
    ("cells", "run", "fails", "where"),
    [
        ([LOOP, "model(y)"], "12", "model(y)", ("1", 4)),
        ([LOOP, "model(y)"], "2", "model(y)", None),
        (["model = Net()", f"{LOOP}\nfor y in test:\n  model(y)"], "2", "model(y)", ("2", 4)),
        (["n = 8", LOOP], "12", "loss = model(x)", None),
        (["trainer.fit(model)", "n = 8\nmodel(n)"], "12", "model(n)", ("1", 1)),
        (["a, b = train_test_split(rows)", "model(a)"], "12", "model(a)", None),
        (["n = 8", "loss = model(n)\nloss.backward()\nopt.step()"], "12", "opt.step()", None),
        (
            ["n = 8", f"for e in range(3):\n  {LOOP.replace(chr(10), chr(10) + '  ')}\n  model(n)"],
            "2",
            "model(n)",
            None,
        ),
    ],
)
def test_what_has_trained_to_its_end_does_not_run_again(
    cells: list[str], run: str, fails: str, where: tuple[str, int] | None
) -> None:
    """Neither a cell, nor what stands before the failing line of its own cell."""
    place = again(cells, fails).trained(set(run))
    assert (place and (place.cell.key, place.line)) == where
