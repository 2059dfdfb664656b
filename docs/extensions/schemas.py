"""Pages made from a schema: messages and settings."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from sphinx.application import Sphinx

    Schema = Mapping[str, Any]


ROOT = Path(__file__).parents[2]
WIRE = ROOT / "python_helper" / "gpu_headroom" / "protocol" / "protocol.schema.json"
SETTINGS = ROOT / "schema" / "plugin.json"
MARK = "<!-- made from the schema -->"

# Parts of the page of messages: title → union and description.
_UNIONS = {
    "Events": ("event", "Sent by the kernel to every page."),
    "Requests": ("request", "Sent by a page on the control channel."),
    "Replies": ("reply", "Sent back for a request."),
    "Frames": ("frame", "Exchanged with an output where there is no extension."),
}
_PLACES = {union: title.lower() for title, (union, _) in _UNIONS.items()}


def messages() -> str:
    """Return all messages as Markdown, with keys, types and descriptions."""
    definitions: dict[str, Schema] = json.loads(WIRE.read_text(encoding="utf-8"))["definitions"]
    left = {name: each for name, each in definitions.items() if name not in _PLACES}
    blocks: list[str] = []
    for title, (union, what) in _UNIONS.items():
        blocks += [f"## {title}", what]
        for name in _members(definitions[union]):
            if name in left:
                blocks += _definition(name, left.pop(name))
    blocks += ["## Parts of messages"]
    for name, each in left.items():
        blocks += _definition(name, each)
    return "\n\n".join(blocks)


def settings() -> str:
    """Return the settings as a table, with values and defaults."""
    properties: dict[str, Schema] = json.loads(SETTINGS.read_text(encoding="utf-8"))["properties"]
    rows = [
        (f"{each['title']}, `{name}`", each["description"], _choices(each))
        for name, each in properties.items()
    ]
    return _table(("setting", "what it does", "values (**default**)"), rows)


def _members(union: Schema) -> list[str]:
    return [_reference(each) for each in union.get("oneOf", union.get("anyOf", ()))]


def _reference(schema: Schema) -> str:
    return str(schema["$ref"]).rpartition("/")[2]


def _definition(name: str, schema: Schema) -> Iterator[str]:
    yield f"### {name}"
    if "description" in schema:
        yield schema["description"]
    if "properties" not in schema:
        yield f"Type: {_type(schema)}."
        return
    rows = [
        (f"`{key}`", _type(each), each.get("description", ""))
        for key, each in schema["properties"].items()
    ]
    yield _table(("key", "type", "meaning"), rows) if rows else "It has no keys."


def _type(schema: Schema) -> str:
    if "$ref" in schema:
        name = _reference(schema)
        return f"[{name}](#{_PLACES.get(name, name)})"
    if "const" in schema:
        return f"`{json.dumps(schema['const'])}`"
    if "enum" in schema:
        return " or ".join(f"`{json.dumps(each)}`" for each in schema["enum"])
    for union in ("anyOf", "oneOf"):
        if union in schema:
            return " or ".join(_type(each) for each in schema[union])
    named = schema.get("type", "anything")
    kinds = [named] if isinstance(named, str) else named
    return " or ".join(_array(schema) if kind == "array" else str(kind) for kind in kinds)


def _array(schema: Schema) -> str:
    items = schema.get("items")
    if isinstance(items, list):
        return f"array: {', '.join(_type(each) for each in items)}"
    return "array" if items is None else f"array of {_type(items)}"


def _choices(schema: Schema) -> str:
    values: list[Any]
    if "oneOf" in schema:
        values = [each["const"] for each in schema["oneOf"]]
    elif schema["type"] == "boolean":
        values = [True, False]
    else:
        return f"{schema['minimum']} to {schema['maximum']}, **{schema['default']}**"
    choices = [(f"`{json.dumps(each)}`", each == schema["default"]) for each in values]
    return ", ".join(f"**{text}**" if is_first else text for text, is_first in choices)


def _table(head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    lines = [head, tuple("---" for _ in head), *rows]
    return "\n".join(
        f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |" for line in lines
    )


PAGES: Mapping[str, tuple[Path, Callable[[], str]]] = {
    "messages": (WIRE, messages),
    "settings": (SETTINGS, settings),
}


def _fill(app: Sphinx, docname: str, source: list[str]) -> None:
    """Replace the mark of a page by what its schema defines."""
    if docname in PAGES:
        file, made = PAGES[docname]
        app.env.note_dependency(str(file))
        source[0] = source[0].replace(MARK, made())


def setup(app: Sphinx) -> dict[str, Any]:
    """Register this with Sphinx."""
    app.connect("source-read", _fill)
    return {"parallel_read_safe": True}
