"""Trainings that evaluate in between, with gradients and in whatever mode."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.edits.pieces.training import training

if TYPE_CHECKING:
    from benchmarks.edits.pieces.draw import Draw

_BEHIND = (
    "last = {called}",
    "for _ in range(2):\n    found = {called}",
    "scorer = validate\nscored = scorer({given})",
    (
        "{optimizer}.zero_grad()\ngoal = {called}\nif torch.is_tensor(goal) and goal.requires_grad:"
        "\n    goal.sum().backward()\n    {optimizer}.step()"
    ),
    "before = {model}.training\nfound = {called}\nkept_mode = before == {model}.training",
)


def program(draw: Draw) -> str:
    """Write a training that calls an evaluation."""
    # A loop that ends by a value may end elsewhere: dropout draws other numbers.
    draw.force(validates=True, control=draw.pick("own control", ["none", "skip", "continue"]))
    if draw.chance("plain evaluation", 0.7):
        draw.force(**{"evaluation no_grad": False, "evaluation eval": False})
    behind = list[str]()
    if draw.chance("called again", 0.4):
        takes = draw.pick("evaluation takes", ["", "net_"])
        draw.force(**{"evaluation takes": takes})
        given = "{model}" if takes else ""
        text = draw.pick("again", _BEHIND).replace("{called}", f"validate({given})")
        behind.append(text.replace("{given}", given))
    made = training(draw, within_loop=["modes.append({model}.training)"], behind=behind)
    made.writing.cells[1] += "\nmodes = []"
    return made.writing.text({"model": made.names.model}, "evaluated")
