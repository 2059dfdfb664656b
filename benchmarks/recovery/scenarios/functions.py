"""Functions: nested, recursive, closures, decorated, imported."""

from __future__ import annotations

from .scenario import Scenario

SCENARIOS = (
    Scenario(
        "function",
        "error in a function",
        (
            """
def work():
    x = tensor(512)
    fail()
work()
""",
        ),
        "traceback",
        ("work",),
    ),
    Scenario(
        "same-cell",
        "variables bound by the failing cell before it failed",
        (
            """
table = tensor(128)
def work(data):
    copies = [tensor(128) for _ in range(3)]
    fail()
work(table)
never = tensor(1)
""",
        ),
        "traceback",
        ("table", "work"),
        kept_mib=128,
    ),
    Scenario(
        "argument",
        "a temporary as the argument of the failing function",
        (
            """
def work(batch, *, mask):
    fail()
work(tensor(256), mask=tensor(128))
""",
        ),
        "traceback",
        ("work",),
    ),
    Scenario(
        "nested",
        "nested functions",
        (
            """
def outer():
    a = tensor(256)
    def inner():
        b = tensor(256)
        def innermost():
            c = {"c": [tensor(128)]}
            fail()
        innermost()
    inner()
outer()
""",
        ),
        "traceback",
        ("outer",),
    ),
    Scenario(
        "recursion",
        "a recursive function",
        (
            """
def descend(depth):
    level = tensor(16)
    if depth == 0:
        fail()
    return descend(depth - 1), level
descend(30)
""",
        ),
        "traceback",
        ("descend",),
    ),
    Scenario(
        "closure",
        "a closure without a name",
        (
            """
def make():
    x = tensor(512)
    def step():
        y = x[:10]
        fail()
    return step
make()()
""",
        ),
        "traceback",
        ("make",),
    ),
    Scenario(
        "named-closure",
        "a closure that has a name",
        (
            """
def make():
    x = tensor(256)
    def step(n):
        y = tensor(256)
        if n: fail()
        return x.numel()
    return step
step = make()
step(1)
""",
        ),
        "traceback",
        ("make", "step"),
        kept_mib=256,
        alive="step(0) == 256 * 2**20",
    ),
    Scenario(
        "decorator",
        "a decorated function",
        (
            """
import functools
def staged(function):
    @functools.wraps(function)
    def wrapper(*args):
        stage = tensor(256)
        return function(stage, *args)
    return wrapper
@staged
def work(stage):
    x = tensor(256)
    fail()
work()
""",
        ),
        "traceback",
        ("staged", "work"),
    ),
    Scenario(
        "partial",
        "functools.partial without a name",
        (
            """
from functools import partial
def work(x, y):
    fail()
list(map(partial(work, tensor(256)), [tensor(128)]))
""",
        ),
        "traceback",
        ("partial", "work"),
    ),
    Scenario(
        "lru-cache",
        "functools.lru_cache: what is cached is the user's",
        (
            """
from functools import lru_cache
@lru_cache
def load(n):
    page = tensor(128)
    if n == 2:
        scratch = tensor(128)
        fail()
    return page
pages = [load(n).shape for n in range(3)]
""",
        ),
        "traceback",
        ("load", "lru_cache"),
        kept_mib=256,
        alive="load.cache_info().currsize == 2",
    ),
    Scenario(
        "comprehension",
        "a comprehension in a function",
        (
            """
def work():
    xs = [tensor(128) for _ in range(3)]
    return [[x, y, fail()] for x in xs for y in [tensor(64)]]
work()
""",
        ),
        "traceback",
        ("work",),
    ),
    Scenario(
        "comprehension-closure",
        "a lambda in a comprehension",
        (
            """
def work():
    xs = [tensor(128) for _ in range(3)]
    steps = [lambda x=x: (len(xs), fail()) for x in xs]
    return [step() for step in steps]
work()
""",
        ),
        "traceback",
        ("work",),
    ),
    Scenario(
        "exec",
        "code that is executed from text",
        (
            """
def work():
    scope = {"tensor": tensor, "fail": fail}
    exec("x = tensor(256)\\ndef step():\\n    y = tensor(256)\\n    fail()\\nstep()", scope)
work()
""",
        ),
        "traceback",
        ("work",),
    ),
    Scenario(
        "module",
        "a function of an imported module, which keeps a cache of its own",
        (
            """%%writefile pages.py
cache = []
def load(tensor, fail):
    cache.append(tensor(128))
    x = tensor(256)
    fail()
""",
            "import pages\npages.load(tensor, fail)",
        ),
        "traceback",
        kept_mib=128,
        alive="len(pages.cache) == 1",
    ),
)
