"""What cells do that others would notice, by their code: to be agreed to before anything runs.

What they write to files is none of it: a dry run writes to copies.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, NamedTuple

from ..code.find import words
from ..code.parsing import magics, parse_cell
from ..code.side_effects import calls_from, functions_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .notebook import CodeCell

_HEARD = words(
    """create_repo download_file from_pretrained getpass hf_hub_download input load_dataset
    log_artifact log_metric log_metrics log_model login notebook_login push_to_hub sendmail
    snapshot_download to_sql upload_file upload_folder urlopen urlretrieve"""
)
_OF_MODULES = {
    "wandb": words("init log finish"),
    "os": words("system popen execv kill"),
    "subprocess": words("run call check_call check_output Popen"),
    "requests": words("get post put patch delete"),
    "httpx": words("get post put patch delete"),
}
_DOWNLOADS = words("download weights pretrained")  # of torchvision's and timm's functions
_COMMANDS = ("%%bash", "%%sh", "%%script", "%pip", "%conda", "%run", "%sx", "!")


class Ask(NamedTuple):
    """A cell and what it would do: `calls` as they are written, commands by their first word."""

    cell: CodeCell
    calls: tuple[str, ...]


def asks(cells: Sequence[CodeCell]) -> list[Ask]:
    """Return the cells that do such things, also by functions of other cells that they call."""
    functions = functions_of([cell.source for cell in cells])
    found = []
    for cell in cells:
        tree = parse_cell(cell.source)
        called = [] if tree is None else list(calls_from([tree], functions))
        heard = [name.lstrip(".") for name, node in called if _is_heard(name, node)]
        commands = [line.split()[0] for line in magics(cell.source) if line.startswith(_COMMANDS)]
        if commands or heard:
            found.append(Ask(cell, tuple(dict.fromkeys(commands + heard))))
    return found


def _is_heard(name: str, call: ast.Call) -> bool:
    owner, _, last = name.rpartition(".")
    return (
        last in _HEARD
        or last in _OF_MODULES.get(owner, ())
        or any(
            keyword.arg in _DOWNLOADS
            and not (isinstance(keyword.value, ast.Constant) and not keyword.value.value)
            for keyword in call.keywords
        )
    )
