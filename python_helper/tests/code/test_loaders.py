"""The number of the failing loop's batches, followed from the loop to where it stands."""

from __future__ import annotations

import pytest
from gpu_headroom.cells.runs import CellRun
from gpu_headroom.code.loaders import Way
from gpu_headroom.code.notebook import Notebook

MAKE = "def make(a, b):\n  return DataLoader(x, a), DataLoader(y, batch_size=b)\n"
PREPARED = "a = DataLoader(x, 8)\nb = DataLoader(y, 8)\nmodel, opt, a = acc.prepare(model, opt, a)"


@pytest.mark.parametrize(
    ("cells", "fails", "line"),
    [
        (["a = DataLoader(x, 8)\nb = DataLoader(y, 8)", "for i in a:\n  f(i)"], "f(i)", 1),
        (["a = DataLoader(x, 8)\nb = DataLoader(y, 8)", "for i in b:\n  f(i)"], "f(i)", 2),
        ([MAKE + "p, q = make(8,\n  8)", "for n, i in enumerate(tqdm(p)):\n  f(i)"], "f(i)", 3),
        ([MAKE + "p, q = make(8,\n  8)", "for i in islice(q, 3):\n  f(i)"], "f(i)", 4),
        ([PREPARED, "for i in a:\n  f(i)"], "f(i)", 1),
        (["a = DataLoader(x, 8)\nb = DataLoader(y, 8)", "t.fit(m, a, b)"], "t.fit(m, a, b)", 1),
        (
            [
                "a = DataLoader(x, 8)\nb = DataLoader(y, 8)",
                "t.fit(m, val_dataloaders=b, train_dataloaders=a)",
            ],
            "t.fit(m, val_dataloaders=b, train_dataloaders=a)",
            1,
        ),
        (
            [
                (
                    "args = TrainingArguments(\n  per_device_eval_batch_size=8,\n"
                    "  per_device_train_batch_size=8)\nt = Trainer(model, args=args)"
                ),
                "t.train()",
            ],
            "t.train()",
            3,
        ),
        (
            [
                (
                    "class T:\n  def __init__(self, a, b):\n    self.a, self.b = a, b\n"
                    "  def run(self):\n    for i in self.a:\n      g(i)\n"
                    "t = T(DataLoader(x, 8),\n  DataLoader(y, 8))"
                ),
                "t.run()",
            ],
            "t.run()",
            7,
        ),
        (["for i in range(0, n, 8):\n  f(x[i : i + 8])"], "f(x[i : i + 8])", 1),
    ],
)
def test_follows_the_loader(cells: list[str], fails: str, line: int) -> None:
    """Through names, calls, pairs, attributes and trainers."""
    keys = [str(n) for n in range(1, len(cells) + 1)]
    notebook = Notebook.of(zip(keys, cells, strict=True))
    at = [each.strip() for each in cells[-1].split("\n")].index(fails) + 1
    places = [(keys[-1], at, fails)]
    if "t.run" in fails:
        places.append(("1", 6, "g(i)"))
    found = Way(tuple(keys), tuple(places)).numbers(notebook.cells)
    assert {(key, number) for key, number, _ in found.places} == {("1", line)}


def test_says_nothing_where_it_cannot_follow() -> None:
    """A loader that comes out of somewhere."""
    notebook = Notebook.of([("1", "a = DataLoader(x, 8)"), ("2", "for i in find(7):\n  f(i)")])
    assert not Way(("1", "2"), (("2", 2, "f(i)"),)).numbers(notebook.cells)


@pytest.mark.parametrize(
    ("cell", "line"),
    [
        ("import conf\nfor i in DataLoader(x, conf.size):\n  f(i)", 2),
        ("from conf import size as n\nfor i in DataLoader(x, n):\n  f(i)", 2),
        ("from conf import loader\nfor i in loader(x):\n  f(i)", 4),
        ("size = 9\nfrom conf import given\nfor i in DataLoader(x, **given):\n  f(i)", 2),
    ],
)
def test_follows_into_a_file(cell: str, line: int) -> None:
    """Whose names are its own, whatever the notebook calls so."""
    text = (
        "import os\nsize = 8\ngiven = {'batch_size': size}\n"
        "def loader(d, n=8): return DataLoader(d, n)"
    )
    file = CellRun(None, None, text, "/x/conf.py", 0.0, path="conf.py")
    notebook = Notebook.of([("cell", cell)], files=[file])
    at = cell.split("\n").index("  f(i)") + 1
    way = Way(("conf.py", "cell"), (("cell", at, "f(i)"),))
    found = way.numbers((*notebook.files, *notebook.cells))
    assert {(key, number) for key, number, _ in found.places} == {("conf.py", line)}
