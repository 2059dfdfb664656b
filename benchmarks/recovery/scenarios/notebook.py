"""What IPython does around a cell: outputs, re-runs, debuggers, magics."""

from __future__ import annotations

from .scenario import Scenario

_WORK = """
def work():
    x = tensor(512)
    fail()
"""

SCENARIOS = (
    Scenario(
        "displayed",
        "a displayed value that no variable holds",
        ("tensor(256)", "1 + 1"),
        "Out",
    ),
    Scenario(
        "displayed-failed",
        "a displayed value, then an error",
        ("[tensor(128), tensor(128)]", _WORK, "work()"),
        "Out, traceback",
        ("work",),
    ),
    Scenario(
        "displayed-three",
        "_, __ and ___ after three displayed values",
        ("tensor(128)", "tensor(128)", "tensor(128)", _WORK, "work()"),
        "Out, traceback",
        ("work",),
    ),
    Scenario(
        "displayed-error",
        "the cell displays the error it caught",
        (
            _WORK,
            """
def attempt():
    try:
        work()
    except RuntimeError as error:
        return error
attempt()
""",
            "1 + 1",
        ),
        "Out, kept error",
        ("attempt", "work"),
        need="consent",
    ),
    Scenario(
        "failing-repr",
        "a displayed object whose __repr__ runs out of memory",
        (
            """
class Report:
    def __init__(self):
        self.x = tensor(256)
    def __repr__(self):
        y = tensor(256)
        fail()
Report()
""",
        ),
        "Out, traceback",
        ("Report",),
    ),
    Scenario(
        "failing-html",
        "a named object whose _repr_html_ runs out of memory",
        (
            """
class Report:
    def __init__(self):
        self.x = tensor(128)
    def __repr__(self):
        return "a report"
    def _repr_html_(self):
        y = tensor(256)
        fail()
report = Report()
report
""",
        ),
        "traceback",
        ("Report", "report"),
        kept_mib=128,
    ),
    Scenario(
        "re-run",
        "the failing cell is run three times",
        (_WORK, "work()", "work()", "work()"),
        "traceback",
        ("work",),
    ),
    Scenario(
        "interrupted",
        "the cell is interrupted",
        (
            """
import signal
def work():
    x = tensor(512)
    signal.raise_signal(signal.SIGINT)
work()
""",
        ),
        "traceback",
        ("work",),
    ),
    Scenario(
        "debug",
        "%debug was used",
        (_WORK, "work()", "%debug"),
        "traceback, debugger",
        ("work",),
    ),
    Scenario(
        "debug-other-error",
        "%debug was used, then another error",
        (_WORK, "work()", "%debug", "1 / 0"),
        "debugger",
        ("work",),
    ),
    Scenario(
        "pdb-on",
        "%pdb on: the debugger opens by itself",
        ("%pdb on", _WORK, "work()", "%pdb off"),
        "traceback, debugger",
        ("work",),
    ),
    Scenario(
        "pdb-pm",
        "pdb.pm() was used",
        (_WORK, "work()", "import pdb; pdb.pm()"),
        "traceback",
        ("work",),
    ),
    Scenario("time", "%time", (_WORK, "%time work()"), "traceback", ("work",)),
    Scenario(
        "run-script",
        "%run -i of a script",
        (
            """%%writefile script.py
def script_work():
    x = tensor(256)
    fail()
y = tensor(128)
script_work()
""",
            "%run -i script.py",
        ),
        "traceback",
        ("script_work", "y"),
        kept_mib=128,
    ),
    Scenario(
        "own-data",
        "only the user's variables fill the GPU",
        ("table = tensor(256)", "copy = tensor(256)", "more = fail()"),
        "variables",
        ("copy", "table"),
        kept_mib=512,
        need="nothing",
    ),
    Scenario(
        "object-cycle",
        "objects that refer to each other, deleted",
        (
            """
import gc; gc.disable()  # as if the collector had not come by yet
class Node:
    def __init__(self):
        self.x = tensor(128)
left, right = Node(), Node()
left.other, right.other = right, left
del left, right
""",
        ),
        "garbage",
        ("Node",),
    ),
)
