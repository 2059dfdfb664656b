"""What becomes of the error: chained, grouped, swallowed, kept."""

from __future__ import annotations

from .scenario import Scenario

SCENARIOS = (
    Scenario(
        "raise-from",
        "raise … from …",
        (
            """
def work():
    x = tensor(256)
    try:
        fail()
    except RuntimeError as error:
        y = tensor(256)
        raise ValueError("training failed") from error
work()
""",
        ),
        "error chain",
        ("work",),
    ),
    Scenario(
        "context-chain",
        "errors while handling errors, three deep",
        (
            """
def first():
    a = tensor(128)
    fail()
def second():
    b = tensor(128)
    try:
        first()
    except RuntimeError:
        c = tensor(128)
        raise KeyError("second")
def third():
    try:
        second()
    except KeyError:
        d = tensor(128)
        raise ValueError("third")
third()
""",
        ),
        "error chain",
        ("first", "second", "third"),
    ),
    Scenario(
        "from-none",
        "raise … from None",
        (
            """
def step():
    x = tensor(256)
    fail()
def work():
    try:
        step()
    except RuntimeError:
        y = tensor(256)
        raise ValueError("training failed") from None
work()
""",
        ),
        "error chain",
        ("step", "work"),
    ),
    Scenario(
        "group",
        "an exception group",
        (
            """
def attempt(n):
    x = tensor(128)
    fail()
def work():
    errors = []
    for n in range(3):
        try:
            attempt(n)
        except RuntimeError as error:
            errors.append(error)
    raise ExceptionGroup("all failed", errors)
work()
""",
        ),
        "error group",
        ("attempt", "work"),
    ),
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
        "finally",
        "finally raises another error",
        (
            """
def work():
    x = tensor(256)
    try:
        fail()
    finally:
        y = tensor(128)
        {}["cleaned"]
work()
""",
        ),
        "error chain",
        ("work",),
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
        "swallowed-clean",
        "swallowed by try/except: nothing stays",
        (
            """
def work():
    x = tensor(512)
    fail()
try:
    work()
except RuntimeError:
    print("skipped")
""",
        ),
        "nothing",
        ("work",),
        need="nothing",
    ),
    Scenario(
        "kept-error",
        "the error is kept in a variable",
        (
            """
def work():
    x = tensor(512)
    fail()
try:
    work()
except RuntimeError as error:
    problem = error
""",
        ),
        "kept error",
        ("problem", "work"),
        need="consent",
        alive='"memory" in str(problem)',
    ),
    Scenario(
        "kept-errors",
        "errors are collected in a list",
        (
            """
failures = []
def work(n):
    x = tensor(128)
    fail()
for n in range(4):
    try:
        work(n)
    except RuntimeError as error:
        failures.append((n, error))
""",
        ),
        "kept error",
        ("failures", "n", "work"),
        need="consent",
        alive="len(failures) == 4",
    ),
    Scenario(
        "kept-chain",
        "a kept error that was raised from another",
        (
            """
def work():
    x = tensor(256)
    try:
        fail()
    except RuntimeError as error:
        y = tensor(256)
        raise ValueError("training failed") from error
try:
    work()
except ValueError as error:
    problem = error
""",
        ),
        "kept error",
        ("problem", "work"),
        need="consent",
        alive="problem.__cause__ is not None",
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
        "kept-info",
        "sys.exc_info() is kept in a variable",
        (
            """
import sys
def work():
    x = tensor(512)
    fail()
try:
    work()
except RuntimeError:
    info = sys.exc_info()
""",
        ),
        "kept traceback",
        ("info", "work"),
        need="consent",
        alive="len(info) == 3",
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
    Scenario(
        "logged",
        "logged, then raised again",
        (
            """
import logging
def work():
    x = tensor(512)
    try:
        fail()
    except RuntimeError:
        logging.getLogger("training").exception("step failed")
        raise
work()
""",
        ),
        "traceback",
        ("work",),
    ),
)
