"""Programs on a card of which they have limited themselves to a share."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.edits.pieces.draw import Writing, inner

if TYPE_CHECKING:
    from benchmarks.edits.pieces.draw import Draw

_SETS = (
    "torch.cuda.set_per_process_memory_fraction(0.5)",
    "torch.cuda.set_per_process_memory_fraction(SHARE)",
    "torch.cuda.set_per_process_memory_fraction(0.25, 0)",
    "torch.cuda.set_per_process_memory_fraction(fraction=0.5, device=0)",
    "if SHARE < 1:\n    torch.cuda.set_per_process_memory_fraction(SHARE)",
    "def limit():\n    torch.cuda.set_per_process_memory_fraction(0.5)\nlimit()",
)
_BEHIND = (
    "share = SHARE * 2",
    "print(SHARE)",
    "free = torch.cuda.mem_get_info()[0] > 0",
    "torch.cuda.set_per_process_memory_fraction(0.75)",
    "total = x.sum().item()",
)


def program(draw: Draw) -> str:
    """Write a few steps on such a card."""
    made = Writing("A generated share of a card")
    made.cell("import torch", "torch.manual_seed(2)", "SHARE = 0.5", draw.pick("sets", _SETS))
    made.cell("net = torch.nn.Linear(4, 2).to('cuda')", "x = torch.ones(8, 4, device='cuda')")
    body = ["loss = net(x).pow(2).mean() #@forward", "loss.backward()"]
    made.cell(["for step in range(2):", *inner(body)], "last = loss.item()")
    for n in range(draw.number("behind", 0, 2)):
        made.cell(draw.pick(f"cell {n}", _BEHIND))
    return made.text({})
