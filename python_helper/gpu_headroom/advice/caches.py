"""What keeps a container, as far as names tell: a cache, a trainer's evaluation."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..holders.groups import Group

_CACHE = re.compile(r"cache|past_?key|_kv$|^kvs?$|memo(?:s|ized)?$", re.IGNORECASE)

# Functions of Transformers' trainer that gather what it predicts.
_EVALUATES = ("evaluation_loop", "prediction_loop", "nested_concat", "torch_pad_and_concatenate")


def is_cache(group: Group) -> bool:
    """Whether a container is called a cache, or its class is, or an object keeps it by keys."""
    if group.keyed and "." in group.path:
        return True
    return any(_CACHE.search(text) for text in (group.last_name, group.type_name or ""))


def of_evaluation(group: Group) -> bool:
    """Whether a trainer's own loop of evaluation keeps it."""
    return group.function.rpartition(".")[2] in _EVALUATES
