"""Recurrent layers as PyTorch runs them on a card without cuDNN: a fused cell for each step.

C++ asks for the device: on a card the gates of each step are two products, which one kernel turns
into the states, in `LSTMCell` and `GRUCell` of `aten/src/ATen/native/RNN.cpp`; elsewhere operators
do it one by one. What cuDNN would take instead cannot be known without a card.
"""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import torch

from . import moves
from .torch_internals import tensors_in

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from contextlib import AbstractContextManager

    from .machine import Machine
    from .torch_internals import Arguments, Keywords

    State = tuple[torch.Tensor, ...]
    """What goes from step to step, each [batch, width]: hidden state, and the cell of an LSTM."""
    Cell = Callable[[torch.Tensor, State, "_Weights"], State]

_native: Any = torch._C._VariableFunctions  # noqa: SLF001 -- what `torch.nn` calls for recurrent layers
_aten = torch.ops.aten
_NOTHING = nullcontext()

_PER_DIRECTION = {(False, False): 2, (True, False): 4, (False, True): 3, (True, True): 5}
"""How many parameters a direction has, by its biases and its projection."""


class _Weights(NamedTuple):
    """The parameters of one layer in one direction."""

    input: torch.Tensor
    hidden: torch.Tensor
    input_bias: torch.Tensor | None
    hidden_bias: torch.Tensor | None
    projection: torch.Tensor | None


def _lstm_step(step: torch.Tensor, state: State, weights: _Weights) -> State:
    of_input = torch.matmul(step, weights.input.t())
    of_hidden = torch.matmul(state[0], weights.hidden.t())
    hidden, cell, saved = _aten._thnn_fused_lstm_cell.default(  # noqa: SLF001 -- no public name
        of_input, of_hidden, state[1], weights.input_bias, weights.hidden_bias
    )
    if weights.projection is not None:
        hidden = torch.matmul(hidden, weights.projection.t())
    del saved, of_hidden, of_input  # the last first, as C++ does
    return hidden, cell


def _gru_step(step: torch.Tensor, state: State, weights: _Weights) -> State:
    of_input = torch.matmul(step, weights.input.t())
    of_hidden = torch.matmul(state[0], weights.hidden.t())
    hidden, saved = _aten._thnn_fused_gru_cell.default(  # noqa: SLF001 -- no public name
        of_input, of_hidden, state[0], weights.input_bias, weights.hidden_bias
    )
    del saved, of_hidden, of_input  # as above
    return (hidden,)


def _simple_step(kind: Callable[[torch.Tensor], torch.Tensor]) -> Cell:
    """Return the step of a layer without gates."""

    def step(step: torch.Tensor, state: State, weights: _Weights) -> State:
        linear = torch.nn.functional.linear
        of_hidden = linear(state[0], weights.hidden, weights.hidden_bias)
        return (kind(of_hidden.add_(linear(step, weights.input, weights.input_bias))),)

    return step


class _Full:
    """Sequences of one length, [length, batch, width]."""

    def steps(self, inputs: torch.Tensor) -> tuple[torch.Tensor, ...]:
        """Return the inputs of each step, which both directions share."""
        return inputs.unbind(0)

    def run(
        self,
        cell: Cell,
        steps: Sequence[torch.Tensor],
        state: State,
        weights: _Weights,
        *,
        back: bool,
    ) -> tuple[torch.Tensor, State, list[torch.Tensor]]:
        """Return the hidden states of all steps, the last state, and what C++ still keeps."""
        outputs = []
        for step in reversed(steps) if back else steps:
            state = cell(step, state, weights)
            outputs.append(state[0])
        outputs = outputs[::-1] if back else outputs
        return torch.stack(outputs, 0), state, outputs


