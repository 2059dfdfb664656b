"""Recurrent layers and their cells: what they compute is what the host computes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import torch
from torch import nn
from torch.nn.utils.rnn import PackedSequence, pack_padded_sequence

if TYPE_CHECKING:
    from collections.abc import Callable

    from gpu_simulator.simulation import Simulation

LAYERS: dict[str, Callable[[], nn.RNNBase]] = {
    "LSTM": lambda: nn.LSTM(8, 16),
    "LSTM without biases": lambda: nn.LSTM(8, 16, bias=False, batch_first=True),
    "LSTM of two layers in both directions": lambda: nn.LSTM(8, 16, 2, bidirectional=True),
    "LSTM with projection": lambda: nn.LSTM(8, 16, 2, proj_size=4, bidirectional=True),
    "GRU": lambda: nn.GRU(8, 16, batch_first=True),
    "GRU without biases": lambda: nn.GRU(8, 16, bias=False),
    "GRU of two layers in both directions": lambda: nn.GRU(8, 16, 2, bidirectional=True),
    "RNN": lambda: nn.RNN(8, 16, bidirectional=True),
}


def states_of(layer: nn.Module, inputs: Any) -> list[torch.Tensor]:
    """Return everything that a layer gives back, and the gradients of its parameters."""
    output, state = layer(inputs)
    states = [*state] if isinstance(state, tuple) else [state]
    output = output.data if isinstance(output, PackedSequence) else output
    results: list[torch.Tensor] = [output, *states]
    torch.stack([each.square().sum() for each in results]).sum().backward()
    return [*results, *(each.grad for each in layer.parameters() if each.grad is not None)]


@pytest.mark.filterwarnings("ignore:LSTM with projections is not supported with oneDNN")
@pytest.mark.parametrize("packed", [False, True], ids=["full", "packed"])
@pytest.mark.parametrize("name", LAYERS)
def test_layer_computes_what_the_host_does(
    name: str, packed: bool, valued_card: Simulation
) -> None:
    """Results, states and gradients, of sequences of one length and of several."""
    layer = LAYERS[name]()
    batch = torch.randn(5, 5, 8)
    inputs: Any = batch
    if packed:
        lengths = torch.tensor([5, 4, 4, 2, 1])
        inputs = pack_padded_sequence(batch, lengths, batch_first=layer.batch_first)
    wanted = states_of(layer, inputs)
    layer.zero_grad()
    layer = layer.to("cuda")
    found = states_of(layer, inputs.to("cuda"))
    assert valued_card is not None
    assert len(found) == len(wanted)
    assert found[0].device.type == "cuda"
    for one, other in zip(found, wanted, strict=True):
        torch.testing.assert_close(one.cpu(), other)


@pytest.mark.parametrize("kind", [nn.LSTMCell, nn.GRUCell])
def test_cell_computes_what_the_host_does(kind: Any, valued_card: Simulation) -> None:
    """A cell that is called by hand, without a state and with the one that it made."""

    def play(cell: nn.Module, step: torch.Tensor) -> list[torch.Tensor]:
        state = cell(step, cell(step))
        found = [*state] if isinstance(state, tuple) else [state]
        torch.stack([each.square().sum() for each in found]).sum().backward()
        return [*found, *(each.grad for each in cell.parameters() if each.grad is not None)]

    assert valued_card is not None
    cell, step = kind(8, 16), torch.randn(4, 8)
    wanted = play(cell, step)
    cell.zero_grad()
    found = play(cell.cuda(), step.cuda())
    for one, other in zip(found, wanted, strict=True):
        torch.testing.assert_close(one.cpu(), other)


@pytest.mark.parametrize("shape", [(16,), (4, 16)])
@pytest.mark.parametrize("weighted", [True, False])
def test_root_mean_square_normalisation_computes_what_the_host_does(
    shape: tuple[int, ...], weighted: bool, valued_card: Simulation
) -> None:
    """Results, gradients, and gradients of gradients."""

    def play(layer: nn.Module, inputs: torch.Tensor) -> list[torch.Tensor]:
        result = layer(inputs)
        wanted = [inputs, *layer.parameters()]
        once = torch.autograd.grad(result.sin().sum(), wanted, create_graph=True)
        squares = torch.stack([each.square().sum() for each in once]).sum()
        twice = torch.autograd.grad(squares, wanted)
        layer(inputs).sin().sum().backward()
        return [result, *once, *twice, *(each.grad for each in wanted if each.grad is not None)]

    assert valued_card is not None
    layer = nn.RMSNorm(shape, elementwise_affine=weighted)
    inputs = torch.randn(3, 4, 16)
    wanted = play(layer, inputs.clone().requires_grad_())
    layer.zero_grad()
    found = play(layer.cuda(), inputs.cuda().requires_grad_())
    assert len(found) == len(wanted)
    for one, other in zip(found, wanted, strict=True):
        torch.testing.assert_close(one.cpu(), other)


@pytest.mark.parametrize("kind", [nn.LSTM, nn.GRU])
def test_layer_under_autocast_gives_half_precision(kind: Any, card: Simulation) -> None:
    """Autocast changes the operators within a layer, whose parameters stay as they are."""
    assert card is not None
    layer = kind(8, 16, bidirectional=True).cuda()
    with torch.autocast("cuda", dtype=torch.bfloat16):
        output, _ = layer(torch.randn(5, 3, 8, device="cuda"))
    output.float().sum().backward()
    assert output.dtype is torch.bfloat16
    assert layer.weight_hh_l0.grad.dtype is torch.float32


@pytest.mark.parametrize("kind", [nn.LSTM, nn.GRU])
def test_gradients_of_gradients(kind: Any, valued_card: Simulation) -> None:
    """Backward of a cell has a form that can be differentiated."""

    def play(layer: nn.Module, inputs: torch.Tensor) -> torch.Tensor:
        (once,) = torch.autograd.grad(layer(inputs)[0].sum(), inputs, create_graph=True)
        return torch.autograd.grad(once.square().sum(), inputs)[0]

    assert valued_card is not None
    layer, inputs = kind(8, 16), torch.randn(5, 3, 8)
    wanted = play(layer, inputs.clone().requires_grad_())
    found = play(layer.cuda(), inputs.cuda().requires_grad_())
    torch.testing.assert_close(found.cpu(), wanted)


def test_wrong_arguments_raise_what_they_raise_on_a_card(card: Simulation) -> None:
    """C++ looks at what does not fit."""
    assert card is not None
    layer = nn.LSTM(8, 16).cuda()
    inputs = torch.randn(5, 3, 8, device="cuda")
    states = [torch.zeros(2, 3, 16, device="cuda")] * 2
    parameters: list[torch.Tensor] = [*layer.parameters()]
    rest = (True, 1, 0.0, True, False, False)
    with pytest.raises(RuntimeError, match="Expected more hidden states in stacked_rnn"):
        torch.lstm(inputs, states, parameters, *rest)
    with pytest.raises(RuntimeError, match="got an incorrect number of RNN parameters"):
        torch.lstm(inputs, [each[:1] for each in states], parameters[:3], *rest)
    with pytest.raises(RuntimeError, match="Expected sequence length to be larger than 0"):
        layer(inputs[:0])
    with pytest.raises(RuntimeError, match="not at the same device"):
        layer(inputs.cpu())
    with pytest.raises(RuntimeError, match="hidden0 has inconsistent hidden_size"):
        nn.GRUCell(8, 16).cuda()(inputs[0], states[0][0, :, :4])
