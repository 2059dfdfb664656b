"""A state as a file of PyTorch's: whole under a new name, or not there at all."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any, NamedTuple

from ..frameworks.imported import imported
from ..frameworks.torch.new_file import new_file

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path


class Checkpoint(NamedTuple):
    """A file that was written; `plain`: it can be loaded without running code that it names."""

    path: Path
    bytes: int
    plain: bool


class SaveCanceled(Exception):  # noqa: N818  an answer, not a failure
    """A person ended it: nothing is left of the file."""


class _Stoppable(io.BufferedWriter):
    """A file that asks before each piece whether to go on."""

    stop: Callable[[], bool]

    def write(self, piece: Any, /) -> int:
        if self.stop():
            raise SaveCanceled
        return super().write(piece)


def save(state: Mapping[str, Any], stem: str, stop: Callable[[], bool]) -> Checkpoint:
    """Write a state to a new file in the working directory.

    PyTorch copies one storage after the other to the host, and uses no GPU memory for it. Raises
    `OSError` for a failed write, `SaveCanceled` on request, and errors of the state's own code.
    """
    torch = imported("torch")
    file = new_file(stem, ".pt")
    unfinished = file.with_name(f".{file.name}.part")
    opened = _Stoppable(io.FileIO(unfinished, "x"))
    opened.stop = stop
    try:
        try:
            torch.save(dict(state), opened)
        finally:
            opened.close()
        plain = _is_plain(torch, unfinished)
        unfinished.rename(file)
    except BaseException as error:  # noqa: BLE001  whatever it is, nothing is left behind
        unfinished.unlink(missing_ok=True)
        raise _first(error) from None
    return Checkpoint(file, file.stat().st_size, plain)


def _is_plain(torch: Any, file: Path) -> bool:
    """Whether tensors and plain values are all there is in a file; their bytes are not read."""
    try:
        torch.load(file, map_location="meta", weights_only=True)
    except Exception:  # noqa: BLE001  whatever it needs beside them
        return False
    return True


def _first(error: BaseException) -> BaseException:
    """Return what went wrong first: PyTorch's writer says that its file has an odd length then."""
    first: BaseException | None = error
    while first is not None and not isinstance(first, (OSError, SaveCanceled)):
        first = first.__context__
    return first or error
