"""A whole training: model, data, loss, optimizer, the loop, and the cells around it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from benchmarks.edits.pieces import data as data_pieces
from benchmarks.edits.pieces import evaluation, logs, losses, models, readers, steps
from benchmarks.edits.pieces.draw import Writing, inner, within

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchmarks.edits.pieces.draw import Draw

IMPORTS = """
    import copy
    import torch
    import torch.nn as nn
    import torch.nn.functional as F
    from torch import optim
    from torch.utils.data import DataLoader, TensorDataset
"""


@dataclass(frozen=True)
class Names:
    """What a training calls its things."""

    model: str
    optimizer: str
    x: str
    y: str
    out: str
    loss: str = "loss"


@dataclass
class Training:
    """A training as it is being written; the lines of its loop have marks.

    Marks: `forward`, `loss`, `backward`, `step`, `zero`, `batch` (the line with the size of the
    batch), `loop`, `log`, `evaluated`.
    """

    writing: Writing
    names: Names
    data: data_pieces.Data
    style: str
    log: logs.Log


def training(
    draw: Draw, *, within_loop: Sequence[str] = (), behind: Sequence[str] = ()
) -> Training:
    """Write a training; lines may be added to its loop and cells behind it.

    They may have the names `{model}`, `{optimizer}`, `{x}`, `{y}`, `{out}`.
    """
    made = Writing("A generated training")
    model = models.model(draw)
    loss = losses.loss(draw)
    data = data_pieces.data(draw, model, classes=loss.classes)
    epochs = draw.number("epochs", 1, 3)
    step = steps.steps(draw, model.name, epochs, data.length)
    x, y = draw.pick("batch names", [("xb", "yb"), ("x", "y"), ("inputs", "labels")])
    out = draw.pick("output name", ["out", "logits", "pred", "outputs"])
    names = Names(model.name, step.optimizer, x, y, out)
    log = logs.log(draw, classes=loss.classes)

    made.cell(IMPORTS)
    double = "torch.set_default_dtype(torch.float64)"
    dtype = "" if draw.pick("dtype", ["float64"]) == "float32" else double
    made.cell(dtype, f"torch.manual_seed({draw.number('seed', 0, 99)})", model.code)
    made.cell(data.code, f"sample = torch.randn(4, {', '.join(map(str, model.shape))})")
    made.cell(loss.setup, *step.setup)
    validates = draw.chance("validates", 0.35)
    pairs = draw.pick("validation batches", [f"[({data.x}[:6], {data.y}[:6])]"])
    function = evaluation.evaluation(draw, model.name, pairs) if validates else ""
    if function:
        made.cell(function)

    body = _body(draw, names, data, loss, step, log, within_loop)
    epoch = _epoch(draw, data, body, names)
    if draw.chance("train mode", 0.5):
        epoch.insert(0, f"{names.model}.train()")
    epoch += step.after_epoch
    if function:
        called = evaluation.call(function, names.model, pairs)
        epoch.append(
            draw.pick(
                "validated",
                [
                    f"score = {called}",
                    f"print(float({called}.sum() if torch.is_tensor({called}) else 0))",
                    called,
                ],
            )
        )
    style = draw.pick("style", ["plain", "plain", "plain", "function", "function", "class"])
    before = [filled(each, names) for each in log.before]
    if epochs == 1 and style == "plain" and draw.chance("no epochs", 0.5):
        lines = [*before, *epoch]
    else:
        lines = [*before, *within(f"for epoch in range({epochs}):", epoch)]
    made.cell(_in_style(draw, style, lines, names, log, step))

    read = [] if style != "plain" and log.returns is None else list(log.readers)
    if style != "plain":
        read = [each for each in read if log.returns and re.search(rf"\b{log.returns}\b", each)]
    for each in [*read, *behind, *readers.readers(draw, at_top=style == "plain")]:
        made.cell(filled(each, names))
    return Training(made, names, data, style, log)


def _body(  # noqa: PLR0913, PLR0917  all that stands in a loop
    draw: Draw,
    names: Names,
    data: data_pieces.Data,
    loss: losses.Loss,
    step: steps.Steps,
    log: logs.Log,
    more: Sequence[str],
) -> list[str]:
    given = {"out": names.out, "y": names.y, "model": names.model}
    forward = [
        f"{names.out} = {names.model}({names.x}) #@forward",
        f"loss = {loss.of.format(**given)} #@loss",
    ]
    reads_out = any("{out}" in each for each in [*log.within, *log.readers, *more])
    if not reads_out and draw.chance("one line", 0.3):
        direct = loss.of.format(**{**given, "out": f"{names.model}({names.x})"})
        if direct.count(f"{names.model}({names.x})") == 1:
            forward = [f"loss = {direct} #@forward"]
    zero = draw.pick("zero", ["first", "first", "before backward", "last"])
    none = draw.pick("to none", ["", "", "set_to_none=True"])
    clear = [f"{names.optimizer}.zero_grad({none}) #@zero"]
    if draw.chance("cleared by the model", 0.1):
        clear = [f"{names.model}.zero_grad() #@zero"]
    logged = [filled(each, names) for each in [*log.within, *more]]
    place = draw.pick("logged", ["last", "last", "before step", "before backward"])
    stops = draw.pick("control", ["none"] * 6 + ["break", "break at", "continue", "skip", "print"])
    lines = list(step.before_forward)
    if data.kind == "range":
        lines = [
            f"{names.x} = {data.x}[i:i + {data.size_name or data.size}]",
            f"{names.y} = {data.y}[i:i + {data.size_name or data.size}]",
            *lines,
        ]
    if stops == "skip":
        lines += [f"if len({names.x}) < {data.size}:", "    continue"]
    lines += clear if zero == "first" else []
    lines += forward
    if stops == "continue":
        lines += ["if not torch.isfinite(loss):", "    continue"]
    lines += clear if zero == "before backward" else []
    lines += logged if place == "before backward" else []
    lines += [f"{step.backward} #@backward", *step.before_step]
    lines += logged if place == "before step" else []
    lines += [step.step[0] + " #@step", *step.step[1:]]
    lines += clear if zero == "last" else []
    lines += step.after_step
    lines += logged if place == "last" else []
    lines += {
        "break": [f"if loss.item() < {draw.pick('low', [0.2, 0.9, 1.2])}:", "    break"],
        "print": [f"print(f'{{loss.item():.4f}}', len({names.x}))"],
    }.get(stops, [])
    return lines


def _epoch(draw: Draw, data: data_pieces.Data, body: list[str], names: Names) -> list[str]:
    """Write the loop through the batches."""
    batches = data.batches
    if data.kind == "range":
        head = f"for i in {batches}:"
        return [f"{head} #@loop", *inner(body)]
    form = draw.pick(
        "through", ["plain", "plain", "plain", "enumerate", "enumerate 1", "tqdm", "packed"]
    )
    pair = f"{names.x}, {names.y}"
    heads = {
        "plain": f"for {pair} in {batches}:",
        "enumerate": f"for step, ({pair}) in enumerate({batches}):",
        "enumerate 1": f"for i, ({pair}) in enumerate({batches}, 1):",
        "tqdm": f"for {pair} in tqdm({batches}):",
        "packed": f"for batch in {batches}:",
    }
    counter = {"enumerate": "step", "enumerate 1": "i"}.get(form)
    if counter:
        ending = draw.pick("every", ["", "", "print", "stop", "rate"])
        body = (
            body
            + {
                "print": [
                    f"if {counter} % 2 == 0:",
                    f"    print({counter}, round(loss.item(), 4))",
                ],
                "stop": [f"if {counter} == 2:", "    break"],
                "rate": [f"if {counter} % 3 == 0:", "    rates = rates + [loss.item()]"],
                "": [],
            }[ending]
        )
        if ending == "rate":
            return ["rates = []", f"{heads[form]} #@loop", *inner(body)]
    if form == "packed":
        body = [f"{pair} = batch", *body]
    lines = [f"{heads[form]} #@loop", *inner(body)]
    if form == "tqdm":
        lines.insert(0, "from tqdm import tqdm")
    if draw.chance("else", 0.05):
        lines += ["else:", f"    last_seen = {names.x}.sum().item()"]
    return lines


def _in_style(  # noqa: PLR0913, PLR0917  all that a function needs
    draw: Draw, style: str, lines: list[str], names: Names, log: logs.Log, step: steps.Steps
) -> list[str]:
    if style == "plain":
        return [each for line in lines for each in line.split("\n")]
    shared = ["global n_done"] if any("n_done += 1" in each for each in step.before_forward) else []
    returns = [f"return {log.returns}"] if log.returns else []
    kept = f"{log.returns} = " if log.returns else ""
    if style == "function":
        takes = draw.pick("fit takes", ["", names.model, f"{names.model}, {names.optimizer}"])
        name = draw.pick("fit name", ["fit", "train", "train_model"])
        return [
            *within(f"def {name}({takes}):", [*shared, *lines, *returns]),
            "",
            f"{kept}{name}({takes})",
        ]
    own = [
        re.sub(rf"(?<![\w.])({names.model}|{names.optimizer})\b", r"self.\1", line)
        for line in lines
    ]
    start = [f"self.{names.model} = {names.model}", f"self.{names.optimizer} = {names.optimizer}"]
    methods = [
        *within(f"def __init__(self, {names.model}, {names.optimizer}):", start),
        "",
        *within("def fit(self):", [*shared, *own, *returns]),
    ]
    made = f"trainer = Trainer({names.model}, {names.optimizer})"
    return [*within("class Trainer:", methods), "", made, f"{kept}trainer.fit()"]


def filled(text: str, names: Names) -> str:
    """Return a text with the names of a training in the place of `{model}` and so on."""
    for role, name in vars(names).items():
        text = text.replace(f"{{{role}}}", name)
    return text
