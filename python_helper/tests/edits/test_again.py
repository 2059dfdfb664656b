"""Which cells run again after an edit: no more than have to, and none that is needed left out."""

from __future__ import annotations

import pytest
from gpu_headroom.code.facts import Live, ModelFacts
from gpu_headroom.code.notebook import Notebook
from gpu_headroom.edits.again import Again

LOOP = "for x in loader:\n  loss = model(x)\n  loss.backward()\n  opt.step()"


def run(
    cells: list[str],
    edited: int = 1,
    lines: set[int] | None = None,
    fails: str = "",
    lengths: dict[str, int] | None = None,
) -> str:
    """Ask about cells called 1, 2, 3 …, of which the last failed in a line."""
    keys = [str(n) for n in range(1, len(cells) + 1)]
    texts = [text.strip() for text in cells[-1].split("\n")]
    line = texts.index(fails) + 1 if fails else len(texts)
    notebook = Notebook.of(zip(keys, cells, strict=True))
    changes = {str(edited): lines if lines is not None else {1}}
    models = {"model": ModelFacts(frozenset())}
    live = Live(models=models, lengths=lengths or {}, streams=frozenset({"source"}))
    again = Again(notebook, keys, line, changes, live)
    return "".join(again.run())


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        # A number of the failing cell's own, of the cell before, and what carries it there.
        (["n = 8\nstep(n)"], "1"),
        (["n = 8", "step(n)"], "12"),
        (["n = 8", "loader = DataLoader(x, n)", "step(loader)"], "123"),
        (["n = 8", "print(n)", "loader = DataLoader(x, n)", "step(loader)"], "134"),
        # Where no name leads there, what was edited runs all the same.
        (["n = 8", "y = 3", "step(z)"], "13"),
        # Functions and classes read what they read when they are called.
        (["n = 8", "def load(): return DataLoader(x, n)", "step(load())"], "13"),
        (["n = 8", "def load(k=n): return DataLoader(x, k)", "step(load())"], "123"),
        (["def train(n=8):\n  pass", "train()"], "12"),
        (["n = 8\nclass Net: pass", "model = Net()", "fit(model, n)"], "13"),
        (["net = Net(8)", "net.load(state)", "net(x)"], "123"),
        (["net = Net(8)", "print(net)", "net(x)"], "13"),
        # What undoes it, too: else both are there, or the name is.
        (["raw = load(8)\nx = raw[0]", "del raw", "step(x)"], "123"),
        (["raw = load(8)", "raw = raw.half()", "step(raw)"], "123"),
        (["raw = load(8)", "raw = None", "step(raw)"], "123"),
        (["items = load(8)", "items.append(y)", "step(items)"], "123"),
        (["raw = load(8)\nx = raw[0]", "raw = other()", "step(x)"], "13"),
        # The command line.
        (["sys.argv = ['x', '-b', '8']", "args = parser.parse_args()", "train(args)"], "123"),
    ],
)
def test_what_carries_an_edit_on(cells: list[str], expected: str) -> None:
    """From the edited cell to the failing one, and nothing that only looks at it."""
    assert run(cells) == expected


@pytest.mark.parametrize(
    ("cells", "fails", "expected"),
    [
        (["rows = load()", "rows, held = split(rows)\nn = 8", LOOP], "loss = model(x)", "123"),
        (["rows = load()", "rows = rows.to(device)\nn = 8", LOOP], "loss = model(x)", "23"),
        (["model = Net()\nopt = Adam(model)", "n = 8", LOOP], "loss = model(x)", "23"),
        (["rows = load()", "n = size(rows)", "del rows", "model(n)"], "model(n)", "1234"),
        (["count = 0", "count += 1\nmodel(count)"], "model(count)", "12"),
        (["source = iter(rows)", "row = next(source)\nmodel(row)"], "model(row)", "12"),
        (["kept = []", "def f():\n  kept.append(1)", "f()\nmodel(kept)"], "model(kept)", "123"),
        (["model = Net()", "model.fc.register_forward_hook(f)\nmodel(x)"], "model(x)", "12"),
    ],
)
def test_what_has_another_value_by_now_is_made_again(
    cells: list[str], fails: str, expected: str
) -> None:
    """By the cell that made what was read the first time; of the failing cell only what ran."""
    last = cells[1].count("\n") + 1
    assert run(cells, edited=2, lines={last}, fails=fails) == expected


def test_an_empty_list_was_not_filled() -> None:
    """The failing cell fills it later."""
    cells = ["kept = []", "for x in loader:\n  kept.append(x)\n  model(x)"]
    assert run(cells, edited=2, fails="model(x)") == "12"
    assert run(cells, edited=2, fails="model(x)", lengths={"kept": 0}) == "2"


def test_a_function_whose_lines_stay_is_the_same() -> None:
    """Only what stands on the edited lines carries a change."""
    cells = ["def helper(): ...\nn = 8", "model = helper()", "fit(model, n)"]
    assert run(cells, lines={2}) == "13"
    assert run(cells, lines={1}) == "123"
