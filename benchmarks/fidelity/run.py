"""Hold the simulator to PyTorch's own allocator: writes a table of `results.md`.

Each program runs twice in one environment with a CUDA build of PyTorch, over the stub of the
runtime (`python_helper/tests/cuda_runtime`): once on cards of the stub, once on simulated ones.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.fidelity import drawn, page
from benchmarks.fidelity.exceptions import EXCEPTIONS
from benchmarks.fidelity.measured import EQUAL, FAULTS, LARGER, SMALLER, Comparison, Measured
from benchmarks.fidelity.programs import PROGRAMS
from scripts.cuda import BUILD, Environment, stub_variables
from scripts.cuda_table import SIMULATED, VERSIONS

if TYPE_CHECKING:
    from collections.abc import Iterable

ROOT = Path(__file__).parents[2]
SIDES = ("allocator", "simulator")
# What the programs of libraries import; the second need PyTorch themselves.
LIBRARIES = (
    ("transformers", "safetensors"),
    ("accelerate", "lightning", "pytorch-lightning", "torchmetrics", "lightning-utilities"),
)


def compare(environment: Path, names: Iterable[str]) -> dict[str, Comparison]:
    """Play programs on both sides, at the same time, and return them by their names.

    `environment` has a CUDA build and the stub made for it, as `scripts.cuda` makes them.
    """
    wanted = list(names)
    # Here, since what drawing tries has autograd's threads, and the sides fork.
    texts = {name: drawn.text(name) for name in wanted if name not in PROGRAMS}
    with ThreadPoolExecutor(len(SIDES)) as pool:
        allocator, simulator = pool.map(lambda side: _play(environment, side, wanted, texts), SIDES)
    return {name: Comparison(allocator[name], simulator[name]) for name in wanted}


def _play(
    environment: Path, side: str, names: list[str], texts: dict[str, str]
) -> dict[str, Measured]:
    """Play programs on one side; those on the same cards share a process to fork from."""
    by_cards: dict[tuple[str, ...], list[str]] = {}
    for name in names:
        cards = drawn.CARDS if name in texts else PROGRAMS[name].cards
        by_cards.setdefault(cards, []).append(name)
    played: dict[str, Measured] = {}
    for cards, group in by_cards.items():
        played |= _play_on(cards, environment, side, group, texts)
    return played


def _play_on(
    cards: tuple[str, ...], environment: Path, side: str, names: list[str], texts: dict[str, str]
) -> dict[str, Measured]:
    variables = {
        **os.environ,
        **stub_variables(environment, cards=",".join(cards), driver=side == "allocator"),
        "PYTHONPATH": f"{ROOT / 'python_helper'}:{ROOT}",
        # A library that asks at its import whether there is a card must not spoil the forks.
        "PYTORCH_NVML_BASED_CUDA_CHECK": "1",
        "OMP_NUM_THREADS": "1",
        "TOKENIZERS_PARALLELISM": "false",
        "HF_HUB_OFFLINE": "1",
    }
    command = [str(environment / "bin" / "python"), "-m", "benchmarks.fidelity.side", side, *names]
    played = {}
    pipe = subprocess.PIPE
    with subprocess.Popen(
        command, cwd=ROOT, env=variables, stdin=pipe, stdout=pipe, text=True
    ) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        json.dump({name: texts[name] for name in names if name in texts}, child.stdin)
        child.stdin.close()
        for line in child.stdout:
            name, found = json.loads(line)
            played[name] = Measured.read(found)
            print(f"{len(played)} of {len(names)}, {side}: {name}", file=sys.stderr, flush=True)
    if child.returncode:
        raise RuntimeError(f"The side {side} ended with {child.returncode}: its text is above.")
    return played


def main() -> int:
    """Compare the programs that are named, or all, which renews the page."""
    wanted = _arguments()
    if wanted.show:
        print(drawn.text(wanted.show), end="")
        return 0
    refused = subprocess.run([sys.executable, BUILD, "--check"], check=False).returncode
    if refused:
        return refused
    environment = Environment(wanted.folder, SIMULATED)
    if not environment.is_there:
        print(
            f"PyTorch {SIMULATED}: one wheel of {VERSIONS[SIMULATED]} MB, none of NVIDIA's; with "
            f"Transformers, Accelerate and Lightning 1.7 GB in {environment.folder}.",
            flush=True,
        )
    environment.make(only_local=False)
    environment.build()
    environment.add("libraries", *LIBRARIES)
    if wanted.drawn:
        return _play_drawn(environment.folder, wanted.seed, wanted.drawn)
    compared = compare(environment.folder, wanted.programs or PROGRAMS)
    if not wanted.programs:
        page.write({"date": _today(), "torch": SIMULATED, "programs": compared})
    known = {name: each for name, each in compared.items() if name in PROGRAMS}
    complaints = [each for name in known for each in complain(name, known[name])]
    drawn_ones = [f"{name}: {each.outcome}" for name, each in compared.items() if name not in known]
    print("\n".join([page.summary(compared), *complaints, *drawn_ones]))
    return 1 if complaints else 0


def _play_drawn(environment: Path, seed: int, count: int) -> int:
    """Compare so many drawn programs, say what is wrong with them, and renew their table."""
    found = compare(environment, [f"{drawn.PREFIX}{seed + each}" for each in range(count)])
    page.write_drawn(_today(), SIMULATED, seed, [each.outcome for each in found.values()])
    smaller = [name for name, each in found.items() if each.outcome == SMALLER]
    lines = {name: drawn.text(name).count("\n") for name in smaller}
    parts = compare(environment, [f"{n}:{end}" for n in lines for end in range(1, lines[n] + 1)])
    for name, each in found.items():
        if each.outcome == SMALLER:
            print(f"{name}: smaller, {_first_difference(name, parts)}")
        elif each.outcome not in (EQUAL, LARGER):
            print(f"{name}: {each.outcome}, {(each.allocator.failure, each.simulator.failure)}")
    return 1 if any(each.outcome in FAULTS for each in found.values()) else 0


def _first_difference(name: str, parts: dict[str, Comparison]) -> str:
    """Return the first statement after which the statistics differ, and how."""
    own = (each for each in parts if each.startswith(f"{name}:"))
    end = next(each for each in own if parts[each].outcome != EQUAL)
    one, other = (asdict(each.cards[0]) for each in (parts[end].allocator, parts[end].simulator))
    how = ", ".join(f"{key} {one[key]} and {other[key]}" for key in one if one[key] != other[key])
    return f"since {drawn.text(end).splitlines()[-1].strip()!r}: {how}"


def _today() -> str:
    return datetime.now(tz=timezone.utc).date().isoformat()


def complain(name: str, compared: Comparison) -> list[str]:
    """Return what is wrong with a program's sentence: it is missing, or not true any more."""
    is_excused = name in EXCEPTIONS
    if compared.is_equal and is_excused:
        return [f"{name}: equal, so its sentence can go"]
    if not compared.is_equal and not is_excused:
        return [f"{name}: not equal, and no sentence says why"]
    return []


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("programs", nargs="*", metavar="NAME", help="these only, not recorded")
    parser.add_argument("--folder", type=Path, default=ROOT / ".venvs")
    parser.add_argument("--drawn", type=int, default=0, metavar="N", help="so many drawn ones")
    parser.add_argument("--seed", type=int, default=1, help="of the first of them")
    parser.add_argument("--show", metavar="NAME", help="print the text of a drawn one: drawn-17")
    wanted = parser.parse_args()
    chosen = (each for each in wanted.programs if not each.startswith(drawn.PREFIX))
    unknown = set(chosen) - set(PROGRAMS)
    if unknown:
        parser.error(f"no such program: {', '.join(sorted(unknown))}")
    return wanted


if __name__ == "__main__":
    sys.exit(main())
