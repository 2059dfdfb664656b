"""The gate: what an edit may do to a program, decided on all of its cells."""

from __future__ import annotations

import pytest
from gpu_headroom.code.facts import Live, ModelFacts
from gpu_headroom.code.gate import Gate
from gpu_headroom.code.notebook import CellCode, Notebook

MODEL = ModelFacts(frozenset(), frozenset(), training=True, is_trained=True, is_frozen=False)


def gate(*texts: str, live: Live | None = None) -> Gate:
    """Make the gate of a notebook of these cells."""
    cells = [CellCode(f"c{n}", text, f"In [{n}]") for n, text in enumerate(texts, 1)]
    return Gate(Notebook(cells), live or Live(models={"model": MODEL}))


def line_of(text: str, mark: str = "# here") -> int:
    """Return the line of a text that is marked."""
    return next(n for n, line in enumerate(text.split("\n"), 1) if mark in line)


LOOP = """for xb in data:
    out = model(xb)
    loss = out.sum()
    loss.backward()  # here
"""


def deletion(*texts: str, gone: str = "out") -> str | None:
    """Ask whether a name may go behind the marked line of the first cell; the reason, if not."""
    asked = gate(*texts)
    cell = asked.notebook.cells[0]
    statement = cell.statement_on(line_of(texts[0]))
    assert statement is not None
    why = asked.deletes(cell, statement, gone)
    return None if why is None else why["id"]


@pytest.mark.parametrize(
    "others",
    [
        (),
        ("out = 1\nprint(out)",),
        ("def f(out):\n    return out",),
        ("for out in y:\n    print(out)",),
        ("print([out for out in y])",),
        ("with open(p) as out:\n    out.write(t)",),
        ("if a:\n    out = 1\nelse:\n    out = 2\nprint(out)",),
        ("try:\n    out = 1\nfinally:\n    pass",),
        ("import out\nout.f()",),
    ],
)
def test_a_name_that_nobody_reads_may_go(others: tuple[str, ...]) -> None:
    """Others have one of their own."""
    assert deletion(LOOP, *others) is None


@pytest.mark.parametrize(
    "other",
    [
        "print(out)",
        "def f():\n    return out",
        "def f():\n    global out\n    print(out)",
        "class A:\n    size = out.shape",
        "f = lambda: out",
        "g = (out for _ in y)",
        "if a:\n    out = 1\nprint(out)",
        "while out.mean() > 0:\n    out = g()",
        "try:\n    out = f()\nexcept ValueError:\n    print(out)",
        "try:\n    f()\nfinally:\n    print(out)",
        "for x in y:\n    print(out)\n    out = x",
        "for x in y:\n    pass\nelse:\n    print(out)",
        "out += 1",
        "out[0] = 1",
        "%timeit out.sum()",
        "!echo {out}",
        "def broken(:\n  out",
        "exec(text)",
        "match out:\n    case _:\n        pass",
    ],
)
def test_a_name_that_is_read_stays(other: str) -> None:
    """In another cell, whatever its shape; also where that cannot be told."""
    assert deletion(LOOP, other) is not None


@pytest.mark.parametrize(
    "text",
    [
        "while cond(out):\n    out = g()\n    h()  # here",
        "for x in y:\n    out = g()\n    h()  # here\nelse:\n    print(out)",
        "try:\n    for x in y:\n        out = g()\n        h()  # here\nfinally:\n    print(out)",
        "for x in y:\n    if x:\n        print(out)\n    out = g()\n    h()  # here",
        "for x in y:\n    out = g()\n    h()  # here\nprint(out)",
        "def f(y):\n    for x in y:\n        out = g()\n        h()  # here\n    return out",
        "def f(y):\n    out = g()\n    h()  # here\n    def i():\n        return out\n    return i",
        "def f(y):\n    global out\n    out = g()\n    h()  # here",
        "def f(y):\n    print(out)\n    h()  # here",
    ],
)
def test_what_its_own_code_reads_later_stays(text: str) -> None:
    """In the test of a loop, in `else`, `finally`, the next round, behind it, in a closure."""
    assert deletion(text) is not None


def test_a_local_is_no_global() -> None:
    """A function's own name goes though another cell has one of the same name."""
    text = "def f(y):\n    out = g()\n    h()  # here\n    return 1"
    assert deletion(text, "print(out)") is None


KEEP = "for xb in data:\n    losses.append(model(xb).mean())\n"


@pytest.mark.parametrize(
    "others",
    [
        (),
        ("plt.plot(losses)", "import matplotlib.pyplot as plt"),
        ("print(sum(losses) / len(losses))",),
        ("total = sum(losses)\nprint(total.item())",),
        ("def show(values):\n    print(values[-1])\nshow(losses)",),
        ("opt.zero_grad()\nloss = model(x).mean()\nloss.backward()",),
        ("best = min(l.item() for l in losses)\nx = model(best).sum()\nx.backward()",),
    ],
)
def test_what_no_gradient_is_asked_of_may_be_detached(others: tuple[str, ...]) -> None:
    """Shown, summed up, handed to a function that shows it."""
    asked = gate(KEEP, *others)
    assert asked.detaches(asked.notebook.cells[0], "losses") is None


@pytest.mark.parametrize(
    "other",
    [
        "sum(losses).backward()",
        "total = sum(losses)\n(total / 3).backward()",
        "def step(values):\n    torch.stack(values).mean().backward()\nstep(losses)",
        "def last(values):\n    return values[-1]\nloss = last(losses)\nloss.backward()",
        "class A:\n  def f(s):\n    s.lp = losses\n  def g(self):\n    sum(self.lp).backward()",
        "import torch\ntorch.autograd.grad(losses[0], x)",
        "for each in losses:\n    each.backward()",
        "[each.backward() for each in losses]",
        "engine.step(losses)",
        "first, *rest = losses\nfirst.backward()",
        "f = lambda: sum(losses)\nf().backward()",
        "d = {'a': losses}\nd['a'][0].backward()",
        "def broken(:",
        "%run_with losses",
        "print(losses[0].grad_fn)",
    ],
)
def test_what_gradients_are_asked_of_keeps_its_graph(other: str) -> None:
    """In the next cell, through a parameter, an attribute, a return, code that is not here."""
    asked = gate(KEEP, other)
    assert asked.detaches(asked.notebook.cells[0], "losses") is not None


EVALUATE = "def predict(x):\n    return model(x)\n"


@pytest.mark.parametrize(
    ("other", "is_safe"),
    [
        ("print(predict(x).argmax())", True),
        ("outs = [predict(x) for x in data]", True),
        ("loss = f(predict(x), y)\nloss.backward()", False),
        ("def fit(x):\n    loss = predict(x).mean()\n    loss.backward()\nfit(x)", False),
        ("run(predict)", False),
        ("trainer.predict = predict", False),
        ("z = predict(x)\nw = z * 2\nw.sum().backward()", False),
    ],
)
def test_a_function_is_wrapped_where_no_caller_needs_gradients(other: str, is_safe: bool) -> None:
    """All callers are asked."""
    asked = gate(EVALUATE, other)
    cell, node = asked.notebook.functions["predict"][0]
    assert (asked.wraps(cell, node) is None) is is_safe


def test_a_name_that_is_somebodys_is_not_bound() -> None:
    """In a cell, a function, a magic, the namespace, or among Python's own."""
    live = Live(frozenset({"scaler"}))
    asked = gate("def f(part):\n    return part\n%time gpu", live=live)
    assert [asked.binds(each) is None for each in ("part", "gpu", "scaler", "len", "chunk")] == [
        *([False] * 4),
        True,
    ]
