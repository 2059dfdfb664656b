"""Writes what the schema says as types of both halves, into folders named `generated`.

Run `python -m scripts.wire` after a change of `protocol.schema.json`; a test tells where that was
forgotten. Of the helper requests are a module of their own, since a kernel needs them to check what
it is asked; of the front end what comes in is a valibot schema, and a request a type only.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

ROOT = Path(__file__).parents[1]
PROTOCOL = ROOT / "python_helper" / "gpu_headroom" / "protocol"
GENERATED = PROTOCOL / "generated"
FRONT_END = ROOT / "src" / "protocol" / "generated" / "wire.ts"

_WIRE = '''"""Messages of the helper: events, replies and their parts, as types only.

Generated from `protocol.schema.json`, which describes each field, by `python -m scripts.wire`; do
not edit. Nothing here is needed at run time, so no pack carries it: import it under
`TYPE_CHECKING`. `requests.py` has the requests.
"""

from __future__ import annotations

from typing import Literal, TypedDict

from .requests import Request  # noqa: TC001  tests read the hints
'''
_REQUESTS = '''"""Requests of a front end, as types, which `checking.py` reads.

Generated from `protocol.schema.json`, which describes each field, by `python -m scripts.wire`; do
not edit. Keys carry their units, sizes are integer bytes, times are seconds since the epoch. No
key is optional: unknown is `None`.
"""

from __future__ import annotations

from typing import Literal, TypedDict


class _Asked(TypedDict):
    """Fields of every request: its id, for the reply, and the version of the protocol."""

    id: str
    protocol_version: str
'''
_TYPESCRIPT = """/*
 * Generated from `protocol.schema.json` by `python -m scripts.wire`; do not edit. Sizes are
 * integer bytes, times are seconds since the epoch, and keys carry their units. No
 * key is optional: what is not known is `null`.
 */
import * as v from 'valibot';

