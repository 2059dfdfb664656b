"""What several items count comes back once: the plan says which bytes these are."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import pytest
from gpu_headroom.release.items import measured, shared, together
from gpu_headroom.text.format import MIB

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gpu_headroom.protocol.generated.wire import Shared
    from gpu_headroom.release.freeable import Freeable
    from tests.notebook import Notebook

# A step keeps two activations of 8 MiB: the input of the layer, and the result of `relu`.
LOSSES = """
layer = nn.Linear(1024, 1024, bias=False).cuda()
x = torch.randn(2048, 1024, device="cuda")
losses = [torch.relu(layer(x * 2)).sum() for _ in range(4)]
"""
MODEL = """
model = nn.Sequential(*[nn.Linear(1024, 1024, bias=False) for _ in range(8)]).cuda()
model(torch.randn(64, 1024, device="cuda")).square().mean().backward()
"""
TRAINED = f"""{MODEL}
optimizer = torch.optim.Adam(model.parameters())
optimizer.step()
"""
PARAMETERS = 8 * 4 * MIB

Groups = dict[tuple[str, ...], int]
CASES: dict[str, tuple[str, Groups, int]] = {
    "a variable and its graph": (
        LOSSES,
        {("variable:losses", "graph:losses"): 64 * MIB},
        64 * MIB + 4 * 512,
    ),
    "gradients and their model": (
        MODEL,
        {
            ("variable:model", "gradients:model"): PARAMETERS,
        },
        PARAMETERS,
    ),
    "an optimizer and its state": (
        TRAINED,
        {("variable:optimizer", "optimizer_state:optimizer"): 2 * PARAMETERS},
        2 * PARAMETERS,
    ),
}
CHOSEN = {
    "a variable and its graph": ["variable:losses", "graph:losses"],
    "gradients and their model": ["gradients:model"],
    "an optimizer and its state": ["variable:optimizer", "optimizer_state:optimizer"],
}


def gain(items: Iterable[Freeable], groups: Iterable[Shared]) -> int:
    """Add up what chosen items give, as a page does."""
    chosen = {row.id: row.expected_bytes or 0 for row in items}
    repeated = (
        row["bytes"] * max(0, sum(name in chosen for name in row["ids"]) - 1) for row in groups
    )
    return sum(chosen.values()) - sum(repeated)


def find(notebook: Notebook) -> tuple[dict[str, Freeable], Groups]:
    """Measure; small things, what the fixture made and what wings free are not looked at."""
    items = [row for row in measured(notebook.situation()) if row.kind != "offload"]
    groups = {tuple(row["ids"]): row["bytes"] for row in shared(items)}
    return {row.id: row for row in items}, {
        ids: size for ids, size in groups.items() if size >= MIB and "keep" not in ids[0]
    }


@pytest.mark.parametrize("case", CASES)
def test_says_which_bytes_several_items_count(notebook: Notebook, case: str) -> None:
    """To the byte, as theory has it; and the sum of chosen items is what they then free."""
    source, expected, total = CASES[case]
    assert notebook.run(source).success, notebook.printed
    items, groups = find(notebook)
    assert groups == expected
    chosen = CHOSEN[case]
    assert gain((items[each] for each in chosen), shared(items.values())) == total
    items.clear()
    before = notebook.in_use()
    outcome = notebook.free(*chosen)
    assert outcome.freed_bytes == before - notebook.in_use() == total
    assert {each["message"] for each in outcome.items} == {None}


def test_the_sum_of_any_choice_is_exact(notebook: Notebook) -> None:
    """It is that of the storages themselves, each once, for all choices of three items."""
    assert notebook.run(f"{LOSSES}{TRAINED}alias = [losses[0], model]").success, notebook.printed
    notebook.run("torch.relu(layer(x)).sum()")
    items = [item for item in measured(notebook.situation()) if item.kind != "offload"]
    groups = shared(items)
    assert len(groups) == 2
    offered = [item for item in items if item.blocked is None]
    for chosen in combinations(offered, 3):
        assert gain(chosen, groups) == together(chosen).bytes


def test_what_is_not_measured_is_not_shared(notebook: Notebook) -> None:
    """Garbage has no bytes to share."""
    notebook.run("view = keep[:1]")
    items = measured(notebook.situation())
    assert "garbage" in [row.id for row in items]
    assert "garbage" not in {name for row in shared(items) for name in row["ids"]}
