"""What is let go of before cells run again: names that they set before they read them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from gpu_headroom.release import items as freeable_items
from gpu_headroom.release import outcome as releasing
from gpu_headroom.release.items import measured
from gpu_headroom.rerun.code import makes_anew, set_first, trained_before, trains_again
from gpu_headroom.rerun.overwritten import offer, settle

if TYPE_CHECKING:
    from gpu_headroom.cells.runs import CellRun
    from gpu_headroom.release.situation import Situation
    from tests.notebook import Notebook

MIB = 2**20
USE = "def use():\n    return kept\n"


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("x = make()\ny = x + 1", {"x", "y"}),
        ("y = x + 1\nx = make()", {"y"}),
        ("total += x", set()),
        ("x[0] = 1\nx = 2", set()),
        ("for x in data:\n    out = f(x)\nprint(out)", {"x", "out"}),
        ("for x in data:\n    h = f(x, h)", {"x"}),
        ("while more():\n    x = 1", set()),
        ("while True:\n    x = 1", {"x"}),
        ("if ready:\n    x = 1\nprint(x)", set()),
        ("if ready:\n    x = 1\nelse:\n    x = 2", {"x"}),
        ("try:\n    x = f()\n    y = g()\nexcept E:\n    x = 1", {"x"}),
        ("try:\n    x = f()\nexcept E:\n    print(x)", set()),
        ("try:\n    f()\nfinally:\n    x = 1", {"x"}),
        ("with suppress(E):\n    x = f()", set()),
        ("with open(p) as file:\n    x = f(file)", {"file", "x"}),
        ("match x:\n    case 1:\n        y = 1", set()),
        ("parts = [x for x in data]", {"parts"}),
        ("parts = [last := x for x in data]", {"parts", "last"}),
        ("del x\nx = 1", set()),
        ("x = 1\ndel x", set()),
        ("exec(code)\nx = 1", set()),
        ("%time y = f(x)\nx = 1", set()),
        ("x = 1\n%time y = f(x)", set()),
        (f"{USE}kept = 1", {"use"}),
        ("copied = copy.deepcopy(net)\ndef use():\n    return copied", {"copied", "use"}),
        ("def use():\n    return copied\nuse()\ncopied = f(net)", {"use"}),
        ("def reset():\n    global x\n    del x\nreset()\nx = 1", {"reset"}),
        ("broken (", set()),
    ],
)
def test_only_what_is_set_before_it_is_read(source: str, names: set[str]) -> None:
    """In the order in which the cell runs; a function may read at any time."""
    assert set_first([source], [source]) == [names]


@pytest.mark.parametrize(
    ("before", "names"),
    [
        ("predict()", {"y"}),
        ("list(map(predict, data))", {"y"}),
        ("for each in loader:\n    pass", {"each", "y"}),
        ("torch.manual_seed(0)", {"x", "y"}),
    ],
)
def test_what_a_function_of_another_cell_reads_stays(before: str, names: set[str]) -> None:
    """It may be called before the name is set, by being handed on or iterated as well."""
    definition = "def predict():\n    return model(x)\nloader = Loader()"
    cell = f"{before}\nx = 1\ny = 2"
    assert set_first([cell], [definition, cell]) == [names]


@pytest.mark.parametrize(
    ("run", "names"),
    [
        # An earlier one reads the name.
        (["score(x)", "x = 1"], [set(), set()]),
        # It is set by then.
        (["x = 1", "score(x)\nx = 2"], [{"x"}, set()]),
        # Whoever sets it first has it.
        (["x = 1\ny = 1", "y = x"], [{"x", "y"}, set()]),
        # What cannot be read may read all.
        (["x = 1", "broken (", "y = 1"], [{"x"}, set(), set()]),
        (["del x", "x = 1"], [set(), set()]),
    ],
)
def test_no_cell_of_a_run_loses_what_it_needs(run: list[str], names: list[set[str]]) -> None:
    """Names go before the first of the cells runs."""
    assert set_first(run, run) == names


@pytest.mark.parametrize(
    ("source", "path", "anew"),
    [
        ("model = Net()", "model", True),
        ("run.model = Net()", "run.model", True),
        ("run = Run()", "run.model", True),
        ("run.model = Net()", "run.optimizer", False),
        ("model.load_state_dict(state)", "model", True),
        ("model(x)", "model", False),
        ("def make():\n    model = Net()\n    return model\nother = make()", "model", False),
        ("reset()", "model", True),
    ],
)
def test_what_makes_a_model_anew(source: str, path: str, *, anew: bool) -> None:
    """As the cell runs, not where it only defines what would."""
    definition = "def reset():\n    global model\n    model = Net()"
    assert makes_anew(source, path, [definition, source]) is anew


@pytest.mark.parametrize(
    ("source", "trains"),
    [
        ("loss.backward()", True),
        ("for x in data:\n    step(x)", True),
        ("trainer.train()", True),
        ("def step(x):\n    loss.backward()", False),
        ("a, b = train_test_split(x)", False),
        ("trainer = Trainer(model, args)", False),
        ("evaluate(model)", False),
    ],
)
def test_what_trains(source: str, *, trains: bool) -> None:
    """Through functions of other cells as well; what is only defined does not."""
    definition = "def step(x):\n    loss = model(x).sum()\n    loss.backward()\n    opt.step()"
    assert trains_again(source, [definition]) is trains


@pytest.mark.parametrize(
    ("source", "line", "trained"),
    [
        ("train(8)\nscore()", 2, True),
        ("train(8)\nscore()", 1, False),
        ("if x:\n    step(1)\nscore()", 3, True),
        ("for n in a:\n    score()\n    step(n)", 2, False),
        ("def main():\n    step(1)\n    score()\nmain()", 3, True),
        ("train(8)\ndef main():\n    score()\nmain()", 3, False),
        ("def main():\n    step(1)\nscore()", 3, False),
        ("broken (", 1, True),
    ],
)
def test_what_had_trained_before_a_line(source: str, line: int, *, trained: bool) -> None:
    """In the same cell or function; what is only defined before has not."""
    definition = "def step(x):\n    loss.backward()"
    assert trained_before(source, line, [definition]) is trained


def offered(notebook: Notebook, *cell_ids: str) -> tuple[Situation, list[str]]:
    """Ask what goes before cells run again; return what a release is then made with."""
    situation = notebook.situation()
    runs = {each.key: each for each in situation.cells}
    run: list[CellRun] = [runs[each] for each in cell_ids]
    sources = {key: each.source for key, each in runs.items()}
    items = measured(situation, offer(situation, run, sources))
    settle(situation, items)
    return situation, [each.id for each in items]


def free(notebook: Notebook, *cell_ids: str) -> releasing.Outcome:
    """Agree to all that goes before cells run again."""
    situation, ids = offered(notebook, *cell_ids)
    return releasing.run(ids, situation, notebook.read, ids)


def test_lets_go_of_the_values_of_a_failed_run(notebook: Notebook) -> None:
    """On a wish that names the cell and agrees; nothing else goes, and no plan lists it."""
    notebook.run("import torch\nkept = torch.empty(2**20, device='cuda')", cell_id="kept")
    notebook.run("x = torch.empty(2**24, device='cuda')\n1 / 0", cell_id="failed")
    situation, (item,) = offered(notebook, "failed")
    assert item not in {row["id"] for row in freeable_items.plan(situation)}
    outcome = free(notebook, "failed")
    assert outcome.freed_bytes == 64 * MIB
    assert notebook.run("kept + 1").success
    assert not notebook.run("x").success


def test_lets_go_of_what_the_cell_displayed(notebook: Notebook) -> None:
    """Each run of it, and no other cell."""
    notebook.run("import torch\ntorch.empty(2**24, device='cuda')", cell_id="other")
    for _ in range(3):
        notebook.run("torch.empty(2**24, device='cuda')", cell_id="shows")
    outcome = free(notebook, "shows")
    assert outcome.freed_bytes == 3 * 64 * MIB
    assert len(notebook.shell.history_manager.output_hist) == 1


def test_lets_go_of_what_a_checkpoint_computed_again(notebook: Notebook) -> None:
    """Nothing shows it, and the graph of a small loss holds it."""
    notebook.run(
        "import torch\nfrom torch.utils.checkpoint import checkpoint\n"
        "net = torch.nn.Sequential(*[torch.nn.Linear(1024, 1024) for _ in range(4)]).cuda()"
    )
    result = notebook.run(
        "x = torch.randn(8, 1024, device='cuda')\n"
        "loss = checkpoint(net, x, use_reentrant=False).sum()\n"
        "loss.backward(stop_here)",
        cell_id="failed",
    )
    assert not result.success
    outcome = free(notebook, "failed")
    assert "loss" not in notebook.shell.user_ns
    assert outcome.status == "done"


def test_needs_agreement(notebook: Notebook) -> None:
    """It deletes variables: without a yes nothing happens."""
    notebook.run("import torch\nx = torch.empty(2**24, device='cuda')", cell_id="one")
    situation, ids = offered(notebook, "one")
    with pytest.raises(ValueError, match="rerun:"):
        releasing.run(ids, situation, notebook.read)


def test_asks_by_name_and_size(notebook: Notebook) -> None:
    """In a sentence that says who makes it anew."""
    notebook.run("import torch\nx = torch.empty(2**24, device='cuda')", cell_id="one")
    situation = notebook.situation()
    run = situation.cells[-1]
    (item,) = measured(situation, offer(situation, [run], {"one": run.source}))
    assert item.confirm is not None
    sentence = f"Deleted first: `x` (64 MiB). Re-created by In [{run.execution_count}]."
    assert item.confirm["text"] == sentence


def test_frees_nothing_that_was_not_offered_or_is_not_as_it_was(notebook: Notebook) -> None:
    """A page that agrees for itself, and one whose person agreed before another cell ran."""
    notebook.run("import torch\nx = torch.empty(2**24, device='cuda')", cell_id="one")
    situation, ids = offered(notebook, "one")
    own = releasing.run(["rerun:one"], situation, notebook.read, ["rerun:one"])
    assert (own.status, own.message["id"]) == ("failed", "released.stale")
    notebook.run("y = x + 1", cell_id="two")
    later = notebook.situation()
    later.kept.update(situation.kept)
    late = releasing.run([*ids, "garbage"], later, notebook.read, ids)
    assert (late.status, late.message["id"]) == ("failed", "released.stale")
    assert notebook.run("x.numel() and y.numel()").success
