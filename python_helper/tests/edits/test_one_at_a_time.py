"""Tasks that were begun together."""

from __future__ import annotations

import pytest
from gpu_headroom.edits.one_at_a_time import awaited_in_turn, one_worker
from tests.edits.cases import check, objection, refuses_hostile, table

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
found = asyncio.gather(*(f(x) for x in xs))
"""
)


@pytest.mark.parametrize(("before", "after"), POOLS)
def test_a_pool_has_one_worker(before: str, after: str | None) -> None:
    """Whatever it had."""
    check(one_worker("Pool"), before, after)


@pytest.mark.parametrize(("before", "after"), TASKS)
def test_tasks_are_awaited_in_turn(before: str, after: str | None) -> None:
    """In the same order, each once."""
    check(awaited_in_turn(), before, after)


POOL = "with ThreadPoolExecutor(4) as pool:\n    outs = list(pool.map(work, xs))"
GATHERED = "outs = await asyncio.gather(*(work(x) for x in xs))"
WORK = "def work(x):\n    y = model(x.cuda()).softmax(1)\n    return y.cpu()"


@pytest.mark.parametrize(
    "work",
    [
        WORK,
        f"@torch.no_grad()\n{WORK}",
        "def work(x):\n    rows = []\n    rows.append(x.mean())\n    return rows",
        "def work(x):\n    return inner(x)\ndef inner(x):\n    return x.sum().item()",
        "def work(x):\n    for layer in model:\n        x = layer(x)\n    return x",
        "def work(x):\n    time.sleep(1)\n    return torch.zeros(3)",
    ],
)
def test_tasks_that_only_make_something_new(work: str) -> None:
    """Their order does not matter."""
    assert objection(one_worker(), POOL, work) is None
    assert (
        objection(awaited_in_turn(), GATHERED, work.replace("def work", "async def work")) is None
    )


@pytest.mark.parametrize(
    ("why", "others"),
    [
        ("tasks.wait", (WORK, "ready = threading.Barrier(4)")),
        ("tasks.wait", (WORK, "queue = asyncio.Queue()")),
        ("tasks.wait", (WORK, "f.result(timeout=3)")),
        ("tasks.wait", (WORK, "for f in as_completed(fs):\n    print(f)")),
        ("tasks.wait", (WORK, "from concurrent.futures import as_completed as done_ones")),
        ("tasks.wait", (WORK, "async with asyncio.timeout(3):\n    await f()")),
        ("tasks.write", ("def work(x):\n    outs.append(x)",)),
        ("tasks.write", ("def work(x):\n    table[x] = 1",)),
        ("tasks.write", ("def work(x):\n    global n\n    n = x",)),
        ("tasks.write", ("def work(x):\n    x += 1\n    return x",)),
        ("tasks.write", ("def work(x):\n    x.mul_(2)\n    return x",)),
        ("tasks.write", ("def work(x):\n    model.count = x",)),
        ("tasks.unknown", ()),
        ("tasks.unknown", ("def work(x):\n    print(x)",)),
        ("tasks.unknown", ("def work(x):\n    return torch.rand(3)",)),
        ("tasks.unknown", ("def work(x):\n    return pool.submit(other, x).result()",)),
        ("tasks.unknown", ("def work(x):\n    return client.ask(x)",)),
        ("gate.unread", (WORK, "((")),
    ],
)
def test_tasks_that_may_see_each_other(why: str, others: tuple[str, ...]) -> None:
    """They wait, write, draw, or do what nobody can tell."""
    assert objection(one_worker(), POOL, *others) == why


def test_takes_any_text() -> None:
    """Hostile cells raise nothing."""
    refuses_hostile(one_worker())
    refuses_hostile(awaited_in_turn())
