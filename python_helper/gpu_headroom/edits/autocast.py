"""Mixed precision in a plain training loop."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ..code.find import calls, under
from ..code.source import Loop, Refused, Scope
from ..code.training import training_step
from .rewrite import rewriting

if TYPE_CHECKING:
    from ..code.source import CellSource


# What PyTorch refuses to compute under autocast, in whatever cell it stands.
UNSAFE = re.compile(r"\bBCELoss\b|\bbinary_cross_entropy\b")


@rewriting
def autocast(
    source: CellSource,
    torch: str = "torch",
    device: str = "cuda",
    *,
    half: bool = False,
    scaler: str = "{torch}.amp.GradScaler()",
) -> None:
    """`autocast(torch)`: the forward pass and the loss run in bfloat16, the backward pass does not.

    With `half` in float16, and with the scaler that this needs: made before the loops, `scale`,
    `step`, `update`, and `unscale_` before gradients are clipped; for PyTorch before 2.3 it is
    `{torch}.cuda.amp.GradScaler()`. `torch` is the name that PyTorch is imported under. Not where
    any cell has `UNSAFE` losses. For trainers, see `flags.HALF`.
    """
    step = training_step(source)
    first, last = step.forward
    if any(calls(source.tree, "autocast", "GradScaler", "half", "bfloat16")) or UNSAFE.search(
        source.text
    ):
        raise Refused
    if under(source.parents(first), "autocast"):
        raise Refused
    dtype = "float16" if half else "bfloat16"
    source.wrap(first, last, f'with {torch}.autocast("{device}", dtype={torch}.{dtype}):')
    if not half:
        return
    if step.step is None or not step.optimizer:
        raise Refused
    outermost = step.loop
    for each in source.parents(step.loop):
        if isinstance(each, Scope):
            break
        if isinstance(each, Loop):
            outermost = each
    source.before(outermost, f"scaler = {scaler.format(torch=torch)}")
    source.replace(step.loss, f"scaler.scale({source.text_of(step.loss)})")
    start, end = step.block.index(step.backward), step.block.index(step.step)
    between = step.block[start + 1 : end]
    clips = [each for each in between if any(calls(each, "clip_grad_norm_", "clip_grad_value_"))]
    if clips:
        source.before(clips[0], f"scaler.unscale_({step.optimizer})")
    source.replace(step.step, f"scaler.step({step.optimizer})")
    source.after(step.step, "scaler.update()")
