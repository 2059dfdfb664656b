"""What stands side by side under one name, on a simulated GPU."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from gpu_headroom.concurrency.turns import Turn
from gpu_headroom.holders.groups import groups_of
from gpu_headroom.holders.survey import survey
from gpu_simulator import simulate
from tests.notebook import open_notebook

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpu_headroom.holders.groups import Group
    from tests.notebook import Notebook

MIB = 2**20
SETUP = """
import torch
from torch import nn
def tensor(n, **more):
    return torch.empty(n * 2**18, device="cuda", **more)
"""


@pytest.fixture
def notebook() -> Iterator[Notebook]:
    """A notebook on a simulated GPU."""
    with simulate("4 GiB"), open_notebook() as notebook:
        assert notebook.run(SETUP).success
        yield notebook


def groups(notebook: Notebook, source: str) -> dict[str, Group]:
    """Run a cell, and return what stands under each path."""
    assert notebook.run(source).success
    overview = survey(notebook.shell, Turn(30.0), for_account=True)
    assert overview is not None
    return {group.path: group for group in groups_of(overview, 0)}


def test_a_list_is_one_group(notebook: Notebook) -> None:
    """With its members counted, and the shape that most of it has."""
    group = groups(notebook, "preds = [tensor(4) for _ in range(5)] + [tensor(8)]")["preds"]
    assert (group.count, group.bytes, group.graph_bytes) == (6, 28 * MIB, 0)
    assert group.commonest == ((4 * 2**18,), "float32", 5)
    assert (group.name, group.last_name, group.kind) == ("preds", "preds", "tensor")


@pytest.mark.parametrize(
    ("source", "path", "count"),
    [
        ("log = {'loss': [tensor(1) for _ in range(4)]}", "log['loss']", 4),
        ("log = {'loss': [tensor(1), tensor(1)], 'out': [tensor(1)]}", "log['loss']", 2),
        ("sessions = {n: [tensor(1), tensor(1)] for n in range(4)}", "sessions", 4),
        ("pairs = [(tensor(1), tensor(1)) for _ in range(5)]", "pairs", 5),
        ("class T: pass\nt = T()\nt.losses = [tensor(1) for _ in range(3)]", "t.losses", 3),
        ("alone = tensor(3)", "alone", 1),
    ],
)
def test_the_container_is_the_outermost_of_several(
    notebook: Notebook, source: str, path: str, count: int
) -> None:
    """A dict of lists is one of four sessions, but a list under a key stands for itself."""
    assert groups(notebook, source)[path].count == count


def test_tells_graphs_from_values(notebook: Notebook) -> None:
    """What only graphs hold, and of how many members."""
    group = groups(
        notebook,
        "layer = nn.Linear(1024, 1024).cuda()\n"
        "losses = [layer(torch.empty(1024, 1024, device='cuda')).relu().sum() for _ in range(3)]",
    )["losses"]
    assert group.graphs == 3
    assert group.graph_bytes >= 3 * 4 * MIB
    assert group.bytes - group.graph_bytes == 3 * 512
