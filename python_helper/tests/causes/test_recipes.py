"""Recipes of other people's notebooks: what they take of a checkout, and what they change."""

from __future__ import annotations

import json
import subprocess
from typing import TYPE_CHECKING

import pytest

from benchmarks.causes.notebook import RECIPES, HeaderError, read, read_all
from benchmarks.causes.sources import Origin, Sources
from benchmarks.causes.trial import lay

if TYPE_CHECKING:
    from pathlib import Path

HEADER = """# Somebody's training, its batch raised
#
# cause: activations
# what: batch
# edit: yes
# remedy: smaller-batch
# gpu: 2GiB
# from: {origin}
# files: .
# change: batch = 8 => batch = 800
# fails: {fails}
# cure: batch = 800 => batch = 8

# %%
data = None
"""
NOTEBOOK = ["import torch\n!pip install x\nbatch = 8", "first()\nloss = net(batch)"]
SCRIPT = "batch = 8\ntrain(batch)\n"


@pytest.fixture
def sources(tmp_path: Path) -> Sources:
    """A folder with one checkout, of a notebook and a script."""
    checkout = tmp_path / "sources" / "someone" / "things"
    checkout.mkdir(parents=True)
    cells = [{"cell_type": "markdown", "source": ["words"]}]
    cells += [{"cell_type": "code", "source": text.splitlines(keepends=True)} for text in NOTEBOOK]
    (checkout / "train.ipynb").write_text(json.dumps({"cells": cells}))
    (checkout / "train.py").write_text(SCRIPT)
    (checkout / "parts.py").write_text("# %% [markdown]\n# words\n# %%\none = 1\n# %%\ntwo = 2\n")
    (checkout / "large.bin").write_bytes(b"\0")
    author = ["-c", "user.name=someone", "-c", "user.email=someone@example.org"]
    for command in (["init", "-q"], ["add", "."], [*author, "commit", "-q", "-m", "things"]):
        subprocess.run(["git", "-C", checkout, *command], check=True)
    return Sources(tmp_path / "sources")


def test_cells_are_taken_by_number_without_lines(sources: Sources, tmp_path: Path) -> None:
    """Ours and theirs stand in order; numbers are changed, and the failing line is found."""
    cells = "\n# %% theirs 1 without 2\n\n# %% theirs 2\n"
    notebook = read(_recipe(tmp_path, sources, "train.ipynb", "2:2", cells), sources)
    assert notebook.cells == (
        "data = None",
        "import torch\nbatch = 800",
        "first()\nloss = net(batch)",
    )
    assert notebook.fails == "loss = net(batch)"
    assert [step.ends for step in notebook.steps] == ["ok", "ok", "out of memory"]
    assert notebook.cured_sources["cell-2"].endswith("batch = 8")


def test_a_script_is_one_cell_and_its_percent_cells_are_several(sources: Sources) -> None:
    """What is text among them is no cell."""
    assert sources.cells(_origin(sources, "train.py")) == (SCRIPT,)
    assert sources.cells(_origin(sources, "parts.py")) == ("one = 1", "two = 2")


def test_files_lie_beside_the_notebook_as_they_are_changed(
    sources: Sources, tmp_path: Path
) -> None:
    """Python files only; a cure is made in the script too."""
    cells = "\n# %%\n%run train.py\n"
    notebook = read(_recipe(tmp_path, sources, "train.py", "%run train.py", cells), sources)
    for cured, line in ((False, "batch = 800"), (True, "batch = 8")):
        folder = tmp_path / line
        folder.mkdir()
        lay(notebook, folder, sources, cured=cured)
        assert sorted(file.name for file in folder.iterdir()) == [
            "parts.py",
            "standins.py",
            "train.py",
        ]
        assert (folder / "train.py").read_text().splitlines()[0] == line


def test_without_the_checkout_a_recipe_is_left_out(sources: Sources, tmp_path: Path) -> None:
    """Its header is read all the same; so it is where the commit is not there."""
    path = _recipe(tmp_path, sources, "train.ipynb", "2:2", "\n# %% theirs 2\n")
    assert not read(path).is_here
    elsewhere = path.read_text().replace(_origin(sources, "").commit, "0" * 40)
    path.write_text(elsewhere)
    assert not read(path, sources).is_here


def test_a_place_that_is_not_in_the_last_cell_is_refused(sources: Sources, tmp_path: Path) -> None:
    """The line that fails is one of the cell that does."""
    path = _recipe(tmp_path, sources, "train.ipynb", "1:1", "\n# %% theirs 2\n")
    with pytest.raises(HeaderError, match="the failing cell has no such line"):
        read(path, sources)


def test_recipes_name_other_people_s_files_and_have_none_of_their_text() -> None:
    """Forty and more of them, each of a repository, a commit and a file."""
    recipes = [recipe for recipe in read_all() if recipe.origin]
    assert len(recipes) == len(list(RECIPES.glob("*.py"))) >= 60
    assert not any(recipe.is_here for recipe in recipes)


def _origin(sources: Sources, file: str) -> Origin:
    checkout = sources.root / "someone" / "things"
    commit = subprocess.run(
        ["git", "-C", checkout, "rev-parse", "HEAD"], capture_output=True, text=True, check=True
    )
    return Origin("someone/things", commit.stdout.strip(), file)


def _recipe(folder: Path, sources: Sources, file: str, fails: str, cells: str) -> Path:
    origin = _origin(sources, file)
    path = folder / "recipe.py"
    label = f"{origin.repository}@{origin.commit} {file}"
    path.write_text(HEADER.format(origin=label, fails=fails) + cells)
    return path
