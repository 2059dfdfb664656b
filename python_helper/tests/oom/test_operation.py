"""Which operation asked for the memory: real tensors on a simulated GPU."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest
from gpu_headroom.concurrency.turns import Turn
from gpu_headroom.oom.scene import scene
from gpu_simulator import simulate
from tests.notebook import open_notebook

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpu_headroom.oom.operation import FailedOperation
    from tests.notebook import Notebook

pytestmark = pytest.mark.skipif(
    sys.version_info < (3, 11), reason="Python tells of lines only, before 3.11"
)


@pytest.fixture(scope="module")
def notebook() -> Iterator[Notebook]:
    """A notebook on a simulated GPU of 2 GiB."""
    with simulate("2 GiB"), open_notebook() as notebook:
        assert notebook.run(
            "import torch\nmake = lambda *s: torch.empty(*s, device='cuda')"
        ).success
        yield notebook


def ask(notebook: Notebook, setup: str, failing: str) -> FailedOperation | None:
    """Run out of memory, and return what asked for it."""
    assert notebook.run(setup).success
    result = notebook.run(failing)
    assert not result.success
    return scene(notebook.failure(result), Turn(asked=False)).operation


SHAPES = {
    "a column against a row": (
        "pred, y = make(60000, 1), make(60000)",
        "loss = ((pred - y) ** 2).mean()",
        ("pred - y", "-", (60000, 60000)),
    ),
    "scores of attention": (
        "q = k = make(8, 12, 4096, 64)",
        "scores = q @ k.transpose(-2, -1) / 8",
        ("q @ k.transpose(-2, -1)", "@", (8, 12, 4096, 4096)),
    ),
    "all pairs": (
        "a, b = make(30000, 16), make(40000, 16)",
        "nearest = torch.cdist(a, b).argmin(1)",
        ("torch.cdist(a, b)", "cdist", (30000, 40000)),
    ),
}


@pytest.mark.parametrize("name", SHAPES)
def test_tells_the_shape_of_the_result(notebook: Notebook, name: str) -> None:
    """The expression alone, of a line that has more; and what its operands make together."""
    setup, failing, expected = SHAPES[name]
    operation = ask(notebook, setup, failing)
    assert operation is not None
    assert (operation.text, operation.name, operation.shape) == expected
    assert all(operand.dtype == "float32" and operand.bytes for operand in operation.operands)


def test_claims_no_shape_that_is_an_operands(notebook: Notebook) -> None:
    """An operation that makes as much as it is given is not what blew up."""
    operation = ask(notebook, "x = make(2**28)", "y = x.relu() + make(2**28).relu()")
    assert operation is not None
    assert operation.shape is None


def test_keeps_nothing(notebook: Notebook) -> None:
    """Shapes and names only: no tensor lives on for what was looked at."""
    before = notebook.in_use()
    operation = ask(notebook, "pred, y = make(60000, 1), make(60000)", "loss = pred - y")
    assert notebook.run(
        "del pred, y\nimport sys; sys.last_value = sys.last_traceback = None"
    ).success
    assert operation is not None
    assert notebook.in_use() <= before + 2**20
