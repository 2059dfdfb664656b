"""Names in a message: processes, and pools of captured graphs and of libraries."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import islice

from ..frameworks.errortext import SIZE, compiled
from .statement import Statement, bytes_of, captured, plain, within

_PROCESS = compiled(rf"Process (\d{{1,10}}) has {SIZE} ?(?:memory )?in use")
_OWN = compiled(rf"this process has {SIZE} ?(?:memory )?in use")
_POOLS = compiled(rf"{SIZE} ?allocated in private pools")
_METAL = compiled(rf"other allocations: {SIZE}")
# What TensorFlow and JAX take of a GPU when they start.
_STARTED = (
    (
        "tensorflow",
        r"created (?:tensorflow )?device [^ ]{1,90}gpu:(?P<at>\d) with (?P<size>\d+ mb)",
    ),
    ("jax", r"xla backend allocating (?P<size>\d{1,15} bytes) on device (?P<at>\d) for bfc"),
)
_SIGN = "tried to allocate"
_MOST_PROCESSES = 100


@dataclass(frozen=True, slots=True)
class ProcessClause:
    """A process that a message names, by the id it has on the machine, which a container's is not.

    `bytes` is what it has on the GPU; `None` where that is no measurement.
    """

    pid: int
    bytes: int | None


@dataclass(frozen=True, slots=True)
class Besides:
    """Further contents of a message; `None` for values that it does not contain.

    `own_process_bytes` is this process's memory on the GPU, including the driver's.
    `private_pools_bytes` is part of the memory in use; `metal_bytes` is Metal's, in addition.
    `hidden`: the driver does not report processes, as on Windows.
    """

    own_process_bytes: int | None = None
    processes: tuple[ProcessClause, ...] = ()
    private_pools_bytes: int | None = None
    metal_bytes: int | None = None
    hidden: bool = False

    @property
    def own_bytes(self) -> int | None:
        """Bytes of this process on the GPU; a single process in the message is this one."""
        return self.processes[0].bytes if self.is_alone else self.own_process_bytes

    @property
    def is_alone(self) -> bool:
        """Whether the one process that is named is this one, seen from a container."""
        return self.own_process_bytes is None and len(self.processes) == 1


def besides(message: str, said: Statement) -> Besides:
    """Return what the last statement of a message names, beside what was read of it."""
    text = plain(message)
    last = text[max(text.rfind(_SIGN), 0) :]
    own, pools, metal = [captured(pattern, text) for pattern in (_OWN, _POOLS, _METAL)]
    clauses = list(islice(_PROCESS.finditer(last), _MOST_PROCESSES))
    printed = [*[clause[2] for clause in clauses], *([own] if own else [])]
    return Besides(
        own_process_bytes=within(bytes_of(own), said.capacity_bytes) if own else None,
        processes=tuple(
            [
                ProcessClause(int(clause[1]), within(bytes_of(clause[2]), said.capacity_bytes))
                for clause in clauses
            ]
        ),
        private_pools_bytes=within(bytes_of(pools), said.in_use_bytes) if pools else None,
        metal_bytes=bytes_of(metal) if metal else None,
        hidden=any(bytes_of(size) is None for size in printed),
    )


def pool_in(text: str, said: Statement) -> tuple[str, int] | None:
    """Return another framework, and what it took of the same GPU when it started, by the log."""
    index = str(said.device_index or 0)
    for framework, pattern in _STARTED:
        for match in re.finditer(pattern, plain(text)) if framework != said.framework else ():
            size = bytes_of(match["size"])
            if size and match["at"] == index:
                return framework, size
    return None
