"""Saved reports, as notebooks have them; `kept.spec.ts` reads and shows them."""

from __future__ import annotations

import importlib
import json
from typing import TYPE_CHECKING, Any

import pytest
from gpu_headroom import testing
from gpu_headroom.render.bundle import bundle
from tests.live import REPORT
from tests.samples.collect import CARDS, NOTEBOOKS

if TYPE_CHECKING:
    from pathlib import Path

# Its functions have no types.
nbformat: Any = importlib.import_module("nbformat")

SAMPLES: dict[str, dict[str, Any]] = json.loads(CARDS.read_text(encoding="utf-8"))


@pytest.mark.parametrize("data", [pytest.param(data, id=name) for name, data in SAMPLES.items()])
def test_is_a_notebook_that_anybody_opens(data: dict[str, Any], tmp_path: Path) -> None:
    """A notebook with a saved report is valid, and has its text for whoever has no extension.

    A report that was not kept has one sentence.
    """
    output = nbformat.v4.new_output("display_data", data)
    cell = nbformat.v4.new_code_cell("train(batch_size)", outputs=[output])
    nbformat.write(nbformat.v4.new_notebook(cells=[cell]), tmp_path / "saved.ipynb")
    notebook = nbformat.read(tmp_path / "saved.ipynb", as_version=4)
    nbformat.validate(notebook)
    copy = notebook.cells[0].outputs[0].data
    assert copy == data
    assert copy["text/plain"].strip()
    assert ("text/html" in copy) == ("parts" in copy[REPORT])


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_sample_is_of_the_shape_of_today(name: str) -> None:
    """Who changes the shape of a report writes it anew: `python -m tests.samples.collect`."""
    report = SAMPLES[name][REPORT]
    testing.check(report, "stub" if name == "stub" else "report")
    if name != "stub":
        assert set(bundle(report, keep=True)) == set(SAMPLES[name])
