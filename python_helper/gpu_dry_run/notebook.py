"""A notebook or a script as cells."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from pathlib import Path

_PART = re.compile(r"^# ?%%.*$", re.MULTILINE)
_OTHER_LANGUAGE = re.compile(
    r"\s*%%(?:html|javascript|js|latex|markdown|svg|bash|cmd|sh|script|perl|ruby|R)\b"
)


class CodeCell(NamedTuple):
    """A cell of code; `id` identifies it, `label` is its name for the user."""

    id: str
    source: str
    label: str


def read(path: Path) -> list[CodeCell]:
    """Return the cells of code of a notebook, or of a script: one for each `# %%`.

    Raises `OSError` where there is no such file, `ValueError` where it is neither.
    """
    text = path.read_text("utf-8-sig", errors="replace")
    if path.suffix == ".py":
        cells = _cells(_PART.split(text))
        return cells if _PART.search(text) else [cell._replace(label=path.name) for cell in cells]
    try:
        document = json.loads(text)
        return _cells(
            [
                "".join(cell["source"])
                for cell in document["cells"]
                if cell["cell_type"] == "code" and type(cell["source"]) in {str, list}
            ]
        )
    except (ValueError, KeyError, TypeError) as error:
        raise ValueError(f"{type(error).__name__}: {error}") from None


def number_of(cell: CodeCell) -> int:
    """Return the number of a cell that was read, from 1."""
    return int(cell.id.rpartition("-")[2])


def _cells(sources: list[str]) -> list[CodeCell]:
    """Number what is to be run; the label is the count that running all in order gives."""
    runnable = [text for text in sources if text.strip() and not _OTHER_LANGUAGE.match(text)]
    return [
        CodeCell(f"cell-{count}", source, f"In [{count}]")
        for count, source in enumerate(runnable, start=1)
    ]
