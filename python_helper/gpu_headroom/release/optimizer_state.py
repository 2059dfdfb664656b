"""What optimizers remember of each parameter: momentum, squares, steps."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from ..text.format import MIB
from ..text.messages import message
from .freeable import Freeable
from .models import Models

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .situation import Situation


def items(situation: Situation) -> Iterator[Freeable]:
    """Yield the state of each optimizer that a variable names."""
    models = situation.models
    for name, optimizer in models.optimizers.items():
        state = models.state(optimizer)
        if models.storages(models.tensors_in(state)).bytes >= MIB:
            yield Freeable(
                id=f"optimizer_state:{name}",
                kind="optimizer_state",
                name=name,
                title=message("item.optimizer_state", name=name),
                cost=message("item.optimizer_state.cost"),
                gives=situation.heap.retained(list(dict.values(state)), [state]),
                free=partial(_free, situation.shell, name),
                confirm=message("confirm.optimizer_state", name=name),
                code=f'if hasattr(globals().get("{name}"), "state"):\n    {name}.state.clear()',
            )


def _free(shell: Any, name: str) -> None:
    models = Models(shell)
    dict.clear(models.state(models.value(name)))
