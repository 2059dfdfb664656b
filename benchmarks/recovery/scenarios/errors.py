"""What becomes of the error: chained, grouped, swallowed, kept."""

from __future__ import annotations

from .scenario import Scenario

SCENARIOS = (
    Scenario(
        "group-chained",
        "a group of groups, raised from an error",
        (
            """
def attempt():
    x = tensor(128)
    fail()
def caught():
    try:
        attempt()
    except RuntimeError as error:
        return error
def work():
    inner = ExceptionGroup("inner", [caught(), ValueError()])
    raise ExceptionGroup("outer", [inner, caught()]) from caught()
work()
""",
        ),
        "error group",
        ("attempt", "caught", "work"),
    ),
    Scenario(
        "re-raised",
        "the error is kept in a variable, then raised again",
        (
            """
def work():
    x = tensor(512)
    fail()
try:
    work()
except RuntimeError as error:
    saved = error
    raise
""",
        ),
        "traceback",
        ("saved", "work"),
        need="consent",
        alive='type(saved).__name__ == "OutOfMemoryError" and "memory" in str(saved)',
    ),
    Scenario(
        "cycle",
        "a frame keeps its own error: a cycle",
        (
            """
def work():
    x = tensor(512)
    try:
        fail()
    except RuntimeError as error:
        kept = error
        raise
work()
""",
        ),
        "traceback, in a cycle",
        ("work",),
    ),
    Scenario(
        "swallowed",
        "swallowed by try/except, left in a cycle",
        (
            """
import gc; gc.disable()  # as if the collector had not come by yet
def work():
    x = tensor(512)
    try:
        fail()
    except RuntimeError as error:
        kept = error
work()
""",
        ),
        "garbage",
        ("work",),
    ),
    Scenario(
        "kept-closure",
        "a kept error whose frame belongs to a closure without a name",
        (
            """
def make():
    x = tensor(256)
    def step():
        y = tensor(256)
        return x, fail()
    return step
try:
    make()()
except RuntimeError as error:
    problem = error
""",
        ),
        "kept error",
        ("make", "problem"),
        need="consent",
        alive='"memory" in str(problem)',
    ),
    Scenario(
        "log-buffer",
        "a log handler keeps its records",
        (
            """
import logging, logging.handlers
log = logging.getLogger("training")
log.propagate = False
log.addHandler(logging.handlers.MemoryHandler(1000, flushLevel=99))
def work():
    x = tensor(512)
    fail()
try:
    work()
except RuntimeError:
    log.exception("step failed")
""",
        ),
        "kept traceback",
        ("log", "work"),
        need="consent",
        alive="len(log.handlers[0].buffer) == 1",
    ),
)
