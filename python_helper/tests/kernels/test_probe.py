"""The question that tells IPython from kernels that hand on what they are sent."""

from __future__ import annotations

import ast
import json
import shlex
from typing import TYPE_CHECKING, Any

import pytest
from tests.live import SOURCES, Run

if TYPE_CHECKING:
    from tests.conftest import Start
    from tests.live import Pack

ELSEWHERE = SOURCES.parent / "ui-tests" / "kernels" / "elsewhere.py"


def value(run: Run) -> Any:
    """What the expression gave."""
    answer = run.reply["user_expressions"]["here"]
    assert answer["status"] == "ok", answer
    return ast.literal_eval(answer["data"]["text/plain"])


@pytest.mark.parametrize("channel", ["control", "shell"])
def test_ipython_knows_its_session_and_itself(start: Start, channel: str) -> None:
    """Every generation answers with the session of its replies and methods of its own."""
    kernel = start()
    run = kernel.ask_ipython(channel=channel)
    session, *modules, is_free_threaded, is_live = value(run)
    assert (is_free_threaded, is_live) == (False, False)
    assert {message["header"]["session"] for message in run.messages} == {session}
    assert len(modules) == 4
    assert {module.partition(".")[0] for module in modules} <= {"ipykernel", "IPython"}


def test_ipython_knows_whether_a_helper_lives(start: Start, pack: Pack) -> None:
    """Then a page need not wait for the answer that there is no helper."""
    kernel = start()
    kernel.inject(pack)
    assert value(kernel.ask_ipython())[-1] is True
    kernel.run("import gpu_headroom; gpu_headroom.stop()")
    assert value(kernel.ask_ipython())[-1] is False


def test_asking_leaves_no_trace(start: Start) -> None:
    """Neither history nor namespace change, and `%debug` goes on working."""
    kernel = start()
    kernel.run("5", stop_on_error=False)
    kernel.run("1/0", stop_on_error=False)
    before = kernel.value("sorted(globals())")
    assert kernel.ask_ipython().outputs == []
    assert kernel.value("sorted(globals())") == before
    assert kernel.value("(_, Out, len(In))") == (5, {1: 5}, 3)
    assert kernel.value("repr(__import__('sys').last_value)").startswith("ZeroDivisionError")
    assert kernel.run("_ + 1").reply["execution_count"] == 3


def test_asking_relies_on_no_name_of_the_users(start: Start) -> None:
    """A notebook may call its own things what it likes."""
    kernel = start()
    kernel.run("get_ipython = shell = sys = type = getattr = str = list = In = Out = 'mine'")
    assert len(value(kernel.ask_ipython())) == 7


def test_asking_disturbs_no_running_cell(start: Start) -> None:
    """A busy kernel answers on control, and its cell may still ask the person something."""
    kernel = start()
    with kernel.busy_cell(after="input('name? ')", allow_stdin=True) as cell:
        assert len(value(kernel.ask_ipython())) == 7
        cell.release()
        assert kernel.answer_input("Ada") == "name? "
    assert cell.result().status == "ok"


OF_SHELL = """
def run_cell(*arguments, **options):
    return original(*arguments, **options)
shell = get_ipython()
original, shell.run_cell = shell.run_cell, run_cell
"""
OF_KERNEL = """
async def do_execute(*arguments, **options):
    return await original(*arguments, **options)
kernel = get_ipython().kernel
original, kernel.do_execute = kernel.do_execute, do_execute
"""


@pytest.mark.parametrize("takeover", [OF_SHELL, OF_KERNEL], ids=["shell", "kernel"])
def test_tells_who_has_taken_cells_over(start: Start, takeover: str) -> None:
    """As `%autopx` does, which sends each cell to a cluster from then on."""
    kernel = start()
    kernel.run(takeover)
    assert "__main__" in value(kernel.ask_ipython())


@pytest.mark.parametrize(
    ("name", "implementation"), [("wrapper", "wrapper"), ("forwarder", "ipython")]
)
def test_kernels_that_run_cells_elsewhere_cannot_answer(
    start: Start, name: str, implementation: str
) -> None:
    """They get no more than the question, and what they make of it is no answer."""
    kernel = start(script=f"{shlex.quote(str(ELSEWHERE))} {name}")
    assert kernel.info["implementation"] == implementation
    assert "here" not in kernel.ask_ipython().reply["user_expressions"]
    ((code, expressions),) = json.loads(kernel.run("what came?").text)
    assert (code, list(expressions)) == ("", ["here"])
