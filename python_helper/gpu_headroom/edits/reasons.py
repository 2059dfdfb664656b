"""What edits say where they cannot be proven, for translators."""

from __future__ import annotations

from importlib import import_module

from ..code import gate
from ..code.find import words

_EDITS = words(
    """accumulation autocast average backward_each cache checkpointing chunks clear_gradients delete
    dtype eval_mode fraction garbage keep_numbers model_memory no_grad number on_host one_at_a_time
    optimizer per_batch same_shape untrained"""
)
_SPEAKING = (gate, *[import_module(f".{edit}", __package__) for edit in sorted(_EDITS)])
TEXTS: dict[str, str] = {name: text for module in _SPEAKING for name, text in module.TEXTS.items()}
