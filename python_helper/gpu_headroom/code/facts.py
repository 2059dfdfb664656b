"""Facts about the values of a notebook's variables, without a reference to any object."""

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
    """Facts about the values that are alive, by variable name.

    `lengths` are of lists and tuples. `streams` are values that reading exhausts, such as
    iterators. `loads` are values with a `load_state_dict`. `entries` are the keys of a dict whose
    value is at most a number or a text. `accumulates` are the batches of one optimizer step.
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
