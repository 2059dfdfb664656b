"""The account: every byte in use lands in one part, and each row can be found again."""

from __future__ import annotations

import gc
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from gpu_headroom.concurrency.turns import Turn
from gpu_headroom.holders.account import largest_growth, take
from gpu_headroom.text.format import MIB
from gpu_simulator import simulate
from tests.holders.conftest import BASE, sizes
from tests.notebook import Notebook, open_notebook

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpu_headroom.holders.account import DeviceAccount
    from tests.holders.conftest import Measure

EVERYTHING = """
model = nn.Sequential(nn.Linear(1024, 1024), nn.ReLU(), nn.Linear(1024, 1)).cuda()
optimizer = torch.optim.AdamW(model.parameters())
losses = [model(torch.randn(1024, 1024, device='cuda')).sum() for _ in range(3)]
losses[0].backward(); optimizer.step()
loop = [tensor(64)]; loop.append(loop); del loop
"""


@pytest.fixture(autouse=True)
def _no_collection() -> Iterator[None]:
    """Garbage stays until it is collected on purpose."""
    gc.disable()
    yield
    gc.enable()


def balances(device: DeviceAccount) -> bool:
    """Whether the parts add up, and none is negative."""
    sizes = device.parts.values()
    return sum(sizes) == device.in_use_bytes and min(sizes) >= 0


def test_lets_every_byte_land(notebook: Notebook, measure: Measure) -> None:
    """Named + graph + unnamed + not attributed are what PyTorch says is in use."""
    notebook.run("def fail():\n    own = tensor(32)\n    1 / 0\nfail()")
    notebook.run("tensor(16)")
    (device,) = measure(EVERYTHING).devices
    assert device.in_use_bytes == notebook.in_use()
    assert balances(device)
    assert device.parts["unnamed"] == 64 * MIB
    assert device.parts["graphs"] == 2 * 8 * MIB  # of the two losses that were not taken back
    total = sum(device.parts[kind] for kind in ("named", "graphs", "unnamed"))
    assert sum(row.bytes for row in device.rows) == total


def test_shows_what_was_not_found(notebook: Notebook) -> None:
    """Memory that PyTorch counts and no object has is not attributed."""
    assert notebook.run("raw = torch.cuda.caching_allocator_alloc(8 * 2**20)").success
    (device,) = take(notebook.shell, notebook.read(), Turn(30.0)).devices
    assert device.parts["not_attributed"] == 8 * MIB
    assert balances(device)
    assert notebook.run("torch.cuda.caching_allocator_delete(raw)").success


def test_is_never_negative(notebook: Notebook) -> None:
    """A reading that is older than a tensor: in use is at least what was found, and it is said."""
    assert notebook.run("x = tensor(8)").success
    reading = notebook.read()
    assert reading is not None
    framework = replace(reading.devices[0].frameworks[0], in_use_bytes=MIB)
    stale = replace(reading, devices=(replace(reading.devices[0], frameworks=(framework,)),))
    account = take(notebook.shell, stale, Turn(30.0))
    (device,) = account.devices
    assert device.in_use_bytes == device.parts["named"] == 8 * MIB
    assert device.surplus_bytes == 7 * MIB
    assert account.message["id"] == "holders.surplus"
    assert balances(device)


def test_says_when_nothing_can_be_measured(notebook: Notebook) -> None:
    """Without a reading there is nothing to account for."""
    account = take(notebook.shell, None, Turn(30.0))
    assert account.devices == ()
    assert account.message["id"] == "holders.not_measured"
    assert notebook.run("tensor(1);").success
    assert take(notebook.shell, notebook.read(), Turn(30.0)).message["id"] == "holders.nothing"


