"""Gradients that wait for an optimizer's step."""

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
    """Yield the gradients of each model and tensor that a variable names."""
    models = situation.models
    for name, value in models.named.items():
        pairs = models.gradients(models.tensors(value))
        if models.storages(gradient for _, gradient in pairs).bytes >= MIB:
            given = situation.heap.retained(
                [gradient for _, gradient in pairs], [tensor for tensor, _ in pairs]
            )
            is_model = any(True for _ in models.parts(value))
            method, delete = "grad", "grad = None"
            if is_model:
                method, delete = "zero_grad", "zero_grad(set_to_none=True)"
            yield Freeable(
                id=f"gradients:{name}",
                kind="gradients",
                name=name,
                title=message("item.gradients", name=name),
                cost=message("item.gradients.cost"),
                gives=given,
                free=partial(_free, situation.shell, name),
                confirm=message("confirm.gradients", name=name),
                code=f'if hasattr(globals().get("{name}"), "{method}"):\n    {name}.{delete}',
            )


def _free(shell: Any, name: str) -> None:
    models = Models(shell)
    torch = models.torch
    if torch is None:
        return
    pairs = models.gradients(models.tensors(models.value(name)))
    with torch.quiet():
        for tensor, _ in pairs:
            torch.tensor.grad.__set__(tensor, None)  # type: ignore[attr-defined]  # known at run time
