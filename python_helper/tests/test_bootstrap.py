"""What is executed in a kernel without a helper, where two pages execute it at once."""

from __future__ import annotations

import ast
import logging
from pathlib import Path
from typing import TYPE_CHECKING, Any

import gpu_headroom
import pytest
from traitlets.log import get_logger

if TYPE_CHECKING:
    from collections.abc import Iterator

# As it stands it has no pack, so it does nothing but log that it could not start.
TREE = ast.parse((Path(gpu_headroom.__file__).parent / "kernel/bootstrap.py").read_text("utf-8"))


class Beside(logging.Handler):
    """Executes the same once more while it is executed, as another thread may."""

    def __init__(self, namespace: dict[str, Any]) -> None:
        super().__init__()
        self.namespace = namespace
        self.times = 0

    def emit(self, _: logging.LogRecord) -> None:
        """Begin the other one at the first message."""
        self.times += 1
        if self.times == 1:
            execute(TREE.body, self.namespace)


def execute(body: list[ast.stmt], namespace: dict[str, Any]) -> None:
    """Execute statements as a kernel does."""
    exec(compile(ast.Module(body, []), "<bootstrap>", "exec"), namespace)  # noqa: S102


@pytest.fixture
def beside() -> Iterator[Beside]:
    """A second execution, within the first."""
    logger, handler = get_logger(), Beside({})
    assert isinstance(logger, logging.Logger)
    logger.addHandler(handler)
    yield handler
    logger.removeHandler(handler)


def test_two_at_once_raise_nothing_and_leave_no_name(beside: Beside) -> None:
    """The one that ends first takes the name away from the other."""
    execute(TREE.body, beside.namespace)
    assert beside.times == 2
    assert beside.namespace.keys() == {"__builtins__"}


def test_a_name_that_is_gone_before_the_call_is_no_error() -> None:
    """The other one may end between definition and call."""
    defined = next(n for n, each in enumerate(TREE.body) if isinstance(each, ast.FunctionDef))
    namespace: dict[str, Any] = {}
    execute(TREE.body[defined + 1 :], namespace)
    assert namespace.keys() == {"__builtins__"}
