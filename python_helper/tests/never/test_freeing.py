"""What a release never does: take what no user agreed to, or anything at all while a cell runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from gpu_headroom.release import items as freeable_items
from gpu_headroom.release import outcome as releasing
from gpu_headroom.release.items import SAFE, kinds
from gpu_simulator import simulate
from tests.live import UNTIL_READ
from tests.notebook import Notebook, open_notebook

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.conftest import Start
    from tests.live import Pack

MIB = 2**20
USE = """
import torch
def mib(count):
    return torch.empty(count * 2**18, device="cuda")
model = torch.nn.Linear(1024, 1024).cuda()
optimizer = torch.optim.Adam(model.parameters())
loss = model(torch.randn(8, 1024, device="cuda")).sum()
loss.backward()
optimizer.step()
graph = model(torch.randn(4096, 1024, device="cuda"))
for batch in [mib(32)]:
    pass
errors = []
def work():
    x = mib(64)
    1 / 0
try:
    work()
except ZeroDivisionError as error:
    errors.append(error)
"""


@pytest.fixture
def notebook() -> Iterator[Notebook]:
    """A notebook that has something of nearly every kind of item, and a failed cell."""
    with simulate("4 GiB"), open_notebook() as notebook:
        assert notebook.run(USE).success
        notebook.run("work()")
        yield notebook


def test_never_takes_anything_of_the_users_unconfirmed(notebook: Notebook) -> None:
    """Each item outside the safe set is refused by name, and what else was asked for stays."""
    items = freeable_items.plan(notebook.situation())
    lossy = {entry["id"]: entry for entry in items if not entry["safe"]}
    types = {entry["kind"] for entry in lossy.values()}
    assert types >= {"variable", "leftover", "error", "gradients", "optimizer_state", "offload"}
    before = notebook.in_use()
    for item_id, item in lossy.items():
        assert item["confirm"] is not None, item_id
        rest = [entry for entry in lossy if entry != item_id]
        with pytest.raises(ValueError, match="has to be confirmed"):
            releasing.run(["traceback", item_id], notebook.situation(), notebook.read, rest)
        assert notebook.in_use() == before


@pytest.mark.parametrize("kind", sorted(set(kinds()) - set(SAFE)))
def test_never_takes_a_wish_for_a_confirmation(notebook: Notebook, kind: str) -> None:
    """Whatever the name, found or not: no kind outside the safe set goes unconfirmed."""
    with pytest.raises(ValueError, match="has to be confirmed"):
        releasing.run([f"{kind}:model"], notebook.situation(), notebook.read)


def test_never_takes_a_variable_with_the_safe_set(notebook: Notebook) -> None:
    """Freeing all that is safe leaves every variable, its gradient, its graph and its error."""
    names = {
        name: id(value) for name, value in notebook.shell.user_ns.items() if name.isidentifier()
    }
    before = notebook.in_use()
    assert releasing.run(None, notebook.situation(), notebook.read).status == "done"
    assert before - notebook.in_use() == 64 * MIB
    after = {name: id(notebook.shell.user_ns.get(name)) for name in names}
    assert {name for name in names if after[name] != names[name]} <= {"_", "__", "___"}
    intact = (
        "all(each.grad is not None for each in model.parameters()), len(optimizer.state),"
        " graph.grad_fn is not None, errors[0].__traceback__ is not None"
    )
    assert notebook.run(intact).result == (True, 2, True, True)


def test_never_frees_while_a_cell_runs(start_newest: Start, pack: Pack) -> None:
    """A confirmed deletion waits, too: the cell finds everything as it was, and collects itself."""
    kernel = start_newest(installed=True, GPU_HEADROOM_SIMULATE="4GiB")
    kernel.inject(pack)
    kernel.attach()
    kernel.run(USE)
    kernel.run("work()", stop_on_error=False)
    look = "(torch.cuda.memory_allocated(), torch.cuda.memory_reserved(), 'batch' in globals())"
    items = ["traceback", "leftover:batch", "cache"]
    wish = {"items": items, "confirmed": items, "report_id": None}
    # The helper's thread comes by once more before the cell ends.
    with kernel.busy_cell(f"before = {look}", f"{UNTIL_READ}after = {look}"):
        reply = kernel.ask("release", **wish)
        assert reply["status"] == "waiting"
    event = kernel.await_event("released", release_id=reply["release_id"])
    assert kernel.value("before == after")
    assert event["freed_bytes"] >= (64 + 32) * MIB
    assert not kernel.value("'batch' in globals()")
