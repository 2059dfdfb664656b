"""Prove that each wing can be taken away: delete its folder and one line, and the rest holds.

`python -m scripts.wings` takes each wing by itself out of a copy of the tracked files and checks
imports and types; then it takes out all of one half at once and runs the core's tests as well.
`python -m scripts.wings trends` runs everything without one wing; `--helper` and `--page` choose
a half.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    Command = tuple[str, ...]

ROOT = Path(__file__).parents[1]
# Not tracked, and needed: environments, packages, what was generated.
LINKED = (".venv", "node_modules")
COPIED = ("src/kernel/pack.ts",)
_BIN = ".venv/bin/"


@dataclass(frozen=True)
class Half:
    """One half of the product: the file that lists its wings, and what proves that it holds."""

    list_file: str
    checks: tuple[Command, ...]
    tests: Command


@dataclass(frozen=True)
class Wing:
    """What is deleted besides the line of the list that has its name."""

    half: str
    folders: tuple[str, ...]
    # Nothing lists a script of its own.
    listed: bool = True


_CORE_TESTS = (
    "advice cells code concurrency errors frameworks handlers holders inspection oom protocol"
    " readings release render reports session text"
)
_CORE_PAGE = "__tests__ components gauge kernel lab memory panel release renderer report text"
HALVES = {
    "helper": Half(
        "python_helper/gpu_headroom/wings.py",
        (
            (f"{_BIN}lint-imports", "--no-cache", "--no-logo"),
            (
                f"{_BIN}mypy",
                "--cache-dir",
                f"{ROOT}/.mypy_cache/wings",
                "python_helper/gpu_headroom",
            ),
        ),
        (
            f"{_BIN}pytest",
            *("--quiet", "--exitfirst", "-m", "not kernel", "-p", "no:cacheprovider"),
            *(f"python_helper/tests/{name}" for name in _CORE_TESTS.split()),
        ),
    ),
    "page": Half(
        "src/wings.ts",
        (("node_modules/.bin/tsc", "--noEmit", "--project", "tsconfig.json"),),
        ("node_modules/.bin/jest", *(f"src/{name}/" for name in _CORE_PAGE.split())),
    ),
}


def _of_helper(*folders: str) -> Wing:
    return Wing("helper", tuple(f"python_helper/{name}" for name in folders))


def _of_page(name: str) -> Wing:
    return Wing("page", (f"src/{name}",), listed=name != "outputs")


_OF_PAGE = ("outputs", *re.findall(r"'\./(\w+)/", (ROOT / "src/wings.ts").read_text()))

WINGS: dict[str, Wing] = {
    "trends": _of_helper("gpu_headroom/trends", "tests/trends"),
    "frames": _of_helper("gpu_headroom/frames", "tests/frames"),
    "workers": _of_helper("gpu_headroom/workers", "tests/workers"),
    "edits": _of_helper("gpu_headroom/edits", "tests/edits"),
    "rerun": _of_helper("gpu_headroom/rerun", "tests/rerun"),
    "rescue": _of_helper("gpu_headroom/rescue", "tests/rescue"),
    "gpu_dry_run": _of_helper("gpu_dry_run", "tests/dry_runs"),
    **{f"src/{name}": _of_page(name) for name in _OF_PAGE},
}


def copy_tree(target: Path) -> None:
    """Copy the tracked files as they are now, and link what the checks need besides."""
    output = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    for name in [*output.split("\0"), *COPIED]:
        source = ROOT / name
        if name not in {"", *LINKED} and source.is_file():
            copy = target / name
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, copy)
    for name in LINKED:
        (target / name).symlink_to((ROOT / name).resolve())


def remove(tree: Path, name: str) -> None:
    """Delete the folders of a wing, styles of its own and the one line that names it.

    Raises `SystemExit` where there is no such folder, or not one such line.
    """
    wing = WINGS[name]
    for folder in wing.folders:
        if not (tree / folder).is_dir():
            raise SystemExit(f"{name}: there is no folder {folder}.")
        shutil.rmtree(tree / folder)
    style = f"style/{Path(name).name}.css"
    sources = [path.read_text() for path in (tree / "src").rglob("*.ts*")]
    if wing.half == "page" and not any(style in source for source in sources):
        (tree / style).unlink(missing_ok=True)
    if not wing.listed:
        return
    path = tree / HALVES[wing.half].list_file
    lines = path.read_text().splitlines(keepends=True)
    word = Path(name).name
    matches = [line for line in lines if re.search(rf"\b{word}\b", line)]
    if len(matches) != 1:
        raise SystemExit(f"{name}: {len(matches)} lines of {path.name} name it, not one.")
    lines.remove(matches[0])
    path.write_text("".join(lines))


def prove(names: Sequence[str], commands: Iterable[Command]) -> bool:
    """Run commands in a copy without these wings; whether all of them passed."""
    with tempfile.TemporaryDirectory(prefix="gpu-headroom-wings-") as folder:
        tree, start_s = Path(folder), time.monotonic()
        copy_tree(tree)
        for name in names:
            remove(tree, name)
        environment = {**os.environ, "PYTHONPATH": "python_helper"}
        failed = [
            command
            for command in commands
            if subprocess.run(command, cwd=tree, env=environment, check=False).returncode != 0
        ]
        seconds = time.monotonic() - start_s
    for command in failed:
        print(f"FAILED without {', '.join(names)}: {' '.join(command)}")
    print(f"{'FAILED' if failed else 'ok'} without {', '.join(names)}: {seconds:.0f} s", flush=True)
    return not failed


def main(arguments: list[str]) -> int:
    """Prove what the arguments name; returns an exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", choices=[[], *WINGS], metavar="WING")
    for half in HALVES:
        parser.add_argument(f"--{half}", action="store_true", help=f"the wings of the {half} only")
    options = parser.parse_args(arguments)
    halves = [half for half in HALVES if getattr(options, half)] or list(HALVES)
    passed = True
    for half in halves:
        names = [name for name in options.names or WINGS if WINGS[name].half == half]
        checks, tests = HALVES[half].checks, HALVES[half].tests
        if len(names) > 1:
            passed = all([passed, *[prove([name], checks) for name in names]])
        if names:
            passed = prove(names, [*checks, tests]) and passed
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
