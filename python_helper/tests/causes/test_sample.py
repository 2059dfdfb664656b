"""A short sample of the benchmark of causes: what a card says of notebooks with a seeded one."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from benchmarks.causes.notebook import FOLDER, HeaderError, cell_id, read, read_all
from benchmarks.causes.trial import report_of, run_to_failure
from benchmarks.recovery.kernels import Environment

if TYPE_CHECKING:
    from collections.abc import Iterator

    from benchmarks.causes.notebook import SeededNotebook

# What holds today: widen it as rules are written. None of them needs a library.
NAMED = (
    "batch_as_argument",
    "broadcast_of_targets",
    "losses_in_list",
    "first_optimizer_step",
    "other_program",
    "traceback_of_first_try",
    "validation_with_gradients",
    "worker_process",
)
NOTEBOOKS = {each.name: each for each in read_all() if not each.origin}


@pytest.fixture(scope="module")
def environment(newest_python: Path) -> Iterator[Environment]:
    """Kernels of the newest generation."""
    with Environment("sample", newest_python) as opened:
        yield opened


@pytest.mark.smoke
@pytest.mark.parametrize("name", NAMED)
def test_the_seeded_cause_is_named_first(
    environment: Environment, name: str, tmp_path: Path
) -> None:
    """The notebook fails where its header says, and its card names the cause and the line."""
    notebook = NOTEBOOKS[name]
    with environment.open(tmp_path) as kernel:
        own_id = cell_id(notebook.steps[-1].cell)
        report = report_of(kernel, run_to_failure(kernel, notebook), own_id)
    assert report is not None
    assert report["cause"] is not None
    assert report["cause"]["rule"] == notebook.cause
    assert _line(notebook, report["line"]) == notebook.fails


def test_there_are_enough_of_every_kind() -> None:
    """Sixty notebooks and more, a third of them with two plausible causes, twenty of libraries."""
    plausible = [each for each in NOTEBOOKS.values() if each.also]
    libraries = [each for each in NOTEBOOKS.values() if each.needs_libraries]
    assert len(NOTEBOOKS) >= 60
    assert len(plausible) * 3 >= len(NOTEBOOKS)
    assert 15 <= len(libraries) <= 25
    assert len({each.cause for each in NOTEBOOKS.values()}) >= 20


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ("# cause: gremlins", "a cause without an id"),
        ("# what: batch", "`what` is for activations"),
        ("# cure: losses => numbers", "a cure does not match once"),
        ("# fails: loss.forward()", "the failing cell has no such line"),
        ("# run: 1 2 3", "the last run does not fail"),
        ("# colour: red", "unknown"),
    ],
)
def test_a_header_that_is_wrong_is_refused(said: str, why: str) -> None:
    """A label that cannot be true is found when it is read."""
    lines = (FOLDER / "losses_in_list.py").read_text(encoding="utf-8").splitlines()
    key = said.partition(":")[0]
    kept = [line for line in lines if not line.startswith(f"{key}:")]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "changed.py"
        path.write_text("\n".join([kept[0], said, *kept[1:]]), encoding="utf-8")
        with pytest.raises(HeaderError, match=why):
            read(path)


def _line(notebook: SeededNotebook, number: int) -> str:
    return notebook.cells[notebook.steps[-1].cell - 1].splitlines()[number - 1].strip()
