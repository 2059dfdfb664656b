"""Run every method on every scenario in kernels of several generations, and write the page.

`python -m benchmarks.recovery.run` does all of it; options choose a part, whose results take the
place of the earlier ones. `--real` uses the GPU of this machine in place of the simulated one.
"""

from __future__ import annotations

import argparse
import os
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from tests.conftest import GENERATIONS, ROOT

from benchmarks.recovery import page
from benchmarks.recovery.kernels import REAL, Environment, restart_ms
from benchmarks.recovery.methods import METHODS, OURS, RECIPES_THAT_WORK
from benchmarks.recovery.results import Results
from benchmarks.recovery.scenarios import SCENARIOS
from benchmarks.recovery.trial import attempt, faults

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from benchmarks.recovery.methods import Method
    from benchmarks.recovery.scenarios import Scenario
    from benchmarks.recovery.trial import Trial

ENVIRONMENTS = {
    **{name: ROOT / folder / "bin" / "python" for name, (_, folder) in GENERATIONS.items()},
    "python-3.13": ROOT / ".venvs" / "python-3.13" / "bin" / "python",
}
NEWEST = "ipykernel-7"
_TIMED_SCENARIO = "function"
_TIMES = 5
_SAVE_EVERY = 50


def main() -> None:
    """Measure what was asked for."""
    options = _arguments()
    if options.real:
        os.environ[REAL] = "1"
    results = Results.read()
    missing: list[str] = []
    for name in options.environments:
        if not ENVIRONMENTS[name].exists():
            print(f"{name}: no such environment here, left out")
            continue
        with Environment(name, ENVIRONMENTS[name]) as environment:
            print(name, environment.versions, flush=True)
            results.enter_environment(environment, real=options.real)
            missing += _run(environment, options, results)
    page.write(results)
    if missing:
        raise SystemExit("Not measured:\n" + "\n".join(missing))


def _run(environment: Environment, options: argparse.Namespace, results: Results) -> list[str]:
    """Return what could not be measured."""
    scenarios = [each for each in SCENARIOS if each.id in options.scenarios]
    methods = list(_methods(environment.name, options.methods))
    pairs = [(scenario, method) for method in methods for scenario in scenarios]
    missing = []
    with ThreadPoolExecutor(options.workers) as pool:
        if options.check:
            findings = pool.map(lambda each: faults(environment, each), scenarios)
            wrong = {each.id: faulty for each, faulty in zip(scenarios, findings, strict=True)}
            assert not any(wrong.values()), wrong
        trials = pool.map(lambda pair: _attempt(environment, *pair), pairs)
        for n, (pair, trial) in enumerate(zip(pairs, trials, strict=True)):
            if trial is None:
                missing.append(f"{environment.name}: {pair[0].id}, {pair[1].id}")
            else:
                results.enter(trial)
            if n % _SAVE_EVERY == 0:
                results.save()
    if options.times and environment.name == NEWEST:
        results.times |= _times(environment, methods)
    results.save()
    return missing


def _times(environment: Environment, methods: Sequence[Method]) -> dict[str, list[float]]:
    """Measure one kernel at a time, so that nothing else takes its time."""
    scenario = next(candidate for candidate in SCENARIOS if candidate.id == _TIMED_SCENARIO)
    times = {
        method.id: [attempt(environment, scenario, method).took_ms for _ in range(_TIMES)]
        for method in methods
    }
    return {**times, "restart": [restart_ms(environment.python) for _ in range(_TIMES)]}


def _attempt(environment: Environment, scenario: Scenario, method: Method) -> Trial | None:
    """Try twice: on a machine that is busy with other things a kernel may be late."""
    for _ in range(2):
        try:
            return attempt(environment, scenario, method)
        except (AssertionError, RuntimeError) as error:
            print(f"{scenario.id}, {method.id}: {error}", flush=True)
    return None


def _methods(environment: str, ids: Sequence[str]) -> Iterator[Method]:
    """All methods in the newest kernel; in the others ours and the best of the recipes."""
    for method in METHODS:
        everywhere = method.id in (*OURS, *RECIPES_THAT_WORK)
        if method.id in ids and (everywhere or environment == NEWEST):
            yield method


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    for name, choices in (
        ("environments", list(ENVIRONMENTS)),
        ("methods", [method.id for method in METHODS]),
        ("scenarios", [scenario.id for scenario in SCENARIOS]),
    ):
        parser.add_argument(
            f"--{name}", nargs="*", choices=choices, default=choices, metavar="NAME"
        )
    parser.add_argument("--check", action="store_true", help="check the scenarios' descriptions")
    parser.add_argument(
        "--times",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="measure times too: leave the machine idle",
    )
    parser.add_argument("--real", action="store_true", help="use the real GPU of this machine")
    parser.add_argument("--workers", type=int, default=2 * (os.cpu_count() or 1))
    return parser.parse_args()


if __name__ == "__main__":
    main()
