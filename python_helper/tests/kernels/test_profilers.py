"""A profiler or a tracer of the person's, on while a cell runs out of memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.live import LiveKernel

GPU = "1GiB"
MOST = 200  # calls of ours on a thread of theirs, or what a line of one is
BEGIN = """
import cProfile, pstats, sys, threading
import torch
seen, lines, profiler = [], set(), cProfile.Profile()
def count(frame, event, _):
    name = frame.f_globals.get("__name__")
    if event == "call" and type(name) is str and name.partition(".")[0] == "gpu_headroom":
        seen.append((threading.current_thread().name, name))
    if frame.f_code.co_name in ("failing", "around"):
        lines.add((event, frame.f_code.co_name, frame.f_lineno - frame.f_code.co_firstlineno))
    return count
model = torch.nn.Linear(64, 64).cuda()
kept = [torch.empty(2**26, dtype=torch.uint8, device="cuda") for _ in range(4)]
def failing():
    chunks = []
    while True:
        chunks.append(torch.empty(2**28, dtype=torch.uint8, device="cuda"))
def around():
    before = 1
    get_ipython().run_cell("failing()")
    after = 2
    return before + after
"""
WAYS = {
    "a profiler": (
        "threading.setprofile(count); sys.setprofile(count)",
        "installed = sys.getprofile() is count; sys.setprofile(None); threading.setprofile(None)",
    ),
    "a tracer": (
        "threading.settrace(count); sys.settrace(count)",
        "installed = sys.gettrace() is count; sys.settrace(None); threading.settrace(None)",
    ),
    "cProfile": (
        "profiler.enable()",
        """profiler.disable(); stats = pstats.Stats(profiler).stats
installed = any(key[2] == 'failing' for key in stats)
seen = [('MainThread', key[0]) for key, calls in stats.items()
        if 'gpu_headroom' in key[0] for _ in range(calls[1])]""",
    ),
}


@pytest.mark.parametrize("way", WAYS)
def test_it_sees_few_of_our_calls_and_all_of_theirs(simulated: LiveKernel, way: str) -> None:
    """Around a report, the plan that follows it, and the edges of the cells between."""
    begin, end = WAYS[way]
    assert simulated.run(BEGIN).status == "ok"
    since = simulated.now
    assert simulated.run(begin).status == "ok"
    run = simulated.run("failing()", stop_on_error=False, cell_id="fails")
    assert run.status == "error"
    assert simulated.run("total = around()").status == "ok"
    reply = simulated.ask("plan")
    simulated.await_event("plan", since, request_id=reply["id"])
    assert simulated.run(end).status == "ok"
    assert simulated.await_event("oom", since)
    assert simulated.value("installed") is True
    calls = simulated.value("seen")
    assert 0 < len(calls) < MOST, calls
    assert {name for name, _ in calls if name.startswith("gpu-headroom")} <= {"gpu-headroom-walk"}
    if way == "a tracer":
        lines = {(name, line) for event, name, line in simulated.value("lines") if event == "line"}
        assert {line for name, line in lines if name == "failing"} == {1, 2, 3}
        assert {line for name, line in lines if name == "around"} == {1, 2, 3, 4}
    simulated.run("del kept; profiler = None")
    simulated.free()
