"""Functions and the body of a class: what the frames of a traceback hold."""

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
    Scenario(
        "class-body",
        "the body of a class statement",
        (
            """
class Config:
    table = tensor(256)
    other = fail()
""",
        ),
        "traceback",
    ),
)
