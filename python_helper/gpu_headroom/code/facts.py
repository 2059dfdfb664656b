"""What stands under the names of a notebook, as plain facts: no object is kept."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping


class TensorFacts(NamedTuple):
    """A tensor: its shape, the name of its dtype (`float32`), where it is, whether it trains."""

    shape: tuple[int, ...]
    dtype: str
    on_gpu: bool
    requires_grad: bool


class ModelFacts(NamedTuple):
    """A model and all of its parts.

    `classes` are those of its parts, with their modules (`torch.nn.modules.linear.Linear`), and
    those they come from. `training` is `None` where parts are in different modes. `is_trained`:
    an optimizer that is alive has a parameter of it, by identity. `is_frozen`: one of its
    parameters needs no gradient. `own` are the classes of its parts alone, without those they
    come from. `trained` are the paths of its parameters that optimizers have: `fc.weight`.
    """

    classes: frozenset[str]
    own: frozenset[str]
    training: bool | None
    is_trained: bool
    is_frozen: bool
    trained: frozenset[str] = frozenset()


class LoaderFacts(NamedTuple):
    """A loader of PyTorch's; `samples` is the length of its data set where that is certain."""

    batch_size: int | None
    drop_last: bool
    samples: int | None


@dataclass(frozen=True, slots=True)
class Live:
    """What is alive under the person's names.

    `optimizers` have the names of the models that they train; `stepped` are those that have made a
    step. `lengths` are those of lists and tuples. `complete` is false where something that trains
    may not have been seen.
    """

    names: frozenset[str] = frozenset()
    tensors: Mapping[str, TensorFacts] = field(default_factory=dict)
    models: Mapping[str, ModelFacts] = field(default_factory=dict)
    optimizers: Mapping[str, frozenset[str]] = field(default_factory=dict)
    stepped: frozenset[str] = frozenset()
    loaders: Mapping[str, LoaderFacts] = field(default_factory=dict)
    lengths: Mapping[str, int] = field(default_factory=dict)
    complete: bool = True
