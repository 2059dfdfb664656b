"""Hold the simulator to PyTorch's own allocator: writes a table of `results.md`.

Each program runs twice in one environment with a CUDA build of PyTorch, over the stub of the
runtime (`python_helper/tests/cuda_runtime`): once on GPUs of the stub, once on simulated ones.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.fidelity import page
from benchmarks.fidelity.exceptions import EXCEPTIONS
from benchmarks.fidelity.measured import Comparison, Measured
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
    programs = list(names)
    with ThreadPoolExecutor(len(SIDES)) as pool:
        allocator, simulator = pool.map(lambda side: play(environment, side, programs), SIDES)
    return {name: Comparison(allocator[name], simulator[name]) for name in programs}


def play(environment: Path, side: str, names: list[str]) -> dict[str, Measured]:
    """Play programs on one side with the Python of `environment`.

    Those on the same GPUs share a process to fork from.
    """
    by_gpus: dict[tuple[str, ...], list[str]] = {}
    for name in names:
        by_gpus.setdefault(PROGRAMS[name].gpus, []).append(name)
    results: dict[str, Measured] = {}
    for gpus, group in by_gpus.items():
        results |= _play_on(gpus, environment, side, group)
    return results


def _play_on(
    gpus: tuple[str, ...], environment: Path, side: str, names: list[str]
) -> dict[str, Measured]:
    variables = {
        **os.environ,
        **stub_variables(environment, gpus=",".join(gpus), driver=side == "allocator"),
        "PYTHONPATH": f"{ROOT / 'python_helper'}:{ROOT}",
        # A library that asks at its import whether there is a GPU must not spoil the forks.
        "PYTORCH_NVML_BASED_CUDA_CHECK": "1",
        "OMP_NUM_THREADS": "1",
        "TOKENIZERS_PARALLELISM": "false",
        "HF_HUB_OFFLINE": "1",
    }
    command = [str(environment / "bin" / "python"), "-m", "benchmarks.fidelity.side", side, *names]
    results = {}
    with subprocess.Popen(
        command, cwd=ROOT, env=variables, stdout=subprocess.PIPE, text=True
    ) as child:
        assert child.stdout is not None
        for line in child.stdout:
            name, data = json.loads(line)
            results[name] = Measured.read(data)
            print(f"{len(results)} of {len(names)}, {side}: {name}", file=sys.stderr, flush=True)
    if child.returncode:
        raise RuntimeError(f"The side {side} ended with {child.returncode}: its text is above.")
    return results


def main() -> int:
    """Compare the programs that are named, or all, which renews the page."""
    options = _arguments()
    status = subprocess.run([sys.executable, BUILD, "--check"], check=False).returncode
    if status:
        return status
    environment = Environment(options.folder, SIMULATED)
    if not environment.is_there:
        print(
            f"PyTorch {SIMULATED}: one wheel of {VERSIONS[SIMULATED]} MB, none of NVIDIA's; with "
            f"Transformers, Accelerate and Lightning 1.7 GB in {environment.folder}.",
            flush=True,
        )
    environment.make(only_local=False)
    environment.build()
    environment.add("libraries", *LIBRARIES)
    results = compare(environment.folder, options.programs or PROGRAMS)
    if not options.programs:
        page.write({"date": _today(), "torch": SIMULATED, "programs": results})
    complaints = [text for name, result in results.items() for text in complain(name, result)]
    print("\n".join([page.summary(results), *complaints]))
    return 1 if complaints else 0


def _today() -> str:
    return datetime.now(tz=timezone.utc).date().isoformat()


def complain(name: str, comparison: Comparison) -> list[str]:
    """Return what is wrong with a program's sentence: it is missing, or not true any more."""
    is_excused = name in EXCEPTIONS
    if comparison.is_equal and is_excused:
        return [f"{name}: equal, so its sentence can go"]
    if not comparison.is_equal and not is_excused:
        return [f"{name}: not equal, and no sentence says why"]
    return []


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("programs", nargs="*", metavar="NAME", help="these only, not recorded")
    parser.add_argument("--folder", type=Path, default=ROOT / ".venvs")
    options = parser.parse_args()
    unknown = set(options.programs) - set(PROGRAMS)
    if unknown:
        parser.error(f"no such program: {', '.join(sorted(unknown))}")
    return options


if __name__ == "__main__":
    sys.exit(main())
