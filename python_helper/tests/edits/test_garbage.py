"""Garbage that is collected in time, and values that are not displayed."""

from __future__ import annotations

import pytest
from gpu_headroom.edits.garbage import collected, not_displayed
from gpu_headroom.edits.rewrite import Anchor
from tests.edits.cases import check, here, refuses_hostile, table

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
"""
)


@pytest.mark.parametrize(("before", "after"), COLLECTED)
def test_garbage_is_collected_before_more_is_made(before: str, after: str | None) -> None:
    """In each round of the outermost loop; in no function."""
    check(collected(here(before)), before, after)


def test_what_is_imported_is_not_imported_again() -> None:
    """Another cell may have done so."""
    source = "for lr in rates:\n    run(lr)  # here"
    after = "for lr in rates:\n    gc.collect()\n    run(lr)  # here"
    check(collected(here(source), imported=True), source, after)


@pytest.mark.parametrize(("before", "after"), DISPLAYED)
def test_the_last_line_is_not_displayed(before: str, after: str | None) -> None:
    """Where it would be."""
    rewrite = not_displayed()
    assert rewrite(before) == after
    if after is not None:
        assert rewrite(after) is None


def test_takes_any_text() -> None:
    """Hostile cells raise nothing."""
    refuses_hostile(collected(Anchor(1, "losses.append(loss)")))
    refuses_hostile(not_displayed())