@dataclass
class _Packed:
    """Packed sequences, [steps of all, width]; the longest come first in each step."""

    batches: list[int]
    """How many sequences have each step."""

    def steps(self, inputs: torch.Tensor) -> tuple[torch.Tensor, ...]:
        """Return all inputs: each direction takes its steps by itself."""
        return (inputs,)

    def run(
        self,
        cell: Cell,
        steps: Sequence[torch.Tensor],
        state: State,
        weights: _Weights,
        *,
        back: bool,
    ) -> tuple[torch.Tensor, State, list[torch.Tensor]]:
        """Return the hidden states of all steps, the last state of each sequence, and nothing."""
        run = self._backward if back else self._forward
        outputs, states = run(cell, steps[0], state, weights)
        made = torch.cat(outputs, 0)
        last = states[0] if back else _joined(states)
        _let_go(outputs)
        return made, last, []

    def _forward(
        self, cell: Cell, inputs: torch.Tensor, state: State, weights: _Weights
    ) -> tuple[list[torch.Tensor], list[State]]:
        """Sequences end: their states are put aside."""
        outputs, ended = [], []
        offset, before = 0, self.batches[0]
        for batch in self.batches:
            step = inputs.narrow(0, offset, batch)
            if batch < before:
                ended.append(_part(state, batch, before))
                state = _part(state, 0, batch)
            offset, before = offset + batch, batch
            state = cell(step, state, weights)
            outputs.append(state[0])
        return outputs, [state, *reversed(ended)]

    def _backward(
        self, cell: Cell, inputs: torch.Tensor, state: State, weights: _Weights
    ) -> tuple[list[torch.Tensor], list[State]]:
        """Sequences begin, with the states that they were given."""
        outputs = []
        first, offset, before = state, inputs.size(0), self.batches[-1]
        state = _part(first, 0, before)
        for batch in reversed(self.batches):
            if batch > before:
                state = _joined([state, _part(first, before, batch)])
            offset, before = offset - batch, batch
            state = cell(inputs.narrow(0, offset, batch), state, weights)
            outputs.append(state[0])
        return outputs[::-1], [state]


def _let_go(values: list[Any]) -> None:
    """Let go of the first of `values` first, as C++ does; Python's lists begin with the last."""
    values.reverse()
    values.clear()


def _of_each(work: Callable[[Any], torch.Tensor], values: Iterable[Any]) -> State:
    """Return what `work` makes of each of `values`; GCC works out the last argument first."""
    return tuple([work(each) for each in [*values][::-1]][::-1])


def _part(state: State, start: int, end: int) -> State:
    return _of_each(lambda each: each.narrow(0, start, end - start), state)


def _joined(states: Sequence[State]) -> State:
    """Return the states of all sequences, side by side."""
    return _of_each(partial(torch.cat, dim=0), zip(*states, strict=True))


@dataclass
class _Stack:
    """The arguments of one call, whatever kind of layer and of sequence."""

    params: list[torch.Tensor]
    has_biases: bool
    layers: int
    dropout: float
    train: bool
    bidirectional: bool

    def fits(self, inputs: torch.Tensor, states: list[torch.Tensor]) -> bool:
        """Whether there are inputs, and states and parameters for each layer and direction."""
        count = self.layers * (1 + self.bidirectional)
        if not inputs.size(0) or any(state.dim() != 3 for state in states):  # noqa: PLR2004 -- layers, batch, width
            return False
        size = _PER_DIRECTION[self.has_biases, states[0].size(2) != states[-1].size(2)]
        return len(self.params) == size * count and all(state.size(0) == count for state in states)

    def run(
        self, cell: Cell, sequence: _Full | _Packed, inputs: torch.Tensor, states: list[State]
    ) -> tuple[torch.Tensor, list[State]]:
        """Return what the last layer gives out, and the last states of all."""
        weights = self._weights(has_projection=states[0][0].shape != states[0][-1].shape)
        each = 1 + self.bidirectional
        last: list[State] = []
        for layer in range(self.layers):
            own = slice(layer * each, (layer + 1) * each)
            inputs, reached = _run_layer(cell, sequence, inputs, states[own], weights[own])
            last += reached
            if self.dropout and self.train and layer < self.layers - 1:
                inputs = _dropped(inputs, self.dropout)
        return inputs, last

    def _weights(self, *, has_projection: bool) -> list[_Weights]:
        """Return the parameters of each layer and direction, in their order."""
        size = _PER_DIRECTION[self.has_biases, has_projection]
        found = []
        for start in range(0, len(self.params), size):
            matrices = self.params[start : start + 2]
            biases = self.params[start + 2 : start + 4] if self.has_biases else [None, None]
            projection = self.params[start + size - 1] if has_projection else None
            found.append(_Weights(matrices[0], matrices[1], biases[0], biases[1], projection))
        return found


def _run_layer(
    cell: Cell,
    sequence: _Full | _Packed,
    inputs: torch.Tensor,
    states: list[State],
    weights: list[_Weights],
) -> tuple[torch.Tensor, list[State]]:
    """Return what one layer gives out, side by side if it has two directions, and its last states.

    What was kept of the first direction goes when both are done.
    """
    steps = sequence.steps(inputs)
    made = [
        sequence.run(cell, steps, state, parameters, back=direction == 1)
        for direction, (state, parameters) in enumerate(zip(states, weights, strict=True))
    ]
    joined = torch.cat([output for output, *_ in made], -1) if len(made) > 1 else made[0][0]
    last = [state for _, state, _ in made]
    while made:
        output, _, kept = made.pop()
        del output
        _let_go(kept)
    return joined, last


