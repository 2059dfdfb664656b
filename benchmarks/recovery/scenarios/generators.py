"""Generators and context managers."""

from __future__ import annotations

from .scenario import Scenario

SCENARIOS = (
    Scenario(
        "generator",
        "a generator that fails",
        (
            """
def batches():
    buffer = tensor(256)
    for n in range(3):
        x = tensor(128)
        if n == 2:
            fail()
        yield x
def work():
    return [x for x in batches()]
work()
""",
        ),
        "traceback",
        ("batches", "work"),
    ),
    Scenario(
        "live-generator",
        "a live generator suspended beside the failure",
        (
            """
def stream():
    buffer = tensor(128)
    n = 0
    while True:
        yield n
        n += 1
batches = stream()
def work(source):
    x = tensor(256)
    next(source)
    fail()
work(batches)
""",
        ),
        "traceback",
        ("batches", "stream", "work"),
        kept_mib=128,
        alive="next(batches) == 1",
    ),
    Scenario(
        "suspended-in-traceback",
        "a live generator that caught the error, its frame in the traceback",
        (
            """
def attempts():
    buffer = tensor(128)
    for n in range(9):
        try:
            fail()
        except RuntimeError as error:
            yield error
tries = attempts()
def work(source):
    x = tensor(256)
    raise next(source)
work(tries)
""",
        ),
        "traceback",
        ("attempts", "tries", "work"),
        kept_mib=128,
        need="consent",
        alive="isinstance(next(tries), RuntimeError)",
    ),
    Scenario(
        "context-manager",
        "a context manager of a class",
        (
            """
class Buffers:
    def __enter__(self):
        self.pages = [tensor(128), tensor(128)]
        return self.pages
    def __exit__(self, *failure):
        self.failure = failure
def work():
    with Buffers() as pages:
        x = tensor(128)
        fail()
work()
""",
        ),
        "traceback, in a cycle",
        ("Buffers", "work"),
    ),
)