def test_says_when_it_stopped_early(notebook: Notebook) -> None:
    """Then what was found is still shown, and adds up."""
    assert notebook.run(
        "x = tensor(8)\nn = range(50); many = [[[[0] for _ in n] for _ in n] for _ in n]"
    ).success
    account = take(notebook.shell, notebook.read(), Turn(0.0))
    assert not account.complete
    assert account.message["id"] == "holders.incomplete"
    assert balances(account.devices[0])


def test_keeps_devices_apart() -> None:
    """Each device has its own rows; a name that holds memory on both stands in both."""
    with simulate("4 GiB", devices=2), open_notebook() as notebook:
        assert notebook.run(BASE).success
        cell = "x = [tensor(8), tensor(16).to('cuda:1')]\ny = tensor(4).to('cuda:1')"
        assert notebook.run(cell).success
        first, second = take(notebook.shell, notebook.read(), Turn(30.0)).devices
    assert {row.name: row.bytes for row in first.rows} == {"x": 8 * MIB}
    assert {row.name: row.bytes for row in second.rows} == {"x": 16 * MIB, "y": 4 * MIB}
    assert balances(first)
    assert balances(second)


def test_finds_each_id_again(measure: Measure) -> None:
    """An id means the same after another walk, and nothing once the memory is gone."""
    before = measure(EVERYTHING)
    ids = [row.id for row in before.devices[0].rows]
    ids += [part.id for row in before.devices[0].rows for part in row.parts]
    assert len(set(ids)) == len(ids)
    after = measure("pass")
    assert all(after.find(row_id) is not None for row_id in ids)
    last = measure("del model, optimizer, losses\nimport gc; gc.collect();")
    assert [row_id for row_id in ids if last.find(row_id) is not None] == []


def test_lists_other_names(notebook: Notebook, measure: Measure) -> None:
    """A holder says under which names the same memory is kept."""
    notebook.run("x = tensor(8)\nx")
    account = measure("same = x\nbox = {'a': [x[5:]]}\nother = box")
    (row,) = account.devices[0].rows
    count = notebook.shell.execution_count - 2
    assert (row.name, set(row.aliases)) == ("x", {"same", "box", "other", f"Out[{count}]", "_"})


@pytest.mark.parametrize(
    ("source", "hint"),
    [
        ("x = [(torch.ones(9, device='cuda', requires_grad=True) * 2).exp()] * 2", None),
        (
            (
                "w = torch.ones(2**20, device='cuda', requires_grad=True)\n"
                "x = [(w.exp() * 2).sum() for _ in range(3)]"
            ),
            "hint.graphs",
        ),
        (
            "x = (torch.ones(2**20, device='cuda', requires_grad=True).exp() * 2).sum()",
            "hint.graph",
        ),
        ("x = tensor(8)", None),
    ],
)
def test_gives_a_hint_where_one_is_known(measure: Measure, source: str, hint: str | None) -> None:
    """Graphs in a list, one graph, and nothing where nothing is known."""
    rows = {row.name: row.hint for row in measure(source).devices[0].rows}
    message = rows["x"]
    assert (message and message["id"]) == hint


def test_names_what_grew(measure: Measure) -> None:
    """The holder that most of the growth is held by, and none where several share it."""
    before = measure("x, y = [], []\nz = tensor(64)")
    assert largest_growth(before, before, 0) is None
    grown = measure("x.append(tensor(8)); y.append(tensor(2))")
    assert largest_growth(before, grown, 0) == "x"
    assert largest_growth(grown, before, 0) is None
    assert largest_growth(before, grown, 1) is None
    shared = measure("a, b, c, d = (tensor(8) for _ in range(4))")
    assert largest_growth(grown, shared, 0) is None


def test_holds_nothing(notebook: Notebook, measure: Measure) -> None:
    """An account that is kept keeps no memory in use."""
    account = measure(EVERYTHING)
    notebook.run("del model, optimizer, losses\nimport gc; gc.collect();")
    assert notebook.in_use() == 2 * 8.125 * MIB  # the workspaces of cuBLAS
    assert sizes(account)["model"] > 0
