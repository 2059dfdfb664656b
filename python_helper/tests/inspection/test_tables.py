"""Tables of others are read as they are at one moment, whoever changes them meanwhile."""

from __future__ import annotations

import gc
import sys
import types
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest
from gpu_headroom.holders import objects, referrers, steps
from gpu_headroom.holders.names import output_roots, user_names
from gpu_headroom.inspection.tables import items_of
from gpu_headroom.kernel import injection

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, MutableMapping


class _Shell:
    def __init__(self) -> None:
        self.user_ns: dict[str, Any] = {f"name{n}": n for n in range(100)}
        self.user_ns_hidden: dict[str, Any] = {}
        self.history_manager = types.SimpleNamespace(output_hist=dict.fromkeys(range(100)))
        self.displayhook = None


class _Object:
    def __init__(self) -> None:
        vars(self).update({f"field{n}": n for n in range(100)})


@contextmanager
def _collected_often(change: Callable[[], None]) -> Iterator[None]:
    """Have the collector run at nearly each allocation, and let something change a table then."""

    def on_collection(phase: str, _: dict[str, int]) -> None:
        if phase == "start":
            change()

    before = gc.get_threshold()
    gc.callbacks.append(on_collection)
    # Tuples that were freed would be used again, and start no collector: none is left.
    tuples = [(n, n) for n in range(10_000)]
    gc.set_threshold(1, 10**9, 10**9)  # of the youngest only: a whole one goes through all modules
    try:
        yield
        assert tuples
    finally:
        gc.set_threshold(*before)
        gc.callbacks.remove(on_collection)


def _readers() -> dict[str, tuple[MutableMapping[Any, Any], Callable[[], object]]]:
    shell, value = _Shell(), _Object()
    table = {n: str(n) for n in range(100)}
    return {
        "items": (table, lambda: items_of(table)),
        "keys of a dictionary": (table, lambda: list(steps.keys_of(table, "5"))),
        "a module's namespace": (sys.modules, referrers.tables_of_modules),
        "modules of ours": (sys.modules, injection.own_modules),
        "names": (shell.user_ns, lambda: user_names(shell)),
        "displayed values": (shell.history_manager.output_hist, lambda: output_roots(shell)),
        "attributes": (vars(value), lambda: objects.attributes(value, objects.layout_of(_Object))),
    }


@pytest.mark.parametrize("reader", _readers())
def test_a_table_may_change_while_it_is_read(reader: str) -> None:
    """Another thread may import a module or bind a name whenever the collector runs."""
    table, read = _readers()[reader]
    names: list[str] = []

    def change() -> None:
        names.append(f"gpu_headroom_test_{len(names)}")
        table[names[-1]] = types

    try:
        for _ in range(3):
            with _collected_often(change):
                assert read() is not None
    finally:
        for name in names:
            table.pop(name, None)
    assert names, "the collector has not run at all"


def test_a_copy_is_not_asked_of_the_table_itself() -> None:
    """A subclass of a person's may have methods of its own, which are no business of ours."""

    class Own(dict[str, int]):
        def copy(self) -> Any:
            raise AssertionError("a method of a person's has been called")

        items = keys = __iter__ = copy

    assert items_of(Own(a=1)) == [("a", 1)]
    assert dict(items_of(types.MappingProxyType({"b": 2}))) == {"b": 2}
