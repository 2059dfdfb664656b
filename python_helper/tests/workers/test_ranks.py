"""The variable by which what a cell starts finds the folder of its notebook."""

from __future__ import annotations

import os

import pytest
from gpu_headroom.cells.runs import Ledger
from gpu_headroom.workers.ranks import VARIABLE, Ranks


def ranks(name: str) -> Ranks:
    """The ranks of a helper of this name."""
    return Ranks(name, Ledger(), lambda _: None, lambda _: None)


@pytest.fixture(autouse=True)
def _environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """As a kernel has it that was not started from another one."""
    monkeypatch.setenv(VARIABLE, "")  # it is put back as it was
    del os.environ[VARIABLE]


def test_it_is_as_before_where_the_kernel_has_inherited_one() -> None:
    """A kernel that a script of another notebook has started."""
    os.environ[VARIABLE] = "/another"
    first = ranks("mine")
    first.open()
    assert os.environ[VARIABLE] != "/another"
    first.close()
    assert os.environ[VARIABLE] == "/another"


def test_what_has_been_set_since_stays() -> None:
    """By a cell, or by the next helper in this process."""
    first, later = ranks("mine"), ranks("later")
    first.open()
    later.open()
    first.close()
    assert os.environ[VARIABLE].endswith("-later")
    os.environ[VARIABLE] = "/cell"
    later.close()
    assert os.environ[VARIABLE] == "/cell"
