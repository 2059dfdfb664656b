"""Cells that end in a value, which a notebook shows and keeps."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.edits.pieces.training import training

if TYPE_CHECKING:
    from benchmarks.edits.pieces.draw import Draw, Writing

_VALUES = (
    "{model}(sample)",
    "{model}(sample).argmax(-1)",
    "F.softmax({model}(sample), dim=-1)  # of four",
    "[p.detach() * 2 for p in {model}.parameters()]",
    "sample * 2 if sample.sum() > 0 else sample",
    "torch.cat([\n    sample,\n    sample,\n])",
    "%time {model}(sample)",
    "sample.mean().item()",
    "(lambda a: a + 1)(sample)",
    "{model}.eval()",
)
_BEHIND = (
    "shown = _.sum().item()",
    "kept = [type(each).__name__ for each in Out.values()]",
    "last = Out[len(Out)] if len(Out) in Out else None",
    "for _ in range(2):\n    pass\nrounds = _",
    "first, _ = sample.split(2)\nhalf = first.sum().item()",
    "def under():\n    return 3 if '_' else 4\nn = under()",
    "print('done')",
    "values = locals().get('_') is None",
    "total = sum(p.sum() for p in {model}.parameters()).item()",
)


def program(draw: Draw) -> str:
    """Write a training, a cell that ends in a value, and cells behind it."""
    value = draw.pick("value", _VALUES)
    draw.force(**{"cells behind": draw.pick("fewer cells", [0, 1])})
    made = training(draw)
    names = vars(made.names)

    def filled(text: str) -> str:
        for role, name in names.items():
            text = text.replace(f"{{{role}}}", name)
        return text

    head, _, rest = filled(value).partition("\n")
    writing: Writing = made.writing
    writing.cell(f"{head} #@forward" + (f"\n{rest}" if rest else ""))
    for cell in range(len(writing.cells) - 1):
        writing.cells[cell] = writing.cells[cell].replace(" #@forward", "")
    for n in range(draw.number("reads", 0, 2)):
        writing.cell(filled(draw.pick(f"read {n}", _BEHIND)))
    return writing.text({})
