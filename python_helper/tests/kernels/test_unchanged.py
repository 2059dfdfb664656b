"""What people rely on in a notebook is as it was before we came."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.conftest import Start
    from tests.live import LiveKernel, Pack


@pytest.fixture(autouse=True)
def _begin_attached(kernel: LiveKernel) -> None:
    kernel.attach()


def test_input_works(kernel: LiveKernel) -> None:
    """`input()` asks and gets its answer, with requests coming in meanwhile."""
    cell = kernel.submit("answer = input('how many? ')\nanswer", allow_stdin=True)
    kernel.sample()
    assert kernel.answer_input("seven") == "how many? "
    assert kernel.result(cell).outputs[0][1]["data"]["text/plain"] == "'seven'"


def test_results_keep_their_names(kernel: LiveKernel) -> None:
    """`_`, `__`, `Out` and `In` hold the cells of the person and nothing of ours."""
    count = kernel.run("'one'").reply["execution_count"]
    kernel.sample()
    kernel.run("'two'")
    kernel.attach()
    assert kernel.run("(__, _)").outputs[0][1]["data"]["text/plain"] == "('one', 'two')"
    assert kernel.value(f"(Out[{count}], Out[{count + 1}])") == ("one", "two")
    assert kernel.value(f"In[{count + 1}]") == "'two'"


def test_run_all_stops_at_an_error(kernel: LiveKernel) -> None:
    """Cells queued behind a failing one are aborted, and those before it are not."""
    # Without a pause ipykernel aborts only what it has read from its socket by then.
    pause = "get_ipython().kernel.stop_on_error_timeout"
    latch = kernel.latch()
    requests = [kernel.submit(code) for code in (f"{pause} = 0.5\n{latch.wait}", "1/0", "'after'")]
    kernel.sample()
    latch.release()
    assert [kernel.result(request).status for request in requests] == ["ok", "error", "aborted"]
    kernel.until(lambda: kernel.run(f"{pause} = 0").status == "ok")


def test_displays_nothing_of_its_own(kernel: LiveKernel) -> None:
    """Cells that succeed or fail for other reasons show what they showed before."""
    run = kernel.run("import sys\nprint('out')\nprint('err', file=sys.stderr)\n'value'")
    assert [kind for kind, _ in run.outputs] == ["stream", "stream", "execute_result"]
    run = kernel.run("raise MemoryError('host')", stop_on_error=False)
    assert [kind for kind, _ in run.outputs] == ["error"]


def test_the_users_hooks_still_run(kernel: LiveKernel) -> None:
    """Hooks of the person fire once per cell, and not for our requests."""
    kernel.run(
        "calls = []\n"
        "hooks = {name: (lambda *_, name=name: calls.append(name)) for name in\n"
        "         ('pre_execute', 'pre_run_cell', 'post_execute', 'post_run_cell')}\n"
        "for name, hook in hooks.items(): get_ipython().events.register(name, hook)"
    )
    kernel.run("calls.clear()")
    kernel.sample()
    kernel.attach()
    kernel.run("seen = list(calls)")
    expected = ["post_execute", "post_run_cell", "pre_execute", "pre_run_cell"]
    assert kernel.value("seen") == expected
    kernel.run("for name, hook in hooks.items(): get_ipython().events.unregister(name, hook)")


def test_stopping_leaves_the_kernel_as_it_was(start: Start, pack: Pack) -> None:
    """`%unload_ext` takes back hooks, threads and the control handler, and says goodbye."""
    kernel = start()
    state = (
        "(str(get_ipython().kernel.control_handlers['debug_request']),"
        " {k: len(v) for k, v in get_ipython().events.callbacks.items()},"
        " sorted(t.name for t in __import__('threading').enumerate() if 'headroom' in t.name))"
    )
    before = kernel.value(state)
    kernel.inject(pack)
    assert kernel.value(state) != before
    kernel.run("%load_ext gpu_headroom\n%unload_ext gpu_headroom")
    assert kernel.value(state) == before
    assert kernel.attach() is None
    assert kernel.events("bye")[0]["reason"] == "unloaded"
    kernel.run("%load_ext gpu_headroom")
    assert kernel.attach() is not None


def test_debug_works(kernel: LiveKernel) -> None:
    """`%debug` after an error opens on the failing frame and sees its variables."""
    kernel.run("def fail():\n    secret = 41\n    return secret / 0\n\nfail()", stop_on_error=False)
    cell = kernel.submit("%debug", allow_stdin=True)
    assert "ipdb" in kernel.answer_input("p secret + 1")
    kernel.sample()
    kernel.answer_input("q")
    assert "42" in kernel.result(cell).text


def test_threads_print_into_their_cell(kernel: LiveKernel) -> None:
    """What a thread prints after its cell has ended stays in that cell's output."""
    cell = kernel.submit(
        "import threading, time\n"
        "def chat():\n"
        "    for turn in range(8):\n"
        "        print('turn', turn, flush=True)\n"
        "        time.sleep(0.1)\n"
        "threading.Thread(target=chat).start()"
    )
    kernel.result(cell)
    for _ in range(6):
        kernel.sample()
    kernel.until(lambda: "turn 7" in kernel.printed(cell))
    assert kernel.printed(cell).count("turn") == 8
