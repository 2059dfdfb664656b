"""Threads, futures, tasks."""

from __future__ import annotations

from .scenario import Scenario

SCENARIOS = (
    Scenario(
        "async",
        "an async cell",
        (
            """
import asyncio
async def work():
    x = tensor(512)
    await asyncio.sleep(0)
    fail()
await work()
""",
        ),
        "traceback",
        ("work",),
    ),
    Scenario(
        "gather",
        "asyncio.gather, one task fails beside another",
        (
            """
import asyncio
async def work(n):
    x = tensor(128)
    await asyncio.sleep(0)
    if n:
        fail()
async def both():
    page = tensor(128)
    await asyncio.gather(work(0), work(1), work(2))
await both()
""",
        ),
        "traceback",
        ("both", "work"),
    ),
    Scenario(
        "kept-task",
        "a task that failed and was not awaited, kept in a variable",
        (
            """
import asyncio
async def work():
    x = tensor(512)
    fail()
task = asyncio.get_running_loop().create_task(work())
""",
            "await asyncio.sleep(0.01)",
        ),
        "kept task",
        ("task", "work"),
        need="consent",
        alive="task.done()",
    ),
    Scenario(
        "kept-future",
        "a future that failed, kept in a variable",
        (
            """
from concurrent.futures import ThreadPoolExecutor
def work():
    x = tensor(512)
    fail()
with ThreadPoolExecutor(1) as pool:
    future = pool.submit(work)
""",
        ),
        "kept future",
        ("ThreadPoolExecutor", "future", "pool", "work"),
        need="consent",
        alive="future.done()",
    ),
    Scenario(
        "thread",
        "a thread that hands its error over to the cell",
        (
            """
import threading
def start():
    outcome = {}
    def work():
        x = tensor(256)
        try:
            fail()
        except RuntimeError as error:
            outcome["error"] = error
    thread = threading.Thread(target=work)
    thread.start(); thread.join()
    y = tensor(128)
    raise outcome["error"]
start()
""",
        ),
        "traceback, thread",
        ("start",),
    ),
    Scenario(
        "running-thread",
        "a thread at work beside the failure",
        (
            """
import threading
stop = threading.Event()
def serve():
    buffer = tensor(128)
    stop.wait(60)
thread = threading.Thread(target=serve, daemon=True)
thread.start()
import time; time.sleep(0.1)
""",
            """
def work():
    x = tensor(256)
    fail()
work()
""",
        ),
        "traceback",
        ("serve", "stop", "thread", "work"),
        kept_mib=128,
        alive="thread.is_alive()",
    ),
)
