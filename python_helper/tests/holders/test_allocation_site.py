"""Where memory was allocated: recorded only on request, and never beside another recording."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import torch
from gpu_headroom.holders.allocation_site import Recording
from gpu_simulator import simulate
from tests.notebook import Notebook, open_notebook

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpu_headroom.protocol.generated.wire import AllocationSite

MAKE = "import torch\n\n{name} = torch.empty({mib} * 2**20, dtype=torch.uint8, device='cuda')"


@pytest.fixture
def notebook() -> Iterator[Notebook]:
    """A notebook on a simulated GPU of 4 GiB that is in use already."""
    with simulate("4 GiB"), open_notebook() as notebook:
        assert notebook.run(MAKE.format(name="before", mib=1)).success
        yield notebook


@pytest.fixture
def recording(notebook: Notebook) -> Iterator[Recording]:  # noqa: ARG001 -- has the GPU in use
    """A recording that has begun after `before` was made."""
    recording = Recording()
    recording.begin()
    assert recording.on
    yield recording
    recording.end()


def place_of(notebook: Notebook, recording: Recording, name: str) -> AllocationSite | None:
    """Return where the tensor of that name was made."""
    tensor = notebook.shell.user_ns[name]
    sites = recording.sites(notebook.shell, notebook.ledger.runs())
    return sites.get((0, tensor.untyped_storage().data_ptr()))


def test_names_cell_and_line(notebook: Notebook, recording: Recording) -> None:
    """A tensor made while it records is known by cell, count and line; one made before is not."""
    result = notebook.run(MAKE.format(name="x", mib=2), cell_id="maker")
    place = {"cell_id": "maker", "execution_count": result.execution_count, "line": 3}
    assert place_of(notebook, recording, "x") == place
    assert place_of(notebook, recording, "before") is None


def test_names_the_innermost_line_of_a_cell(notebook: Notebook, recording: Recording) -> None:
    """Of a function of one cell that another calls it is the line in the function."""
    notebook.run("def make():\n    return torch.zeros(2**20, device='cuda')", cell_id="definition")
    notebook.run("made = make()", cell_id="call")
    place = place_of(notebook, recording, "made")
    assert place is not None
    assert (place["cell_id"], place["line"]) == ("definition", 2)


def test_a_library_is_not_a_cell(notebook: Notebook, recording: Recording) -> None:
    """What a library makes is made by the line of the cell that called it."""
    notebook.run("model = torch.nn.Linear(512, 512).cuda()\nweight = model.weight", cell_id="model")
    place = place_of(notebook, recording, "weight")
    assert place is not None
    assert (place["cell_id"], place["line"]) == ("model", 1)


def test_leaves_another_recording_alone(notebook: Notebook) -> None:
    """Blocks with stacks are those of another recording, which goes on as it was set up."""
    notebook.run("torch.cuda.memory._record_memory_history(max_entries=1000)")
    notebook.run(MAKE.format(name="x", mib=2))
    recording = Recording()
    recording.begin()
    assert not recording.on
    assert recording.sites(notebook.shell, notebook.ledger.runs()) == {}
    recording.end()
    notebook.run(MAKE.format(name="y", mib=2))
    assert len(torch.cuda.memory._snapshot()["device_traces"][0]) >= 2


def test_leaves_a_recording_on_that_was_taken_over(
    notebook: Notebook, recording: Recording
) -> None:
    """A history of events is none of ours: it is not turned off with our recording."""
    notebook.run("torch.cuda.memory._record_memory_history(max_entries=1000)")
    notebook.run(MAKE.format(name="x", mib=2))
    recording.end()
    notebook.run(MAKE.format(name="y", mib=2))
    assert len(torch.cuda.memory._snapshot()["device_traces"][0]) >= 2


def test_waits_for_a_block_that_tells(notebook: Notebook) -> None:
    """With nothing in use no block tells who records: it is put off until something is."""
    notebook.run("del before")
    recording, was_on = Recording(), []
    for source in ("", MAKE.format(name="x", mib=1)):
        notebook.run(source)
        recording.begin()
        was_on.append(recording.on)
    assert was_on == [False, True]
    recording.end()


@pytest.mark.usefixtures("notebook")
def test_asks_for_no_more_than_it_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Python stacks of what is in use, no history: all else costs time or gigabytes."""
    calls: list[tuple[Any, ...]] = []
    record = torch.cuda.memory._record_memory_history

    def spy(*args: Any, **keys: Any) -> None:
        calls.append((args, keys))
        record(*args, **keys)

    monkeypatch.setattr(torch.cuda.memory, "_record_memory_history", spy)
    recording = Recording()
    recording.begin()
    recording.begin()
    recording.end()
    options = {"context": "state", "stacks": "python", "max_entries": 1}
    assert calls == [(("state",), options), ((None,), {})]


@pytest.mark.usefixtures("notebook")
def test_does_without_where_pytorch_cannot(monkeypatch: pytest.MonkeyPatch) -> None:
    """A PyTorch whose recording is called otherwise is not asked again."""
    calls: list[object] = []

    def older(enabled: object, record_context: object = None) -> None:
        calls.append((enabled, record_context))

    monkeypatch.setattr(torch.cuda.memory, "_record_memory_history", older)
    recording = Recording()
    recording.begin()
    recording.begin()
    recording.end()
    assert (recording.on, calls) == (False, [])


def test_touches_nothing_before_the_gpu_is_in_use() -> None:
    """Without a GPU in use nothing is asked, and nothing is known."""
    recording = Recording()
    recording.begin()
    assert not recording.on
    assert recording.sites(None, []) == {}