def _dropped(tensor: torch.Tensor, p: float) -> torch.Tensor:
    return torch.native_dropout(tensor, p, True)[0] if p < 1 else torch.dropout(tensor, p, True)


_FULL = ("input", "hx", "params", "has_biases", "num_layers")
_PACKED = ("data", "batch_sizes", "hx", "params", "has_biases", "num_layers")
_OPTIONS = ("dropout", "train", "bidirectional")


def _layer(cell: Cell) -> Callable[..., Any]:
    """Return what serves `torch.lstm` or `torch.gru`, for sequences of one length and packed."""

    def run(
        machine: Machine,
        func: Any,
        args: Arguments,
        kwargs: Keywords,
        within: AbstractContextManager[object] = _NOTHING,
    ) -> Any:
        is_packed = "data" in kwargs or (len(args) > 3 and isinstance(args[3], (list, tuple)))  # noqa: PLR2004 -- where the parameters are
        batches, batch_first = None, False
        if is_packed:
            inputs, batches, hx, params, *options = moves.bind(_PACKED + _OPTIONS, args, kwargs)
        else:
            names = (*_FULL, *_OPTIONS, "batch_first")
            inputs, hx, params, *options, batch_first = moves.bind(names, args, kwargs)
        stack = _Stack(list(params), *options)
        given = list(hx) if isinstance(hx, (list, tuple)) else [hx]
        if not _is_on_one_card(machine, [inputs, *given, *params]) or not stack.fits(inputs, given):
            return func(*args, **kwargs)  # C++ says what is wrong
        sequence = _Full() if batches is None else _Packed(batches.tolist())
        with within:
            states = list(zip(*(each.unbind(0) for each in given), strict=True))
            steps = inputs.transpose(0, 1) if batch_first else inputs
            output, last = stack.run(cell, sequence, steps, states)
            made = _of_each(partial(torch.stack, dim=0), zip(*last, strict=True))
            _let_go(last)
            return output.transpose(0, 1) if batch_first else output, *made

    return run


def _is_on_one_card(machine: Machine, tensors: list[torch.Tensor]) -> bool:
    """Whether all are on the same card."""
    card = machine.card_of(tensors[0])
    return card is not None and all(machine.card_of(tensor) is card for tensor in tensors)


def _single(cell: Cell, gates: int) -> Callable[[Machine, Any, Arguments, Keywords], Any]:
    """Return what serves `torch.lstm_cell` or `torch.gru_cell`."""

    def run(machine: Machine, func: Any, args: Arguments, kwargs: Keywords) -> Any:
        names = ("input", "hx", "w_ih", "w_hh", "b_ih", "b_hh")
        step, hx, w_ih, w_hh, b_ih, b_hh = moves.bind(names, args, kwargs)
        state = tuple(hx) if isinstance(hx, (list, tuple)) else (hx,)
        weights = _Weights(w_ih, w_hh, b_ih, b_hh, None)
        fits = (
            _is_on_one_card(machine, tensors_in((step, state, weights), []))
            and step.dim() == 2  # noqa: PLR2004 -- batch and width
            and step.size(1) == w_ih.size(1)
            and w_ih.size(0) == w_hh.size(0) == gates * w_hh.size(1)
            and all(each.shape == (step.size(0), w_hh.size(1)) for each in state)
        )
        if not fits:
            return func(*args, **kwargs)
        made = cell(step, state, weights)
        return made if len(made) > 1 else made[0]

    return run


LAYERS: dict[Any, Callable[..., Any]] = {
    _native.lstm: _layer(_lstm_step),
    _native.gru: _layer(_gru_step),
    _native.rnn_tanh: _layer(_simple_step(torch.tanh)),
    _native.rnn_relu: _layer(_simple_step(torch.relu)),
}
"""The layers that are served here. Autocast changes the operators within them: `within` is the mode
that casts for these."""

CALLS: dict[Any, Callable[..., Any]] = {
    **LAYERS,
    _native.lstm_cell: _single(_lstm_step, 4),
    _native.gru_cell: _single(_gru_step, 3),
}
"""All functions of PyTorch that are served here."""
