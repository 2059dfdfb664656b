"""Getting into a kernel that has no helper."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.conftest import IN_EACH

if TYPE_CHECKING:
    from tests.conftest import Start
    from tests.live import Pack

pytestmark = IN_EACH

NAMESPACE = "{name: str(type(value)) for name, value in get_ipython().user_ns.items()}"

# Whether another thread runs a function of this file.
RUNS = """
import sys, threading, time
def runs(file, name):
    frames = sys._current_frames()
    del frames[threading.get_ident()]
    for frame in frames.values():
        while frame is not None:
            if frame.f_code.co_filename.endswith(file) and frame.f_code.co_name == name:
                return True
            frame = frame.f_back
    return False
"""


def slow_import(begin: str, wait: str) -> str:
    """An import of the helper that begins with some code, and goes no further until a wait ends."""
    return f"""{begin}
import importlib.util, sys
from importlib.machinery import SourceFileLoader

class Slow(SourceFileLoader):
    def exec_module(self, module):
        print("begun", flush=True)
        {wait}
        super().exec_module(module)

class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == "gpu_headroom":
            sys.meta_path.remove(self)
            spec = importlib.util.find_spec(name)
            spec.loader = Slow(spec.loader.name, spec.loader.path)
            return spec

sys.meta_path.insert(0, Finder())
"""


SLOW_IMPORT = slow_import(RUNS, 'while not runs("kernel/injection.py", "bring"): time.sleep(0.01)')
STUCK_IMPORT = slow_import("import threading; go_on = threading.Event()", "go_on.wait(60)")
SLOW_START = f"""{RUNS}
import gpu_headroom
from gpu_headroom.session import Session

def open_slowly(self, open=Session.open):
    print("begun", flush=True)
    while not runs("session/__init__.py", "start"): time.sleep(0.01)
    open(self)

