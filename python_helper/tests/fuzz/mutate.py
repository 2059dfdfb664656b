"""Messages by the schema, and what may become of one on its way: seeded, so that each run is alike.

`GPU_HEADROOM_FUZZ` is how many each fuzz test makes, `GPU_HEADROOM_FUZZ_SEED` where it begins.
"""

from __future__ import annotations

import copy
import json
import os
from random import Random
from typing import TYPE_CHECKING, Any, cast

from gpu_headroom import testing
from gpu_headroom.protocol.checking import PROTOCOL_VERSION

if TYPE_CHECKING:
    from collections.abc import Iterator

_SEED = int(os.environ.get("GPU_HEADROOM_FUZZ_SEED", "9"))
_LONG = 10_000_000
_LOOKED_AT = 10  # of a list, and levels of a message, where something is spoilt
_DEEP = 900  # about what JSON still reads

TEXTS = (
    "",
    "0",
    "1.0",
    "2.0",
    "traceback",
    "variable:x",
    "outputs",
    "é🔥\u202e\x00\n",
    "\ud800 \udc80",
    "__class__",
    "../../etc/passwd",
    "`code` **strong** {error} %s %(x)s",
    "</script><script>alert(1)</script>",
)
NUMBERS = (0, 1, -1, 2**31, 2**53, 2**64, -(2**64), 10**400, 0.5, 1e308, -0.0)
NOT_FINITE = (float("nan"), float("inf"), float("-inf"))


def how_many(default: int) -> int:
    """Return how many messages to make: as many as a test takes time for, unless told."""
    return int(os.environ.get("GPU_HEADROOM_FUZZ", default))


class Maker(Random):
    """Makes messages of the schema, out of these texts, and spoils them."""

    def __new__(cls, name: str, _texts: tuple[str, ...] = TEXTS) -> Maker:  # noqa: PYI034  there are no others
        """Python 3.10 takes no more than a seed."""
        return Random.__new__(cls, name)  # type: ignore[call-arg]  # typeshed knows object's

    def __init__(self, name: str, texts: tuple[str, ...] = TEXTS) -> None:
        super().__init__(f"{_SEED} {name}")
        self._texts = texts
        self._definitions = testing.schema()["definitions"]

    def kinds(self, union: str) -> list[str]:
        """Return the names of all definitions that a union lists."""
        return [option["$ref"].rpartition("/")[2] for option in self._definitions[union]["oneOf"]]

    def valid(self, definition: str) -> dict[str, Any]:
        """Return a message that the schema allows."""
        return cast("dict[str, Any]", self._of(self._definitions[definition]))

    def request(self) -> object:
        """Return a request of any kind, right or wrong, mostly of the protocol that is spoken."""
        message = self.valid(self.choice(self.kinds("request")))
        if self.random() < 0.95:
            message["protocol_version"] = PROTOCOL_VERSION
        return travels(self.spoilt(message) if self.random() < 0.8 else message)

    def spoilt(self, message: object) -> object:
        """Return a message with a few things wrong, or right in another way."""
        result = copy.deepcopy(message)
        for _ in range(self.randint(1, 3)):
            places = list(_places(result))
            if not places or self.random() < 0.02:
                return self.junk()
            self._spoil(*self.choice(places))
        return result

    def junk(self) -> Any:
        """Return any value at all, now and then an enormous one."""
        chance = self.random()
        if chance < 0.002:
            return "x" * _LONG
        if chance < 0.004:
            return [0] * 100_000
        if chance < 0.01:
            return self._deep()
        return self.choice(
            (
                None,
                True,
                False,
                [],
                {},
                [[None]],
                {"": {}},
                self.choice(self._texts),
                self.choice(NUMBERS),
                self.choice(NOT_FINITE),
                "y" * self.choice((100, 5_000, 20_000)),
            )
        )

    def _spoil(self, inside: Any, key: Any) -> None:
        chance = self.random()
        if chance < 0.15:
            del inside[key]
        elif chance < 0.3 and isinstance(inside, list):
            inside.insert(key, inside[key])
        elif chance < 0.4 and isinstance(inside, dict):
            inside[self.choice(self._texts)] = self.junk()
        elif chance < 0.5 and isinstance(inside, dict):
            inside[key] = inside[self.choice(list(inside))]
        else:
            inside[key] = self.junk()

    def _deep(self) -> object:
        value: object = "deep"
        for _ in range(self.randint(1, _DEEP)):
            value = [value] if self.random() < 0.5 else {"a": value}
        return value

    def _of(self, schema: dict[str, Any]) -> Any:
        if "$ref" in schema:
            return self._of(self._definitions[schema["$ref"].rpartition("/")[2]])
        for choice in ("oneOf", "anyOf"):
            if choice in schema:
                return self._of(self.choice(schema[choice]))
        if "const" in schema:
            return schema["const"]
        if "enum" in schema:
            return self.choice(schema["enum"])
        kind = schema["type"]
        return self._of_type(self.choice(kind) if isinstance(kind, list) else kind, schema)

    def _of_type(self, kind: str, schema: dict[str, Any]) -> Any:
        least = schema.get("minimum", -(2**40))
        if kind == "object":
            return self._object(schema)
        if kind == "array":
            return [self._of(schema["items"]) for _ in range(self.randint(0, 3))]
        if kind == "integer":
            return max(least, self.choice((0, 1, 2, self.randint(0, 2**35))))
        if kind == "number":
            return max(least, self.choice((0.0, 2, self.random() * 100)))
        return {"string": self.choice(self._texts), "boolean": self.random() < 0.5, "null": None}[
            kind
        ]

    def _object(self, schema: dict[str, Any]) -> dict[str, Any]:
        result = {key: self._of(value) for key, value in schema.get("properties", {}).items()}
        extra = schema.get("additionalProperties")
        if isinstance(extra, dict):
            result |= {self.choice(self._texts): self._of(extra) for _ in range(self.randint(0, 3))}
        return result


def travels(message: object) -> object:
    """Return a message as a kernel reads it: the page's JSON escapes what is not ASCII."""
    return json.loads(json.dumps(message))


def _places(value: object, depth: int = 0) -> Iterator[tuple[Any, Any]]:
    """Yield what holds each value inside of a message, and under which key."""
    inside = list(value.items()) if isinstance(value, dict) else []
    inside = list(enumerate(value[:_LOOKED_AT])) if isinstance(value, list) else inside
    for key, item in inside:
        yield value, key
        if depth < _LOOKED_AT:
            yield from _places(item, depth + 1)
