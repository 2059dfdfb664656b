"""Which object it is, and who still needs it: reports of programs where that is easily mistaken."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.programs import START, FailedCell, completed

if TYPE_CHECKING:
    from tests.programs import Programs

# Nothing is computed; PyTorch may have 604 MiB of it.
GPU = "1GiB,meta"
MIB = 2**20
FILL = "filled = torch.empty(250, 2**20, dtype=torch.uint8, device='cuda')"


def rules(cell: FailedCell) -> list[str]:
    """The causes of a report by their ids, likeliest first."""
    return [cause["rule"] for cause in causes(cell)]


def causes(cell: FailedCell) -> list[dict[str, Any]]:
    """The causes of a report, likeliest first."""
    entries = [cell.report["cause"], *cell.report["further_causes"]]
    return [cause for cause in entries if cause is not None]


def holder_mib(cell: FailedCell) -> dict[str, int]:
    """The MiB of each holder by its name."""
    return {holder["name"]: holder["bytes"] // MIB for holder in cell.report["holders"]}


# --- What goes on later, or is a result that is not taken yet ----------------

MAKE = "torch.empty(200 * 2**20, dtype=torch.uint8, device='cuda')"
START_ASYNC = f"""{START}import asyncio
from concurrent.futures import ThreadPoolExecutor
gate = asyncio.Event()
"""
HOLDERS = {
    "generator": (
        (
            f"def batches():\n    for _ in range(3):\n        batch = [{MAKE}, {MAKE}]\n"
            "        yield len(batch)\ngen = batches()\nnext(gen)"
        ),
        "gen",
        "batches",
    ),
    "tasks": (
        (
            f"async def work():\n    kept = {MAKE}\n    await gate.wait()\n"
            "for _ in range(2):\n    asyncio.ensure_future(work())\nawait asyncio.sleep(0.05)"
        ),
        "work()",
        "work",
    ),
    "Futures": (
        (
            f"pool = ThreadPoolExecutor(1)\nfutures = [pool.submit(lambda: {MAKE}) for _ in 'ab']\n"
            "done = [each.result().shape for each in futures]"
        ),
        "futures",
        "Future",
    ),
}


@pytest.mark.parametrize("kind", HOLDERS)
def test_what_goes_on_later_is_a_holder(programs: Programs, kind: str) -> None:
    """It is named with the function or the Future that keeps it, and is no garbage."""
    source, name, keeper = HOLDERS[kind]
    cell = programs.fail(START_ASYNC, source, FILL)
    assert rules(cell)[0] == "suspended"
    assert keeper in causes(cell)[0]["evidence"]["text"]
    assert holder_mib(cell)[name] == 400
    cell.kernel.run("gate.set()\nawait asyncio.sleep(0.05)")
    assert "reference-cycles" not in rules(cell)


def test_what_waits_in_an_executor_is_named_by_it(programs: Programs) -> None:
    """Work that has not begun keeps what it was given."""
    work = (
        "import time\npool = ThreadPoolExecutor(1)\npool.submit(time.sleep, 1)\n"
        f"pool.submit(len, {MAKE})\npool.submit(len, {MAKE})\ndone = None"
    )
    cell = programs.fail(START_ASYNC, work, FILL)
    assert holder_mib(cell)["pool"] == 400
    cell.kernel.run("pool.shutdown(wait=False, cancel_futures=True)")
    assert "reference-cycles" not in rules(cell)


# --- One object with several names, several objects of one name --------------

BIG = "torch.empty({0}, 2**20, dtype=torch.uint8, device='cuda')".format
LINEARS = "nn.Sequential(*[nn.Linear(2048, 2048) for _ in range({0})])".format


def test_a_local_name_says_nothing_of_the_notebooks(programs: Programs) -> None:
    """A function has a name for itself that the notebook has for its data."""
    work = f"def work():\n    for _ in range(3):\n        x = 1\n        y = {BIG(400)}"
    cell = programs.fail(START, f"x = {BIG(300)}\n{work}", "work()")
    assert rules(cell) == ["data-on-gpu"]
    assert causes(cell)[0]["claim"]["params"]["name"] == "x"


def test_a_list_is_known_by_what_a_function_calls_it(programs: Programs) -> None:
    """It was handed to a parameter of another name."""
    add = f"replay = []\ndef add(buffer):\n    buffer.append({BIG(50)})"
    cell = programs.fail(START, add, "for _ in range(99):\n    add(replay)")
    assert rules(cell)[0] == "kept-tensors"
    assert causes(cell)[0]["claim"]["params"]["name"] == "replay"
    assert causes(cell)[0]["claim"]["params"]["count"] > 9


def test_what_an_object_keeps_too_is_no_left_over(programs: Programs) -> None:
    """To delete the name would free nothing."""
    loop = (
        "class Log: pass\nlog = Log()\n"
        f"for n in range(3):\n    out = {BIG(200)}\n    log.last = out"
    )
    cell = programs.fail(START, loop, BIG(450))
    assert "loop-leftovers" not in rules(cell)
    assert "delete-leftovers" not in {remedy["id"] for remedy in cell.report["remedies"]}


def test_a_model_is_let_go_of_by_all_its_names(programs: Programs) -> None:
    """One that is made anew is kept by each name that it had."""
    make = f"model = {LINEARS(22)}.cuda()"
    cell = programs.fail(START, make, "net = model\nsize = len(net)", make)
    assert rules(cell)[0] == "kept-copies"
    assert cell.remedy("delete-leftovers")["title"]["params"]["names"] == "model, net"
    sizes = [holder["bytes"] for holder in cell.report["holders"] if holder["kind"] == "parameters"]
    assert [size // MIB for size in sizes] == [352]


# --- A cell that fails again --------------------------------------------------

TRIES = {
    "in a function": (
        f"""model = {LINEARS(4)}.cuda()