Session.open = open_slowly
"""


def test_no_helper(start: Start) -> None:
    """A kernel without a helper says so at once, busy or not."""
    kernel = start()
    assert kernel.attach() is None
    with kernel.busy_cell():
        assert kernel.attach() is None


@pytest.mark.smoke
@pytest.mark.parametrize("channel", ["control", "shell"])
def test_injects_into_an_idle_kernel(start: Start, pack: Pack, channel: str) -> None:
    """After the bootstrap the helper answers, and nothing else in the kernel has changed."""
    kernel = start()
    kernel.run("mine = 5; mine", cell_id="first")
    before = kernel.value(NAMESPACE), kernel.value("__doc__")
    since = kernel.now
    assert kernel.inject(pack, channel=channel).outputs == []
    reply = kernel.attach()
    assert reply["hello"]["installed"] is False
    assert reply["hello"]["helper_version"] == pack.version
    assert reply["cell"] is None
    assert reply["sample"]["state"] == "no_framework"
    assert (kernel.value(NAMESPACE), kernel.value("__doc__")) == before
    assert kernel.value("(_, Out, In[1:], len(In))") == (5, {1: 5}, ["mine = 5; mine"], 2)
    assert kernel.run("_ + 1").reply["execution_count"] == 2
    assert kernel.events("hello", since) == [reply["hello"]]


def test_what_has_to_be_imported_comes_after_the_first_reading(start: Start, pack: Pack) -> None:
    """The attach reply waits for no import; host memory comes a moment later, by itself."""
    kernel = start()
    kernel.inject(pack)
    since = kernel.now
    assert kernel.attach()["sample"]["host"] is None
    assert kernel.await_event("sample", since)["host"] is not None
    assert kernel.ask("plan")["type"] == "plan"


def test_injects_into_a_busy_kernel(start: Start, pack: Pack) -> None:
    """The control channel brings the helper in while a cell runs, and adopts that cell."""
    kernel = start()
    with kernel.busy_cell(after="input('name? ')", cell_id="long", allow_stdin=True) as cell:
        assert kernel.inject(pack).status == "ok"
        reply = kernel.attach()
        assert reply["cell"]["status"] == "running"
        assert reply["cell"]["cell_id"] == "long"
        kernel.await_event("sample", busy=True)
        cell.release()
        assert kernel.answer_input("Ada") == "name? "
    run = cell.result()
    assert [kind for kind, _ in run.outputs] == ["stream", "execute_result"]
    assert kernel.await_event("cell", status="ok")["execution_count"] == 1
    assert kernel.sample()["busy"] is False


def test_injection_leaves_prints_in_their_cell(start: Start, pack: Pack) -> None:
    """A thread that prints after its cell has ended goes on doing so in that cell.

    A silent execution on the shell would take its prints away, which is why we go over control.
    """
    kernel = start()
    cell = kernel.submit(
        "import threading, time\n"
        "go_on = threading.Event()\n"
        "def chat():\n"
        "    print('before', flush=True)\n"
        "    go_on.wait()\n"
        "    print('after', flush=True)\n"
        "threading.Thread(target=chat).start()"
    )
    kernel.result(cell)
    kernel.until(lambda: "before" in kernel.printed(cell))
    kernel.inject(pack)
    kernel.run("go_on.set()", channel="control", silent=True)
    kernel.until(lambda: "after" in kernel.printed(cell))


def test_is_injected_once(start: Start, pack: Pack) -> None:
    """A live helper is left as it is, whoever tries again."""
    kernel = start()
    kernel.inject(pack)
    helper_id = kernel.attach()["hello"]["helper_id"]
    kernel.inject(pack, channel="shell")
    kernel.inject(pack)
    kernel.run("%load_ext gpu_headroom")
    assert kernel.attach()["hello"]["helper_id"] == helper_id


def test_aborted_injection_can_be_tried_again(start: Start, pack: Pack) -> None:
    """Queued behind a failing cell the bootstrap is aborted; the next attempt works."""
    kernel = start()
    latch = kernel.latch()
    failing = kernel.submit(f"{latch.wait}\n1/0")
    injection = kernel.submit(**pack.work(), silent=True, store_history=False, stop_on_error=False)
    # Answered behind what is queued by now.
    assert kernel.attach() is None
    latch.release()
    assert kernel.result(failing).status == "error"
    assert kernel.result(injection).status == "aborted"
    assert kernel.attach() is None
    kernel.inject(pack)
    assert kernel.attach() is not None


def test_uses_an_installed_helper(start_newest: Start, pack: Pack) -> None:
    """A kernel whose environment has the helper runs that one."""
    kernel = start_newest(installed=True)
    kernel.inject(pack)
    hello = kernel.attach()["hello"]
    assert hello["installed"] is True
    assert kernel.value("__import__('gpu_headroom').__file__").endswith("__init__.py")


def test_does_not_wait_for_a_cell_that_stands_in_its_import(
    start_newest: Start, pack: Pack
) -> None:
    """A debugger may have suspended it there: control goes on, and the page may try again."""
    kernel = start_newest(installed=True)
    kernel.expected_complaints.append("could not start in this kernel")
    kernel.run(STUCK_IMPORT)
    cell = kernel.start_cell("import gpu_headroom")
    kernel.inject(pack)
    assert kernel.attach() is None
    assert "has begun to import it" in kernel.log
    kernel.run("go_on.set()", channel="control", silent=True)
    assert kernel.result(cell).status == "ok"
    kernel.inject(pack)
    assert kernel.attach()["hello"]["installed"] is True


def test_brings_its_own_where_the_installed_one_is_of_another_major(
    start_newest: Start, pack: Pack
) -> None:
    """An installed helper that speaks another protocol is passed over without importing it."""
    kernel = start_newest(installed=True)
    kernel.run(**pack.work(major="3"), silent=True, store_history=False)
    assert kernel.attach()["hello"]["installed"] is False


def test_does_not_rely_on_the_users_names(start_newest: Start, pack: Pack) -> None:
    """A notebook may call its own things `open`, `str`, `list` or `type`."""
    kernel = start_newest()
    kernel.run("open = str = list = type = len = getattr = Exception = print = dict = 'mine'")
    kernel.inject(pack)
    assert kernel.attach() is not None
    assert kernel.value("(str, Exception)") == ("mine", "mine")


def test_a_broken_pack_disturbs_nothing(start_newest: Start, pack: Pack) -> None:
    """A bootstrap that fails says so in the kernel's log, and nowhere a person looks."""
    kernel = start_newest()
    kernel.expected_complaints.append("could not start")
    kernel.run("1/0")
    run = kernel.run(**pack.work(sources="bm90IGEgcGFjaw=="), silent=True, store_history=False)
    assert run.status == "ok"
    assert run.outputs == []
    assert "GPU Headroom could not start in this kernel." in kernel.log
    assert (
        kernel.value("repr(__import__('sys').last_value)")
        == "ZeroDivisionError('division by zero')"
    )
    assert kernel.attach() is None


def test_restart_begins_without_a_helper(start: Start, pack: Pack) -> None:
    """A restart ends the helper; the next injection begins another."""
    kernel = start()
    kernel.inject(pack)
    helper_id = kernel.attach()["hello"]["helper_id"]
    kernel.restart()
    assert kernel.attach() is None
    kernel.inject(pack)
    assert kernel.attach()["hello"]["helper_id"] != helper_id


