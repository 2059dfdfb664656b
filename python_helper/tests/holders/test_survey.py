"""Who holds what on a simulated GPU: kinds, origins, and code that is not run."""

from __future__ import annotations

import gc
import types
import weakref
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest
from gpu_headroom.concurrency.turns import Turn
from gpu_headroom.holders.survey import Survey, survey
from gpu_headroom.text.format import MIB

if TYPE_CHECKING:
    from tests.notebook import Notebook


def look(notebook: Notebook, source: str, **options: Any) -> Survey:
    """Run a cell that must succeed, and survey the kernel."""
    result = notebook.run(source)
    assert result.success, notebook.printed
    overview = survey(notebook.shell, Turn(30.0), **options)
    assert overview is not None
    assert overview.complete
    return overview


def holders(overview: Survey) -> dict[tuple[str, str], int]:
    """Return bytes by name and kind."""
    sizes: Counter[tuple[str, str]] = Counter()
    for entry in overview.ledger:
        if entry.origin == "names":
            sizes[entry.root, entry.kind] += entry.storage.bytes
    return dict(sizes)


def names_in_traceback(notebook: Notebook, source: str) -> list[str]:
    """Run a cell that fails, and name what its traceback keeps, largest first."""
    assert not notebook.run(source).success
    overview = survey(notebook.shell, Turn(30.0))
    assert overview is not None
    return [row["name"] for row in overview.ledger.largest(0, "traceback")]


CALL = """def call(function, *args):
    passed_on = args[0]
    mine = tensor(8)
    return function(*args)
"""


def library(notebook: Notebook, name: str, file: str) -> None:
    """Give the notebook a module with a function `call`, as if read from `file`."""
    module = types.ModuleType(name)
    module.__dict__["tensor"] = notebook.shell.user_ns["tensor"]
    exec(compile(CALL, file, "exec"), module.__dict__)  # noqa: S102  as an import does
    notebook.shell.user_ns[name] = module


@pytest.mark.parametrize("file", ["/lib/site-packages/library.py", "/home/me/library.py"])
def test_names_what_a_traceback_keeps_by_the_persons_variables(
    notebook: Notebook, file: str
) -> None:
    """A tensor passed on through a library goes by its name in the notebook, wherever that is."""
    library(notebook, "library", file)
    names = names_in_traceback(
        notebook,
        "class Block:\n    def forward(self, x):\n        own = tensor(16)\n        1 / 0\n"
        "def train():\n    library.call(Block().forward, tensor(64))\ntrain()",
    )
    assert names == ["x in Block.forward", "own in Block.forward", "mine in call"]


def test_names_the_function_around_a_comprehension(notebook: Notebook) -> None:
    """A lambda or a comprehension has no name that would help anybody."""
    names = names_in_traceback(
        notebook,
        "def outer():\n    def inner():\n        return [(t, 1 / 0) for t in [tensor(8)]]\n"
        "    inner()\nouter()",
    )
    assert names == ["t in inner"]


def test_gives_no_name_to_what_only_our_own_frames_know(notebook: Notebook) -> None:
    """The simulator's variables are counted, but they say nothing to a person."""
    names = names_in_traceback(
        notebook,
        "import types\nours = types.ModuleType('gpu_simulator.calls')\n"
        "exec('def call():\\n    kept = tensor(8)\\n    1 / 0', vars(ours))\n"
        "ours.tensor = tensor\nours.call()",
    )
    assert names == []
    overview = survey(notebook.shell, Turn(30.0))
    assert overview is not None
    assert overview.ledger.bytes(0, origin="traceback") == 8 * MIB


def test_what_is_near_a_name_comes_before_what_is_deep(notebook: Notebook) -> None:
    """A name with many small objects does not use up the time of the names that follow."""
    notebook.run(
        "def tree(depth): return [tree(depth - 1) for _ in range(20)] if depth else object()\n"
        "big = tree(3)\nafter = [tensor(8)]"
    )
    overview = survey(notebook.shell, Turn(0.0))
    assert overview is not None
    assert holders(overview) == {("after", "tensor"): 8 * MIB}


@pytest.mark.parametrize("enabled", [True, False])
def test_collects_no_garbage_meanwhile(notebook: Notebook, enabled: bool) -> None:
    """A collection set off by the walk itself would use up its time; after it all is as before."""
    notebook.run("many = [[[n]] for n in range(400)]\nkept = [tensor(8)]")
    generations: list[int] = []

    def note(phase: str, info: dict[str, int]) -> None:
        if phase == "start":
            generations.append(info["generation"])

    before = gc.get_threshold()
    gc.collect()  # what was made before would set one off
    (gc.enable if enabled else gc.disable)()
    gc.callbacks.append(note)
    gc.set_threshold(10, 1, 1)
    generations.clear()
    try:
        overview = survey(notebook.shell, Turn(30.0))
        meanwhile, after = list(generations), gc.isenabled()
    finally:
        gc.set_threshold(*before)
        gc.callbacks.remove(note)
        gc.enable()
    assert overview is not None
    assert holders(overview) == {("kept", "tensor"): 8 * MIB}
    assert len(meanwhile) <= 2  # on the way in and out
    assert after is enabled


def test_the_shell_is_no_holder(notebook: Notebook) -> None:
    """A name of the shell, or of an object of ours, is no other name of all there is."""
    notebook.run(
        "import gpu_headroom\nshell = get_ipython()\nsimulation = gpu_headroom.simulate.active()"
    )
    overview = look(notebook, "kept = [tensor(8)]")
    assert holders(overview) == {("kept", "tensor"): 8 * MIB}
    assert overview.ledger.meetings == {}


def test_tells_models_in_evaluation(notebook: Notebook) -> None:
    """The mode is read from the model's own dictionary."""
    overview = look(notebook, "a = nn.Linear(2, 2).cuda()\nb = nn.Linear(2, 2).cuda().eval()")
    assert {(net.name, net.training) for net in overview.models} == {("a", True), ("b", False)}


def test_ignores_the_cpu_and_meta(notebook: Notebook) -> None:
    """Only memory of the GPU is counted."""
    overview = look(notebook, "a = torch.zeros(1000)\nb = torch.zeros(1000, device='meta')")
    assert list(overview.ledger) == []


def test_keeps_nothing_alive(notebook: Notebook) -> None:
    """A survey holds no object of the user's, classes included."""
    overview = look(
        notebook, "class Holder:\n    def __init__(self): self.x = tensor(8)\nh = Holder()"
    )
    ref = weakref.ref(notebook.shell.user_ns["h"].__class__)
    assert overview.ledger.bytes(0) == 8 * MIB
    notebook.run("del h, Holder")
    gc.collect()
    assert ref() is None
    assert notebook.in_use() == 0
