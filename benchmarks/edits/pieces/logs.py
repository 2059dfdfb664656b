"""What a training loop keeps and prints, and what later cells read of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from benchmarks.edits.pieces.draw import Draw


@dataclass
class Log:
    """Lines before the loops, in the loop, and in cells behind; `returns` is what is kept."""

    before: list[str] = field(default_factory=list)
    within: list[str] = field(default_factory=list)
    returns: str | None = None
    readers: list[str] = field(default_factory=list)


def log(draw: Draw, *, classes: bool) -> Log:
    """Write what is kept of each batch."""
    kinds = [each for each in _KINDS if each != "correct" or classes]
    found = Log()
    for n in range(draw.number("logs", 0, 2)):
        name = draw.pick(f"log {n}" if n else "log", kinds)
        before, within, returns, readers = _KINDS[name]
        if before in found.before:
            continue
        found.before.append(before)
        found.within.append(within)
        found.returns = found.returns or returns
        found.readers += [draw.pick(f"reader of {name}", readers)] if readers else []
    return found


_KINDS: dict[str, tuple[str, str, str | None, list[str]]] = {
    "items": (
        "losses = []",
        "losses.append(loss.item()) #@log",
        "losses",
        ["print(f'{losses[-1]:.4f}')", "mean = sum(losses) / len(losses)", "best = min(losses)"],
    ),
    "tensors": (
        "losses = []",
        "losses.append(loss) #@log",
        "losses",
        [
            "mean = torch.stack(losses).mean().item()",
            "mean = float(sum(losses) / len(losses))",
            "curve = [float(each) for each in losses]",
            "print(losses[-1].item(), len(losses))",
        ],
    ),
    "detached": (
        "curve = []",
        "curve.append(loss.detach()) #@log",
        "curve",
        ["low = torch.stack(curve).min()", "curve = [v.item() for v in curve]"],
    ),
    "outputs": (
        "outs = []",
        "outs.append({out}) #@log",
        "outs",
        ["all_outs = torch.cat(outs)", "first = outs[0].mean().item()", "n_outs = len(outs)"],
    ),
    "running": (
        "running = 0.0",
        "running += loss.item() #@log",
        "running",
        ["print('running', round(running, 3))", "average_loss = running / 2"],
    ),
    "total": (
        "total = 0",
        "total = total + loss #@log",
        "total",
        ["print(float(total))", "mean_loss = (total / 3).item()"],
    ),
    "added": ("total = 0.0", "total += loss * len({x}) #@log", "total", ["print(float(total))"]),
    "history": (
        "history = {'loss': [], 'lr': []}",
        (
            "history['loss'].append(loss.item()) #@log\n"
            "history['lr'].append({optimizer}.param_groups[0]['lr'])"
        ),
        "history",
        ["print(len(history['lr']))", "last_lr = history['lr'][-1]"],
    ),
    "graphs in a dict": (
        "logs = {'loss': []}",
        "logs['loss'].append(loss) #@log",
        "logs",
        ["final = logs['loss'][-1].item()"],
    ),
    "correct": (
        "correct, count = 0, 0",
        "correct += ({out}.argmax(1) == {y}).sum().item() #@log\ncount += len({x})",
        "correct",
        ["print('correct', correct)"],
    ),
    "penalties": (
        "penalties = []",
        "penalties.append({out}.pow(2).mean()) #@log\nloss = loss + 0.1 * penalties[-1]",
        "penalties",
        ["print(len(penalties))"],
    ),
    "all penalties": (
        "terms = []",
        "terms.append(0.01 * sum(p.sum() for p in {model}.parameters())) #@log",
        "terms",
        [
            "{optimizer}.zero_grad()\nsum(terms).backward()\n{optimizer}.step()",
            "{optimizer}.zero_grad()\ntorch.stack(terms).sum().backward()\n{optimizer}.step()",
            "def finish(values):\n    values[-1].backward()\nfinish(terms)\n{optimizer}.step()",
        ],
    ),
    "carried": (
        "carried = 0.0",
        "carried = 0.5 * carried + {out}.mean() #@log\nprint(round(float(carried), 4))",
        "carried",
        [],
    ),
    "last": ("best_out = None", "best_out = {out} #@log", "best_out", ["shape = best_out.shape"]),
    "average": (
        "avg = None",
        "avg = loss.item() if avg is None else 0.9 * avg + 0.1 * loss.item()",
        "avg",
        ["print(avg)"],
    ),
    "count": ("n_batches = 0", "n_batches += 1", "n_batches", ["print(n_batches)"]),
    "seen samples": ("n_seen = 0", "n_seen += len({x})", "n_seen", ["share = n_seen / 100"]),
}
