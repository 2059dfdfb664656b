"""What the text of the running code says: cells that fail at a marked line, without a framework."""

from __future__ import annotations

import itertools
import linecache
import sys
from typing import Any

import pytest
from gpu_headroom.code.rounds import grown_by_functions
from gpu_headroom.oom.running import Running, running

_NUMBERS = itertools.count()


class Model:
    """Something whose call fails, as a forward pass does that finds no memory."""

    def __call__(self, *_: object) -> Any:
        """Fail as it is called."""
        raise MemoryError


def fail(source: str, **names: Any) -> Running:
    """Run a cell that fails, and read what ran."""
    name = f"<cell {next(_NUMBERS)}>"
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
    space: dict[str, Any] = {"model": Model(), "data": [1, 2], "__name__": "__main__", **names}
    with pytest.raises(MemoryError) as caught:
        exec(compile(source, name, "exec"), space)  # noqa: S102  a cell is executed
    return running(caught.value)


TRAINING = {
    "a function that is given the loss": (
        "def back(loss):\n    loss.backward()\nfor x in [1]:\n    back(model(x))"
    ),
    "loop": "for x in data:\n    loss = model(x)\n    loss.backward()",
    "no loop": "loss = model(1)\nloss.backward()",
    "function": "def step(x):\n    out = model(x)\n    out.backward()\nfor x in data:\n    step(x)",
    "backward behind micro-batches": (
        "for step in data:\n    for x in data:\n        total = model(x)\n    total.backward()"
    ),
    "autograd": "import torch\nloss = model(1)\ntorch.autograd.grad(loss, data)",
}
EVALUATING = {
    "loop": "for x in data:\n    out = model(x)",
    "beside a training loop": (
        "for epoch in data:\n    for x in []:\n        x.backward()\n    for x in data:\n"
        "        out = model(x)"
    ),
    "beside a function that trains": (
        "def train(x):\n    loss = x\n    loss.backward()\n"
        "for epoch in [1]:\n    if not epoch: train(1)\n    model(1)"
    ),
    "after training": "for x in []:\n    x.backward()\nout = model(1)",
    "a function beside one": (
        "def train(x):\n    x.backward()\ndef validate(x):\n    return model(x)\nvalidate(1)"
    ),
}


@pytest.mark.parametrize("name", TRAINING)
def test_a_backward_pass_belongs_to_it(name: str) -> None:
    """It follows in the same function, or in the same loop."""
    assert fail(TRAINING[name]).trains


@pytest.mark.parametrize("name", EVALUATING)
def test_no_backward_pass_belongs_to_it(name: str) -> None:
    """One in a loop or a function beside it, or one before it, says nothing."""
    assert not fail(EVALUATING[name]).trains


def test_names_of_the_round_before() -> None:
    """What a loop sets at the failing line or behind it is still from the round before."""
    state = fail("for x in data:\n    y = x\n    out = model(y)\n    loss = out")
    assert state.previous == {"out", "loss"}
    assert state.bound >= {"x", "y", "out", "loss"}
    assert state.loops


def test_names_are_whose_they_are() -> None:
    """A function's, a closure's of the function around it, the notebook's by `global`."""
    source = (
        "def f(n):\n    kept = []\n    def g(x):\n        global seen\n        seen = own = [x]\n"
        "        for each in data:\n            kept.append(each)\n            own.append(each)\n"
        "            seen.append(each)\n            model(x)\n    g(n)\nf(1)"
    )
    around = "kept in f" if sys.version_info >= (3, 11) else "kept"  # where it is not known
    assert fail(source).growing - {".cache"} == {"seen", around, "own in g"}


def test_all_that_gives_a_name_a_value() -> None:
    """`with … as`, `match` and `:=`; not what a comprehension calls its own."""
    source = (
        "def f(data):\n    for x in data:\n        with open('/dev/null') as file:\n"
        "            match [x, 2]:\n                case [first, *rest]: pass\n"
        "            if (y := [z for z in data]) and model(x): pass\nf([1])"
    )
    names = {name for name in fail(source).bound if name.endswith(" in f")}
    assert names == {f"{name} in f" for name in ("x", "file", "first", "rest", "y")}


def test_what_a_loop_adds_to() -> None:
    """Sums and what is made from itself, but not where only a number of it goes on."""
    source = (
        "total = count = 0\nh = None\nfor x in data:\n    h, out = model(x, h)\n"
        "    total += out\n    count += out.item()"
    )
    state = fail(source)
    assert state.adding == {"total", "h"}


def test_what_each_round_begins_anew() -> None:
    """A loop's variable, and what gets another value before or behind, adds up to nothing."""
    source = (
        "made = kept = 1\nfor x in data:\n    x = x + 0\n    made = model(x)\n"
        "    kept = kept + made\n    kept = kept.bit_length()\n    if x:\n        made = made + 1"
    )
    assert fail(source).adding == {"kept"}


@pytest.mark.parametrize(
    ("source", "at_once"),
    [
        ("tasks = [create_task(x) for x in data]\nmodel(1)", False),
        ("gather(*[model(x) for x in [1]])", True),
        ("found = [x for x in as_completed([model(1)])]", True),
    ],
)
def test_a_line_beside_tasks_is_none_of_them(source: str, *, at_once: bool) -> None:
    """A cell that has begun some, and fails elsewhere, does not wait for them."""
    begin = "create_task = gather = as_completed = lambda *x: x\n"
    assert fail(begin + source).at_once is at_once


def test_what_the_running_code_puts_things_into() -> None:
    """An attribute of whatever object, a list in a dict, a dict by its keys."""
    source = (
        "class Kept: pass\nself = Kept(); self.outs = []\nlog = {'loss': []}\ntable = {}\n"
        "for x in data:\n    self.outs.append(model(x))\n    log['loss'].append(x)\n"
        "    table[x] = x"
    )
    assert fail(source).growing - {".cache"} == {".outs", "log", "table"}  # ours is among them


