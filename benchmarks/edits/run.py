"""Try every kind of edit on its programs, and on generated ones; write the page.

`python -m benchmarks.edits.run` does all of it; `--kinds` choose a part, whose results take the
place of the earlier ones. `--show KIND SEED` prints a generated program, before and after.
"""

from __future__ import annotations

import argparse
import multiprocessing
import re
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from typing import TYPE_CHECKING

import IPython
import torch

from benchmarks.edits import page
from benchmarks.edits.generate import generated, kinds_generated
from benchmarks.edits.judge import Verdict, judge, live_of, offered
from benchmarks.edits.kinds import Adaptor, all_kinds
from benchmarks.edits.program import Program, read_all
from benchmarks.edits.results import OfKind, Results
from benchmarks.edits.trial import run

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

SEED = 22
_AT_ONCE = 8
_ATTEMPTS = 10
_DETAILS = re.compile(r"`[^`]*`|In \[\d+\]|\d+")


def main() -> None:
    """Judge what was asked for."""
    wanted = _arguments()
    if wanted.show:
        _show(wanted.show[0], int(wanted.show[1]))
        return
    results, kinds = Results.read(), wanted.kinds or all_kinds()
    results.keep_only(all_kinds())
    made = kinds_generated()
    with pool(wanted.workers) as workers:
        for kind in kinds:
            found = results.kinds.setdefault(kind, OfKind())
            found.promise = Adaptor(kind).promise
            found.programs = judge_all(workers, read_all([kind]))
            seeds = range(wanted.seed, wanted.seed + wanted.generated)
            verdicts = judge_generated(workers, kind, seeds if kind in made else ())
            found.enter_generated(verdicts, wanted.seed)
            for each in (*found.programs, *verdicts):
                if each.verdict not in ("equal", "refused"):
                    print(f"{each.verdict:9} {each.kind} {each.program}: {'; '.join(each.why)}")
            if wanted.why:
                _print_reasons(verdicts)
            print(page.summary({kind: found}), flush=True)
            faults = [each for each in (*found.programs, *verdicts) if _is_fault(each)]
            if not wanted.dry:
                results.save({"torch": torch.__version__, "IPython": IPython.__version__})
                page.write(results)
            wanted.faults += faults
    if wanted.faults:
        raise SystemExit(f"{len(wanted.faults)} wrong or invalid")


def pool(workers: int) -> ProcessPoolExecutor:
    """Return processes to judge in: each program has a time limit, which needs a main thread."""
    return ProcessPoolExecutor(workers, multiprocessing.get_context("spawn"), initializer=_alone)


def judge_all(workers: ProcessPoolExecutor, programs: Sequence[Program]) -> list[Verdict]:
    """Judge programs as people write them."""
    return list(workers.map(judge, programs, chunksize=_AT_ONCE))


def judge_generated(workers: ProcessPoolExecutor, kind: str, seeds: Iterable[int]) -> list[Verdict]:
    """Judge the programs of these seeds."""
    judged: Callable[[int], Verdict] = partial(judge_seed, kind)
    return list(workers.map(judged, seeds, chunksize=_AT_ONCE))


def judge_seed(kind: str, seed: int) -> Verdict:
    """Judge the program of one seed; one that fails by itself gives way to another."""
    for attempt in range(_ATTEMPTS):
        found = judge(generated(kind, seed, attempt))
        if found.verdict != "invalid":
            break
    return found


def _print_reasons(verdicts: Iterable[Verdict]) -> None:
    """Print the reasons of refusals, the most frequent first, and a seed for each."""
    seeds: dict[str, list[str]] = {}
    for each in verdicts:
        if each.verdict == "refused":
            seeds.setdefault(_DETAILS.sub("…", "; ".join(each.why)), []).append(each.program)
    for why, found in sorted(seeds.items(), key=lambda each: -len(each[1])):
        print(f"{len(found):5}  {why} ({found[0]})")


def _is_fault(verdict: Verdict) -> bool:
    return verdict.verdict in ("wrong", "invalid")


def _alone() -> None:
    torch.set_num_threads(1)


def _show(kind: str, seed: int) -> None:
    programs = (generated(kind, seed, attempt) for attempt in range(_ATTEMPTS))
    program = next(each for each in programs if not run(each.cells).failed)
    outcome = run(program.cells)
    print("\n# %%\n".join(program.cells.values()))
    print(f"\n# fails: {program.fails}\n# about: {program.about}\n# {outcome.failed}")
    cells, why = offered(program, Adaptor(kind), live_of(program, outcome))
    print("\n=======", why or "edited:")
    print("\n# %%\n".join((cells or {}).values()))
    print("\n=======", judge(program))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kinds", nargs="*", default=[], metavar="KIND", help="all if none")
    parser.add_argument("--generated", type=int, default=0, help="programs to make for each kind")
    parser.add_argument("--seed", type=int, default=SEED, help="the first of them")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--dry", action="store_true", help="write nothing")
    parser.add_argument("--why", action="store_true", help="print why edits are refused")
    parser.add_argument("--show", nargs=2, metavar=("KIND", "SEED"), help="print one of them")
    parser.set_defaults(faults=[])
    return parser.parse_args()


if __name__ == "__main__":
    main()
