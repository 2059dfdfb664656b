"""Training state besides a model: gradients that wait for a step, and optimizer state."""

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


def gradients(situation: Situation) -> Iterator[Freeable]:
    """Yield the gradients of each model and tensor that a variable names."""
    models = situation.models
    for name, value in models.named.items():
        pairs = models.gradients(models.tensors(value))
        if models.storages(gradient for _, gradient in pairs).bytes >= MIB:
            given = situation.heap.retained(
                [gradient for _, gradient in pairs], [tensor for tensor, _ in pairs]
            )
            method, delete = "grad", "grad = None"
            if situation.inspector.is_module(value):
                method, delete = "zero_grad", "zero_grad(set_to_none=True)"
            yield Freeable(
                id=f"gradients:{name}",
                kind="gradients",
                name=name,
                title=message("item.gradients", name=name),
                cost=message("item.gradients.cost"),
                gives=given,
                free=partial(_drop_gradients, situation.shell, name),
                confirm=message("confirm.gradients", name=name),
                code=f'if hasattr(globals().get("{name}"), "{method}"):\n    {name}.{delete}',
            )


def _drop_gradients(shell: Any, name: str) -> None:
    models = Models(shell)
    torch = models.torch
    if torch is None:
        return
    pairs = models.gradients(models.tensors(models.value(name)))
    with torch.quiet():
        for tensor, _ in pairs:
            torch.tensor.grad.__set__(tensor, None)  # type: ignore[attr-defined]  # known at run time


def optimizer_state(situation: Situation) -> Iterator[Freeable]:
    """Yield what each optimizer that a variable names remembers: momentum, squares, steps."""
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
                free=partial(_clear_state, situation.shell, name),
                confirm=message("confirm.optimizer_state", name=name),
                code=f'if hasattr(globals().get("{name}"), "state"):\n    {name}.state.clear()',
            )


def _clear_state(shell: Any, name: str) -> None:
    models = Models(shell)
    dict.clear(models.state(models.value(name)))
