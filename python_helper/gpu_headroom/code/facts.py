"""What stands under the names of a notebook, as plain facts: no object is kept."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping


class ModelFacts(NamedTuple):
    """A model: the names of the classes of its parts, and how its library checkpoints it.

    `checkpoints` is the method that turns that on, empty where it has none or has done so.
    `is_idle`: parameters of it require gradients although no optimizer has them; `trained` are its
    parts that one has parameters of.
    """

    classes: frozenset[str]
    checkpoints: str = ""
    is_idle: bool = False
    trained: tuple[str, ...] = ()


class ScheduleFacts(NamedTuple):
    """A schedule of the learning rate that is made for a number of steps."""

    attribute: str
    steps: int


@dataclass(frozen=True, slots=True)
class Live:
    """What is alive under the user's names.

    `lengths` are those of lists and tuples, `streams` names of what is used up by being read,
    `loads` those of what has a `load_state_dict`, `entries` keys of dicts under which no more than
    a number or a text stands, `accumulates` numbers of batches for one step, by their names.
    """

    models: Mapping[str, ModelFacts] = field(default_factory=dict)
    lengths: Mapping[str, int] = field(default_factory=dict)
    streams: frozenset[str] = frozenset()
    schedules: Mapping[str, ScheduleFacts] = field(default_factory=dict)
    accumulates: Mapping[str, int] = field(default_factory=dict)
    loads: frozenset[str] = frozenset()
    entries: Mapping[str, frozenset[str]] = field(default_factory=dict)
    foreign: frozenset[str] = frozenset()
    """Names of what files beside the notebook have defined: what that does is not known."""
    trainer: str = ""
    """The name of a trainer's arguments whose flag turns checkpointing on, where it is off."""
