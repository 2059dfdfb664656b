"""Finders come and go while a person's threads import: none of theirs is passed over."""

from __future__ import annotations

import sys
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from types import ModuleType

import pytest
from gpu_headroom.workers.arrival import Arrival
from gpu_headroom.workers.arriving import forget


class Finder(MetaPathFinder, Loader):
    """One that finds nothing, as that of a pack."""

    def find_spec(self, *_: object) -> None:
        """Find nothing."""


@pytest.fixture(autouse=True)
def _finders(monkeypatch: pytest.MonkeyPatch) -> None:
    """They are put back."""
    monkeypatch.setattr(sys, "meta_path", sys.meta_path.copy())


def test_what_waited_for_a_module_goes() -> None:
    """Once, with its call; an import that has begun goes on through all others."""
    finders, calls = sys.meta_path.copy(), []
    waits = Arrival("json", lambda: calls.append(1))
    sys.meta_path.insert(0, waits)
    iterator = iter(sys.meta_path)
    assert next(iterator) is waits
    assert find_spec("no_module_of_this_name") is None
    assert list(iterator) == sys.meta_path == finders
    assert calls == [1]


def test_what_a_worker_was_sent_goes(monkeypatch: pytest.MonkeyPatch) -> None:
    """With its modules."""
    finders, finder = sys.meta_path.copy(), Finder()
    module = ModuleType("sent_for_a_test")
    module.__spec__ = ModuleSpec("sent_for_a_test", finder)
    monkeypatch.setitem(sys.modules, "sent_for_a_test", module)
    sys.meta_path.insert(0, finder)
    iterator = iter(sys.meta_path)
    assert next(iterator) is finder
    forget("sent_for_a_test")
    assert list(iterator) == sys.meta_path == finders
    assert "sent_for_a_test" not in sys.modules
