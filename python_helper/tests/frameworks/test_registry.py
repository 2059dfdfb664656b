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
    assert [module.__name__.rpartition(".")[2] for module in FRAMEWORKS] == list(TITLES)
    assert all(module.NAME in module.PACKAGES for module in FRAMEWORKS)


def test_has_the_files_that_it_promises() -> None:
    """Sources, arrays, texts of errors, and what can be given back beside PyTorch."""
    for module in FRAMEWORKS:
        for file in module.SOURCES.values():
            assert part(module, file).SOURCE().state() in get_args(State)
        assert {text.framework for text in part(module, "errors").FORMATS} == {module.NAME}
    for module in BESIDE_TORCH:
        assert find_spec(f"{module.__name__}.arrays")
        assert callable(part(module, "reading").SOURCE().caches)


def test_the_wire_knows_the_same_names() -> None:
    """In the schema, and for type checkers."""
    names = list(TITLES)
    assert list(get_args(FrameworkName)) == names
    enums = re.findall(r'"enum": (\[[^]]*"torch"[^]]*\])', SCHEMA.read_text(encoding="utf-8"))
    assert enums
    assert all(json.loads(enum) == names for enum in enums)