data = torch.zeros(120_000, 2048)
def step(x):
    outs = []
    h = x.cuda()
    for layer in model:
        h = layer(h)
        outs.append(h)
    sum(each.sum() for each in outs).backward()""",
        (
            "batch_size = 12_000\nfor n in range(0, len(data), batch_size):\n"
            "    step(data[n:n + batch_size])"
        ),
    ),
    "in what it collects": (
        (
            f"held = {BIG(250)}\ndef collect():\n    rows = []\n    for _ in range(20):\n"
            f"        rows.append({BIG(50)})\n    return rows"
        ),
        "rows = collect()",
    ),
}


def retry(cell: FailedCell) -> FailedCell:
    """Run the failing cell once more; it fails again."""
    cell_id, source = list(cell.sources.items())[-1]
    run = cell.kernel.run(source, cell_id=cell_id, stop_on_error=False)
    return FailedCell(cell.kernel, completed(cell.kernel, run), cell.sources)


def offers(cell: FailedCell) -> list[tuple[str, str]]:
    """The remedies of a report that need no error of its own, by id and title."""
    remedies = [remedy for remedy in cell.report["remedies"] if remedy["id"] != "free-traceback"]
    return [(remedy["id"], remedy["title"]["text"]) for remedy in remedies]


@pytest.mark.parametrize("where", TRIES)
@pytest.mark.parametrize("between", ["", "import gc"])
def test_the_second_try_is_advised_as_the_first(
    programs: Programs, where: str, between: str
) -> None:
    """What the first has left is said to be that, and hides no cause and no edit."""
    first = programs.fail(START, *TRIES[where])
    for n in range(2):
        if between:
            first.kernel.run(between, cell_id="between")
        cell = retry(first)
        if n == 0:  # what the second has left may be collected by now
            cause = causes(cell)[1]
            assert cause["claim"]["id"] == "cause.earlier-traceback.again"
            assert cause["bytes"] > 100 * MIB
            ids = {item["id"] for item in cell.report["remedies"]}
            assert between or "free-traceback" in ids
        assert [item for item in rules(cell) if item != "earlier-traceback"] == rules(first)
        assert offers(cell) == offers(first)


def test_what_was_let_go_of_between_two_tries_is_no_cause(programs: Programs) -> None:
    """A cell between them has changed what there is: the first try tells nothing any more."""
    first = programs.fail(START, *TRIES["in what it collects"])
    assert "data-on-gpu" in rules(first)
    first.kernel.run("del held", cell_id="between")
    assert "data-on-gpu" not in rules(retry(first))


def test_a_list_of_a_function_says_nothing_of_the_notebooks(programs: Programs) -> None:
    """What the function adds to is its own list."""
    collect = (
        "def collect():\n    outs = []\n    for n in range(9):\n        outs.append(n)\n"
        f"        big = {BIG(300)}"
    )
    cell = programs.fail(START, f"outs = [{BIG(100)} for _ in 'abcd']\n{collect}", "collect()")
    assert "kept-tensors" not in rules(cell)


def test_a_try_that_begins_anew_has_nothing_left(programs: Programs) -> None:
    """What the first try had left was freed before it."""
    first = programs.fail(START, *TRIES["in a function"])
    first.kernel.free()
    cell = retry(first)
    assert rules(cell) == rules(first)
    assert cell.report["traceback_bytes"] == first.report["traceback_bytes"]
