"""Cards of every version, as notebooks have them; `kept.spec.ts` reads and shows them."""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from typing import Any

import pytest
from gpu_headroom import testing
from gpu_headroom.card.report import VERSION
from gpu_headroom.render import bundle
from tests.live import REPORT
from tests.samples.collect import CARDS, NOTEBOOKS

# Its functions have no types.
nbformat: Any = importlib.import_module("nbformat")

SAMPLES: dict[str, dict[str, Any]] = {
    path.name: json.loads(path.read_text(encoding="utf-8")) for path in sorted(CARDS.glob("*.json"))
}
NEWEST = list(SAMPLES.values())[-1]
BUNDLES = [
    pytest.param(data, id=f"{name} {card}")
    for name, sample in SAMPLES.items()
    for card, data in sample["cards"].items()
]


@pytest.mark.parametrize("data", BUNDLES)
def test_is_a_notebook_that_anybody_opens(data: dict[str, Any], tmp_path: Path) -> None:
    """A notebook with a saved card is a valid one, and has its text for whoever has no extension.

    A card that was not kept has one sentence.
    """
    output = nbformat.v4.new_output("display_data", data)
    cell = nbformat.v4.new_code_cell("train(batch_size)", outputs=[output])
    nbformat.write(nbformat.v4.new_notebook(cells=[cell]), tmp_path / "saved.ipynb")
    saved = nbformat.read(tmp_path / "saved.ipynb", as_version=4)
    nbformat.validate(saved)
    kept = saved.cells[0].outputs[0].data
    assert kept == data
    assert kept["text/plain"].strip()
    assert ("text/html" in kept) == ("parts" in kept[REPORT])


@pytest.mark.parametrize("card", NOTEBOOKS)
def test_newest_sample_is_of_the_shape_of_today(card: str) -> None:
    """Who changes the shape of a card keeps a sample of it: `python -m tests.samples.collect`."""
    report = NEWEST["cards"][card][REPORT]
    testing.check(report, "stub" if card == "stub" else "report")
    if card != "stub":
        assert set(bundle(report, keep=True)) == set(NEWEST["cards"][card])


def test_every_sample_is_of_one_major_version() -> None:
    """The page reads cards of this major version; another one needs a sentence of its own there."""
    majors = {
        data[REPORT]["version"].split(".")[0]
        for sample in SAMPLES.values()
        for data in sample["cards"].values()
    }
    page = Path(__file__).parents[3] / "src" / "card" / "newer.tsx"
    assert majors == {VERSION.split(".")[0]}
    assert f"const MAJOR = {VERSION.split('.')[0]};" in page.read_text(encoding="utf-8")