def test_layers_are_one_pass() -> None:
    """A loop through the parts of a model is no loop of rounds."""
    torch = pytest.importorskip("torch")
    source = "layers = torch.nn.ModuleList()\nh = 1\nfor layer in [layers]:\n    h = model(h)"
    name = "<cell of layers>"
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
    with pytest.raises(MemoryError) as caught:
        exec(compile(source, name, "exec"), {"model": Model(), "torch": torch, "__name__": "m"})  # noqa: S102  a cell is executed
    state = running(caught.value)
    assert not state.loops
    assert not state.adding


def test_says_nothing_of_text_that_is_not_at_hand() -> None:
    """No file is read, and nothing is guessed."""
    with pytest.raises(MemoryError) as caught:
        exec(compile("model(1)", "<gone>", "exec"), {"model": Model(), "__name__": "m"})  # noqa: S102  a cell is executed
    state = running(caught.value)
    assert not state.trains
    assert not state.growing


def test_reads_other_cells() -> None:
    """What their functions put things into that they have not made; never their `forward`."""
    functions = (
        "def cache(self):\n    self.memory.append(1)\n    own = []\n    own.append(1)\n"
        "def forward(self):\n    maps.append(1)"
    )
    assert grown_by_functions([functions, "broken ("]) == ({".memory"}, set())


def test_knows_the_attributes_that_functions_add_to() -> None:
    """A meter's sum, and the mean that it makes of it; a count that is a number as well."""
    meter = """class Meter:
    def update(self, value, n=1):
        self.last = value
        self.sum += value * n
        self.count += n
        self.mean = self.sum / self.count
"""
    _, added = grown_by_functions([meter])
    assert added == {".sum", ".count", ".mean"}


UNROLLED = """state, total, outs = 0, 0, []
for step in range(4):
    state = model(state) if step > 1 else abs(state)
    outs.append(state)
    total = total + state
sum(outs).backward()"""
COLLECT = "outs = []\nfor x in data:\n    outs.append(model(x))"
ONE_PASS: list[tuple[str, set[str]]] = [
    (UNROLLED, {"state", "outs", "total"}),
    (COLLECT + "\nsum(outs).backward()", {"outs"}),
    # it fails behind the loop
    (COLLECT.replace("model(x)", "x") + "\nmodel(outs)\nsum(outs).backward()", {"outs"}),
    # never begun anew, never read again, or gone backward with each round: what is kept stays
    (
        "outs = []\nfor _ in data:\n  for x in data: outs.append(model(x))\n  outs[0].backward()",
        set(),
    ),
    (COLLECT + "\nx.backward()", set()),
    (COLLECT, set()),
    (COLLECT + "\n    outs[-1].backward()\nsum(outs)", set()),
    # the parts of a sum could go backward one by one
    ("total = 0\nfor x in data:\n    total = total + model(x)\ntotal.backward()", set()),
]


@pytest.mark.parametrize(("source", "expected"), ONE_PASS)
def test_what_is_collected_for_a_backward_pass_behind(source: str, expected: set[str]) -> None:
    """A loop over time is one pass: its states and outputs are needed."""
    assert fail(source).one_pass == expected


def test_how_many_rounds_of_one_pass_have_begun() -> None:
    """What is still to come of it is as many rounds as are left."""
    assert fail(UNROLLED).rounds_done == 3 / 4
    assert fail(UNROLLED.replace("range(4)", "data")).rounds_done is None


@pytest.mark.parametrize(
    ("source", "first"),
    [
        ("def f():\n    for x in data:\n        loss = model(x)\nf()", True),
        ("for x in data:\n    loss = model(x)", True),
        ("loss = 1\nfor x in data:\n    loss = model(x)", False),
        ("for x in data:\n    if x == 2:\n        loss = model(x)\n    y = 1", False),
        ("for x in data:\n    loss = x if x == 1 else model(x)\n    del loss", False),
        ("for x in data:\n    model(x)", False),
        ("for x in data:\n    if x == 2:\n        loss = model(x)", False),
        ("for x in data:\n    if x == 1:\n        continue\n    loss = model(x)", False),
        ("for x in data:\n    with open('/dev/null'):\n        loss = model(x)", True),
        ("for n in data:\n    for x in data:\n        loss = model(x)", True),
        ("def f(x):\n    loss = model(x)\nfor x in data:\n    f(x)", False),
        ("model(1)", False),
    ],
)
def test_which_loop_is_in_its_first_round(source: str, *, first: bool) -> None:
    """Where a name tells that a round binds further on; else it may be any."""
    assert fail(source).first_round is first


def test_attributes_that_a_loop_adds_to() -> None:
    """`self.total` of a trainer is `trainer.total` outside, and no variable `total`."""
    state = fail("class T: total = 0\nt = T()\nfor x in data:\n    t.total = t.total + model(x)")
    assert state.adding == {".total"}


def test_what_a_library_does_in_several_threads_is_one_task() -> None:
    """A model's files are read by a pool; a person's own pool are several tasks."""
    pooled = (
        "from concurrent.futures import ThreadPoolExecutor\n"
        "def load(model):\n"
        "    with ThreadPoolExecutor() as pool:\n"
        "        return list(pool.map(model, [1, 2]))\n"
    )
    assert fail(f"{pooled}load(model)").at_once
    space: dict[str, Any] = {"__name__": "loading"}
    exec(compile(pooled, "/lib/site-packages/loading.py", "exec"), space)  # noqa: S102
    assert not fail("load(model)", load=space["load"]).at_once
