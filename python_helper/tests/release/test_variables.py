"""Variables and what loops leave behind: each item deletes exactly its names."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from gpu_headroom.code.loops import left_behind
from gpu_headroom.concurrency.turns import Turn
from gpu_headroom.release import variables
from gpu_headroom.release.items import SAFE
from gpu_headroom.text.format import MIB
from tests.release.conftest import found

if TYPE_CHECKING:
    from pathlib import Path

    from gpu_headroom.release.freeable import Freeable
    from tests.notebook import Notebook

LOADER = "loader = [1, 2, 3]\nmodel = nn.Linear(1024, 1024, bias=False).cuda()"


def variables_of(notebook: Notebook) -> dict[str, Freeable]:
    """Return variables and left-overs but for the `keep` of the fixture."""
    return {
        name: item
        for name, item in found(notebook, variables.items).items()
        if "keep" not in item.names
    }


def test_deletes_a_variable_and_all_names_of_the_same_object(notebook: Notebook) -> None:
    """Aliases are one item; none of them is left, nor any displayed value of it."""
    before = notebook.in_use()
    notebook.run("x = tensor(64)\ny = x\nx")
    (item,) = variables_of(notebook).values()
    assert (item.id, item.names, item.expected_bytes) == ("variable:x", ("x", "y"), 64 * MIB)
    assert item.kind not in SAFE
    assert item.confirm is not None
    assert item.confirm["text"].startswith("Delete `x, y`? 64 MiB.")
    del item
    assert notebook.free("variable:x").freed_bytes == 64 * MIB
    assert notebook.in_use() == before
    assert not {"x", "y"} & set(notebook.shell.user_ns)
    assert notebook.run("_ is None and Out").success
    assert notebook.run("7").success
    assert notebook.run("_").result == 7


def test_deletes_what_a_script_left(notebook: Notebook, tmp_path: Path) -> None:
    """IPython keeps the namespace of a script that `%run` ran, and its functions may use it."""
    before = notebook.in_use()
    script = "import torch\nx = torch.empty(64 * 2**20, dtype=torch.uint8, device='cuda')\n"
    path = tmp_path / "script.py"
    path.write_text(f"{script}def size():\n    return x.nbytes\n")
    assert notebook.run(f"%run {path}").success
    assert variables_of(notebook)["variable:x"].expected_bytes == 64 * MIB
    assert notebook.free("variable:x").freed_bytes == 64 * MIB
    assert notebook.in_use() == before
    # Where a name has another value by now the one of the script is another variable's.
    notebook.run(f"%run {path}")
    notebook.run("x = tensor(32)")
    assert notebook.free("variable:x").freed_bytes == 32 * MIB
    assert notebook.run("size()").result == 64 * MIB


@pytest.mark.parametrize(
    ("source", "item_id", "holder"),
    [
        ("x = tensor(64)\ncache = {'x': x}", "variable:x", "cache"),
        ("x = tensor(64)\nhead = x[:1]", "variable:x", "head"),
        ("x = tensor(64)\nhead = x[:1]", "variable:head", "x"),
    ],
)
def test_says_who_else_holds_it(notebook: Notebook, source: str, item_id: str, holder: str) -> None:
    """Where another name shares the memory, nothing is promised, and the name is said."""
    notebook.run(source)
    item = variables_of(notebook)[item_id]
    assert item.expected_bytes == 0
    assert item.cost["params"] == {"name": holder}
    assert item.blocked is None


def test_says_whose_graph_it_is(notebook: Notebook) -> None:
    """Of a graph that two results have it names the other, not the model that the graph uses."""
    notebook.run(
        "model = nn.Linear(1024, 1024).cuda()\n"
        "hidden = torch.relu(model(torch.randn(4096, 1024, device='cuda')))\n"
        "loss = hidden.square().sum()\nother = torch.relu(hidden).sum()\ndel hidden"
    )
    items = variables_of(notebook)
    assert items["variable:loss"].cost["params"] == {"name": "other"}
    assert items["variable:other"].cost["params"] == {"name": "loss"}


def test_is_blocked_where_code_holds_the_same(notebook: Notebook) -> None:
    """A closure keeps it, and no closure is ever deleted."""
    notebook.run("def make(x):\n    return lambda: x\nx = tensor(64)\npredict = make(x)\n")
    items = variables_of(notebook)
    assert set(items) == {"variable:x"}
    blocked = items["variable:x"].blocked
    assert blocked is not None
    assert blocked["params"] == {"name": "predict"}
    items.clear()
    outcome = notebook.free("variable:x")
    assert outcome.freed_bytes == 0
    assert outcome.items[0]["message"] == blocked
    assert "x" in notebook.shell.user_ns


def test_two_that_share_come_back_together(notebook: Notebook) -> None:
    """Each alone frees nothing; both of them free all."""
    notebook.run("x = tensor(64)\nhead = x[:1]")
    assert notebook.free("variable:x", "variable:head").freed_bytes == 64 * MIB


def test_never_offers_code_or_small_things(notebook: Notebook) -> None:
    """Modules, functions and classes stay, and so does what is not worth a line."""
    notebook.run(
        "import json\njson.kept = tensor(8)\ndef f(x=tensor(8)): pass\n"
        "class A:\n    x = tensor(8)\nsmall = torch.ones(8, device='cuda')\n"
        "on_host = torch.ones(2**20)"
    )
    assert variables_of(notebook) == {}
    notebook.run("del json.kept")


def test_leaves_what_an_error_remembers_to_the_error(notebook: Notebook) -> None:
    """A list of errors is no variable to delete: their tracebacks have an item of their own."""
    notebook.run(
        "kept = []\ndef work():\n    x = tensor(64)\n    1 / 0\n"
        "try:\n    work()\nexcept ZeroDivisionError as error:\n    kept.append(error)"
    )
    assert variables_of(notebook) == {}


def test_offers_the_largest_only(notebook: Notebook) -> None:
    """Twenty rows are enough to read; `keep` of the fixture is one of them."""
    notebook.run("for n in range(30):\n    globals()[f'x{n}'] = tensor(n + 2)")
    assert {item.names[0] for item in variables_of(notebook).values()} == {
        f"x{n}" for n in range(11, 30)
    }


def test_offers_what_a_loop_left_behind_as_such(notebook: Notebook) -> None:
    """The last batch and what the body made of it; the model that other code uses stays."""
    before = notebook.in_use()
    notebook.run(LOADER)
    size = notebook.in_use()
    notebook.run("for n in loader:\n    batch = tensor(32)\n    hidden = tensor(16)")
    notebook.run("def predict():\n    return model")
    items = variables_of(notebook)
    assert {name: item.expected_bytes for name, item in items.items()} == {
        "variable:model": size - before,
        "leftover:batch": 32 * MIB,
        "leftover:hidden": 16 * MIB,
    }
    items.clear()
    assert notebook.free("leftover:batch", "leftover:hidden").freed_bytes == 48 * MIB
    assert notebook.in_use() == size


LOOPS: dict[str, tuple[tuple[str, ...], set[str]]] = {
    "target and body": (("for batch in a:\n    loss = f(batch)",), {"batch", "loss"}),
    "pairs": (("for i, (x, y) in a:\n    pass",), {"x", "y"}),
    "while": (("while True:\n    batch = next(a)\n    break",), {"batch"}),
    "nested": (("for i in a:\n    for batch in i:\n        x = batch",), {"batch", "x"}),
    "within if, try and with": (
        ("if a:\n    try:\n        with a:\n            for x in a: pass\n    finally: pass",),
        {"x"},
    ),
    "as": (("with a as x:\n    for y in x:\n        f(x, y)",), {"x", "y"}),
    "a timed cell": (("%%time\nfor x in a:\n    y = x",), {"x", "y"}),
    "a function's own name": (("def f(x):\n    return x", "for x in a:\n    f(x)"), {"x"}),
    "a comprehension's own name": (("for x in a: pass", "z = [x for x in b]"), {"x"}),
    "read by a function": (("def f():\n    return x", "for x in a:\n    f()"), set()),
    "read by another cell": (("for x in a:\n    y = x", "y + 1"), {"x"}),
    "read after the loop": (("for x in a:\n    y = x\nprint(x)",), {"y"}),
    "read by a magic": (("for x in a: pass", "%time f(x)"), set()),
    "read by what is no Python": (("for x in a: pass", "%%bash\necho $x $$ ((x"), set()),
    "an accumulator": (("loss = 0\nfor x in a:\n    loss += f(x)",), {"x"}),
    "carried on": (("for x in a:\n    y = x\nfor z in a:\n    print(y)",), {"x"}),
    "no loop": (("x = f()\nwith a:\n    y = x",), set()),
    "in a function": (("def f():\n    for x in a:\n        y = x",), set()),
    "global in a function": (("for x in a: pass", "def f():\n    global x\n    x = x + 1"), set()),
}


@pytest.mark.parametrize("case", LOOPS)
def test_tells_what_loops_leave_behind(case: str) -> None:
    """Only what nothing but the loops that assign it reads."""
    sources, expected = LOOPS[case]
    assert left_behind(sources, {"batch", "loss", "x", "y"}, Turn(30.0)) == expected
