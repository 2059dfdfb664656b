"""The mirror of the wire in Python, against the schema."""

from __future__ import annotations

import copy
import re
import subprocess
from typing import Any, Literal, get_args, get_origin, get_type_hints, is_typeddict

import pytest
from gpu_headroom import testing
from gpu_headroom.protocol import checking
from gpu_headroom.protocol.generated import requests, wire
from tests.live import SOURCES
from tests.test_pack import interpreter

import scripts.wire

GROUPS = {
    "event": wire.Event,
    "request": requests.Request,
    "reply": wire.Reply,
    "frame": wire.FrameWire,
}
PRIMITIVES = {"string": str, "integer": int, "number": float, "boolean": bool, "null": type(None)}


def definition_name(kind: type) -> str:
    """The schema's name of a mirrored message."""
    name = kind.__name__.removesuffix("Event")
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()


def mirrored() -> dict[str, type]:
    """All messages and their parts in requests.py and wire.py, by the schema's names."""
    everything = [*vars(requests).values(), *vars(wire).values()]
    kinds = [each for each in everything if is_typeddict(each) and each.__name__[0] != "_"]
    return {definition_name(each): each for each in kinds}


def drift(schema: dict[str, Any]) -> list[str]:
    """What they say otherwise than the schema."""
    definitions = schema["definitions"]
    kinds = mirrored()
    objects = {name for name, each in definitions.items() if not {"oneOf", "enum"} & set(each)}
    found = [f"kind {name}" for name in sorted(objects ^ set(kinds))]
    for name in sorted(objects & set(kinds)):
        found += [f"{name}.{key}" for key in _different_keys(definitions[name], kinds[name])]
    for name, group in GROUPS.items():
        members = {definition_name(each) for each in get_args(group)}
        listed = {each["$ref"].rsplit("/", 1)[1] for each in definitions[name]["oneOf"]}
        found += [f"{name} {each}" for each in sorted(members ^ listed)]
    return found


def _different_keys(definition: dict[str, Any], kind: type) -> list[str]:
    hints = get_type_hints(kind)
    properties = definition["properties"]
    keys = set(hints) ^ set(properties) | set(hints) ^ set(definition["required"])
    keys |= {
        key
        for key in set(hints) & set(properties)
        if _of_hint(hints[key]) != _of_schema(properties[key])
    }
    return sorted(keys)


def _of_hint(hint: Any) -> frozenset[Any]:  # noqa: PLR0911  one per form
    """A hint as the set of its alternatives, in a form that a schema has too."""
    origin, options = get_origin(hint), get_args(hint)
    if origin is Literal:
        return frozenset(options)
    if is_typeddict(hint):
        return frozenset({definition_name(hint)})
    if origin is list:
        return frozenset({("list", _of_hint(options[0]))})
    if origin is tuple:
        return frozenset({("tuple", *map(_of_hint, options))})
    if origin is dict:
        return frozenset({("dict", _of_hint(options[1]))})
    if options:
        return frozenset().union(*(_of_hint(each) for each in options))
    return frozenset({hint})


def _of_schema(part: dict[str, Any]) -> frozenset[Any]:  # noqa: PLR0911  one per form
    if "$ref" in part:
        name = part["$ref"].rsplit("/", 1)[1]
        if name in GROUPS:
            return _of_hint(GROUPS[name])
        choices = testing.schema()["definitions"][name].get("enum")
        return frozenset(choices or {name})
    if "anyOf" in part:
        return frozenset().union(*(_of_schema(each) for each in part["anyOf"]))
    if "const" in part or "enum" in part:
        return frozenset(part.get("enum", [part.get("const")]))
    if isinstance(part["type"], list):
        return frozenset(PRIMITIVES[each] for each in part["type"])
    if part["type"] == "array" and isinstance(part["items"], list):
        return frozenset({("tuple", *map(_of_schema, part["items"]))})
    if part["type"] == "array":
        return frozenset({("list", _of_schema(part["items"]))})
    if part["type"] == "object" and "properties" in part:
        return frozenset({("keys", *sorted(part["properties"]))})
    if part["type"] == "object":
        return frozenset({("dict", _of_schema(part["additionalProperties"]))})
    return frozenset({PRIMITIVES[part["type"]]})


def test_mirror_says_what_the_schema_says() -> None:
    """Kinds, keys, presence and types are the same on both sides."""
    assert drift(testing.schema()) == []


MUTATIONS = {
    "a key more": lambda d: d["sample"]["properties"].update(colour={"type": "string"}),
    "a key less": lambda d: d["sample"]["properties"].pop("busy"),
    "a key renamed": lambda d: d["oom"]["properties"].update(
        asked_bytes=d["oom"]["properties"].pop("requested_bytes")
    ),
    "an optional key": lambda d: d["cell"]["required"].remove("end_s"),
    "another type": lambda d: d["device"]["properties"].update(index={"type": "string"}),
    "not null any more": lambda d: d["device"]["properties"].update(name={"type": "string"}),
    "a choice more": lambda d: d["cell"]["properties"]["status"]["enum"].append("asleep"),
    "another part": lambda d: d["remedy"]["properties"].update(
        title={"$ref": "#/definitions/detail"}
    ),
    "a kind more": lambda d: d.update(ping={"properties": {}, "required": []}),
    "a kind out of its group": lambda d: d["event"]["oneOf"].pop(),
    "another pair": lambda d: d["frame_envelope"]["properties"]["events"]["items"][
        "items"
    ].reverse(),
    "another choice of one": lambda d: d["frame_message"]["properties"].update(
        request={"$ref": "#/definitions/reply"}
    ),
    "inside of an item": lambda d: d["released_item"]["properties"].pop("freed_bytes"),
}


@pytest.mark.parametrize("mutation", MUTATIONS)
def test_drift_is_noticed(mutation: str) -> None:
    """The check above goes red on every kind of difference."""
    mutated = copy.deepcopy(testing.schema())
    MUTATIONS[mutation](mutated["definitions"])
    assert drift(mutated) != []


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
        definition_name(each).removesuffix("_request") for each in get_args(requests.Request)
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
    done = subprocess.run(
        [interpreter(version), "-c", code], cwd=SOURCES, capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["None", "None", "items", "items", "items"]
