"""Free-threaded Python: nothing of ours runs there, and both sides say why in the same sentence."""

from __future__ import annotations

import ast
import sys
import threading
from typing import TYPE_CHECKING

import gpu_headroom
import pytest
from gpu_headroom import session as sessions
from gpu_headroom.concurrency import threads
from gpu_headroom.terminal import script
from tests.live import SOURCES

if TYPE_CHECKING:
    from tests.conftest import Start
    from tests.live import Pack

SENTENCE = (
    "GPU Headroom does not run in free-threaded Python: objects could change while it reads them."
)
VERSIONS = {
    "3.13": "3.13.0 experimental free-threading build (main, Oct 16 2024, 03:23:02) [GCC 12.2.0]",
    "3.14": "3.14.0 free-threading build (main, Oct 10 2025, 12:00:00) [Clang 20.1.4 ]",
}


@pytest.fixture(params=list(VERSIONS))
def _free_threaded(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "version", VERSIONS[request.param])


def test_does_not_mind_any_other_python() -> None:
    """This one, for example."""
    threads.stay_out()


@pytest.mark.usefixtures("_free_threaded")
def test_nothing_starts() -> None:
    """Neither by itself nor for who asks for it; and nothing is left of the attempt."""
    before = {thread.name for thread in threading.enumerate()}
    for start in (gpu_headroom.start, lambda: gpu_headroom.load_ipython_extension(None)):
        with pytest.raises(RuntimeError, match=SENTENCE):
            start()
    assert sessions.current() is None
    assert {thread.name for thread in threading.enumerate()} == before


@pytest.mark.usefixtures("_free_threaded")
def test_a_script_is_told_numbers_only() -> None:
    """What drivers and allocators say can be read; no code walks through objects."""
    assert gpu_headroom.status()
    with pytest.raises(RuntimeError, match=SENTENCE):
        script.holders()


def test_the_page_says_the_same() -> None:
    """Where it finds out first, the gauge has the sentence."""
    problem = SOURCES.parent / "src" / "kernel" / "problem.ts"
    assert f"'{SENTENCE}'" in problem.read_text(encoding="utf-8")


def test_a_kernel_says_so_before_anything_is_put_into_it(start_newest: Start, pack: Pack) -> None:
    """The question that comes before the helper tells it; a helper that came would not start."""
    kernel = start_newest()
    kernel.run("import sys; sys.version += ' free-threading build'")
    answer = kernel.ask_ipython().reply["user_expressions"]["here"]["data"]["text/plain"]
    assert ast.literal_eval(answer)[-2] is True
    kernel.expected_complaints.append("GPU Headroom")
    kernel.inject(pack)
    assert kernel.attach() is None
    assert SENTENCE in kernel.log
    assert kernel.run("1 + 1").outputs[0][1]["data"]["text/plain"] == "2"