OWN_FILE = """
from importlib.machinery import PathFinder
from pathlib import Path
import sys
Path("gpu_headroom.py").write_text("def start(): return 'mine'\\nLIMIT = 8\\n")
blind = ["PathFinderWithoutHelper" in str(each) for each in sys.meta_path].index(True)
sys.meta_path[blind] = PathFinder
"""


@pytest.mark.parametrize("code", ["", "import gpu_headroom"])
def test_leaves_a_person_their_own_module_of_the_name(
    start_newest: Start, pack: Pack, code: str
) -> None:
    """Their file beside the notebook is what they import; the helper works beside it."""
    kernel = start_newest()
    kernel.run(OWN_FILE)
    kernel.run(code)
    for _ in range(2):
        kernel.inject(pack)
    hello = kernel.attach()["hello"]
    assert hello["installed"] is False
    run = kernel.run("import gpu_headroom; print(gpu_headroom.start(), gpu_headroom.LIMIT)")
    assert run.text == "mine 8\n"
    assert kernel.attach()["hello"]["helper_id"] == hello["helper_id"]
    assert kernel.asked("plan")["items"]
    assert kernel.run("import _gpu_headroom; print(_gpu_headroom.status())").status == "ok"
    assert kernel.run("%reset -f\nimport gpu_headroom; gpu_headroom.LIMIT").status == "ok"
    assert kernel.run("import _gpu_headroom; _gpu_headroom.stop()").status == "ok"
    assert kernel.attach() is None


PURGE = """
import sys
for name in list(sys.modules):
    if name.startswith("gpu_headroom"):
        del sys.modules[name]
"""
TRACES = """[
    [each.name for each in __import__('threading').enumerate()].count('gpu-headroom'),
    *[len([each for each in hooks if 'headroom' in str(each)])
      for hooks in get_ipython().events.callbacks.values()],
    sum(type(each).__name__ == 'InMemory' for each in __import__('sys').meta_path),
]"""


@pytest.mark.parametrize("installed", [False, True])
@pytest.mark.parametrize("purge", [PURGE, f"{PURGE}\n%reset -f", f"{PURGE}\nimport gpu_headroom"])
def test_is_found_again_where_its_modules_were_thrown_away(
    start_newest: Start, pack: Pack, purge: str, installed: bool
) -> None:
    """A second injection finds the helper that lives: one sampler, one hook, one helper id."""
    kernel = start_newest(installed=installed)
    kernel.inject(pack)
    helper_id = kernel.attach()["hello"]["helper_id"]
    kernel.asked("plan")
    traces = kernel.value(TRACES)
    assert traces[0] == 1
    kernel.run(purge)
    kernel.inject(pack)
    assert kernel.attach()["hello"]["helper_id"] == helper_id
    assert kernel.value(TRACES) == traces
    kernel.run(f"{PURGE}\nimport gpu_headroom; gpu_headroom.start()")
    assert kernel.value(TRACES) == traces
    assert kernel.attach()["hello"]["helper_id"] == helper_id
    assert kernel.asked("plan")["items"]
    kernel.run("import gpu_headroom; gpu_headroom.stop()")
    assert kernel.attach() is None
    assert kernel.value(TRACES)[:-1] == [0] * (len(traces) - 1)


def test_adopts_a_cell_that_awaits(start: Start, pack: Pack) -> None:
    """A cell that awaits leaves the main thread free, and is adopted all the same."""
    kernel = start()
    with kernel.busy_cell(awaits=True, cell_id="awaits"):
        kernel.inject(pack)
        assert kernel.attach()["cell"]["cell_id"] == "awaits"
    assert kernel.sample()["busy"] is False


def test_waits_for_a_cell_that_imports_the_helper(start_newest: Start, pack: Pack) -> None:
    """A notebook whose first cell imports it is open sooner than that import has ended."""
    kernel = start_newest(installed=True)
    kernel.run(SLOW_IMPORT)
    cell = kernel.start_cell("import gpu_headroom")
    kernel.inject(pack)
    assert kernel.attach()["hello"]["installed"] is True
    assert kernel.result(cell).status == "ok"


def test_starts_once_while_a_cell_starts_it(start_newest: Start, pack: Pack) -> None:
    """The page comes in the middle of `start()`: there is one helper, which both have started."""
    kernel = start_newest(installed=True)
    kernel.run(SLOW_START)
    since = kernel.now
    cell = kernel.start_cell("gpu_headroom.start()")
    kernel.inject(pack)
    assert kernel.result(cell).status == "ok"
    assert kernel.attach() is not None
    assert len(kernel.events("hello", since)) == 1
