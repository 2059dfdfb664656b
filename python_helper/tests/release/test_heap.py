"""What would come back, by simulation, against what does: in bytes, on a simulated GPU."""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING, Any

import pytest
from gpu_headroom.concurrency.turns import Turn
from gpu_headroom.frameworks.torch.tensors import Torch
from gpu_headroom.holders.inspector import Inspector
from gpu_headroom.release import reference_graph
from gpu_headroom.release.heap import Candidates, Heap
from gpu_headroom.release.items import find
from gpu_headroom.release.leading import leading
from gpu_headroom.release.situation import Situation
from gpu_headroom.text.format import MIB

if TYPE_CHECKING:
    from gpu_headroom.release.memory import Storages
    from tests.notebook import Notebook

MODEL = "model = nn.Linear(1024, 1024, bias=False).cuda()\n"
BACKWARD = "model(torch.ones(1, 1024, device='cuda')).sum().backward()\n"
ADAM = "opt = torch.optim.Adam(model.parameters())\n"
TRAINED = f"{MODEL}{ADAM}{BACKWARD}opt.step()"
X = "x = torch.ones(1024, 1024, device='cuda', requires_grad=True)\n"
LRU = "from functools import lru_cache\n@lru_cache\ndef f(n): return tensor(n)\nx = f(8)\n"
THREAD = """
import threading
done = threading.Event()
def work(x):
    done.wait()
x = tensor(8)
thread = threading.Thread(target=work, args=(x,), daemon=True)
thread.start()
"""
ERROR = """
def work():
    x = tensor(8)
    raise ValueError
try:
    work()
except ValueError as error:
    kept = error
"""
CASES: dict[str, tuple[str, str, int]] = {
    "one name": ("x = tensor(64)", "x", 64),
    "an alias goes with it": ("x = tensor(64)\ny = x", "x", 64),
    "a list keeps it": ("x = tensor(64)\nxs = [x]", "x", 0),
    "a view keeps all of it": ("x = tensor(64)\nv = x[:1]", "x", 0),
    "a view is nothing by itself": ("x = tensor(64)\nv = x[:1]", "v", 0),
    "a list of its own": ("xs = [tensor(16) for _ in range(4)]", "xs", 64),
    "half of a list is shared": ("xs = [tensor(16), tensor(32)]\nx = xs[0]", "xs", 32),
    "deep in containers": ("d = {'a': [{'b': (tensor(8), {1: tensor(8)})}]}", "d", 16),
    "a cycle": ("d = {'t': tensor(8)}\nd['self'] = d", "d", 8),
    "an attribute": ("class A: pass\na = A()\na.x = tensor(8)", "a", 8),
    "a slot": ("class A:\n    __slots__ = ('x',)\na = A()\na.x = tensor(8)", "a", 8),
    "a class keeps it": ("class A: pass\nA.x = tensor(8)\na = A()\na.x = A.x", "a", 0),
    "a closure": ("def make():\n    x = tensor(8)\n    return lambda: x\nf = make()", "f", 8),
    "a default": ("def f(x=tensor(8)): pass", "f", 8),
    "a bound method": (
        "class A:\n    def m(self): pass\na = A()\na.x = tensor(8)\nm = a.m",
        "a",
        0,
    ),
    "a partial": ("from functools import partial\nf = partial(print, tensor(8))", "f", 8),
    "a generator": ("def g():\n    x = tensor(8)\n    yield\nit = g()\nnext(it)", "it", 8),
    "a memo of a function": (LRU, "x", 0),
    "the memo itself": (f"{LRU}del x", "f", 8),
    "a module keeps it": ("import json\nx = tensor(8)\njson.kept = x", "x", 0),
    "a thread keeps it": (THREAD, "x", 0),
    "a weak reference keeps nothing": ("import weakref\nx = tensor(8)\nr = weakref.ref(x)", "x", 8),
    "a deque": ("from collections import deque\nxs = deque([tensor(8)], maxlen=3)", "xs", 8),
    "a long list": ("xs = list(range(5000)) + [tensor(8)]", "xs", 8),
    "a long list of long lists": (
        "xs = [list(range(600)) for _ in range(600)]\nxs[7][7] = tensor(8)",
        "xs",
        8,
    ),
    "a long list shares what it holds": ("x = tensor(8)\nxs = [*range(600), x]", "xs", 0),
    "a displayed value": ("x = tensor(8)\nx", "x", 8),
    "a model": (MODEL, "model", 4),
    "an optimizer keeps the parameters": (f"{MODEL}{ADAM}", "model", 0),
    "gradients go with a model": (f"{MODEL}{BACKWARD}", "model", 8),
    "the state of an optimizer": (TRAINED, "opt", 8),
    "a graph goes with its loss": (f"{X}loss = x.exp().sin().sum()", "loss", 4),
    "a graph keeps what it saved": (f"{X}y = x.exp()\nloss = y.sin().sum()", "y", 0),
    "two losses share a graph": (
        f"{X}y = x.exp()\na = y.sin().sum()\nb = y.cos().sum()\ndel y",
        "a",
        0,
    ),
    "losses in a list": (f"{X}losses = [(x * n).sin().cos().sum() for n in (1, 2)]", "losses", 16),
    "losses at the host": (
        f"{X}losses = [(x * n).sin().cos().sum().cpu() for n in (1, 2)]",
        "losses",
        16,
    ),
    "a graph at the host keeps what it saved": (
        f"{X}y = x.exp()\nloss = y.sin().sum().cpu()",
        "y",
        0,
    ),
    "an error keeps a frame": (ERROR, "kept", 8),
}


