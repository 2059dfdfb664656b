"""Programs of `make fidelity`, beside what PyTorch's allocator took for them."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from benchmarks.fidelity import page
from benchmarks.fidelity.measured import Comparison, Measured
from benchmarks.fidelity.run import play

pytestmark = pytest.mark.timeout(600)

PROGRAMS = (
    *("gpt2", "dropout"),
    *("perceptron_with_SGD", "perceptron_with_autocast", "convolutional_network", "stages"),
    *("stages_with_checkpointing", "transformer_layer", "embedding", "attention"),
    *("attention_in_half_precision", "attention_by_hand", "multi_head_attention_with_weights"),
    *("root_mean_square_normalisation", "group_normalisation", "transposed_convolution"),
    *("lstm", "projected_lstm", "packed_lstm", "bidirectional_gru", "rnn", "lstm_autocast"),
    *("focal_loss", "cross_entropy_with_smoothing", "autocast_float16", "captured_graph"),
    *("graphed_callable", "pool_of_threads", "data_parallel", "copies_between_gpus"),
    *("out_of_memory_in_a_replica", "checkpoint_reentrant_autocast", "activations_on_the_host"),
    *(
        "holes",
        "loader",
        "deep_copy",
        "clipping",
        "scaler",
        "adamw_fused",
        "adafactor",
        "second_derivatives",
    ),
    *("operator_sort", "operator_topk", "operator_multinomial", "operator_randperm"),
    *("operator_unfold", "operator_fourier_transform", "operator_complex", "operator_counted"),
    *("operator_cumulated_mask", "operator_different_with_places", "operator_scattered_by_mask"),
    *("operator_one_hot", "operator_comparison_of_all", "operator_printed", "operator_index_put"),
)


@pytest.fixture(scope="module")
def played() -> dict[str, Measured]:
    """Return what was measured of each program, without values."""
    return play(Path(sys.prefix), "simulator", list(PROGRAMS))


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_takes_what_it_takes_of_the_allocator(
    played: dict[str, Measured], name: str
) -> None:
    """Both peaks are within 5 %, and it ends or runs out of memory at the same line."""
    comparison = Comparison(page.read()["programs"][name].allocator, played[name])
    assert comparison.is_close, (comparison.in_use, comparison.reserved, comparison.simulator.end)
