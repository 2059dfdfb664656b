"""Recurrent layers as PyTorch runs them on a GPU without cuDNN: a fused cell for each step.

PyTorch's C++ code checks the device: on a GPU the gates of each step are two products, which one
kernel turns into the states, in `LSTMCell` and `GRUCell` of `aten/src/ATen/native/RNN.cpp`;
elsewhere, and here if there are values, separate operators compute them. Without values a backward
step is as large as a forward one. The memory that cuDNN would use is unknown without a GPU.
"""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import torch

from . import moves

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from contextlib import AbstractContextManager

    from .machine import Machine
    from .torch_internals import Arguments, Keywords

    State = tuple[torch.Tensor, ...]
    """Tensors passed from step to step, each [batch, width]: hidden state, and cell of an LSTM."""
    Cell = Callable[[torch.Tensor, State, "_Weights"], State]

_native: Any = torch._C._VariableFunctions  # noqa: SLF001 -- what `torch.nn` calls for recurrent layers
_aten = torch.ops.aten
_NOTHING = nullcontext()

_PER_DIRECTION = {(False, False): 2, (True, False): 4, (False, True): 3, (True, True): 5}
"""Number of parameters of a direction, by whether it has biases and a projection."""


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
    hidden, cell, _ = _aten._thnn_fused_lstm_cell.default(  # noqa: SLF001 -- no public name
        of_input, of_hidden, state[1], weights.input_bias, weights.hidden_bias
    )
    if weights.projection is not None:
        hidden = torch.matmul(hidden, weights.projection.t())
    return hidden, cell


def _gru_step(step: torch.Tensor, state: State, weights: _Weights) -> State:
    of_input = torch.matmul(step, weights.input.t())
    of_hidden = torch.matmul(state[0], weights.hidden.t())
    hidden, _ = _aten._thnn_fused_gru_cell.default(  # noqa: SLF001 -- no public name
        of_input, of_hidden, state[0], weights.input_bias, weights.hidden_bias
    )
    return (hidden,)


def _simple_step(kind: Callable[[torch.Tensor], torch.Tensor]) -> Cell:
    """Return the step of a layer without gates."""

    def step(step: torch.Tensor, state: State, weights: _Weights) -> State:
        linear = torch.nn.functional.linear
        of_hidden = linear(state[0], weights.hidden, weights.hidden_bias)
        return (kind(of_hidden.add_(linear(step, weights.input, weights.input_bias))),)

    return step


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
        self, cell: Cell, batches: list[int] | None, inputs: torch.Tensor, states: list[State]
    ) -> tuple[torch.Tensor, list[State]]:
        """Return what the last layer gives out, and the last states of all.

        `batches` tells how many of packed sequences have each step.
        """
        weights = self._weights(has_projection=states[0][0].shape != states[0][-1].shape)
        last: list[State] = []
        for layer in range(self.layers):
            steps = inputs.unbind(0) if batches is None else inputs.split(batches)
            join = torch.stack if batches is None else torch.cat
            outputs = []
            for _ in range(1 + self.bidirectional):
                made, state = _run_direction(cell, steps, states[len(last)], weights[len(last)])
                outputs.append(join(made))
                last.append(state)
            inputs = torch.cat(outputs, -1) if self.bidirectional else outputs[0]
            if self.dropout and self.train and layer < self.layers - 1:
                inputs = torch.native_dropout(inputs, self.dropout, True)[0]
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


def _run_direction(
    cell: Cell, steps: Sequence[torch.Tensor], state: State, weights: _Weights
) -> tuple[list[torch.Tensor], State]:
    """Return the hidden states of all steps, and the last state of each sequence."""
    outputs, ended = [], []
    for step in steps:
        going, before = step.size(0), state[0].size(0)
        if going < before:  # the longest come first in each step of packed sequences
            ended.append([each.narrow(0, going, before - going) for each in state])
            state = tuple([each.narrow(0, 0, going) for each in state])
        state = cell(step, state, weights)
        outputs.append(state[0])
    if ended:
        state = tuple([torch.cat(parts) for parts in zip(state, *reversed(ended), strict=True)])
    return outputs, state


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
        serves = not machine.compute.has_values and _is_on_one_gpu(
            machine, [inputs, *given, *params]
        )
        if not serves or not stack.fits(inputs, given):
            return func(*args, **kwargs)  # C++ says what is wrong
        with within:
            states = list(zip(*(each.unbind(0) for each in given), strict=True))
            steps = inputs.transpose(0, 1) if batch_first else inputs
            lengths = None if batches is None else batches.tolist()
            output, last = stack.run(cell, lengths, steps, states)
            made = [torch.stack(each) for each in zip(*last, strict=True)]
            return output.transpose(0, 1) if batch_first else output, *made

    return run


def _is_on_one_gpu(machine: Machine, tensors: list[torch.Tensor]) -> bool:
    """Whether all are on the same GPU."""
    gpu = machine.gpu_of(tensors[0])
    return gpu is not None and all(machine.gpu_of(tensor) is gpu for tensor in tensors)


LAYERS: dict[Any, Callable[..., Any]] = {
    _native.lstm: _layer(_lstm_step),
    _native.gru: _layer(_gru_step),
    _native.rnn_tanh: _layer(_simple_step(torch.tanh)),
    _native.rnn_relu: _layer(_simple_step(torch.relu)),
}
"""The layers that are served here. Autocast changes the operators within them: `within` is the mode
that casts for these."""
