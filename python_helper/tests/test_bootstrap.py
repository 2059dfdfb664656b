"""What is executed in a kernel without a helper, where two pages execute it at once."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import TYPE_CHECKING, Any

import gpu_headroom
import pytest
from tests.live import Pack
from traitlets.log import get_logger

if TYPE_CHECKING:
    from collections.abc import Iterator

BOOTSTRAP = (Path(gpu_headroom.__file__).parent / "kernel/bootstrap.py").read_text("utf-8")
# With no pack in it, so it does nothing but log that it could not start.
CALL = Pack(BOOTSTRAP, "no pack", "0", "", "").work()["user_expressions"]["started"]


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
            define(self.namespace)
            call(self.namespace)


def define(namespace: dict[str, Any]) -> None:
    """Execute the code of the request."""
    exec(BOOTSTRAP, namespace)  # noqa: S102  as a kernel does


def call(namespace: dict[str, Any]) -> None:
    """Evaluate its expression."""
    eval(CALL, namespace)  # noqa: S307  as a kernel does


@pytest.fixture
def beside() -> Iterator[Beside]:
    """A second execution, within the first."""
    logger, handler = get_logger(), Beside({})
    assert isinstance(logger, logging.Logger)
    logger.addHandler(handler)
    yield handler
    logger.removeHandler(handler)


def test_two_at_once_raise_nothing_and_leave_no_name(beside: Beside) -> None:
    """The one that is called first takes the name away from the other."""
    define(beside.namespace)
    call(beside.namespace)
    assert beside.times == 2
    assert beside.namespace.keys() == {"__builtins__"}


def test_a_name_that_is_gone_before_the_call_is_no_error() -> None:
    """The other one may be called between definition and call."""
    namespace: dict[str, Any] = {}
    call(namespace)
    assert namespace.keys() == {"__builtins__"}
