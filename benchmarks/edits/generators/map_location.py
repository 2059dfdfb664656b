"""Checkpoints that are loaded, and put into models and optimizers or used otherwise."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.edits.pieces.training import training

if TYPE_CHECKING:
    from benchmarks.edits.pieces.draw import Draw, Writing

_SAVED = (
    ("{model}.state_dict()", ""),
    ("{'model': {model}.state_dict(), 'epoch': 3}", "['model']"),
    ("{'net': {model}.state_dict(), 'opt': {optimizer}.state_dict()}", "['net']"),
)
_USES = (
    "fresh.load_state_dict({c}{k})",
    "fresh.load_state_dict({c}{k}, strict=False)",
    "fresh.load_state_dict({c}{k}, assign=True)",
    "for own, p in zip(fresh.parameters(), {c}{k}.values()):\n    own.data.copy_(p)",
    "fresh.load_state_dict({k: v * 0.5 for k, v in {c}{k}.items()})",
    "sizes = [tuple(v.shape) for v in {c}{k}.values()]",
    "norm = sum(v.double().norm().item() for v in {c}{k}.values())",
    "near = (list({c}{k}.values())[0] - next(fresh.parameters())).abs().sum().item()",
    "fresh.load_state_dict({c}{k})\ndel {c}",
)


def program(draw: Draw) -> str:
    """Write a training, then a cell that loads what was saved, on a card or without one."""
    draw.force(**{"cells behind": 0, "style": "plain", "logs": 0, "validates": False})
    made = training(draw)
    names, writing = made.names, made.writing
    saved, key = draw.pick("saved", _SAVED)
    name = draw.pick("name", ["checkpoint", "ckpt", "state"])
    uses = [draw.pick(f"use {n}", _USES) for n in range(draw.number("uses", 1, 2))]

    def filled(text: str) -> str:
        text = text.replace("{c}", name).replace("{k}", key)
        return text.replace("{model}", names.model).replace("{optimizer}", names.optimizer)

    _unmark(writing)
    writing.cell(
        "import io", "file = io.BytesIO()", filled(f"torch.save({saved}, file)"), "file.seek(0)"
    )
    card = draw.chance("on a card", 0.4)
    place = ".cuda()" if card else ""
    if card:
        writing.cells[-1] = writing.cells[-1].replace(
            "torch.save(", f"{names.model}.cuda()\ntorch.save("
        )
    writing.cell(f"fresh = copy.deepcopy({names.model}){place}", f"{name} = torch.load(file)")
    writing.cell(*(filled(each) for each in uses))
    writing.cell(f"result = fresh(sample{place}) #@forward", "print(round(result.sum().item(), 6))")
    return writing.text({"name": name})


def _unmark(writing: Writing) -> None:
    writing.cells = [each.replace(" #@forward", "") for each in writing.cells]
