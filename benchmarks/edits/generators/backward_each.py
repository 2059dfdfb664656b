"""Steps whose loss is a sum over small batches that goes backward at the end."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.edits.pieces import losses, models, readers, steps
from benchmarks.edits.pieces.draw import Writing, inner
from benchmarks.edits.pieces.training import IMPORTS, Names, filled

if TYPE_CHECKING:
    from benchmarks.edits.pieces.draw import Draw


def program(draw: Draw) -> str:
    """Write such a training."""
    made = Writing("A generated sum of losses")
    draw.mostly(0.6, besides=[], behind=[], last=[], **{"named part": False, "side effect": "none"})
    model, loss = models.model(draw), losses.loss(draw)
    step = steps.steps(draw, model.name, 2, None)
    names = Names(
        model.name, step.optimizer, "x", "y", "out", draw.pick("total", ["loss", "total"])
    )
    total = names.loss
    made.cell(IMPORTS)
    made.cell("torch.set_default_dtype(torch.float64)", "torch.manual_seed(3)", model.code)
    shape = ", ".join(map(str, (5, *model.shape)))
    y = "torch.randint(0, 3, (5,))" if loss.classes else "torch.randn(5, 3)"
    made.cell(
        f"data = [(torch.randn({shape}), {y}) for _ in range({draw.number('parts', 1, 4)})]",
        f"sample = torch.randn({shape})",
    )
    made.cell(loss.setup, *step.setup, draw.pick("list before", ["kept = []", ""]))
    one = loss.of.format(out="out", y="y", model=model.name)
    share = draw.pick("share", ["", " / 4", " / len(data)", " * 0.5"])
    part = f"({one}){share}" if share else one
    add = draw.pick("adds", [f"{total} = {total} + {part}", f"{total} += {part}"])
    body = [f"out = {model.name}(x) #@forward", *step.before_forward]
    if draw.chance("named part", 0.3):
        body += [f"part = {part}"]
        add = draw.pick("adds part", [f"{total} = {total} + part", f"{total} += part"])
    body.append(add)
    body += draw.pick(
        "besides",
        [
            [],
            [],
            [f"print(round(float({total}), 4))"],
            [f"if float({total}) > 2:", "    break"],
            ["if len(x) < 2:", "    continue"],
            ["state = out.detach()"],
            ["x = out"],
        ],
    )
    start = draw.pick("start", [f"{total} = 0", f"{total} = 0.0", f"{total} = torch.zeros(())"])
    behind = draw.pick(
        "behind",
        [
            [],
            [],
            [f"{total} = {total} / len(data)"],
            [f"{total} = {total} + 1e-2 * sum(p.pow(2).sum() for p in {model.name}.parameters())"],
            [f"print({total}.item())"],
            [f"if {total} > 5:", f"    {total} = {total} * 0.5"],
        ],
    )
    clear = f"{step.optimizer}.zero_grad()"
    backward = step.backward.replace("(loss)", f"({total})").replace("loss.b", f"{total}.b")
    late = draw.chance("cleared late", 0.3)
    epoch = [*([] if late else [clear]), start, "for x, y in data:", *inner(body), *behind]
    epoch += [clear] if late else []
    epoch += [backward, *step.before_step, *step.step, *step.after_step]
    epoch += draw.pick(
        "last", [[], [f"print(f'{{{total}.item():.5f}}')"], ["shown = out.sum().item()"]]
    )
    made.cell([f"for epoch in range({draw.number('epochs', 1, 3)}):", *inner(epoch)])
    for each in readers.readers(draw, at_top=True):
        made.cell(filled(each, names))
    return made.text({"total": total})
