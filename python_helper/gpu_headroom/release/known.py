"""What freeing asks of the gc, from one pass over all its objects: in a kernel these are many."""

from __future__ import annotations

import sys
import types
from typing import TYPE_CHECKING, Any

from ..concurrency.turns import Late
from ..holders import elsewhere
from ..holders.reach import of_kinds
from ..inspection.classes import heirs

if TYPE_CHECKING:
    from types import TracebackType

    from ..holders.walk import Walk


class Known:
    """The `arrays`, models among them, the `errors` and their tracebacks, each once.

    `captured` tells that the notebook captured CUDA graphs: they go on using the addresses they
    saw. Raises `Late` where there is no time to list all objects.
    """

    def __init__(self, walk: Walk) -> None:
        errors = [types.TracebackType, *heirs(BaseException).values()]
        graphs = heirs(getattr(sys.modules.get("torch.cuda.graphs"), "CUDAGraph", None)).values()
        found = elsewhere.listed(walk, [*elsewhere.kinds(walk), *errors, *graphs])
        if found is None:
            raise Late
        self.arrays: list[Any] = elsewhere.known(walk, found)
        self.errors: list[BaseException | TracebackType] = of_kinds(walk, found, errors)
        self.captured = bool(of_kinds(walk, found, list(graphs)))
