"""What translators are given: the sentences of both halves, by `make translations`."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from babel.messages.pofile import read_po

from scripts.sentences import templates

if TYPE_CHECKING:
    from babel.messages.catalog import Catalog

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def collected(tmp_path_factory: pytest.TempPathFactory) -> Catalog:
    """The file for translators, read by gettext's own rules."""
    target = tmp_path_factory.mktemp("translations") / "gpu_headroom.pot"
    subprocess.run(
        ["node", str(ROOT / "scripts" / "translations.mjs"), str(target)],
        env={**os.environ, "PYTHON": sys.executable},
        check=True,
    )
    with target.open(encoding="utf-8") as file:
        return read_po(file, abort_invalid=True)


def test_has_every_template_of_the_helper(collected: Catalog) -> None:
    """With its id, and a word on sizes: the keys of other places say what stands there."""
    sentences = templates()
    for name, template in sentences.items():
        entry = collected.get(template)
        assert (entry is None) == name.startswith("summary."), name
        assert entry is None or name in entry.auto_comments
    activations = collected.get(sentences["cause.activations"])
    assert activations is not None
    assert activations.auto_comments[1:] == [
        "A size, such as 1.2 GiB: {held_bytes}, {in_use_bytes}"
    ]


@pytest.mark.parametrize(
    ("sentence", "path"),
    [
        ("Re-run cell", "src/renderer/reportoffers.ts"),
        ("Saved output from %1.", "src/report/report.tsx"),
        ("No GPU", "src/memory/readingwords.ts"),
        ("GPU Headroom is not running in this kernel.", "src/kernel/link.ts"),
        ("Measure all", "src/lab/gap.tsx"),
    ],
)
def test_has_the_sentences_of_the_front_end(collected: Catalog, sentence: str, path: str) -> None:
    """However the call is written: `trans.__`, `this._trans.__`, `words.trans.__`, in JSX."""
    entry = collected.get(sentence)
    assert entry is not None
    assert path in [file for file, _line in entry.locations]
