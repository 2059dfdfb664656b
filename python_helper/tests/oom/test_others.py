"""Whose the other processes on a GPU are, told of real processes."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from gpu_headroom import system
from gpu_headroom.advice.registry import diagnose
from gpu_headroom.oom import others
from gpu_headroom.oom.others import Others, others_on
from gpu_headroom.text.format import GIB
from tests.advice.cases import device, evidence

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpu_headroom.protocol.generated.wire import Process

SLEEP = "import time; time.sleep(600)"


@pytest.fixture
def child() -> Iterator[int]:
    """Start a process that this one has started."""
    with subprocess.Popen([sys.executable, "-c", SLEEP]) as started:
        yield started.pid
        started.kill()


@pytest.fixture
def kernel() -> Iterator[int]:
    """Start a process that looks like a kernel, and has no parent any more."""
    script = f"'{sys.executable}' -c '{SLEEP}' ipykernel_launcher > /dev/null 2>&1 & echo $!"
    pid = int(subprocess.check_output(["/bin/sh", "-c", script]))
    yield pid
    subprocess.run(["/bin/kill", str(pid)], check=True)


def tell(monkeypatch: pytest.MonkeyPatch, *listing: Process) -> None:
    """Let the driver list these."""
    monkeypatch.setattr(others, "processes", lambda _: list(listing))


def test_children_and_kernels_are_told_apart(
    monkeypatch: pytest.MonkeyPatch, child: int, kernel: int
) -> None:
    """What this process has started, what is a notebook's kernel, and what is neither."""
    tell(
        monkeypatch,
        {"pid": child, "name": "python", "bytes": 4 * GIB},
        {"pid": kernel, "name": "python", "bytes": 2 * GIB},
        {"pid": 1, "name": "init", "bytes": GIB},
    )
    usage = others_on(device())
    assert (usage.started_bytes, usage.kernels_bytes) == (4 * GIB, 2 * GIB)
    assert len(usage.processes) == 3


def test_what_cannot_be_known_has_no_owner(monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that has gone, one without an id, one that is not measured, a silent driver."""
    tell(
        monkeypatch,
        {"pid": 2**22 + 1, "name": None, "bytes": GIB},
        {"pid": None, "name": "hidden", "bytes": GIB},
        {"pid": 1, "name": "init", "bytes": None},
    )
    assert others_on(device())[1:] == (0, 0, False)
    monkeypatch.setattr(others, "processes", lambda _: None)
    assert others_on(device()) == others_on(None) == Others()


@pytest.mark.parametrize(
    ("started", "kernels", "owner"),
    [(4, 0, "started"), (1, 5, "notebooks"), (4, 4, "started"), (1, 1, "programs")],
)
def test_names_those_who_hold_the_most(started: int, kernels: int, owner: str) -> None:
    """At least half of what is of others."""
    assert Others((), started, kernels).whose(8) == owner


@pytest.mark.parametrize(("wddm", "others_bytes"), [(True, None), (True, GIB), (False, None)])
def test_under_windows_no_program_is_named(
    monkeypatch: pytest.MonkeyPatch, others_bytes: int | None, *, wddm: bool
) -> None:
    """What the driver does not tell is said to be no program's."""
    monkeypatch.setattr(others, "processes", lambda _: None)
    monkeypatch.setattr(system, "has_wddm", lambda: wddm)
    usage = others_on(replace(device(), others_bytes=others_bytes))
    assert usage.whose(8) == ("hidden" if wddm and others_bytes is None else "programs")
    diagnosis = diagnose(evidence(outside=6 * GIB, others=usage))
    assert diagnosis.causes[0]["rule"] == "other-programs"
    text = diagnosis.causes[0]["claim"]["text"]
    assert ("Windows does not say" in text) is ("programs" not in text) is usage.hidden
    assert ("nvidia-smi" in str(diagnosis.offers)) is not usage.hidden
