"""Trainings on a card that keep tensors there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.edits.pieces.training import training

if TYPE_CHECKING:
    from benchmarks.edits.pieces.draw import Draw

_READERS = (
    "table = torch.cat(kept)",
    "table = torch.cat([sample.new_zeros(1, 3), *kept])",
    "means = [each.mean().item() for each in kept]",
    "distance = (kept[0][:4] - {model}(sample)[:4]).abs().sum().item()",
    "again = kept[-1].to(sample.device)",
    "for each in kept:\n    print(tuple(each.shape))",
    "array = torch.cat(kept).cpu().numpy()",
    "total = sum(each.sum() for each in kept) + sample.sum()",
    "scores = {model}.head(kept[0]) if hasattr({model}, 'none') else len(kept)",
    "kept[0] += 1",
    "where = kept[0].device.type",
)


def program(draw: Draw) -> str:
    """Write a training whose outputs are kept on the card, and read afterwards."""
    draw.force(logs=0, style="plain", average=False, validates=False)
    kept = draw.pick("kept", ["kept.append({out}.detach())", "kept.append({out}.detach().clone())"])
    readers = [draw.pick(f"read {n}", _READERS) for n in range(draw.number("reads", 1, 2))]
    made = training(draw, within_loop=[f"{kept} #@log"], behind=readers)
    cells = made.writing.cells
    names = made.names
    cells[1] += f"\n{names.model}.to('cuda')"
    data = made.data
    on_card = f"{data.x}, {data.y} = {data.x}.cuda(), {data.y}.cuda()"
    first, _, rest = cells[2].partition(f"\n{data.y} = ")
    made_y, _, rest = rest.partition("\n")
    cells[2] = f"{first}\n{data.y} = {made_y}\n{on_card}\n{rest}\nsample = sample.cuda()\nkept = []"
    cells[3] = cells[3].replace("weight=torch.tensor([1.0, 2.0, 3.0])", "")
    return made.writing.text({"name": "kept"})
