"""The simulated GPU beside PyTorch's own allocator: a sample of `make fidelity`, in a minute."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.cuda.kernel import VARIABLE, torch_version

from scripts.cuda_table import SIMULATED

if TYPE_CHECKING:
    from benchmarks.fidelity.measured import Comparison

pytestmark = pytest.mark.cuda

SAMPLE = (
    *("gpt2", "resnet", "u_net", "low_rank_adaptation"),
    *("adamw_foreach", "adamw_fused", "lbfgs", "accumulation", "scaler", "threads"),
    *("batch_too_large", "gpt2_runs_out", "holes", "fraction", "retry_in_the_allocator"),
    *("error_that_is_kept", "in_backward", "data_parallel_with_buffers"),
)


@pytest.fixture(scope="module")
def compared() -> dict[str, Comparison]:
    """All of the sample, on both sides."""
    if ".".join(map(str, torch_version())) != SIMULATED:
        pytest.skip(f"the simulated GPU is made for PyTorch {SIMULATED}")
    # Older versions lack what some of its programs use.
    from benchmarks.fidelity.run import compare

    return compare(Path(os.environ[VARIABLE]), SAMPLE)


@pytest.mark.parametrize("name", SAMPLE)
def test_the_simulator_follows_the_allocator(compared: dict[str, Comparison], name: str) -> None:
    """Peaks on each GPU are within 5 %, and memory runs out at the same requests and lines."""
    comparison = compared[name]
    assert comparison.allocator.gpus, comparison.allocator.failure
    assert comparison.is_close, comparison


def test_the_comparison_can_say_no(compared: dict[str, Comparison]) -> None:
    """A program that ran out is not close to one that did not, nor to a larger one."""
    small, large = compared["gpt2"], compared["gpt2_runs_out"]
    assert not type(small)(small.allocator, large.simulator).is_close
    assert not type(small)(large.allocator, small.simulator).is_close
