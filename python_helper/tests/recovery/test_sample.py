"""A short sample of the recovery benchmark: GPU Headroom frees everything, and loses nothing."""

from __future__ import annotations

import sys
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import product
from typing import TYPE_CHECKING

import pytest

from benchmarks.recovery.kernels import Environment
from benchmarks.recovery.methods import METHODS
from benchmarks.recovery.scenarios import SCENARIOS
from benchmarks.recovery.trial import Trial, attempt, faults

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    Pending = dict[tuple[str, str], Future[Trial]]

SMOKE = ("displayed-failed", "gather")
FREEABLE = ("group-chained", "debug-other-error", "lru-cache")
ERRORS = ("kept-closure", "log-buffer", "suspended-in-traceback")
FREES = ("release", "cell")
PAIRS = (
    *product(FREEABLE, FREES),
    *product(ERRORS, ("release", "release-errors")),
    ("gather", "gc"),
)
_SCENARIOS = {scenario.id: scenario for scenario in SCENARIOS}
_METHODS = {method.id: method for method in METHODS}


@pytest.fixture(scope="module")
def smoke(python: Path) -> Iterator[Pending]:
    """What is tried each time, in kernels of each generation."""
    with Environment("smoke", python) as environment:
        yield attempts(environment, product(SMOKE, FREES), at_once=4)


@pytest.fixture(scope="module")
def trials(python: Path) -> Iterator[Pending]:
    """The rest of the sample."""
    with Environment("sample", python) as environment:
        yield attempts(environment, PAIRS, at_once=4)


def attempts(environment: Environment, pairs: Iterable[tuple[str, str]], at_once: int) -> Pending:
    """Try pairs of a scenario and a method, a few at a time: mostly they wait.

    All have ended when this returns, before pytest writes the name of the next test into the
    environment, which each start of a kernel copies.
    """
    with ThreadPoolExecutor(at_once) as pool:
        return {
            (scenario, method): pool.submit(
                attempt, environment, _SCENARIOS[scenario], _METHODS[method]
            )
            for scenario, method in pairs
        }


@pytest.mark.smoke
@pytest.mark.parametrize("scenario", SMOKE)
@pytest.mark.parametrize("method", FREES)
def test_common_failures_give_all_back(smoke: Pending, scenario: str, method: str) -> None:
    """What a restart would recover is freed, no variable is lost, and what runs continues."""
    assert_recovered(smoke[scenario, method].result())


@pytest.mark.parametrize("scenario", FREEABLE)
@pytest.mark.parametrize("method", FREES)
def test_all_comes_back_and_nothing_is_lost(trials: Pending, scenario: str, method: str) -> None:
    """The same of errors that are harder to let go of."""
    if scenario == "group-chained" and sys.version_info < (3, 11):
        pytest.skip("groups of errors came with Python 3.11")
    assert_recovered(trials[scenario, method].result())


def assert_recovered(trial: Trial) -> None:
    """All is freed, and nothing is lost."""
    assert trial.share is not None
    assert trial.share >= 0.99
    assert trial.lost == []
    assert trial.alive
    assert trial.outputs_work


@pytest.mark.parametrize("scenario", ERRORS)
def test_a_kept_error_is_asked_for_first(trials: Pending, scenario: str) -> None:
    """The safe set leaves what a kept error holds; once confirmed, it comes back."""
    assert trials[scenario, "release"].result().share == 0
    trial = trials[scenario, "release-errors"].result()
    assert trial.share is not None
    assert trial.share >= 0.99
    assert trial.harmless


def test_the_measure_can_say_no(trials: Pending) -> None:
    """Collecting garbage frees nothing that a traceback holds."""
    assert trials["gather", "gc"].result().share == 0


def test_scenarios_are_what_they_say(newest_python: Path) -> None:
    """The variables of a scenario, and what they hold, are as its description lists them."""
    with Environment("sample", newest_python) as environment, ThreadPoolExecutor(4) as pool:
        names = (*SMOKE, *FREEABLE, *ERRORS)
        results = pool.map(lambda name: faults(environment, _SCENARIOS[name]), names)
        assert list(results) == [[]] * len(names)
