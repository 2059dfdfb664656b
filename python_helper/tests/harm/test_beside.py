"""Whatever runs in a kernel beside the helper comes to the same result as without it.

Each test is one kernel with a neighbour, in which a page asks for everything there is, and one
without a helper. `GPU_HEADROOM_FULL` runs all neighbours in every generation of kernels, and
`GPU_HEADROOM_HARM` so many rounds of what the page asks.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pytest
from tests.conftest import GENERATIONS, interpreter
from tests.harm.company import alone, beside
from tests.harm.neighbours import NEIGHBOURS, PREPARE
from tests.live import LiveKernel
from tests.sampling import IS_FULL

if TYPE_CHECKING:
    from pathlib import Path

    from tests.live import Pack

pytestmark = pytest.mark.kernel

ROUNDS = int(os.environ.get("GPU_HEADROOM_HARM", "1"))
# Of the others each is much like one of these.
SAMPLED = {
    "ipykernel-7": [
        "a thread that trains",
        "a subshell that trains",
        "%debug",
        "a breakpoint",
        "a tracer",
        "a forked child",
        "frozen garbage",
        "3 million objects",
        "hostile objects",
    ],
    "ipykernel-6.17": ["a cell that trains", "a task that trains"],
}
NEWEST, *_ = GENERATIONS


def _cases() -> list[tuple[str, str]]:
    return [
        (generation, name)
        for generation in GENERATIONS
        for name, neighbour in NEIGHBOURS.items()
        if generation in neighbour.generations
        if IS_FULL or name in SAMPLED.get(generation, [])
    ]


@pytest.fixture(scope="module")
def saved(pack: Pack, tmp_path_factory: pytest.TempPathFactory) -> str:
    """A clean-up cell of an earlier session, in which things were displayed and kept."""
    folder = tmp_path_factory.mktemp("saved")
    with LiveKernel(interpreter(NEWEST), folder, installed=True) as kernel:
        kernel.run(PREPARE)
        kernel.inject(pack)
        kernel.attach()
        kernel.run("kept[:10] + 1")
        kernel.run("torch.ones(2**22, device='cuda')")
        code = kernel.cleanup()
    assert "'_2'" in code
    return code


def changes(before: dict[str, Any], after: dict[str, Any]) -> dict[str, tuple[Any, Any]]:
    """Return what differs, with and without us."""
    return {key: (was, after[key]) for key, was in before.items() if after[key] != was}


@pytest.mark.timeout(900)
@pytest.mark.parametrize(("generation", "name"), _cases())
def test_beside_the_helper_all_comes_to_the_same(
    generation: str, name: str, pack: Pack, saved: str, tmp_path: Path
) -> None:
    """The kernel lives, the results are equal, and nothing of the helper is left in it."""
    python, neighbour = interpreter(generation), NEIGHBOURS[name]
    folders = [tmp_path / side for side in ("alone", "beside")]
    for folder in folders:
        folder.mkdir()
    with LiveKernel(python, folders[0], installed=True) as kernel:
        expected = alone(kernel, neighbour)
    with LiveKernel(python, folders[1], installed=True) as kernel:
        try:
            outcome = beside(kernel, neighbour, pack, saved, rounds=ROUNDS)
        except BaseException:
            print(kernel.log)  # a kernel that died has left its stacks there
            raise
        assert kernel.events("error") == []
    assert outcome.result == expected.result
    assert changes(expected.state, outcome.state) == {}
