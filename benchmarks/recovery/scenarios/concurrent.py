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
        "async-generator",
        "an async generator fails",
        (
            """
import asyncio
async def batches():
    buffer = tensor(128)
    for n in range(3):
        await asyncio.sleep(0)
        if n == 2:
            fail()
        yield tensor(64)
async def work():
    return [batch async for batch in batches()]
await work()
""",
        ),
        "traceback",
        ("batches", "work"),
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
        "waiting-task",
        "a task that waits beside the failure",
        (
            """
import asyncio
async def serve():
    buffer = tensor(128)
    while True:
        await asyncio.sleep(0.01)
task = asyncio.get_running_loop().create_task(serve())
await asyncio.sleep(0)
""",
            """
def work():
    x = tensor(256)
    fail()
work()
""",
        ),
        "traceback",
        ("serve", "task", "work"),
        kept_mib=128,
        alive="not task.done()",
    ),
    Scenario(
        "future-result",
        "a thread pool whose future raises in the cell",
        (
            """
from concurrent.futures import ThreadPoolExecutor
def work(n):
    x = tensor(128)
    fail()
def run():
    with ThreadPoolExecutor(2) as pool:
        futures = [pool.submit(work, n) for n in range(2)]
        return [future.result() for future in futures]
run()
""",
        ),
        "traceback, futures",
        ("ThreadPoolExecutor", "run", "work"),
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
        "kept-thread",
        "a thread object that keeps its error",
        (
            """
import threading
class Worker(threading.Thread):
    error = None
    def run(self):
        x = tensor(512)
        try:
            fail()
        except RuntimeError as error:
            self.error = error
worker = Worker()
worker.start(); worker.join()
""",
        ),
        "kept error",
        ("Worker", "worker"),
        need="consent",
        alive="worker.error is not None",
    ),
    Scenario(
        "thread-hook",
        "an error that ends a thread, printed by threading.excepthook",
        (
            """
import threading
def work():
    x = tensor(512)
    fail()
thread = threading.Thread(target=work)
thread.start(); thread.join()
""",
        ),
        "nothing",
        ("thread", "work"),
        need="nothing",
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