@pytest.mark.parametrize("name", CASES)
def test_what_a_name_gives(notebook: Notebook, name: str) -> None:
    """The bytes foretold are those of the theory, and those that come back."""
    source, variable, mib = CASES[name]
    assert notebook.run(source).success
    gc.collect()
    notebook.run("1")
    heap = look(notebook)
    expected = sum_of(heap.retained([notebook.shell.user_ns[variable]]))
    before = notebook.in_use()
    delete(notebook, variable)
    actual = before - notebook.in_use()
    notebook.run(
        "import json\nif 'done' in globals(): done.set(); thread.join()\nvars(json).pop('kept', 0)"
    )
    assert (expected, actual) == (mib * MIB, mib * MIB) or near(expected, mib)
    assert expected == actual


def look(notebook: Notebook, cpu_s: float = 30.0) -> Heap:
    """Return the graph as it is now."""
    turn = Turn(cpu_s)
    with turn.walking():
        inspector = Inspector(turn, whole_blocks=True)
        return Heap(notebook.shell, inspector, Candidates.listed(inspector))


LINKED = """
class Node: pass
nodes = [Node() for _ in range(3000)]
for number, node in enumerate(nodes):
    node.after, node.before = nodes[min(number + 1, 2999)], nodes[max(number - 1, 0)]
nodes[7].value = tensor(8)
globals().update({f"n{number}": node for number, node in enumerate(nodes[:200])})
del nodes, node
"""


