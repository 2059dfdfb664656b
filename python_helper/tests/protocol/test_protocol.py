"""The mirror of the wire in Python, against the schema."""

from __future__ import annotations

import re
import subprocess
from typing import Any, get_args, get_type_hints, is_typeddict

import pytest
from gpu_headroom import testing
from gpu_headroom.protocol import checking
from gpu_headroom.protocol.generated import requests, wire
from tests.live import SOURCES
from tests.test_pack import interpreter

import scripts.wire


def definition_name(kind: type) -> str:
    """The schema's name of a mirrored message."""
    name = kind.__name__.removesuffix("Event")
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()


def mirrored() -> dict[str, type]:
    """All messages and their parts in requests.py and wire.py, by the schema's names."""
    everything = [*vars(requests).values(), *vars(wire).values()]
    kinds = [kind for kind in everything if is_typeddict(kind) and kind.__name__[0] != "_"]
    return {definition_name(kind): kind for kind in kinds}


def test_the_types_are_made_from_the_schema() -> None:
    """Where this fails, `python -m scripts.wire` was forgotten."""
    for path, text in scripts.wire.modules(testing.schema()).items():
        assert path.read_text(encoding="utf-8") == text


def test_every_request_is_told_by_its_type() -> None:
    """The tag of each request and reply is the name of its definition."""
    for name, kind in mirrored().items():
        if name.endswith(("_request", "_reply")):
            (tag,) = get_args(get_type_hints(kind)["type"])
            assert tag == name.rsplit("_", 1)[0]
    assert set(checking.REQUESTS) == {
        definition_name(request).removesuffix("_request") for request in get_args(requests.Request)
    }


@pytest.mark.parametrize(
    ("version", "understood"), [("2.0", True), ("2.9", True), ("1.0", False), ("", False)]
)
def test_majors_must_match(version: str, *, understood: bool) -> None:
    """A peer of another minor version is understood, of another major it is not."""
    assert checking.same_major(version) is understood


FIX: dict[str, Any] = {
    "type": "fix",
    "id": "1",
    "protocol_version": "2.0",
    "report_id": "r",
    "remedy_id": "smaller-batch",
    "sources": {"cell": "x = 1"},
}
RELEASE: dict[str, Any] = {
    "type": "release",
    "id": "1",
    "protocol_version": "2.0",
    "items": ["traceback", "variable:x"],
    "confirmed": ["variable:x"],
    "report_id": None,
}


@pytest.mark.parametrize(
    ("request_", "flaw"),
    [
        (FIX, None),
        (RELEASE, None),
        ({**RELEASE, "items": None}, None),
        ({**RELEASE, "later": "key"}, None),
        ({**RELEASE, "items": [5]}, "items"),
        ({**RELEASE, "confirmed": None}, "confirmed"),
        ({**RELEASE, "items": "cache"}, "items"),
        ({**FIX, "sources": {"cell": 5}}, "sources"),
        ({**FIX, "sources": []}, "sources"),
        ({key: value for key, value in FIX.items() if key != "remedy_id"}, "remedy_id"),
    ],
)
def test_names_the_key_that_is_wrong(request_: dict[str, Any], flaw: str | None) -> None:
    """A request is checked as deep as it goes."""
    assert checking.flaw(request_) == flaw


@pytest.mark.parametrize("version", ["3.10", "3.12", "3.13"])
def test_every_python_checks_a_list_that_may_be_missing(version: str) -> None:
    """In 3.10 `list[str]` passes for a type, of which nothing may be said to be an instance."""
    code = (
        "from gpu_headroom.protocol.checking import flaw\n"
        "asked = {'type': 'release', 'id': '1', 'protocol_version': '1.0', 'report_id': None}\n"
        "for items in (None, ['cache'], 'cache', [1], {}):\n"
        "    print(flaw({**asked, 'items': items, 'confirmed': []}))"
    )
    process = subprocess.run(
        [interpreter(version), "-c", code], cwd=SOURCES, capture_output=True, text=True, check=True
    )
    assert process.stdout.split() == ["None", "None", "items", "items", "items"]
