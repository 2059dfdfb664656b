"""Profilers and tracers of the person's: ours is not in them, and theirs is as without us."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from tests.live import SOURCES

if TYPE_CHECKING:
    from pathlib import Path

PROGRAM = """
import cProfile, profile, pstats, sys, threading
from gpu_headroom.concurrency import threads

def ours():
    for _ in range(1000):
        inner()

def inner():
    len("")

def failing():
    inner()
    raise KeyError

def before():
    return len("before")

def after():
    total = 0
    for each in range(3):
        total += each
    return total

def theirs(call):
    first = before()
    call(ours)
    try:
        call(failing)
    except KeyError:
        first += 1
    return first + after()

def outermost(call):
    result = theirs(call)
    return result + after()

def directly(call, *args):
    return None if call is ours else call(*args)

OWN = {"ours", "inner", "failing", "unseen", "directly", "_may_set_trace", "_apart"}

# --- What is written in Python: events, which have to match -------------------

def events_of(install, call, kinds):
    found, stack = [], []
    def hear(frame, event, arg):
        name = arg.__name__ if event.startswith("c_") else frame.f_code.co_name
        if event in ("call", "c_call"):
            stack.append((event, name))
        elif event in ("return", "c_return", "c_exception") and stack:
            assert stack.pop()[1] == name, (event, name)
        if event in kinds and frame.f_code.co_name not in OWN:
            found.append((event, name, frame.f_lineno))
        if frame.f_code.co_name in ("ours", "inner"):
            found.append(frame.f_code.co_name)
        return hear
    class Way:
        def hear(self, *args):
            return hear(*args) and self.hear
    for way in (hear, Way().hear):
        install(way)
        outermost(call)
        kept = sys.getprofile() if install is sys.setprofile else sys.gettrace()
        install(None)
        assert kept == way, kept
    return found

PROFILED = ("call", "return")
without = events_of(sys.setprofile, directly, PROFILED)
assert without and events_of(sys.setprofile, threads.unseen, PROFILED) == [
    each for each in without if each not in OWN
]
TRACED = ("call", "line", "return")
without = events_of(sys.settrace, directly, TRACED)
assert without and events_of(sys.settrace, threads.unseen, TRACED) == [
    each for each in without if each not in OWN
]

# --- cProfile and profile: who was called by whom, and how often ---------------

def stats_of(kind, call):
    profiler = kind()
    if kind is cProfile.Profile:
        profiler.enable()
        outermost(call)
        profiler.disable()
    else:
        profiler.runcall(outermost, call)
    stats = pstats.Stats(profiler).stats
    return {
        key[2]: (calls[1], sorted(caller[2] for caller in calls[4]))
        for key, calls in stats.items()
        if key[0] == __file__ and key[2] not in OWN
    }, {key[2] for key in stats}

for kind in cProfile.Profile, profile.Profile:
    (without, _), (found, names) = (stats_of(kind, call) for call in (directly, threads.unseen))
    assert len(without) == 4 and found == without, (kind, found, without)
    assert not names & {"ours", "inner"}, names

# --- Threads of ours ------------------------------------------------------------

seen = []
threading.setprofile(lambda frame, *_: seen.append(frame.f_code.co_name))
threading.settrace(lambda frame, *_: seen.append(frame.f_code.co_name))
for thread in threads.start(ours), threads.later(0.0, ours):
    thread.join()
threading.setprofile(None)
threading.settrace(None)
assert seen and not {"ours", "inner"} & {*seen}, seen

# --- A debugger that watches over `sys.settrace` ---------------------------------

install, warned = sys.settrace, []
sys.settrace = lambda trace: warned.append(trace) or install(trace)
install(lambda *_: None)
threads.unseen(ours)
threads.start(ours).join()
install(None)
assert warned == [] and sys.gettrace() is None
print("done")
"""


def check(python: Path | str, folder: Path) -> None:
    """Run it in a process of its own: it has a profiler, and nothing else may."""
    program = folder / "program.py"
    program.write_text(PROGRAM)
    process = subprocess.run(
        [python, str(program)],
        env={"PYTHONPATH": str(SOURCES)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert process.stdout == "done\n", process.stderr


def test_ours_is_not_in_a_profile_of_the_person(tmp_path: Path) -> None:
    """What is theirs is in it exactly as without us, and their tracer is still there."""
    check(sys.executable, tmp_path)


def test_nor_in_one_of_a_newer_python(newer_python: Path, tmp_path: Path) -> None:
    """There `cProfile` listens to all threads at once."""
    check(newer_python, tmp_path)


@pytest.mark.parametrize("value", [None, 5])
def test_what_is_returned_comes_back(value: object) -> None:
    """Without an observer it is a call."""
    from gpu_headroom.concurrency.threads import unseen

    assert unseen(lambda argument: argument, value) is value
