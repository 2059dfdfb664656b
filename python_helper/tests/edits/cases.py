"""What holds for every rewrite, checked on each case of its table."""

from __future__ import annotations

import random
import re
from typing import TYPE_CHECKING

from gpu_headroom.code.notebook import CellCode, Notebook
from gpu_headroom.code.parsing import parse_cell
from gpu_headroom.edits.hunks import hunks
from gpu_headroom.edits.rewrite import Anchor

if TYPE_CHECKING:
    from gpu_headroom.edits.rewrite import Rewrite

HOSTILE = (
    "",
    "\n",
    "\0",
    "\ufeffx = 1",
    "\ud800 = 1",
    "x = 1\r\ry = 2",
    "def broken(:",
    "(" * 5000,
    "x = " + "-" * 3000 + "1",
    "a" + ".b" * 3000,
    "for x in y:\n" + "".join([" " * n + "if x:\n" for n in range(1, 98)]) + " " * 99 + "pass",
    "x = '''\n" * 999,
    "losses.append(loss)\n" * 20000,
    "%%bash\necho losses.append(loss)",
)
LONG = "losses.append(loss)\n" * 500_000  # ten megabytes


def check(rewrite: Rewrite, before: str, after: str | None) -> None:
    """The text becomes that, and every variant of it what it should; once, and nothing else."""
    assert rewrite(before) == after
    if after is None:
        return
    assert parse_cell(after) is not None
    assert rewrite(after) is None
    _keeps_the_rest(before, after)
    for vary, fits in (
        (_crlf, "\n" in before),
        (_tabs, "\n    " in before and "\n  " not in re.sub("\n(?:    )+", "\n", before)),
        (_commented, True),
    ):
        if fits and not (vary is _tabs and re.search("'''|\"\"\"", before)):
            assert rewrite(vary(before)) == vary(after), vary.__name__
    for text in (f"import os\n\n{before}", f"{before}\n\n# the end\nprint('done')", f"\n{before}"):
        result = rewrite(text)
        assert result is not None
        _keeps_the_rest(text, result)


def suits(rewrite: Rewrite, *cells: str) -> bool:
    """Return whether a button may make a rewrite of the first of these cells."""
    assert rewrite(cells[0]) is not None
    notebook = Notebook([CellCode(f"c{n}", text) for n, text in enumerate(cells)])
    return rewrite.needs is None or rewrite.needs(notebook, notebook.cells[0])


def refuses_hostile(rewrite: Rewrite) -> None:
    """It raises on no text, and is done with a long one at once."""
    for text in (*HOSTILE, LONG):
        assert rewrite(text) is None or parse_cell(text) is not None


def shuffled(before: str, seed: int) -> str:
    """Put comments, blank lines and blanks at the ends of lines into a cell."""
    chance = random.Random(seed)  # noqa: S311  a fuzz that can be run again
    lines = []
    for line in before.split("\n"):
        if chance.random() < 0.3 and '"""' not in before:
            lines.append(chance.choice(["", "# größer", "        # deep", "#"]))
        lines.append(line + (chance.choice(["", "  ", "  # ok"]) if _plain(line, before) else ""))
    return "\n".join(lines)


def _plain(line: str, source: str) -> bool:
    return '"""' not in source and not line.rstrip().endswith("\\") and bool(line.strip())


def _keeps_the_rest(before: str, after: str) -> None:
    """What the hunks do not name is the same, byte for byte, and they make the one the other."""
    lines = before.split("\n")
    for hunk in reversed(hunks(before, after)):
        start = hunk.first - 1
        assert lines[start : start + len(hunk.old)] == hunk.old
        lines[start : start + len(hunk.old)] = hunk.new
    assert "\n".join(lines) == after


def _crlf(text: str) -> str:
    return text.replace("\n", "\r\n")


def _tabs(text: str) -> str:
    lines = []
    for line in text.split("\n"):
        blank = len(line) - len(line.lstrip(" "))
        lines.append("\t" * (blank // 4) + " " * (blank % 4) + line.lstrip(" "))
    return "\n".join(lines)


def _commented(text: str) -> str:
    return f"# größer 日本\n{text}\n# end"


def here(source: str) -> Anchor:
    """Return the anchor of the line that a case marks with `# here`."""
    lines = source.split("\n")
    return Anchor.of(source, next(n for n, line in enumerate(lines, 1) if "# here" in line))
