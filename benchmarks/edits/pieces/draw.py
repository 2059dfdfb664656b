"""Choices at random, and programs as they are being written.

A choice has a name, so that a generator can make it beforehand: `Draw(seed, log="append")`. A line
may end in a mark, `#@forward`, by which it is found again when the program is done.
"""

from __future__ import annotations

import json
import random
import re
from textwrap import dedent, indent
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    T = TypeVar("T")

_MARK = re.compile(r"[ \t]*#@([\w-]+)$", re.MULTILINE)
INDENT = "    "


class Draw:
    """A seeded source of choices, some of which are made beforehand."""

    def __init__(self, seed: object, **made: Any) -> None:
        self.random = random.Random(str(seed))  # noqa: S311  programs, not secrets
        self.made = made
        self.chosen: dict[str, Any] = {}

    def force(self, **made: Any) -> None:
        """Make choices beforehand."""
        self.made.update(made)

    def mostly(self, share: float, **made: Any) -> None:
        """Make choices beforehand, each of them in `share` of all cases."""
        for choice, value in made.items():
            if self.random.random() < share:
                self.made.setdefault(choice, value)

    def pick(self, choice: str, options: Sequence[T]) -> T:
        """Choose one of the options, of which one may stand more than once."""
        # It is drawn in any case: what follows is then the same.
        drawn = self.random.choice(options)
        found: T = self.made.get(choice, drawn)
        self.chosen[choice] = found
        return found

    def chance(self, choice: str, share: float = 0.5) -> bool:
        """Choose whether; in `share` of all cases."""
        drawn = self.random.random() < share
        found = bool(self.made.get(choice, drawn))
        self.chosen[choice] = found
        return found

    def number(self, choice: str, least: int, most: int) -> int:
        """Choose a number; both ends are possible."""
        return self.pick(choice, range(least, most + 1))


class Writing:
    """A program as it is being written, cell by cell."""

    def __init__(self, title: str) -> None:
        self.title = title
        self.cells: list[str] = []

    def cell(self, *parts: str | Iterable[str]) -> None:
        """Add a cell of these parts, each a text or lines."""
        texts = [each if isinstance(each, str) else "\n".join(each) for each in parts]
        self.cells.append("\n".join(block(each) for each in texts if each.strip()))

    def text(self, about: Mapping[str, Any], fails: str = "forward") -> str:
        """Return the whole; `fails` is the mark of the line that runs out of memory."""
        marked = [
            (cell, n, mark[1])
            for cell, source in enumerate(self.cells)
            for n, line in enumerate(source.split("\n"))
            for mark in [_MARK.search(line)]
            if mark
        ]
        cells = [_MARK.sub("", each) for each in self.cells]
        lines = [
            (cell, n, line.strip())
            for cell, source in enumerate(cells)
            for n, line in enumerate(source.split("\n"))
        ]
        place = next((cell, n) for cell, n, mark in marked if mark == fails)
        wanted = next(line for cell, n, line in lines if (cell, n) == place)
        same = [(cell, n) for cell, n, line in lines if line == wanted]
        nth = f" #{same.index(place) + 1}" if len(same) > 1 else ""
        header = [
            f"# {self.title}",
            f"# about: {json.dumps(dict(about))}",
            f"# fails: {wanted}{nth}",
        ]
        return "\n# %%\n".join(["\n".join(header), *cells]) + "\n"

    def marked(self, mark: str) -> str | None:
        """Return the line with a mark, stripped; `None` where there is none."""
        for source in self.cells:
            for line in source.split("\n"):
                found = _MARK.search(line)
                if found and found[1] == mark:
                    return _MARK.sub("", line).strip()
        return None


def block(text: str) -> str:
    """Return a text without its common indentation, and without blank lines around it."""
    return dedent(text).strip("\n")


def within(head: str, body: Sequence[str]) -> list[str]:
    """Return a compound statement: its head, and its body indented."""
    return [head, *inner(body)]


def inner(body: Sequence[str]) -> list[str]:
    """Return lines indented by one level; `pass` where there are none."""
    return [indent(each, INDENT) for line in body or ["pass"] for each in line.split("\n")]
