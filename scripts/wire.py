"""Writes what the schema says as types: `wire.py` and `requests.py` of the helper's `protocol/`.

Run `python -m scripts.wire` after a change of `protocol.schema.json`; a test tells where that was
forgotten. Requests are a module of their own, since a kernel needs them to check what it is asked.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

PROTOCOL = Path(__file__).parents[1] / "python_helper" / "gpu_headroom" / "protocol"

_WIRE = '''"""What the helper says: events, replies and their parts, as types only.

Made from `protocol.schema.json`, where stands what each is, by `python -m scripts.wire`; do not
edit. Nothing here is needed at run time, so no pack carries it: import it under `TYPE_CHECKING`.
What a page may ask stands in `requests.py`.
"""

from __future__ import annotations

from typing import Literal, TypedDict

from .requests import Request  # noqa: TC001  tests read the hints
'''
_REQUESTS = '''"""What a page may ask, as types, which `checking.py` reads.

Made from `protocol.schema.json`, where stands what each is, by `python -m scripts.wire`; do not
edit. Keys carry their units, sizes are integer bytes, times are seconds since the epoch. No key is
optional: unknown is `None`.
"""

from __future__ import annotations

from typing import Literal, TypedDict


class _Asked(TypedDict):
    """What every request says: its own id, for the reply, and the protocol of who asks."""

    id: str
    protocol_version: str
'''
_OF_ALL = frozenset({"id", "protocol_version"})
# Definitions of `requests.py`, and what a name of Python's would hide.
_OF_REQUESTS = re.compile(r"request|options|\w+_request")
_TAKEN = {"warning", "error"}
_UNIONS = {"frame": "FrameWire"}
_PRIMITIVES = {"string": "str", "integer": "int", "number": "float", "boolean": "bool"}


def type_name(definition: str) -> str:
    """Return the name of the type for a definition of the schema."""
    name = definition.title().replace("_", "")
    return f"{name}Event" if definition in _TAKEN else name


def modules(schema: dict[str, Any]) -> dict[str, str]:
    """Return the text of each module that is made from a schema, formatted, by its file's name."""
    wire: dict[str, Any] = {}
    requests: dict[str, Any] = {}
    for name, each in schema["definitions"].items():
        (requests if _OF_REQUESTS.fullmatch(name) else wire)[name] = each
    return {"wire.py": _module(_WIRE, wire), "requests.py": _module(_REQUESTS, requests)}


def _module(head: str, definitions: dict[str, Any]) -> str:
    blocks = [head.rstrip()]
    blocks += [
        f"{type_name(name)} = {_hint(each)}" for name, each in definitions.items() if "enum" in each
    ]
    blocks += [
        _class(type_name(name), each) for name, each in definitions.items() if "properties" in each
    ]
    blocks += [
        f"{_UNIONS.get(name) or type_name(name)} = ({' | '.join(map(_hint, each['oneOf']))})"
        for name, each in definitions.items()
        if "oneOf" in each
    ]
    formatter = [sys.executable, "-m", "ruff", "format", "--stdin-filename"]
    return subprocess.run(
        [*formatter, str(PROTOCOL / "wire.py"), "-"],
        input="\n\n".join(blocks),
        capture_output=True,
        text=True,
        check=True,
    ).stdout


def _class(name: str, definition: dict[str, Any]) -> str:
    properties = definition["properties"]
    inherited = _OF_ALL if set(properties) >= _OF_ALL else frozenset()
    fields = [
        f"    {key}: {_hint(each)}" for key, each in properties.items() if key not in inherited
    ]
    base = "_Asked" if inherited else "TypedDict"
    return "\n".join([f"class {name}({base}):", *(fields or ["    pass"])])


def _hint(part: dict[str, Any]) -> str:  # noqa: PLR0911  one per form
    if "$ref" in part:
        name = part["$ref"].rpartition("/")[2]
        return _UNIONS.get(name) or type_name(name)
    if "anyOf" in part:
        return " | ".join(map(_hint, part["anyOf"]))
    if "const" in part or "enum" in part:
        values = part.get("enum", [part.get("const")])
        return f"Literal[{', '.join(map(json.dumps, values))}]"
    kind = part["type"]
    if isinstance(kind, list):
        return " | ".join(_hint({**part, "type": each}) for each in kind)
    if kind == "null":
        return "None"
    if kind == "array" and isinstance(part["items"], list):
        return f"tuple[{', '.join(map(_hint, part['items']))}]"
    if kind == "array":
        return f"list[{_hint(part['items'])}]"
    if kind == "object":
        return f"dict[str, {_hint(part['additionalProperties'])}]"
    return _PRIMITIVES[kind]


def main() -> None:
    """Write the modules."""
    schema = json.loads((PROTOCOL / "protocol.schema.json").read_text(encoding="utf-8"))
    for name, text in modules(schema).items():
        (PROTOCOL / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
