"""The registry of frameworks, their folders, and what the wire calls them."""

from __future__ import annotations

import json
import re
from importlib.util import find_spec
from pathlib import Path
from typing import get_args

from gpu_headroom import frameworks
from gpu_headroom.frameworks.registry import BESIDE_TORCH, FRAMEWORKS, TITLES, part
from gpu_headroom.protocol.generated.wire import FrameworkName, State

FOLDER = Path(frameworks.__path__[0])
SCHEMA = FOLDER.parent / "protocol" / "protocol.schema.json"


def test_every_folder_is_known() -> None:
    """A folder is called as its framework is on the wire."""
    folders = {path.parent.name for path in FOLDER.glob("*/__init__.py")}
    assert folders == TITLES.keys()
    assert [each.__name__.rpartition(".")[2] for each in FRAMEWORKS] == list(TITLES)
    assert all(each.NAME in each.PACKAGES for each in FRAMEWORKS)


def test_has_the_files_that_it_promises() -> None:
    """Sources, arrays, texts of errors, and what can be given back beside PyTorch."""
    for each in FRAMEWORKS:
        for file in each.SOURCES.values():
            assert part(each, file).SOURCE().state() in get_args(State)
        assert {text.framework for text in part(each, "errors").FORMATS} == {each.NAME}
    for each in BESIDE_TORCH:
        assert find_spec(f"{each.__name__}.arrays")
        assert callable(part(each, "reading").SOURCE().caches)


def test_the_wire_knows_the_same_names() -> None:
    """In the schema, and for type checkers."""
    names = list(TITLES)
    assert list(get_args(FrameworkName)) == names
    listed = re.findall(r'"enum": (\[[^]]*"torch"[^]]*\])', SCHEMA.read_text(encoding="utf-8"))
    assert listed
    assert all(json.loads(each) == names for each in listed)
