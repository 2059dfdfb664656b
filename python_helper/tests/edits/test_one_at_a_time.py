"""Tasks that were begun together."""

from __future__ import annotations

import pytest
from gpu_headroom.edits.one_at_a_time import awaited_in_turn, one_worker
from tests.edits.cases import check, refuses_hostile, table

POOLS = table(
    """
with ThreadPoolExecutor(max_workers=4) as pool:
    list(pool.map(f, xs))
--->
with ThreadPoolExecutor(max_workers=1) as pool:
    list(pool.map(f, xs))
====
pool = Pool(n)
--->
pool = Pool(1)
====
pool = futures.ThreadPoolExecutor()
--->
pool = futures.ThreadPoolExecutor(max_workers=1)
====
pool = ThreadPool(processes=os.cpu_count())
--->
pool = ThreadPool(processes=1)
====
pool = ThreadPoolExecutor(4)
ready = threading.Barrier(4)
====
pool = ProcessPoolExecutor(4)
"""
)
TASKS = table(
    """
found = await asyncio.gather(*(answer(n) for n in range(12)))
--->
found = [await answer(n) for n in range(12)]
====
found = await gather(*[answer(n) for n in ns if n])  # all
--->
found = [await answer(n) for n in ns if n]  # all
====
found = await asyncio.gather(*map(answer, ns))
--->
found = [await each for each in map(answer, ns)]
====
a, b = await asyncio.gather(f(x), g(y))
--->
a, b = [await f(x), await g(y)]
====
tasks = [asyncio.create_task(f(x)) for x in xs]
maps = await asyncio.gather(*tasks)
====
task = asyncio.create_task(f(x))
await task
====
found = await asyncio.gather(*(f(x) for x in xs), return_exceptions=True)
====
found = await asyncio.gather(*(f(x) for x in xs), g())
====
queue = asyncio.Queue()
found = await asyncio.gather(*(f(x) for x in xs))
====
found = asyncio.gather(*(f(x) for x in xs))
"""
)


@pytest.mark.parametrize(("before", "after"), POOLS)
def test_a_pool_has_one_worker(before: str, after: str | None) -> None:
    """Unless its tasks wait for each other."""
    check(one_worker("Pool"), before, after)


@pytest.mark.parametrize(("before", "after"), TASKS)
def test_tasks_are_awaited_in_turn(before: str, after: str | None) -> None:
    """In the same order, each once."""
    check(awaited_in_turn(), before, after)


def test_takes_any_text() -> None:
    """Hostile cells raise nothing."""
    refuses_hostile(one_worker())
    refuses_hostile(awaited_in_turn())
