"""For tests of the helper and of what is built on it: a channel that checks the wire."""

from __future__ import annotations

import json
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from .protocol.generated import wire


@cache
def schema() -> dict[str, Any]:
    """Return the schema of the protocol: the truth about the wire."""
    text = resources.files(__package__).joinpath("protocol/protocol.schema.json").read_text("utf-8")
    return cast("dict[str, Any]", json.loads(text))


def check(message: object, definition: str) -> None:
    """Raise `jsonschema.ValidationError` unless `message` is a `definition` of the schema."""
    from jsonschema import Draft7Validator

    document = schema()
    # As it travels: what JSON cannot say is an error too.
    instance = json.loads(json.dumps(message, allow_nan=False))
    subschema = {"$ref": f"#/definitions/{definition}", "definitions": document["definitions"]}
    Draft7Validator(subschema).validate(instance)


class RecordingChannel:
    """A channel that keeps every event after checking it, and asks like a page does."""

    def __init__(self, *, control: bool = True) -> None:
        self.control = control
        self.events: list[wire.Event] = []
        self._answer: Callable[[object], wire.Reply] | None = None

    def open(self, answer: Callable[[object], wire.Reply]) -> None:
        """Begin to hand requests to `answer`."""
        self._answer = answer

    def send(self, event: wire.Event) -> None:
        """Check an event and keep it."""
        check(event, "event")
        self.events.append(event)

    def send_status(self, state: str, parent: Mapping[str, Any]) -> None:
        """Do nothing: there is no server to mend."""

    def close(self) -> None:
        """Hand on no more requests."""
        self._answer = None

    def ask(self, request: object) -> wire.Reply:
        """Send a request, well-formed or not, and return its checked reply."""
        if self._answer is None:
            raise RuntimeError("The channel is not open.")
        reply = self._answer(request)
        check(reply, "reply")
        return reply
