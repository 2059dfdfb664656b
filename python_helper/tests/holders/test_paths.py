"""Who holds it: the ways from a name to an object, in words, and what is said where none leads."""

from __future__ import annotations

import gc
import threading
import weakref
from typing import TYPE_CHECKING, Any

import pytest
from gpu_headroom.concurrency.turns import Turn
from gpu_headroom.holders import collector, referrers
from gpu_headroom.holders.account import take
from gpu_headroom.holders.paths import Ways, find

if TYPE_CHECKING:
    from tests.notebook import Notebook


def largest(notebook: Notebook) -> str:
    """Return the id of the largest part of the largest holder."""
    account = take(notebook.shell, notebook.read(), Turn(30.0))
    row = account.as_wire("helper", None)["devices"][0]["rows"][0]
    return row["parts"][0]["id"]


def ways_to_largest(notebook: Notebook, source: str) -> Ways:
    """Run a cell that must succeed, and ask who holds the largest part."""
    result = notebook.run(source)
    assert result.success, notebook.printed
    del result
    return find(largest(notebook), notebook.shell, notebook.read(), Turn(30.0))


def texts_of(ways: Ways) -> list[str]:
    """Return each way as a person reads it."""
    return [" → ".join(step["text"] for step in way) for way in ways.paths]


@pytest.mark.parametrize(
    ("source", "way"),
    [
        ("x = tensor(8)", "`x`"),
        ("history = [0, {'loss': tensor(8)}]", "`history` → list → item 1 → key `'loss'`"),
        ("class Run: pass\nrun = Run()\nrun.best = tensor(8)", "`run` → Run → attribute `best`"),
        ("model = nn.Linear(1024, 1024).cuda()", "`model` → Linear → parameter `weight`"),
        (
            "def make():\n    data = tensor(8)\n    return lambda: data\nstep = make()",
            "`step` → function → closure variable `data`",
        ),
        (
            (
                "w = torch.ones(1, device='cuda', requires_grad=True)\n"
                "x = torch.ones(2**21, device='cuda')\n"
                "history = [(x * w).exp().sum()]\ndel x"
            ),
            "`history` → list → item 0 → autograd graph",
        ),
        (
            (
                "class Work:\n    def __init__(self): self.data = tensor(8)\n"
                "    def go(self): pass\ngo = Work().go"
            ),
            "`go` → method → the object of a method → attribute `data`",
        ),
    ],
)
def test_says_the_way_from_a_name(notebook: Notebook, source: str, way: str) -> None:
    """What a name leads to is told step by step, in words."""
    ways = ways_to_largest(notebook, source)
    assert texts_of(ways) == [way]
    assert ways.message["text"] == "One way leads to it."
    assert ways.complete


def test_says_the_way_from_a_failed_cell(notebook: Notebook) -> None:
    """A variable that a traceback keeps is told with its function."""
    assert not notebook.run("def train():\n    batch = tensor(8)\n    1/0\ntrain()").success
    ways = find(largest(notebook), notebook.shell, notebook.read(), Turn(30.0))
    assert len(ways.paths) == 1
    assert "`batch in train`, kept by the traceback of" in texts_of(ways)[0]


def test_tells_aliases(notebook: Notebook) -> None:
    """Two names of one tensor are two ways, the shortest first."""
    ways = ways_to_largest(notebook, "x = tensor(8)\nbatches = {'first': x}")
    assert texts_of(ways) == ["`x`", "`batches` → dict → key `'first'`"]
    assert ways.message["text"] == "2 ways lead to it."


def test_an_id_outlives_the_account(notebook: Notebook) -> None:
    """An id is resolved by walking again: it stays good while the object lives, and no longer."""
    notebook.run("x = tensor(8)")
    holder_id = largest(notebook)
    notebook.run("y = tensor(16)")
    assert texts_of(find(holder_id, notebook.shell, notebook.read(), Turn(30.0))) == ["`x`"]
    notebook.run("del x")
    ways = find(holder_id, notebook.shell, notebook.read(), Turn(30.0))
    assert (ways.paths, ways.message["id"]) == ([], "path.gone")
    never = find("nonsense", notebook.shell, notebook.read(), Turn(30.0))
    assert never.message["id"] == "path.gone"


@pytest.mark.parametrize(
    ("source", "way"),
    [
        (
            (
                "mine = types.ModuleType('mine')\nsys.modules['mine'] = mine\n"
                "mine.cache = [tensor(8)]\ndel mine"
            ),
            "`mine.cache` → item 0",
        ),
        (
            "mine = types.ModuleType('mine')\nmine.cache = tensor(8)",
            "`mine` → module → attribute `cache`",
        ),
        (
            "nest = tensor(8)\nfor _ in range(20): nest = [nest]",
            "`nest` → list" + " → item 0" * 20,
        ),
        (
            (
                "class Slots:\n    __slots__ = ('kept',)\n"
                "nest = Slots()\nnest.kept = tensor(8)\nfor _ in range(20): nest = {'in': nest}"
            ),
            "`nest` → dict" + " → key `'in'`" * 20 + " → attribute `kept`",
        ),
        (
            (
                "def work():\n    batch = tensor(8)\n    1/0\n"
                "nest = None\ntry: work()\nexcept ZeroDivisionError as e: nest = e\n"
                "for _ in range(20): nest = [nest]"
            ),
            "`nest` → list"
            + " → item 0" * 20
            + " → attribute `__traceback__` → variable `… in work`",
        ),
    ],
)
def test_searches_back_from_what_no_walk_reached(notebook: Notebook, source: str, way: str) -> None:
    """Where the walk did not come the gc is asked, up to a module or a name."""
    ways = ways_to_largest(notebook, source)
    notebook.shell.user_ns.get("sys").modules.pop("mine", None)
    assert texts_of(ways)[0] == way
    assert ways.complete


