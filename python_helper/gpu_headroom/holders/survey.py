"""One survey of a kernel: names, displayed values, tracebacks, and what only the gc still knows."""

from __future__ import annotations

import gc
from collections import Counter
from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING, Any

from ..frameworks.torch.blocks import workspaces
from ..text.messages import message
from . import collector, graphs, suspended
from .frames import frame_roots, kept_errors, last_tracebacks
from .inspector import Inspector
from .names import name_roots, output_roots
from .precision import saved_by_autocast
from .walk import Walk

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import TracebackType

    from ..concurrency.turns import Turn
    from ..protocol.generated import wire
    from ..protocol.generated.wire import PartKind
    from .ledger import StorageLedger
    from .modules import Model
    from .place import Origin

# Shares of the time by which each stage must have ended, so that none starves the next.
_UNTIL_NAMES = 0.5
_UNTIL_OUTPUTS = 0.6
_UNTIL_TRACEBACK = 0.8
_UNTIL_LONG = 0.95


@dataclass(frozen=True, slots=True)
class Survey:
    """Result of a survey; `complete` is false if other threads ran, or there was too much.

    `ended` is why memory may be missing; `None` if everything was visited, or all blocks of the
    allocator were found. `type_names` are the classes of the roots' values, by origin and row.
    `part_of_graphs`: there are graphs that do not show all that they retain. `unheld` are the bytes
    on each device that no Python object leads to, of a complete account. `reached` are the storages
    of the parameters that graphs of failed functions lead to. `earlier` are the bytes on each
    device that only errors before the `failed` one retain, such as one that was being handled.
    `halves` are the bytes that autocast would save on each device, `savers` the operation whose
    nodes would save most. `longer` is what is longer now than in the previous iteration.
    """

    ledger: StorageLedger
    models: tuple[Model, ...]
    complete: bool
    ended: wire.Message | None
    type_names: Mapping[tuple[Origin, str], str]
    part_of_graphs: bool
    unheld: Mapping[PartKind, Mapping[int, int]]
    reached: frozenset[object] = frozenset()
    earlier: Mapping[int, int] = field(default_factory=dict)
    halves: Mapping[int, int] = field(default_factory=dict)
    savers: Mapping[int, graphs.Saver] = field(default_factory=dict)
    longer: graphs.Longer | None = None

    def unheld_on(self, device_index: int) -> dict[PartKind, int]:
        """Return `unheld` of one device."""
        return {kind: sizes.get(device_index, 0) for kind, sizes in self.unheld.items()}


def survey(
    shell: Any,
    turn: Turn,
    *,
    unreached: bool = True,
    for_account: bool = False,
    failed: TracebackType | None = None,
) -> Survey | None:
    """Walk from all roots that retain memory, most lasting first; `None` without a framework.

    A storage belongs to the first origin that reaches it: those of tracebacks are retained by
    nothing else. `unreached` also lists objects from the gc that no name reaches. `for_account`
    gives each storage the size of its block, which may be larger than the request, and skips long
    containers once all objects from the gc have been found: they could only add other names. No
    reference is kept afterwards.
    """
    with turn.walking():
        walk = Walk(Inspector(turn, whole_blocks=for_account))
        if not walk.inspector.frameworks:
            return None
        walk.run(name_roots(shell), until=_UNTIL_NAMES, long=not for_account)
        walk.run(output_roots(shell), until=_UNTIL_OUTPUTS, long=not for_account)
        earlier = [traceback for traceback in last_tracebacks(shell) if traceback is not failed]
        frame_groups = frame_roots([failed] if failed is not None else [], shell)
        for roots in frame_groups:
            walk.run(roots, until=_UNTIL_TRACEBACK, long=not for_account)
        known_before = {held.storage.key for held in walk.ledger} if failed is not None else None
        frame_groups += frame_roots(earlier, shell)
        for roots in frame_groups[-3:]:
            walk.run(roots, until=_UNTIL_TRACEBACK, long=not for_account)
        walk.run(list(kept_errors(walk)), until=_UNTIL_TRACEBACK, long=not for_account)
        if unreached and turn.reads_graphs and turn.lists_all:
            for root in collector.lasting(walk, shell, list(chain(*frame_groups))):
                walk.run([root], until=_UNTIL_TRACEBACK, long=not for_account)
        of_earlier = _beyond(walk, known_before)
        full = _has_all_blocks(walk)
        values = collector.known(walk, needed=not full) if unreached and turn.reads_graphs else []
        graphs.enter_made(walk, values)
        done = full or (
            for_account and not gc.get_freeze_count() and collector.all_found(walk, values)
        )
        if done:
            values = [obj for obj in values if not walk.inspector.is_array(obj)]
        else:
            walk.open_long(until=_UNTIL_LONG)
        walk.run(suspended.roots(walk), long=not done)
        collector.enter_unreached(walk, shell, values)
        asks = for_account and not walk.look_at_clock()
        savers = graphs.largest_savers(walk) if asks else {}
        asks = asks and not walk.look_at_clock()
        longer = graphs.longer_than_before(walk) if asks else None
        complete = turn.reads_graphs and not (walk.truncated or walk.unlisted)
        ended = _ended(walk)
        return Survey(
            walk.ledger,
            tuple(walk.models),
            complete,
            ended,
            walk.type_names,
            part_of_graphs=bool(walk.saved_from),
            unheld=_unheld(walk) if ended is None else {},
            reached=frozenset(walk.reached),
            earlier=of_earlier,
            halves=saved_by_autocast(walk) if ended is None and for_account else {},
            savers=savers,
            longer=longer,
        )


def _beyond(walk: Walk, known: set[object] | None) -> dict[int, int]:
    """Return the bytes of what tracebacks hold beyond the `known` storages, by device."""
    sizes: dict[int, int] = {}
    for held in walk.ledger if known is not None else ():
        if held.origin == "traceback" and known is not None and held.storage.key not in known:
            index = held.storage.device_index
            sizes[index] = sizes.get(index, 0) + held.storage.bytes
    return sizes


def _unheld(walk: Walk) -> dict[PartKind, Mapping[int, int]]:
    torch, sizes = walk.inspector.torch, Counter[int]()
    keys = {held.storage.key for held in walk.ledger}
    for block in workspaces(torch.blocks, keys).values() if torch is not None else ():
        sizes[block.device_index] += block.bytes
    return {"workspaces": sizes}


def _has_all_blocks(walk: Walk) -> bool:
    """Whether each block of the allocator's has been found, where PyTorch alone has memory.

    Then what is left of the objects could only give other names.
    """
    torch = walk.inspector.torch
    if torch is None or not torch.blocks or len(walk.inspector.frameworks) > 1:
        return False
    keys = {held.storage.key for held in walk.ledger}
    return torch.blocks.keys() <= keys | workspaces(torch.blocks, keys).keys()


def _ended(walk: Walk) -> wire.Message | None:
    """Return why a walk did not complete, if it did not."""
    company = walk.inspector.turn.company
    if company.inside:
        return message("holders.beside", name=company.inside[0])
    if not walk.truncated and (not walk.unlisted or _has_all_blocks(walk)):
        return None
    if company.waiting:
        return message("holders.beside_waiting", name=company.waiting[0])
    return message("holders.incomplete")
