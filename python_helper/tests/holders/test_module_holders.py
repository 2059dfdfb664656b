"""Holders outside the notebook: what globals of imported modules keep, and what is garbage."""

from __future__ import annotations

import gc
import sys
from typing import TYPE_CHECKING

import pytest
from gpu_headroom.advice.kept_in_module import call_that_frees
from gpu_headroom.concurrency.turns import Turn
from gpu_headroom.holders.account import take
from gpu_headroom.holders.groups import groups_of
from gpu_headroom.holders.paths import find
from gpu_headroom.holders.survey import survey
from tests.holders.conftest import sizes

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from gpu_headroom.holders.account import Account
    from tests.notebook import Notebook

MIB = 2**20
START = """
import collections, functools, threading, torch, weakref
from torch import nn

def tensor(mib):
    return torch.empty(mib * 2**20, dtype=torch.uint8, device="cuda")
"""
# By a name: the module, what a cell does with it, where its 64 MiB are found afterwards, and the
# call that frees them.
CASES = {
    "global dict": (
        """
_GROUPS = {}
class Engine:
    def __init__(self):
        self.pool = {'kv': [tensor(64)]}
        _GROUPS.setdefault('tp', []).append(self)
def destroy_model_parallel():
    _GROUPS.clear()
""",
        "engine = {module}.Engine()\ndel engine",
        ("{module}._GROUPS", "['tp'][0].pool['kv'][0]"),
        "{module}.destroy_model_parallel()",
    ),
    "singleton": (
        """
class Engine:
    def __init__(self): self.pool = {}
    def shutdown(self): self.pool.clear()
ENGINE = Engine()
""",
        "{module}.ENGINE.pool['x'] = tensor(64)",
        ("{module}.ENGINE", ".pool['x']"),
        "{module}.ENGINE.shutdown()",
    ),
    "class attribute": (
        "class Engine:\n    cache = {}\n    def __init__(self): self.cache['a'] = tensor(64)",
        "engine = {module}.Engine()\ndel engine",
        ("{module}.Engine", ".cache['a']"),
        "{module}.Engine.cache.clear()",
    ),
    "lru_cache": (
        "@functools.lru_cache(maxsize=8)\ndef load(name): return tensor(64)",
        "weights = {module}.load('a')\ndel weights",
        ("{module}.load", "'s cache"),
        "{module}.load.cache_clear()",
    ),
    "closure of a callback": (
        """
CALLBACKS = []
def register():
    seen = tensor(64)
    def on_step(): return seen
    CALLBACKS.append(on_step)
""",
        "{module}.register()",
        ("{module}.CALLBACKS", "[0] closes over seen"),
        "{module}.CALLBACKS.clear()",
    ),
    "thread-local": (
        "LOCAL = threading.local()",
        "{module}.LOCAL.buffers = [tensor(64)]",
        ("{module}.LOCAL", ".buffers[0]"),
        "{module}.LOCAL = None",
    ),
    "global group": (
        """
class Group:
    def __init__(self): self.workers = [nn.Linear(4096, 4096, bias=False, device='cuda')]
_WORLD = None
def init():
    global _WORLD
    _WORLD = Group()
def destroy():
    global _WORLD
    _WORLD = None
""",
        "{module}.init()",
        ("{module}._WORLD", ".workers[0].weight"),
        "{module}.destroy()",
    ),
    "default argument": (
        "def collect(seen=[]):\n    seen.append(tensor(64))",
        "{module}.collect()",
        ("{module}.collect", "'s defaults[0][0]"),
        "{module}.collect = None",
    ),
    "deep": (
        "NEST = []",
        "n = tensor(64)\nfor _ in range(20): n = [n]\n{module}.NEST.append(n)\ndel n",
        ("{module}.NEST", "[0]" * 21),
        "{module}.NEST.clear()",
    ),
}


