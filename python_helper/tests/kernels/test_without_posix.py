"""A kernel whose Python lacks what only Linux and macOS have, as on Windows: a stand-in for it.

What Windows itself does otherwise (paths, processes, its driver) it does not show.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from gpu_headroom.protocol.checking import REQUESTS
from tests.cycles import FAIL
from tests.least import least
from tests.live import LiveKernel

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.live import Pack

GIB = 2**30
# What Python's documentation calls "Availability: Unix" and the helper could come to need.
TAKE = """
import os, select, signal, sys, torch
for module, names in {
    os: '''fork forkpty register_at_fork uname getuid geteuid getgid getpgid killpg setsid
        setpgid nice sysconf getloadavg sched_getaffinity sched_setaffinity mkfifo statvfs
        O_NOFOLLOW O_NONBLOCK O_CLOEXEC O_DIRECTORY WNOHANG''',
    signal: 'SIGKILL SIGSTOP SIGCONT SIGALRM SIGUSR1 SIGCHLD setitimer pthread_kill',
    select: 'poll epoll',
}.items():
    for name in names.split():
        vars(module).pop(name, None)
for name in ('fcntl', 'resource', 'pwd', 'grp', 'termios'):
    sys.modules[name] = None
del module, names, name
"""


@pytest.fixture(scope="module")
def kernel(
    newest_python: Path, pack: Pack, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[LiveKernel]:
    """Such a kernel, with a simulated GPU of 4 GiB and the helper injected after the names went."""
    folder = tmp_path_factory.mktemp("without_posix")
    with LiveKernel(newest_python, folder, installed=True) as kernel:
        assert kernel.run(TAKE, silent=True, store_history=False).status == "ok"
        assert kernel.value("hasattr(__import__('os'), 'fork')") is False
        assert kernel.value("'gpu_headroom.session' in __import__('sys').modules") is False
        simulate = "__import__('gpu_headroom').simulate('4 GiB', compute='meta')"
        kernel.run(simulate, silent=True, store_history=False)
        kernel.inject(pack)
        kernel.inject(pack, sources=pack.for_dry_runs)
        kernel.attach()
        kernel.run("import torch; kept = torch.empty(2**28, device='cuda')")
        yield kernel


@pytest.mark.smoke
def test_the_helper_starts_and_measures(kernel: LiveKernel) -> None:
    """What is in use, by the framework; of the host what the system tells."""
    sample = kernel.sample()
    assert sample["state"] == "live"
    (device,) = sample["devices"]
    assert device["in_use_bytes"] == GIB
    assert sample["workers"] is None


@pytest.mark.smoke
def test_a_failure_is_explained_and_freed(kernel: LiveKernel) -> None:
    """From the error to its report, and back to what a person kept."""
    report = kernel.run(FAIL, cell_id="failing", stop_on_error=False).report
    assert report["remedies"]
    event = kernel.free()
    assert event["status"] == "done"
    assert event["freed_bytes"] >= 2 * GIB
    assert kernel.sample()["devices"][0]["in_use_bytes"] == GIB


@pytest.mark.smoke
def test_every_other_door_answers(kernel: LiveKernel) -> None:
    """What is asked for, or a sentence in its place; nothing of ours fails."""
    since = kernel.now
    report = kernel.run(FAIL, cell_id="failing", stop_on_error=False).report
    of_report = {"report_id": report["report_id"]}
    arguments: dict[str, dict[str, Any]] = {
        "holders": {"asked": True},
        "plan": {"asked": True},
        "path": {"holder_id": "name:kept"},
        "rescue": of_report,
        "rerun": {**of_report, "run": ["failing"], "sources": {"failing": FAIL}},
        "report": {**of_report, "helper_id": report["helper_id"]},
        "dry_run": {"action": "end"},
    }
    for kind in sorted(REQUESTS.keys() - {"attach", "detach"}):
        reply = kernel.ask(kind, **{**least(kind), **arguments.get(kind, {})})
        assert reply["type"] in {kind, "refused"}
        if kind in {"cleanup", "holders", "path", "plan", "rerun", "rescue", "snapshot"}:
            kernel.await_event(kind, since, request_id=reply["id"])
        elif kind in {"report", "cells", "history", "presence"}:
            assert reply["type"] == kind
    for worker_id in ("rank:7", "dask:tcp://127.0.0.1:1"):
        reply = kernel.ask("worker_release", worker_id=worker_id, action="free")
        event = kernel.await_event("worker_released", since, request_id=reply["id"])
        assert event["status"] == "refused"
    assert kernel.ask("workers", filter="")["gpus"] == []
    assert kernel.ask("follow", engine="dask", follow=True)["message"]["text"]
    assert kernel.events("error", since) == []


@pytest.mark.smoke
def test_a_command_that_ran_out_of_memory_is_explained(kernel: LiveKernel) -> None:
    """By what it printed, with the paths of Windows, of a script that is not here."""
    run = kernel.run('!echo "C:\\work\\train.py"', cell_id="command")
    reply = kernel.ask(
        "explain",
        cell_id="command",
        parent_id=run.messages[0]["parent_header"]["msg_id"],
        printed='Traceback (most recent call last):\n  File "C:\\work\\train.py", line 3, in fit\n'
        "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.",
    )
    assert reply["report_id"] is not None


@pytest.mark.smoke
def test_what_is_asked_by_hand_is_said(kernel: LiveKernel) -> None:
    """The functions, last of all the one that ends it."""
    for function in ("status", "holders", "plan", "workers", "save_memory_snapshot", "free"):
        assert kernel.value(f"bool(__import__('gpu_headroom').{function}())"), function
    kernel.run("__import__('gpu_headroom').stop()")
    assert kernel.attach() is None