@pytest.mark.parametrize(
    ("source", "message_id"),
    [
        (
            "class Ring: pass\nring = Ring()\nring.me, ring.data = ring, tensor(8)\ndel ring",
            "path.unreached",
        ),
        (
            "import numpy\nopaque = numpy.empty(1, dtype=object)\nopaque[0] = tensor(8)",
            "path.native",
        ),
        (
            (
                "done, begun = threading.Event(), threading.Event()\n"
                "def work():\n    batch = tensor(8)\n    begun.set()\n    done.wait(30)\n"
                "threading.Thread(target=work).start()\nassert begun.wait(30)"
            ),
            "path.native",
        ),
    ],
)
def test_says_where_no_name_leads(notebook: Notebook, source: str, message_id: str) -> None:
    """A ring of objects and what only native code or a running function holds are told as such."""
    gc.disable()  # it would end the ring
    try:
        ways = ways_to_largest(notebook, source)
    finally:
        gc.enable()
    if "done" in notebook.shell.user_ns:
        notebook.shell.user_ns["done"].set()
        # No account is taken beside a thread that still frees its tensor.
        for thread in threading.enumerate():
            if thread.name.endswith("(work)"):
                thread.join(30)
    assert (ways.paths, ways.complete, ways.message["id"]) == ([], True, message_id)


def test_says_when_it_stopped_early(notebook: Notebook, monkeypatch: pytest.MonkeyPatch) -> None:
    """With its time spent the search ends, and says so."""
    original = collector.known

    def take_all_the_time(walk: Any, **needed: bool) -> Any:
        walk.inspector.turn._cut = True
        return original(walk, **needed)

    monkeypatch.setattr(collector, "known", take_all_the_time)
    nested = "nest = tensor(8)\nfor _ in range(20): nest = [nest]"
    ways = ways_to_largest(notebook, nested)
    assert (ways.paths, ways.complete) == ([], False)
    assert ways.message["id"] == "path.stopped"


def test_goes_through_so_many_objects_at_most(
    notebook: Notebook, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A target that very many objects refer to does not make the search endless."""
    monkeypatch.setattr(referrers, "_MOST_OBJECTS", 50)
    source = "nest = tensor(8)\nfor _ in range(100): nest = [nest]"
    assert ways_to_largest(notebook, source).complete is False


def test_at_most_three_ways(notebook: Notebook) -> None:
    """Of many ways three are told, whether the walk or the search found them."""
    ways = ways_to_largest(notebook, "a = b = c = d = e = tensor(8)")
    assert len(ways.paths) == 3
    source = "nest = a\nfor _ in range(20): nest = [nest]\nn = m = o = p = nest\n"
    notebook.run(source + "del a, b, c, d, e")
    assert len(find(largest(notebook), notebook.shell, notebook.read(), Turn(30.0)).paths) == 3


def test_holds_nothing_afterwards(notebook: Notebook) -> None:
    """Once the names are gone the object goes, whatever was asked about it."""
    notebook.run("nest = tensor(8)\nfor _ in range(20): nest = [nest]")
    holder_id = largest(notebook)
    tensor: Any = notebook.shell.user_ns["nest"]
    while isinstance(tensor, list):
        tensor = tensor[0]
    ref = weakref.ref(tensor)
    del tensor
    gc.disable()
    try:
        assert find(holder_id, notebook.shell, notebook.read(), Turn(30.0)).paths
        notebook.run("del nest")
        assert ref() is None
    finally:
        gc.enable()


HOSTILE = """
touched = []
class Meta(type):
    def __getattribute__(cls, name):
        touched.append("class " + name)
        return super().__getattribute__(name)
    @property
    def __name__(cls): touched.append("name")
class Hostile(metaclass=Meta):
    def __init__(self, value): object.__setattr__(self, "value", value)
    def __getattribute__(self, name):
        touched.append(name)
        raise AttributeError(name)
    def _touch(self, *args):
        touched.append("method")
        raise RuntimeError
    __eq__ = __len__ = __iter__ = __bool__ = __contains__ = __getitem__ = __repr__ = _touch
    __hash__ = object.__hash__
class Keys(dict):
    def items(self): touched.append("items")
    __iter__ = keys = values = __getitem__ = items
class Rows(list):
    def __iter__(self): touched.append("iter")
    __getitem__ = __iter__
nest = Rows([Keys({Hostile(1): Hostile(tensor(8))})])
for _ in range({depth}): nest = [nest]
del touched[:]
"""


@pytest.mark.parametrize("depth", [0, 20])
def test_runs_no_code_of_what_it_meets(notebook: Notebook, depth: int) -> None:
    """Neither the walk nor the search asks an object, a key or a class anything."""
    ways = ways_to_largest(notebook, HOSTILE.replace("{depth}", str(depth)))
    assert notebook.shell.user_ns["touched"] == []
    assert len(ways.paths) == 1
    assert texts_of(ways)[0].endswith("attribute `value`")
