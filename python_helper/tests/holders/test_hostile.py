"""Objects that notice every touch: the walk goes past them, and finds what they hold."""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING

import pytest
from gpu_headroom.text.format import MIB
from tests.holders.conftest import sizes

if TYPE_CHECKING:
    from tests.holders.conftest import Measure
    from tests.notebook import Notebook

WATCH = """
touched = []
def touch(name):
    def method(self, *args, **kwargs):
        touched.append(name)
        raise RuntimeError(name)
    return method
ALL = ("__repr__ __str__ __format__ __eq__ __ne__ __hash__ __len__ __iter__ __contains__ "
       "__getitem__ __bool__ __call__ __getattr__ __dir__ __sizeof__ __reduce_ex__ items "
       "keys values get __next__ __index__ __int__").split()
body = {name: touch(name) for name in ALL}
hostile = type("Hostile", (), {**body, "__class__": property(touch("__class__")),
    "outer": property(touch("property")), "grad": property(touch("grad"))})
"""
HOSTILE = {
    "an object": "x = hostile()\nvars(x)['inner'] = tensor(8)",
    "every attribute": (
        "class Every(hostile):\n"
        "    def __getattribute__(self, name): touched.append(name); raise RuntimeError\n"
        "x = Every()\nobject.__getattribute__(x, '__dict__')['inner'] = tensor(8)"
    ),
    "a dictionary": "x = type('Table', (dict,), body)()\ndict.__setitem__(x, 'a', tensor(8))",
    "a list": "x = type('Row', (list,), body)()\nlist.append(x, tensor(8))",
    "a set": (
        "x = type('Bag', (set,), {n: m for n, m in body.items() if n != '__hash__'})()\n"
        "set.add(x, tensor(8))"
    ),
    "slots": (
        "x = type('Slots', (), {**body, '__slots__': ('inner',)})()\n"
        "object.__setattr__(x, 'inner', tensor(8))"
    ),
    "a metaclass": (
        "meta = type('Meta', (type,), {n: m for n, m in body.items()"
        " if n not in ('__eq__', '__ne__', '__hash__', '__call__')}\n"
        "    | {'__instancecheck__': touch('isinstance'),\n"
        "       '__subclasscheck__': touch('issubclass')})\n"
        "kind = meta.__new__(meta, 'Kind', (), {'n': 1})\nx = object.__new__(kind)\n"
        "x.inner = tensor(8)\ndel kind"
    ),
    "a metaclass that compares": (
        "def same(a, b): touched.append('eq'); return NotImplemented\n"
        "def number(a): touched.append('hash'); return 1\n"
        "meta = type('Meta', (type,), {'__eq__': same, '__hash__': number})\n"
        "kind = meta('Kind', (), {})\nx = kind()\nx.inner = tensor(8)"
    ),
    "a key": ("x = {object.__new__(type('Key', (), {'__repr__': touch('repr')})): tensor(8)}"),
    "an attribute in its own class": (
        "x = type('Lazy', (), {'__slots__': ('__dict__',), '__getattr__': touch('getattr')})()\n"
        "x.inner = tensor(8)"
    ),
    "a proxy": (
        "target = type('Target', (), {})()\n"
        "x = type('Proxy', (), {'__dict__': property(touch('dict')), '__slots__': ('inner',)})()\n"
        "x.inner = tensor(8)"
    ),
    "a long list": ("x = [hostile() for _ in range(2_000)]\nvars(x[1_234])['inner'] = tensor(8)"),
    "a module": (
        "class Model(nn.Module):\n    parameters = modules = children = touch('method')\n"
        "    named_parameters = state_dict = touch('method')\n"
        "    def __init__(self): super().__init__(); self.register_buffer('t', tensor(8))\n"
        "    def __getattr__(self, name): touched.append(name); raise AttributeError\n"
        "x = Model()"
    ),
    "hooks on saved tensors": (
        "pack = lambda t: t\nunpack = lambda t: touched.append('unpack') or t\n"
        "w = torch.ones(2 * 2**20, device='cuda', requires_grad=True)\n"
        "with torch.autograd.graph.saved_tensors_hooks(pack, unpack):\n"
        "    y = (w * w.detach().clone()).sum()\n"
        "x = w.detach()\ndel w"
    ),
    "an error": (
        "class Bad(Exception):\n    __str__ = __repr__ = touch('str')\n"
        "    __getattr__ = touch('getattr')\nx = Bad(tensor(8))"
    ),
    "names given to exec": (
        "class Names(dict):\n    items = keys = values = __iter__ = touch('names')\n"
        "x = tensor(8)\n"
        "try: exec('def f():\\n    1 / 0\\nf()', {}, Names())\nexcept ZeroDivisionError: pass"
    ),
}


@pytest.mark.parametrize("source", HOSTILE.values(), ids=HOSTILE)
def test_runs_no_code_of_the_user(notebook: Notebook, measure: Measure, source: str) -> None:
    """No method, property, attribute hook, comparison or metaclass of theirs is run."""
    assert notebook.run(WATCH).success, notebook.printed
    totals = sizes(measure(f"{source}\ntouched.clear()"))
    assert list(notebook.shell.user_ns["touched"]) == []
    assert totals["x"] == 8 * MIB


def test_leaves_objects_as_small_as_they_were(notebook: Notebook, measure: Measure) -> None:
    """Reading `__dict__` of an object with a few plain attributes would give it a dictionary."""
    measure("class Point:\n    def __init__(self): self.n = 1\nx = [Point() for _ in range(9)]")
    for point in notebook.shell.user_ns["x"]:
        assert dict not in map(type, gc.get_referents(point))
