"""Work that goes on at once, by tasks or threads, and may or may not notice an order."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.edits.pieces.draw import Writing, inner

if TYPE_CHECKING:
    from benchmarks.edits.pieces.draw import Draw

_DOES = (
    "",
    "",
    "",
    "order.append(n)",
    "state['last'] = n",
    "print(n)",
    "if n == 2:\n    raise ValueError(n)",
    "noise = torch.rand(1)",
    "global seen\nseen += 1",
)
_BEHIND = (
    "total = sum(outs)",
    "kinds = type(outs).__name__",
    "n_done = len(order)",
    "print(sorted(order))",
    "print(order)",
)


def program(draw: Draw) -> str:
    """Write a few tasks and what waits for them."""
    made = Writing("A generated crowd")
    does = draw.pick("does", _DOES).split("\n")
    effect = draw.pick("early", [True, False, False])
    value = draw.pick("value", ["(x * n).sum().item()", "x[n % 3].item()", "float(n)"])
    begin = ["order = []", "state = {}", "seen = 0", "x = torch.arange(3.0)"]
    imports = ["import asyncio, time, torch", "from concurrent.futures import ThreadPoolExecutor"]
    count = draw.number("count", 2, 4)
    wait = draw.pick("waits", ["0", "0.004 * (5 - n)", "0.004 * (5 - n)"])
    many = draw.pick("many", [f"range({count})", "(3, 1, 2)", "[2, 0]"])
    form = draw.pick(
        "form", ["gather star", "gather list", "gather two", "map", "map list", "submit", "tasks"]
    )
    # What is read of the order makes it count.
    draw.mostly(0.5, **{"cell 0": "print(order)"})
    if form in ("map", "map list", "submit"):
        body = [*does, f"time.sleep({wait})"] if effect else [f"time.sleep({wait})", *does]
        made.cell(imports, begin)
        made.cell(["def work(n):", *inner([each for each in [*body, f"return {value}"] if each])])
        submitted = f"pool.submit(work, m) for m in {many}"
        lines = {
            "map": f"outs = list(pool.map(work, {many})) #@forward",
            "map list": f"outs = [2 * each for each in pool.map(work, {many})] #@forward",
            "submit": f"outs = [f.result() for f in [{submitted}]] #@forward",
        }
        workers = draw.pick("workers", ["2", "max_workers=4", ""])
        made.cell(
            [f"with ThreadPoolExecutor({workers}) as pool:", *inner([lines[form]])], "del pool"
        )
    else:
        body = [*does, f"await asyncio.sleep({wait})"]
        body = body if effect else [body[-1], *does]
        made.cell(imports, begin)
        head = "async def work(n):"
        made.cell([head, *inner([each for each in [*body, f"return {value}"] if each])])
        made.cell(
            {
                "gather star": f"outs = await asyncio.gather(*(work(n) for n in {many})) #@forward",
                "gather list": f"outs = await asyncio.gather(*[work(n) for n in {many}]) #@forward",
                "gather two": "outs = await asyncio.gather(work(1), work(3)) #@forward",
                "tasks": (
                    f"tasks = [asyncio.create_task(work(n)) for n in {many}]\n"
                    "outs = [await each for each in tasks] #@forward\ndel tasks"
                ),
            }[form]
        )
    for n in range(draw.number("behind", 0, 2)):
        made.cell(draw.pick(f"cell {n}", _BEHIND))
    return made.text({})
