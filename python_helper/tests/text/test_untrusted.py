"""JSON of another process: what is read of it, and that nothing else comes through."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

import pytest
from gpu_headroom.text.untrusted import parse_json

if TYPE_CHECKING:
    from collections.abc import Iterator

LONGEST = 2**17
NUMBER = {"index": 0}
BAD: dict[str, Any] = {
    "nothing": "",
    "half of it": '{"devices": [{"index": 0}',
    "two of them": "{} {}",
    "deep lists": "[" * 60_000,
    "deep and closed": '{"a": ' + "[" * 60 + "]" * 60 + "}",
    "deep objects": '{"a":' * 10_000 + "1" + "}" * 10_000,
    "deep behind a text": '{"[\\"[": ' + "[" * 60_000,
    "deep in a cut text": '"' + '\\"[' * 40_000,
    "10 MB": '{"a": "' + "x" * 10**7 + '"}',
    "a list": "[]",
    "a text": '"{}"',
    "a number": "1",
    "null": "null",
    "NaN": '{"a": NaN}',
    "infinite": '{"a": -Infinity}',
    "too large": '{"a": 1e999}',
    "10,000 digits": '{"a": ' + "9" * 10_000 + "}",
    "21 digits": '{"a": ' + "9" * 21 + "}",
    "half a character": '{"a": "\\uD800"}',
    "half a character as a key": '{"\\udfff": 1}',
    "not UTF-8": b'{"a": "\xff"}',
    "half a character in bytes": b'{"a": "\xed\xa0\x80"}',
    "UTF-16": '{"a": 1}'.encode("utf-16"),
    "a mark of order": b"\xef\xbb\xbf{}",
    "binary": bytes(range(256)) * 10,
}


@pytest.fixture
def no_limits() -> Iterator[None]:
    """As a person may have set them: the parser, which calls itself, would end the process."""
    deepest, digits = sys.getrecursionlimit(), sys.get_int_max_str_digits()
    sys.setrecursionlimit(10**6)
    sys.set_int_max_str_digits(0)
    yield
    sys.setrecursionlimit(deepest)
    sys.set_int_max_str_digits(digits)


@pytest.mark.usefixtures("no_limits")
@pytest.mark.parametrize("text", BAD.values(), ids=BAD)
def test_anything_else_is_nothing(text: str | bytes) -> None:
    """Also where no limit of Python's own stands against it."""
    assert parse_json(text, dict, LONGEST) is None
    if isinstance(text, str):
        assert parse_json(text.encode(), dict, LONGEST) is None


def test_near_the_limit_of_calls_it_is_nothing() -> None:
    """Whoever asks may stand deep already."""
    text = json.dumps({"a": NUMBER})

    def deeper(levels: int) -> object:
        return parse_json(text, dict, LONGEST) if levels == 0 else deeper(levels - 1)

    limit = sys.getrecursionlimit()
    values = []
    for levels in range(limit - 200, limit, 3):
        try:
            values.append(deeper(levels))
        except RecursionError:  # of `deeper`, or of the first call of ours
            break
    assert values
    assert all(value in ({"a": NUMBER}, None) for value in values)


@pytest.mark.parametrize(
    "value",
    [
        {},
        {"a": [[[NUMBER] * 100]], "b": -(2**63), "c": 1.5e300, "d": None, "e": True},
        {"text": 'brackets [[[ {{{ "quoted\\" ' * 50, "umlaut": "ü", "emoji": "\N{GRINNING FACE}"},
    ],
)
def test_what_is_meant_is_read(value: dict[str, Any]) -> None:
    """As text and as bytes, however characters are written."""
    for is_ascii in (True, False):
        text = json.dumps(value, ensure_ascii=is_ascii)
        assert parse_json(text, dict, LONGEST) == value
        assert parse_json(text.encode(), dict, LONGEST) == value
    assert parse_json("[1]", list, LONGEST) == [1]


def test_the_last_of_two_keys_counts() -> None:
    """As everywhere in Python; it is its shape that is checked."""
    assert parse_json('{"a": 1, "a": "x"}', dict, LONGEST) == {"a": "x"}
