"""What a message of PyTorch's names besides its numbers: processes, pools of captured graphs."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice

from ..frameworks.errortext import SIZE, compiled
from .statement import Statement, bytes_of, captured, plain, within

_PROCESS = compiled(rf"Process (\d{{1,10}}) has {SIZE} ?(?:memory )?in use")
_OWN = compiled(rf"this process has {SIZE} ?(?:memory )?in use")
_POOLS = compiled(rf"{SIZE} ?allocated in private pools")
_SIGN = "tried to allocate"
_MOST_PROCESSES = 100


@dataclass(frozen=True, slots=True)
class ProcessClause:
    """A process that a message names, by the id it has on the machine, which a container's is not.

    `bytes` is what it has on the card; `None` where that is no measurement.
    """

    pid: int
    bytes: int | None


@dataclass(frozen=True, slots=True)
class Besides:
    """What a message says besides; `None` is not said.

    `own_process_bytes` is what this process has on the card with the driver's own.
    `private_pools_bytes` is a part of what is in use.
    """

    own_process_bytes: int | None = None
    processes: tuple[ProcessClause, ...] = ()
    private_pools_bytes: int | None = None

    @property
    def is_alone(self) -> bool:
        """Whether the one process that is named is this one, seen from a container."""
        return self.own_process_bytes is None and len(self.processes) == 1


def besides(message: str, said: Statement) -> Besides:
    """Return what the last statement of a message names, beside what was read of it."""
    text = plain(message)
    last = text[max(text.rfind(_SIGN), 0) :]
    own, pools = captured(_OWN, text), captured(_POOLS, text)
    clauses = islice(_PROCESS.finditer(last), _MOST_PROCESSES)
    return Besides(
        own_process_bytes=within(bytes_of(own), said.capacity_bytes) if own else None,
        processes=tuple(
            [
                ProcessClause(int(clause[1]), within(bytes_of(clause[2]), said.capacity_bytes))
                for clause in clauses
            ]
        ),
        private_pools_bytes=within(bytes_of(pools), said.in_use_bytes) if pools else None,
    )
