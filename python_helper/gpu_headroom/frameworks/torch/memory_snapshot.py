"""PyTorch's memory snapshot as a file, for its memory viewer (pytorch.org/memory_viz)."""

from __future__ import annotations

import pickle
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...text.messages import message
from .new_file import new_file

if TYPE_CHECKING:
    from ...protocol.generated.wire import Message


@dataclass(frozen=True, slots=True)
class Export:
    """Outcome of an export; `path` and `bytes` are `None` where nothing was written."""

    path: str | None
    bytes: int | None
    message: Message


def export(path: str | None = None, stopped: Message | None = None) -> Export:
    """Write the snapshot to `path`, or to a new file in the working directory.

    Never overwrites a file. Raises nothing; any error is in the message. `stopped` is set where
    CUDA has failed for good: then no CUDA call is made.
    """
    if stopped is not None:
        return Export(None, None, stopped)
    memory = sys.modules.get("torch.cuda.memory")
    cuda = sys.modules.get("torch.cuda")
    if memory is None or cuda is None or not cuda.is_initialized():
        return Export(None, None, message("snapshot.not_initialised"))
    try:
        named = new_file(time.strftime("gpu-headroom-snapshot-%Y%m%d-%H%M%S"), ".pickle")
        file = named if path is None else Path(path).expanduser().absolute()
        return _write(file, memory._snapshot())  # noqa: SLF001 -- there is no public way
    except FileExistsError as error:
        return Export(None, None, message("snapshot.exists", path=str(error.filename)))
    except (OSError, RuntimeError, AttributeError, ValueError, pickle.PickleError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        return Export(None, None, message("snapshot.failed", error=reason))


def _write(file: Path, snapshot: dict[str, Any]) -> Export:
    opened = file.open("xb")
    try:
        with opened:
            pickle.dump(snapshot, opened)
    except BaseException:
        file.unlink()  # once closed: Windows cannot remove an open file
        raise
    size = file.stat().st_size
    return Export(str(file), size, message("snapshot.written", path=str(file), file_bytes=size))
