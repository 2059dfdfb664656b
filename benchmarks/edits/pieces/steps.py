"""Optimizers, schedulers, and what stands beside a step: a scaler, clipping, an average."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from benchmarks.edits.pieces.draw import block

if TYPE_CHECKING:
    from benchmarks.edits.pieces.draw import Draw


@dataclass(frozen=True)
class Steps:
    """Lines before training, and those that stand in the loop at their places."""

    setup: tuple[str, ...]
    optimizer: str
    backward: str
    before_step: tuple[str, ...]
    step: tuple[str, ...]
    after_step: tuple[str, ...]
    before_forward: tuple[str, ...]
    after_epoch: tuple[str, ...]


_OPTIMIZERS = {
    "SGD": "torch.optim.SGD({p}, lr=0.05)",
    "momentum": "torch.optim.SGD({p}, lr=0.05, momentum=0.9)",
    "Adam": "torch.optim.Adam({p}, lr=1e-2)",
    "AdamW": "optim.AdamW({p}, lr=1e-2, weight_decay=0.01)",
    "groups": "torch.optim.Adam([{{'params': {p}, 'lr': 1e-2}}], betas=(0.9, 0.99))",
}


def steps(draw: Draw, model: str, epochs: int, length: str | None) -> Steps:
    """Write an optimizer and what goes with it; `length` is the number of batches."""
    name = draw.pick("optimizer name", ["optimizer", "opt", "optimizer", "optim_"])
    kind = draw.pick("optimizer", list(_OPTIMIZERS))
    setup = [f"{name} = {_OPTIMIZERS[kind].format(p=f'{model}.parameters()')}"]
    backward, step = "loss.backward()", [f"{name}.step()"]
    before: list[str] = []
    if draw.chance("scaler", 0.15):
        setup += [_SCALER, "scaler = Scaler()"]
        backward = "scaler.scale(loss).backward()"
        step = [f"scaler.step({name})", "scaler.update()"]
    if draw.chance("clip", 0.25):
        if "scaler" in backward:
            before.append(f"scaler.unscale_({name})")
        before.append(f"torch.nn.utils.clip_grad_norm_({model}.parameters(), 0.5)")
    after, after_epoch, forward = _schedule(draw, name, setup, epochs, length)
    if draw.chance("average", 0.15):
        setup.append(f"average = copy.deepcopy({model})")
        after.append(_AVERAGE.format(model=model))
    return Steps(
        tuple(setup),
        name,
        backward,
        tuple(before),
        tuple(step),
        tuple(after),
        tuple(forward),
        tuple(after_epoch),
    )


def _schedule(
    draw: Draw, optimizer: str, setup: list[str], epochs: int, length: str | None
) -> tuple[list[str], list[str], list[str]]:
    options = ["none", "none", "none", "epoch", "step", "by hand"]
    kind = draw.pick("schedule", [*options, "one cycle"] if length else options)
    name = draw.pick("scheduler name", ["scheduler", "sched", "lr_sched", "warm"])
    after: list[str] = []
    each_epoch: list[str] = []
    forward: list[str] = []
    if kind == "epoch":
        setup.append(f"{name} = torch.optim.lr_scheduler.StepLR({optimizer}, 1, gamma=0.5)")
        each_epoch.append(f"{name}.step()")
    elif kind == "step":
        rule = "lambda s: 1 / (1 + s)"
        setup.append(f"{name} = torch.optim.lr_scheduler.LambdaLR({optimizer}, {rule})")
        after.append(f"{name}.step()")
    elif kind == "one cycle":
        total = f"{epochs} * {length}" if draw.chance("total steps") else None
        given = f"total_steps={total}" if total else f"epochs={epochs}, steps_per_epoch={length}"
        setup.append(
            f"{name} = torch.optim.lr_scheduler.OneCycleLR({optimizer}, max_lr=0.1, {given})"
        )
        after.append(f"{name}.step()")
    elif kind == "by hand":
        setup.append("n_done = 0")
        forward += [
            "n_done += 1",
            f"for group in {optimizer}.param_groups:\n    group['lr'] = 0.01 * min(1, n_done / 5)",
        ]
    return after, each_epoch, forward


_SCALER = block("""
    class Scaler:
        def __init__(self):
            self.factor, self.steps = 8.0, 0

        def scale(self, loss):
            return loss * self.factor

        def unscale_(self, optimizer):
            self._divide(optimizer)
            self.divided = True

        def _divide(self, optimizer):
            for group in optimizer.param_groups:
                for p in group["params"]:
                    if p.grad is not None:
                        p.grad.div_(self.factor)

        def step(self, optimizer):
            if not getattr(self, "divided", False):
                self._divide(optimizer)
            self.divided = False
            optimizer.step()

        def update(self):
            self.steps += 1
            if self.steps % 4 == 0:
                self.factor *= 2
""")
_AVERAGE = block("""
    with torch.no_grad():
        for a, p in zip(average.parameters(), {model}.parameters()):
            a.mul_(0.9).add_(p, alpha=0.1)
""")
