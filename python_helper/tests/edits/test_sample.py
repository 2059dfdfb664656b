"""A sample of `make edits`: no edit that is offered changes a result that its kind promises."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

import pytest

from benchmarks.edits.generate import kinds_generated
from benchmarks.edits.kinds import Adaptor, all_kinds
from benchmarks.edits.program import FOLDER, read_all
from benchmarks.edits.run import SEED, judge_all, judge_generated, pool

if TYPE_CHECKING:
    from collections.abc import Iterator
    from concurrent.futures import ProcessPoolExecutor

    from benchmarks.edits.judge import Verdict

_GENERATED = 30
# Their programs run on a simulated card, which takes its time.
_FEWER = {"keep-numbers-host": 6, "map-location": 12}
_LEAST = 15


@pytest.fixture(scope="module")
def workers() -> Iterator[ProcessPoolExecutor]:
    """Processes to run programs in."""
    with pool(2) as found:
        yield found


@pytest.mark.parametrize("kind", all_kinds())
def test_each_program_runs_and_no_edit_is_wrong(kind: str, workers: ProcessPoolExecutor) -> None:
    """At least 15 programs a kind, of which about half must be refused, of some kinds all."""
    programs = read_all([kind])
    verdicts = judge_all(workers, programs)
    assert not _faults(verdicts)
    counted = defaultdict[str, int](int)
    for each in verdicts:
        counted[each.verdict] += 1
    assert len(verdicts) >= _LEAST
    never = all(each.offered is False for each in programs)
    assert bool(counted["equal"]) is not never, f"what is offered: {counted}"


@pytest.mark.parametrize("kind", sorted({*all_kinds()} & {*kinds_generated()}))
def test_no_edit_of_a_generated_program_is_wrong(kind: str, workers: ProcessPoolExecutor) -> None:
    """`python -m benchmarks.edits.run --show KIND SEED` prints one that fails here."""
    seeds = range(SEED, SEED + _FEWER.get(kind, _GENERATED))
    assert not _faults(judge_generated(workers, kind, seeds))


def test_each_kind_has_programs_and_a_promise() -> None:
    """What has programs has an adaptor, whose first sentence the page prints."""
    assert {each.name for each in FOLDER.iterdir() if each.is_dir()} == set(all_kinds())
    assert all(Adaptor(kind).promise.endswith(".") for kind in all_kinds())


def _faults(verdicts: list[Verdict]) -> list[Verdict]:
    return [each for each in verdicts if each.verdict in ("wrong", "invalid")]
