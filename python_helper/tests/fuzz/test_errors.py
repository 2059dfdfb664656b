"""Errors in the words of frameworks and libraries, and what logs, wrappers and time make of them.

Reading one raises nothing; what it says is never negative and adds up; and how much is looked
through does not grow with what was written.
"""

from __future__ import annotations

import builtins
from dataclasses import fields
from typing import TYPE_CHECKING, Any

import pytest
from gpu_headroom.errors import statement
from gpu_headroom.errors.recognise import Recognition, recognise
from gpu_headroom.errors.statement import Statement
from gpu_headroom.errors.sticky_error import recognise_fault
from gpu_headroom.oom.failure_memory import failure_memory
from tests.errors.test_recognise import MESSAGES as KNOWN
from tests.fuzz.mutate import TEXTS, Maker, how_many

if TYPE_CHECKING:
    from collections.abc import Callable

MESSAGES = [
    *[entry.text for entry in KNOWN.values() if entry.numbers],
    "CUDA error: device-side assert triggered",
    "CUDA error: an illegal memory access was encountered",
]
# What stands in their place, or somewhere else: sizes of all makes, and what patterns look for.
PIECES = (
    *("0 bytes", "-1.00 GiB", "17179869184.00 GiB", "1900,00 MiB", "201. GiB", "1e9 GiB"),
    *("9" * 40, "9,999,999,999,999,999 bytes", "0.00001 TiB", "1.2.3 GiB", "\u0661.\u0662 GiB"),
    *("GPU 99999", "GPU  0", "device:GPU:7", "cuda:3", "\\n", "\n   ", "\r\n", "\t", " ", ";", "."),
    *("CUDA out of memory.", "Tried to allocate ", "already allocated", "reserved in total", "("),
    *("of which", "is free", "shared memory", "this is not a failure", "[rank0]: ", "\x1b[31m"),
    *TEXTS,
)
SIZES = [field.name for field in fields(Statement) if field.name.endswith("_bytes")]
CLASSES: list[Callable[[str], BaseException]] = [RuntimeError, MemoryError, ValueError, OSError]
Group: Any = getattr(builtins, "BaseExceptionGroup", None)  # since Python 3.11
_MOST_READ = 2**18
_MANY = 500  # words, or lines of a log


class OutOfMemoryError(RuntimeError):
    """As PyTorch's is called."""


OutOfMemoryError.__module__ = "torch"


class OddText(str):
    """A text that answers for itself."""

    __slots__ = ()

    def __len__(self) -> int:
        raise ZeroDivisionError

    __str__ = __getitem__ = __contains__ = lower = split = replace = __len__  # type: ignore[assignment]  # that is the point


class Writer(Maker):
    """Writes messages, and makes errors of them."""

    def message(self) -> str:
        """Return a message of the grammar with some of it changed, doubled, cut out or put in."""
        text = self.choice(MESSAGES)
        for _ in range(self.randint(0, 6)):
            text = self._changed(text)
        if self.random() < 0.01:
            log = f"{self.choice(PIECES)} {self.choice(MESSAGES)}\n" * self.choice((_MANY, 20_000))
            text = self.choice((text + log, log + text, log + text + log))
        return text

    def error(self, depth: int = 0) -> BaseException:
        """Return an error that says something of the kind, perhaps of others it has or holds."""
        kinds = [*CLASSES, OutOfMemoryError]
        message: Any = self.message()
        if self.random() < 0.05:
            message = self.choice((OddText(message), b"bytes", 10**400, [message], None))
        error: Any = self.choice(kinds)(message)
        if self.random() < 0.1:
            error.args = (message, *self.choice((("",), (message,) * 30, (5, None), ())))
        if depth < 4 and self.random() < 0.3:
            error.__cause__ = self.error(depth + 1)
        if depth < 4 and self.random() < 0.2:
            error.__context__ = error if self.random() < 0.3 else self.error(depth + 1)
        if Group is not None and depth < 3 and self.random() < 0.1:
            error = Group("several", [error] * 3)
        return error  # type: ignore[no-any-return]  # all kinds are errors

    def _changed(self, text: str) -> str:
        words = text.split(" ")
        at, target = self.randrange(len(words)), self.randrange(len(words))
        chance = self.random()
        if chance < 0.3:
            words[at] = self.choice(PIECES)
        elif chance < 0.45:
            words.insert(at, self.choice(PIECES))
        elif chance < 0.55:
            del words[at : at + self.randint(1, 4)]
        elif chance < 0.65:
            words[at], words[target] = words[target], words[at]
        elif chance < 0.75:
            words[at:at] = self.choice(MESSAGES).split(" ")
        elif chance < 0.78 and len(words) < _MANY:
            words[at:at] = words * self.randint(1, 10)
        else:
            words[at] = words[at][: self.randint(0, len(words[at]))] + self.choice(PIECES)
        return " ".join(words)


def check(recognition: Recognition) -> None:
    """Fail where what an error says cannot be shown, or does not add up."""
    numbers = recognition.said
    for name in SIZES:
        size = getattr(numbers, name)
        assert size is None or (type(size) is int and 0 <= size < 2**53), (name, size)
    assert numbers.device_index is None or 0 <= numbers.device_index < 10_000
    if numbers.in_use_bytes is not None and numbers.reserved_bytes is not None:
        assert numbers.unallocated_bytes is not None
        assert numbers.reserved_bytes == numbers.in_use_bytes + numbers.unallocated_bytes
    memory = failure_memory(recognition, None, None)
    parts = (memory.in_use_bytes, memory.cached_bytes, memory.outside_bytes, memory.free_bytes)
    assert min((value for value in parts if value is not None), default=0) >= 0
    if None not in parts:
        together = sum(value for value in parts if value is not None)
        assert together >= (memory.capacity_bytes or 0)
        assert memory.outside_bytes == 0 or together == memory.capacity_bytes


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many characters the patterns have been given, each time."""
    lengths: list[int] = []
    first = statement._first

    def record(formats: Any, text: str) -> Any:
        lengths.append(len(text))
        return first(formats, text)

    monkeypatch.setattr(statement, "_first", record)
    return lengths


def test_whatever_an_error_says_can_be_read(read: list[int]) -> None:
    """Nothing raised, nothing negative, the parts add up, and a limit to what is looked through."""
    write = Writer("errors")
    matches = numbers = 0
    for _ in range(how_many(3_000)):
        error = write.error()
        read.clear()
        recognition = recognise(error)
        recognise_fault(error)
        assert sum(read) <= _MOST_READ
        if recognition is not None:
            check(recognition)
            matches += 1
            numbers += any(getattr(recognition.said, name) is not None for name in SIZES)
    # Else it is not the grammar that is looked at.
    assert matches > how_many(3_000) // 2
    assert numbers > matches // 4


def test_whatever_a_class_is_called_can_be_read() -> None:
    """The same for an error of a class of any name and module."""
    write = Writer("logs")
    for _ in range(how_many(2_000)):
        name = write.choice(("torch.OutOfMemoryError", "RuntimeError", ".", "", "a.b.c", "\ud800."))
        module, _, last = name.rpartition(".")
        result = recognise(type(last, (RuntimeError,), {"__module__": module})(write.message()))
        if result is not None:
            check(result)


def test_what_is_looked_through_does_not_grow(read: list[int]) -> None:
    """Sixty-four times the text is not looked through for longer."""
    counts = []
    for times in (1_000, 64_000):
        read.clear()
        recognise(RuntimeError("\n".join([MESSAGES[0], *["a line of a log"] * times, MESSAGES[1]])))
        counts.append(sum(read))
    assert counts[1] <= 2 * counts[0]