def test_many_names_of_one_structure_are_looked_through_once(
    notebook: Notebook, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A document or a tree with a name for each of its parts: one walk, not one for each name."""
    assert notebook.run(LINKED).success
    situation, followed = notebook.situation(), 0
    original = reference_graph.ReferenceGraph.all_referred_by

    def spy(graph: Any, numbers: Any) -> Any:
        nonlocal followed
        indices = list(numbers)
        followed += len(indices)
        return original(graph, indices)

    monkeypatch.setattr(reference_graph.ReferenceGraph, "all_referred_by", spy)
    items = {item.id: item for item in find(situation)}
    assert situation.complete
    assert sum_of(items["variable:n0"].gives) == 0
    assert followed < 10 * 3000


class _Watched(Turn):
    """Counts the steps between two moments in which it makes way."""

    def __init__(self) -> None:
        super().__init__(30.0)
        self.steps = self.most = 0

    def check(self) -> None:
        self.steps = 0

    def follow(self, number: int) -> list[int]:
        """Lead from each object to the next one; from the last thousand back as well."""
        self.steps += 1
        self.most = max(self.most, self.steps)
        return [min(number + 1, 4999), *([4000] if number >= 4000 else [])]


def test_a_long_walk_for_all_names_makes_way() -> None:
    """Along a chain, and in a component of a thousand objects, a little at a time."""
    turn = _Watched()
    totals = leading({0: 2, 10: 4}, turn.follow, turn)
    assert (totals[9], totals[10], totals[4999]) == (2, 6, 6)
    assert turn.most <= 2 * 256


def test_what_names_give_is_what_a_walk_for_each_would_say(notebook: Notebook) -> None:
    """Told at once for all names, of structures made by chance."""
    sizes = set()
    for seed in range(30):
        notebook.run(CHANCE.format(seed=seed))
        heap = looked(notebook)
        names = {name: obj for name, obj in notebook.shell.user_ns.items() if name[0] == "v"}
        spaces = [obj for obj, _ in heap._holders(None)]
        for name, value in names.items():
            result = heap.retained([value])
            assert result == heap.retained([value], spaces), (seed, name)
            sizes.add(sum_of(result))
        half = [*names.values()][::2]
        assert heap.retained(half) == heap.retained(half, spaces), seed
    notebook.run("del json.kept")
    assert len(sizes) > 5


CHANCE = """
import random
chance = random.Random({seed})
class Node: pass
made = [Node() for _ in range(12)]
for node in made:
    for name in "ab"[:chance.randrange(3)]: setattr(node, name, chance.choice(made))
    if chance.random() < 0.4: node.value = tensor(1)
    if chance.random() < 0.2: node.loss = torch.ones(512, device="cuda", requires_grad=True).exp()
shared = [each.value for each in made if hasattr(each, "value")]
for number in range(5): globals()[f"v{{number}}"] = chance.choice([*made, [chance.choice(made)]])
v5 = chance.choice(shared) if shared else None
import json
json.kept = chance.choice(made) if chance.random() < 0.3 else None
def failing(node): 1 / 0
del made, shared, node
if chance.random() < 0.5: failing(chance.choice([v0, v1]))
"""


def sum_of(storages: Storages | None) -> int | None:
    """The bytes of all storages; `None` where they are not known."""
    return None if storages is None else storages.bytes


def near(foretold: int | None, mib: int) -> bool:
    """Whether no more than rounded scalars lie between two sizes."""
    return foretold is not None and 0 <= foretold - mib * MIB < 64 * 512


def delete(notebook: Notebook, variable: str) -> None:
    """Delete every name of a value, as a plan says it does."""
    shell: Any = notebook.shell
    value = shell.user_ns[variable]
    for space in (shell.user_ns, shell.user_ns_hidden, shell.history_manager.output_hist):
        for name in [name for name, entry in space.items() if entry is value]:
            del space[name]
    for last in ("_", "__", "___"):
        if getattr(shell.displayhook, last) is value:
            setattr(shell.displayhook, last, None)
    del value
    gc.collect()


def looked(notebook: Notebook) -> Heap:
    """Return the graph as it is before the test holds anything of it."""
    notebook.run("1")
    gc.collect()
    return look(notebook)


def test_gradients_of_a_pytorch_that_does_not_show_its_own_references(
    notebook: Notebook, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Versions before that hold gradients that no object leads to; nothing else does."""
    notebook.run(TRAINED)
    monkeypatch.setattr(Torch, "kept_by_itself", lambda *_: 0)
    heap, weight = looked(notebook), notebook.shell.user_ns["model"].weight
    assert not heap.knows(weight.grad)
    assert sum_of(heap.retained([weight.grad], [weight])) == 4 * MIB


def test_names_who_holds_the_rest(notebook: Notebook) -> None:
    """Other names of the same memory are told, a displayed value and a failed cell among them."""
    notebook.run("x = tensor(64)\ncache = [x]\nother = tensor(8)")
    output = notebook.run("x[:1]").execution_count
    failed = notebook.run("def work(arg):\n    1 / 0\nwork(x)").execution_count
    heap = look(notebook)
    names = set(heap.held_by([notebook.shell.user_ns["x"]]))
    assert (
        {"cache", f"Out[{output}]"}
        <= names
        <= {"cache", f"Out[{output}]", f"In [{failed}]", "In [ ]"}
    )
    assert len(names) == 3


def test_names_a_long_list_among_who_holds_the_rest(notebook: Notebook) -> None:
    """It is looked into as well where all memory has been found before: by way of `x` alone."""
    notebook.run("x = tensor(64)\nxs = [*range(600), x]")
    heap, value = looked(notebook), notebook.shell.user_ns["x"]
    assert set(heap.held_by([value])) == {"xs"}
    assert heap.reachable(notebook.shell.user_ns["xs"]).bytes == 64 * MIB
    assert heap.whole


def test_what_it_had_no_time_to_open_counts_as_held(
    notebook: Notebook, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Numbers stay true, and the plan says that there is more than was looked into."""
    monkeypatch.setattr(reference_graph, "_SHARE_FOR_OTHERS_ASKED", 0.0)
    monkeypatch.setattr(gc, "get_freeze_count", lambda: 0)  # of the test's own
    notebook.run("x = tensor(64)\nxs = [*range(600), x]\nalone = tensor(8)")
    gc.collect()
    situation = Situation(notebook.shell, Turn(30.0, asked=True))
    with situation.looking():
        names, heap = notebook.shell.user_ns, situation.heap
        assert sum_of(heap.retained([names["x"]])) == 0
        assert sum_of(heap.retained([names["alone"]])) == 8 * MIB
    assert not situation.complete


def test_holds_nothing_itself(notebook: Notebook) -> None:
    """The graph is numbers: what it has seen can be freed while it lives."""
    notebook.run("x = tensor(64)\nx.me = x")
    heap, before = looked(notebook), notebook.in_use()
    notebook.run("del x")
    gc.collect()
    assert before - notebook.in_use() == 64 * MIB
    assert heap is not None


def test_says_that_it_is_not_measured_when_the_time_is_up(notebook: Notebook) -> None:
    """Without time there is no number, instead of a wrong one."""
    notebook.run("x = tensor(64)")
    situation = Situation(notebook.shell, Turn(0.0))
    with situation.looking():
        assert not situation.sees
    assert not situation.complete
    assert [item.kind for item in find(situation)] == ["traceback", "garbage", "cache"]


def test_what_there_is_no_time_for_is_not_measured(notebook: Notebook) -> None:
    """A graph that was taken in time may still be too large to ask everything of it."""
    notebook.run("x = tensor(64)")
    heap = look(notebook)
    heap._turn._cpu_s = 0.0
    assert heap.retained([notebook.shell.user_ns["x"]]) is None


def test_asks_no_object_for_anything(notebook: Notebook) -> None:
    """Properties, `__class__`, `__eq__` and `__hash__` of foreign objects are not run."""
    notebook.run(
        "asked = []\n"
        "class Foreign:\n"
        "    def __getattribute__(self, name):\n"
        "        asked.append(name)\n        raise ValueError\n"
        "    def __eq__(self, other):\n        asked.append('eq')\n"
        "    def __hash__(self):\n        asked.append('hash')\n        return 1\n"
        "    def __repr__(self):\n        asked.append('repr')\n        return ''\n"
        "foreign = Foreign()\nobject.__setattr__(foreign, 'x', tensor(8))"
    )
    notebook.shell.user_ns["asked"].clear()
    heap = looked(notebook)
    assert sum_of(heap.retained([notebook.shell.user_ns["foreign"]])) == 8 * MIB
    assert notebook.shell.user_ns["asked"] == []