import { atLeast, count, integer, number, plain } from '../value';
"""
_OF_ALL = frozenset({"id", "protocol_version"})
# Definitions of `requests.py`, and what a name of Python's would hide.
_OF_REQUESTS = re.compile(r"request|options|\w+_request")
_TAKEN = {"warning", "error"}
_UNIONS = {"frame": "FrameWire"}
# What comes in, and is checked; of all else there are types only.
_CHECKED = ("event", "reply", "report", "stub")
# It has keys of a report: whatever has more is none.
_STRICT = "stub"


def type_name(definition: str) -> str:
    """Return the name of the type for a definition of the schema."""
    name = _pascal(definition)
    return f"{name}Event" if definition in _TAKEN else name


def _pascal(definition: str) -> str:
    return definition.title().replace("_", "")


def modules(schema: dict[str, Any]) -> dict[Path, str]:
    """Return the text of each file that is made from a schema, formatted, by its path."""
    wire: dict[str, Any] = {}
    requests: dict[str, Any] = {}
    for name, definition in schema["definitions"].items():
        (requests if _OF_REQUESTS.fullmatch(name) else wire)[name] = definition
    return {
        GENERATED / "wire.py": _module(_WIRE, wire),
        GENERATED / "requests.py": _module(_REQUESTS, requests),
        FRONT_END: _Typescript(schema["definitions"]).text(),
    }


def _module(head: str, definitions: dict[str, Any]) -> str:
    blocks = [head.rstrip()]
    blocks += [
        f"{type_name(name)} = {_PYTHON.type(part)}"
        for name, part in definitions.items()
        if "enum" in part
    ]
    blocks += [
        _class(type_name(name), part) for name, part in definitions.items() if "properties" in part
    ]
    blocks += [
        f"{_UNIONS.get(name) or type_name(name)} = ({' | '.join(map(_PYTHON.type, part['oneOf']))})"
        for name, part in definitions.items()
        if "oneOf" in part
    ]
    formatter = [sys.executable, "-m", "ruff", "format", "--stdin-filename"]
    return subprocess.run(
        [*formatter, str(GENERATED / "wire.py"), "-"],
        input="\n\n".join(blocks),
        capture_output=True,
        text=True,
        check=True,
    ).stdout


def _class(name: str, definition: dict[str, Any]) -> str:
    properties = definition["properties"]
    inherited = _OF_ALL if set(properties) >= _OF_ALL else frozenset()
    fields = [
        f"    {key}: {_PYTHON.type(part)}"
        for key, part in properties.items()
        if key not in inherited
    ]
    base = "_Asked" if inherited else "TypedDict"
    return "\n".join([f"class {name}({base}):", *(fields or ["    pass"])])


class _Language(NamedTuple):
    """How a half writes types: the name of a definition, and each form, with `{}` for its parts."""

    name: Callable[[str], str]
    choice: str
    joins: str  # what stands between choices
    tuple: str
    list: str
    record: str
    primitives: Mapping[str, str]

    def type(self, part: dict[str, Any]) -> str:  # noqa: PLR0911  one per form
        """Return what the schema says of a value as a type."""
        if "$ref" in part:
            return self.name(_target(part))
        kind = part.get("type")
        if "anyOf" in part or isinstance(kind, list):
            forms = part.get("anyOf") or [{**part, "type": member} for member in kind or ()]
            return " | ".join(map(self.type, forms))
        if "const" in part or "enum" in part:
            return self.choice.format(self.joins.join(_values(part)))
        if kind == "array":
            items = part["items"]
            if isinstance(items, list):
                return self.tuple.format(", ".join(map(self.type, items)))
            return self.list.format(self.type(items))
        if kind == "object" and part["additionalProperties"]:
            return self.record.format(self.type(part["additionalProperties"]))
        return self.primitives[str(kind)]


def _target(part: dict[str, Any]) -> str:
    name: str = part["$ref"].rpartition("/")[2]
    return name


def _values(part: dict[str, Any]) -> list[str]:
    return [json.dumps(value) for value in part.get("enum", [part.get("const")])]


_PYTHON = _Language(
    name=lambda name: _UNIONS.get(name) or type_name(name),
    choice="Literal[{}]",
    joins=", ",
    tuple="tuple[{}]",
    list="list[{}]",
    record="dict[str, {}]",
    primitives={
        "string": "str",
        "integer": "int",
        "number": "float",
        "boolean": "bool",
        "null": "None",
    },
)


class _Typescript:
    """The file of the front end: a schema and its type for what comes in, else a type."""

    def __init__(self, definitions: dict[str, Any]) -> None:
        self._definitions = definitions
        primitives = {name: name for name in ("string", "number", "boolean", "null", "object")}
        self._types = _Language(
            name=self._name,
            choice="{}",
            joins=" | ",
            tuple="[{}]",
            list="{}[]",
            record="Record<string, {}>",
            primitives={**primitives, "integer": "number"},
        )
        self._blocks: dict[str, str] = {}

    def text(self) -> str:
        """Return it: each schema stands behind those that it refers to."""
        for name in _CHECKED:
            self._check(name)
        for name, definition in self._definitions.items():
            if name not in self._blocks and name not in _UNIONS:
                self._blocks[name] = self._type(name, definition)
        return "\n".join([_TYPESCRIPT, *self._blocks.values()])

    def _name(self, name: str) -> str:
        return f"{'I' if 'properties' in self._definitions[name] else ''}{_pascal(name)}"

    def _check(self, name: str) -> None:
        if name in self._blocks:
            return
        self._blocks[name] = ""  # none refers to itself
        definition = self._definitions[name]
        for reference in _references(definition):
            self._check(reference)
        schema = f"{_pascal(name)}Schema"
        inferred = f"v.InferOutput<typeof {schema}>"
        head = _comment(definition)
        if "properties" in definition:
            head += f"export interface I{_pascal(name)}\n  extends {inferred} {{}}\n"
        else:
            head += f"export type {_pascal(name)} = {inferred};\n"
        del self._blocks[name]  # it stands behind what it refers to
        code = self._schema(definition)
        if name == _STRICT:
            code = code.replace("v.object", "v.strictObject", 1)
        self._blocks[name] = f"{head}export const {schema} = {code};\n"

    def _schema(self, part: dict[str, Any]) -> str:  # noqa: PLR0911  one per form
        if "$ref" in part:
            return f"{_pascal(_target(part))}Schema"
        if "oneOf" in part:
            return f"v.variant('type', [{', '.join(map(self._schema, part['oneOf']))}])"
        if "anyOf" in part:
            (value,) = [each for each in part["anyOf"] if each.get("type") != "null"]
            return f"v.nullable({self._schema(value)})"
        if "const" in part or "enum" in part:
            values = ", ".join(_values(part))
            return f"v.literal({values})" if "const" in part else f"v.picklist([{values}])"
        kind = part["type"]
        if isinstance(kind, list):
            (value,) = [each for each in kind if each != "null"]
            return f"v.nullable({self._schema({**part, 'type': value})})"
        if kind == "array":
            return f"v.array({self._schema(part['items'])})"
        if kind == "object" and "properties" in part:
            entries = [
                f"{_comment(each, '  ')}  {key}: {self._schema(each)}"
                for key, each in part["properties"].items()
            ]
            return "\n".join(["v.object({", ",\n".join(entries), "})"])
        if kind == "integer":
            least = part.get("minimum")
            return {None: "integer", 0: "count"}.get(least, f"atLeast({least})")
        return {"object": "plain", "number": "number"}.get(kind, f"v.{kind}()")

    def _type(self, name: str, definition: dict[str, Any]) -> str:
        if "properties" not in definition:
            members = definition.get("oneOf") or [definition]
            union = " | ".join(map(self._types.type, members))
            return f"{_comment(definition)}export type {_pascal(name)} = {union};\n"
        fields = [
            f"{_comment(part, '  ')}  {key}: {self._types.type(part)};"
            for key, part in definition["properties"].items()
        ]
        head = f"{_comment(definition)}export interface I{_pascal(name)} {{"
        return "\n".join([head, *fields, "}\n"])


def _references(part: Any) -> Iterator[str]:
    if isinstance(part, dict):
        if "$ref" in part:
            yield _target(part)
        for child in part.values():
            yield from _references(child)
    elif isinstance(part, list):
        for child in part:
            yield from _references(child)


def _comment(part: dict[str, Any], indent: str = "") -> str:
    text = part.get("description")
    return f"{indent}/** {text} */\n" if text else ""


def main() -> None:
    """Write the files."""
    schema = json.loads((PROTOCOL / "protocol.schema.json").read_text(encoding="utf-8"))
    for path, text in modules(schema).items():
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
