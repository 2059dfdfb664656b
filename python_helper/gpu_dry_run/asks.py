"""Uses of other machines and programs in the code of cells, for which the user is asked first.

The list is only for the question: `sandbox.py` also blocks uses that it misses.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, NamedTuple

from gpu_headroom.code.calls import calls_from, functions_of, together
from gpu_headroom.code.find import words
from gpu_headroom.code.parsing import magics, parse_cell

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .notebook import CodeCell

_HEARD = words(
    """from_pretrained getpass hf_hub_download input load_dataset login notebook_login push_to_hub
    snapshot_download system popen to_sql urlopen urlretrieve"""
)
_OF_MODULES = words("httpx mlflow requests subprocess wandb")
_DOWNLOADS = words("download weights pretrained")  # of torchvision's and timm's functions
_COMMANDS = ("%%bash", "%%sh", "%%script", "%pip", "%conda", "%run", "%sx", "!")


class Ask(NamedTuple):
    """A cell and what it would do: `calls` as they are written, commands by their first word."""

    cell: CodeCell
    calls: tuple[str, ...]


def asks(cells: Sequence[CodeCell]) -> list[Ask]:
    """Return the cells that do such things, also by functions of other cells that they call."""
    functions = functions_of(together([cell.source for cell in cells]))
    questions = []
    for cell in cells:
        tree = parse_cell(cell.source)
        called = [] if tree is None else list(calls_from([tree], functions))
        calls = [name.lstrip(".") for name, node in called if _is_heard(name, node)]
        commands = [line.split()[0] for line in magics(cell.source) if line.startswith(_COMMANDS)]
        if commands or calls:
            questions.append(Ask(cell, tuple(dict.fromkeys(commands + calls))))
    return questions


def _is_heard(name: str, call: ast.Call) -> bool:
    return (
        name.rpartition(".")[2] in _HEARD
        or name.split(".", maxsplit=1)[0] in _OF_MODULES
        or any(
            keyword.arg in _DOWNLOADS
            and not (isinstance(keyword.value, ast.Constant) and not keyword.value.value)
            for keyword in call.keywords
        )
    )