@pytest.fixture
def module(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """A module on disk, by a name of its own."""
    name = f"engine_{abs(hash(request.node.name))}"
    (tmp_path / f"{name}.py").write_text(START + CASES[request.param][0])
    sys.path.insert(0, str(tmp_path))
    yield name
    sys.path.remove(str(tmp_path))
    sys.modules.pop(name, None)


def account(notebook: Notebook, source: str) -> Account:
    """Run a cell that must succeed, collect what can be, and take the account."""
    result = notebook.run(source)
    assert result.success, notebook.printed
    del result
    return take(notebook.shell, notebook.read(), Turn(30.0))


@pytest.mark.parametrize(("module", "case"), [(name, name) for name in CASES], indirect=["module"])
def test_names_what_a_module_keeps(notebook: Notebook, module: str, case: str) -> None:
    """By the path that code would write; it counts as named, and the call frees it."""
    _, source, (root, part), call = CASES[case]
    result = account(
        notebook, f"import {module}\n{source}\ngc.collect()".replace("{module}", module)
    )
    assert result.complete
    root = root.replace("{module}", module)
    assert sizes(result, "modules") == {root: 64 * MIB}
    (device,) = result.devices
    assert device.parts["named"] == device.in_use_bytes
    (row,) = device.rows
    assert (row.parts[0].name, row.hint and row.hint["id"]) == (part, "hint.modules")
    ways = find(row.parts[0].id, notebook.shell, notebook.read(), Turn(30.0))
    assert ways.complete
    assert ways.paths[0][0]["text"] == f"`{root}`"
    overview = survey(notebook.shell, Turn(30.0), for_account=True)
    assert overview is not None
    (group,) = [item for item in groups_of(overview, 0) if item.root == root]
    assert call_that_frees(group) == call.replace("{module}", module)
    assert notebook.run(call_that_frees(group)).success
    assert notebook.in_use() == 0


def test_two_modules_name_the_same(notebook: Notebook) -> None:
    """The shorter name counts, the other is told as its alias."""
    source = (
        "for name in ('engine_core', 'engine'):\n    sys.modules[name] = types.ModuleType(name)\n"
        "    sys.modules[name].POOL = []\nsys.modules['engine_core'].POOL = "
        "sys.modules['engine'].POOL\nsys.modules['engine'].POOL.append(tensor(64))\ndel name"
    )
    try:
        (row,) = account(notebook, source).devices[0].rows
        assert (row.name, row.aliases) == ("engine.POOL", ("engine_core.POOL",))
    finally:
        for name in ("engine", "engine_core"):
            sys.modules.pop(name, None)


def test_what_a_failed_function_shares_with_a_module(notebook: Notebook) -> None:
    """Freeing the traceback would not free it: it counts for the module."""
    source = (
        "class Engine:\n    def __init__(self): self.pool = {}\n"
        "    def go(self):\n        own = tensor(8)\n        1 / 0\n"
        "mine = sys.modules['mine'] = types.ModuleType('mine')\nmine.ENGINE = Engine()\ndel mine\n"
        "sys.modules['mine'].ENGINE.pool['x'] = tensor(64)"
    )
    try:
        assert notebook.run(source).success, notebook.printed
        assert not notebook.run("sys.modules['mine'].ENGINE.go()").success
        result = take(notebook.shell, notebook.read(), Turn(30.0))
        assert sizes(result, "modules") == {"mine.ENGINE": 64 * MIB}
        assert sum(sizes(result, "traceback").values()) == 8 * MIB
    finally:
        sys.modules.pop("mine", None)


@pytest.mark.parametrize(
    ("source", "is_garbage"),
    [
        ("class Ring: pass\nring = Ring()\nring.me, ring.data = ring, tensor(64)\ndel ring", True),
        ("ring = [tensor(1) for _ in range(64)]\nring.append(ring)\ndel ring", True),
        (
            (
                "for n in range(20):\n    ring = [tensor(2)]\n    ring.append(ring)\n"
                "ring = [tensor(24)]\nring.append(ring)\ndel ring"
            ),
            True,
        ),
        (
            (
                "class Trainer:\n    def __init__(self):\n"
                "        self.model = nn.Linear(4096, 4096, bias=False, device='cuda')\n"
                "        self.step = self.run\n    def run(self): pass\nTrainer()\nNone"
            ),
            True,
        ),
        ("import numpy\nkept = numpy.empty(1, dtype=object)\nkept[0] = tensor(64)", False),
        (
            (
                "import numpy\nkept = numpy.empty(1, dtype=object)\nring = [tensor(64)]\n"
                "ring.append(ring)\nkept[0] = ring\ndel ring"
            ),
            False,
        ),
    ],
)
def test_garbage_is_what_collecting_frees(
    notebook: Notebook, source: str, *, is_garbage: bool
) -> None:
    """Only where nothing but itself refers to it, which a dry look tells; then it is free."""
    gc.collect()
    gc.disable()
    try:
        result = account(notebook, source)
        unnamed = sum(sizes(result, "garbage").values()), sum(sizes(result, "elsewhere").values())
        assert unnamed == ((64 * MIB, 0) if is_garbage else (0, 64 * MIB))
        del result
        before = notebook.in_use()
        gc.collect()
        assert before - notebook.in_use() == (64 * MIB if is_garbage else 0)
    finally:
        gc.enable()


def test_the_self_of_a_library_goes_by_its_class(notebook: Notebook) -> None:
    """The user does not know the `self` of a library's function, but what it is."""
    source = "nn.Linear(4096, 4096, bias=False, device='cuda')('no tensor')"
    assert not notebook.run(source).success
    (row,) = take(notebook.shell, notebook.read(), Turn(30.0)).devices[0].rows
    assert (row.origin, row.bytes) == ("traceback", 64 * MIB)
    assert row.parts[0].name.startswith("Linear in ")
