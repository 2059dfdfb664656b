"""Garbage that is collected in time, and values that are not displayed."""

from __future__ import annotations

import pytest
from gpu_headroom.edits.garbage import collected, not_displayed
from gpu_headroom.edits.rewrite import Anchor
from tests.edits.cases import check, here, objection, refuses_hostile, table

COLLECTED = table(
    """
for lr in rates:
    for seed in seeds:
        run(lr)  # here
--->
import gc
for lr in rates:
    gc.collect()
    for seed in seeds:
        run(lr)  # here
====
trainer = Trainer()  # here
--->
import gc
gc.collect()
trainer = Trainer()  # here
====
with torch.device("cuda"):
    trainer = Trainer()  # here
--->
import gc
with torch.device("cuda"):
    gc.collect()
    trainer = Trainer()  # here
====
def run():
    return Trainer()  # here
====
gc.collect()
trainer = Trainer()  # here
"""
)
DISPLAYED = table(
    """
x = f()
model(x)  # look
--->
x = f()
model(x);  # look
====
model(
    x
)

# done
--->
model(
    x
);

# done
====
model(x);
====
y = model(x)
====
if x:
    model(x)
====
loss.item()
====
display(model(x))
====
a == b
"""
)


@pytest.mark.parametrize(("before", "after"), COLLECTED)
def test_garbage_is_collected_before_more_is_made(before: str, after: str | None) -> None:
    """In each round of the outermost loop; in no function."""
    check(collected(here(before)), before, after)


def test_what_is_imported_is_not_imported_again() -> None:
    """Where the cell does so itself."""
    source = "import gc\nfor lr in rates:\n    run(lr)  # here"
    after = "import gc\nfor lr in rates:\n    gc.collect()\n    run(lr)  # here"
    check(collected(here(source)), source, after)


@pytest.mark.parametrize("other", ["import gc", "import gc\ngc.collect()", "gc.disable()"])
def test_nobody_notices_what_is_collected(other: str) -> None:
    """`gc` is the module."""
    source = str(COLLECTED[0][0])
    assert objection(collected(here(source)), source, other) is None


@pytest.mark.parametrize(
    ("why", "other"),
    [
        ("garbage.gc", "gc = 0.5"),
        ("garbage.gc", "def f(gc):\n    return gc"),
        ("garbage.gc", "import graph_cuts as gc"),
        ("garbage.gc", "from tools import gc"),
        ("garbage.watched", "import weakref"),
        ("garbage.watched", "class A:\n    def __del__(self):\n        print(1)"),
        ("garbage.watched", "gc.callbacks.append(print)"),
        ("garbage.watched", "n = gc.collect()"),
        ("garbage.watched", "n = len(gc.get_objects())"),
        ("gate.unread", "(("),
    ],
)
def test_somebody_may_notice(why: str, other: str) -> None:
    """Or has another thing by this name."""
    source = str(COLLECTED[0][0])
    assert objection(collected(here(source)), source, other) == why


@pytest.mark.parametrize(("before", "after"), DISPLAYED)
def test_the_last_line_is_not_displayed(before: str, after: str | None) -> None:
    """Where it would be."""
    rewrite = not_displayed()
    assert rewrite(before) == after
    if after is not None:
        assert rewrite(after) is None


@pytest.mark.parametrize(
    "other", ["for _ in y:\n    pass", "a, _ = f()", "def f(_):\n    return _"]
)
def test_nobody_reads_what_was_displayed(other: str) -> None:
    """An underscore may be a name of one's own."""
    assert objection(not_displayed(), "model(x)", other) is None


@pytest.mark.parametrize(
    "other",
    [
        *("y = _ + 1", "y = __", "y = Out[3]", "y = _3", "def f():\n    return _"),
        *("%time y = _ + 1", "get_ipython().displayhook.exec_result"),
    ],
)
def test_somebody_reads_what_was_displayed(other: str) -> None:
    """By any of its names."""
    assert objection(not_displayed(), "model(x)", other) == "garbage.displayed"


def test_the_shells_dictionary_may_be_asked_for_anything() -> None:
    """Which of its names is read cannot be told."""
    read = objection(not_displayed(), "model(x)", "get_ipython().user_ns['_']")
    assert read == "gate.runs_text"


def test_takes_any_text() -> None:
    """Hostile cells raise nothing."""
    refuses_hostile(collected(Anchor(1, "losses.append(loss)")))
    refuses_hostile(not_displayed())
