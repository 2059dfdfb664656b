r"""A program to try an edit on: a file of cells with a header that says what the edit is about.

The header is the comment before the first `# %%`: a line that says what it is, then lines of
`key: value`.

`offered`  `yes`, or `no` where the edit must not be offered
`because`  why not, where it is `no`
`about`    JSON that the adaptor of the kind understands; may be left out
`fails`    the line that runs out of memory, stripped; the cell that holds it is the failing one.
           After ` #2` it is the second of these lines

Generated programs are texts of the same form without `offered`: their results decide.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gpu_headroom.edits.rewrite import Anchor

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

FOLDER = Path(__file__).with_name("programs")
_CELL = re.compile(r"^# %%[ \t]*\r?\n", re.MULTILINE)
_KEYS = re.compile(r"^# (?P<key>[a-z]+): +(?P<value>.+?)\r?$", re.MULTILINE)
_NTH = re.compile(r" #(\d+)$")
_KNOWN = frozenset({"offered", "because", "about", "fails"})


class HeaderError(ValueError):
    """A header that does not say what it has to."""


@dataclass(frozen=True)
class Program:
    """The cells of a program, and what its header says; `offered` is `None` if nobody says."""

    kind: str
    name: str
    title: str
    offered: bool | None
    because: str
    about: Mapping[str, Any]
    fails: str
    cells: dict[str, str]

    @cached_property
    def failing(self) -> str:
        """The key of the cell that runs out of memory."""
        return self._place[0]

    @cached_property
    def line(self) -> int:
        """The number of the failing line in its cell, counted from 1."""
        return self._place[1]

    @property
    def source(self) -> str:
        """The text of the failing cell."""
        return self.cells[self.failing]

    @property
    def needs_card(self) -> bool:
        """Whether it asks for a card without asking whether there is one."""
        text = "\n".join(self.cells.values())
        return "cuda" in text and "is_available" not in text

    @property
    def anchor(self) -> Anchor:
        """The failing line, as an edit finds it."""
        return Anchor.of(self.source, self.line)

    def anchor_of(self, text: str, key: str | None = None) -> Anchor:
        """Return the anchor of another line by its text; of the failing cell, without a key."""
        source = self.cells[key or self.failing]
        lines = [n for n, each in enumerate(source.split("\n"), 1) if each.strip() == text]
        if len(lines) != 1:
            raise HeaderError(f"{self.kind}/{self.name}: {len(lines)} lines {text!r}")
        return Anchor.of(source, lines[0])

    @cached_property
    def _place(self) -> tuple[str, int]:
        nth = _NTH.search(self.fails)
        wanted = self.fails[: nth.start()] if nth else self.fails
        found = [
            (key, n)
            for key, source in self.cells.items()
            for n, line in enumerate(source.split("\n"), 1)
            if line.strip() == wanted
        ]
        number = int(nth[1]) if nth else 1
        if len(found) < number or (len(found) > 1 and not nth):
            said = f"{len(found)} lines {wanted!r}; say which by ` #1`"
            raise HeaderError(f"{self.kind}/{self.name}: {said}")
        return found[number - 1]


def parse(kind: str, name: str, text: str) -> Program:
    """Read a program's text; raises `HeaderError` where its header is not what it should be."""
    header, *cells = _CELL.split(text)
    title = header.partition("\n")[0].removeprefix("#").strip()
    keys = {each["key"]: each["value"].strip() for each in _KEYS.finditer(header)}
    offered = {None: None, "yes": True, "no": False}[keys.get("offered")]
    wrong = keys.keys() - _KNOWN
    if wrong or not title or "fails" not in keys or (offered is False) != ("because" in keys):
        raise HeaderError(f"{kind}/{name}: a header with {sorted(keys)}")
    program = Program(
        kind=kind,
        name=name,
        title=title,
        offered=offered,
        because=keys.get("because", ""),
        about=json.loads(keys.get("about", "{}")),
        fails=keys["fails"],
        cells={f"cell-{n}": cell.strip("\r\n") for n, cell in enumerate(cells, 1)},
    )
    _ = program.failing
    return program


def read(path: Path) -> Program:
    """Read a program from its file, line ends as they are."""
    program = parse(path.parent.name, path.stem, path.read_bytes().decode())
    if program.offered is None:
        raise HeaderError(f"{path.parent.name}/{path.stem}: `offered` is missing")
    return program


def read_all(kinds: Sequence[str]) -> list[Program]:
    """Read all hand-written programs of these kinds."""
    return [read(path) for kind in kinds for path in sorted((FOLDER / kind).glob("*.py"))]
