"""What is measured of a failure on a simulated GPU, against the allocator's own numbers."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from gpu_headroom.concurrency.turns import Turn
from gpu_headroom.oom import evidence as evidences
from gpu_headroom.oom.earlier import Tries
from gpu_headroom.oom.fitting import fitting
from gpu_headroom.release import outcome as releasing
from gpu_headroom.reports import model as reports
from gpu_headroom.text.format import GIB, MIB
from gpu_simulator import simulate
from tests.notebook import Notebook, open_notebook

if TYPE_CHECKING:
    from gpu_headroom.oom.evidence import Evidence
    from gpu_headroom.oom.failure import Failure
    from gpu_headroom.reports.model import BuiltReport

GPU = "2 GiB"
START = """
import torch
from torch import nn
model = nn.Sequential(*[nn.Linear(1024, 1024) for _ in range(8)]).cuda()
optimizer = torch.optim.Adam(model.parameters())
def step(batch):
    x = torch.randn(batch, 1024, device="cuda")
    loss = model(x).sum()
    loss.backward()
    optimizer.step()
step(16)
"""


def fail(notebook: Notebook, source: str) -> Failure:
    """Run a cell that runs out of memory."""
    result = notebook.run(source)
    assert not result.success
    return notebook.failure(result)


def measure(failure: Failure) -> Evidence:
    """Measure a failure with time enough."""
    return evidences.measure(failure, Turn(30.0))


def build(failure: Failure) -> BuiltReport:
    """Build a report with time enough."""
    evidence = measure(failure)
    return reports.report_of(evidence)


def parts(report: Any) -> dict[str, int]:
    """Return the parts of the bar by kind."""
    return {part["kind"]: part["bytes"] for part in report["parts"]}


def test_parts_add_up_to_the_allocators_numbers(notebook: Notebook) -> None:
    """What is in use is split without a byte lost or won, and with the rest fills the GPU."""
    failure = fail(notebook, "batch_size = 128 * 1024\nstep(batch_size)")
    assert failure.capture is not None
    stats = failure.capture.stats
    sizes = parts(build(failure).report)
    in_use = stats["allocated_bytes"]["all"]["current"]
    reserved = stats["reserved_bytes"]["all"]["current"]
    tensors = sum(sizes.get(kind, 0) for kind in sizes if kind not in ("outside", "cached", "free"))
    assert tensors == in_use
    assert sizes["cached"] == reserved - in_use
    assert sizes["free"] == failure.capture.free_bytes
    assert sum(sizes.values()) == 2 * GIB


def test_parts_are_what_theory_says(notebook: Notebook) -> None:
    """Parameters, gradients and Adam's state are exact; the order is that of the bar."""
    report = build(fail(notebook, "step(128 * 1024)")).report
    sizes = parts(report)
    model = 8 * (1024 * 1024 * 4 + 1024 * 4)
    assert sizes["parameters"] == sizes["gradients"] == model
    assert sizes["optimizer_state"] == pytest.approx(2 * model, abs=16 * 512)
    assert sizes["workspaces"] == 2 * 8.125 * MIB
    assert sizes.get("not_attributed", 0) < MIB
    order = ["outside", "parameters", "optimizer_state", "gradients", "activations"]
    assert list(sizes)[:5] == order


def test_measures_what_the_traceback_keeps(notebook: Notebook) -> None:
    """The bytes that a release of the traceback will give are known before."""
    evidence = measure(fail(notebook, "step(128 * 1024)"))
    size = evidence.traceback_bytes
    del evidence
    outcome = releasing.run(["traceback"], notebook.situation(), notebook.read)
    assert outcome.freed_bytes == size


def test_leaves_nothing_behind(notebook: Notebook) -> None:
    """Measuring, building and showing a report keeps no tensor and no frame alive."""
    from gpu_headroom.render.bundle import bundle

    before = notebook.in_use()
    built = build(fail(notebook, "step(128 * 1024)"))
    assert bundle(built.report, keep=True)
    assert notebook.in_use() > before
    releasing.run(None, notebook.situation(), notebook.read)
    assert notebook.in_use() == before


def test_names_the_failing_line(notebook: Notebook) -> None:
    """The line is that of the failing cell, also where a function of another cell failed."""
    assert measure(fail(notebook, "a = 1\n\nstep(128 * 1024)")).scene.line == 3
    inner = "def work():\n    return torch.empty(2**33, device='cuda')\nwork()"
    assert measure(fail(notebook, inner)).scene.line == 2


def test_finds_the_literal_that_memory_scales_with(notebook: Notebook) -> None:
    """The batch size is proven by tensors that have that many rows."""
    evidence = measure(fail(notebook, "batch_size = 128 * 1024\nbs = 64\nstep(batch_size)"))
    assert evidence.batch is not None
    assert (evidence.batch.name, evidence.batch.value) == ("batch_size", 128 * 1024)
    assert evidence.share(evidence.batch_bytes) > 0.5


def test_an_error_that_is_being_handled_is_no_earlier_cells(notebook: Notebook) -> None:
    """Inside an `except` the variables of the code that failed are still alive."""
    work = "def work():\n    x = torch.empty(2**30, dtype=torch.uint8, device='cuda')\n    1/0\n"
    retry = "    y = torch.empty(2**30, dtype=torch.uint8, device='cuda')"
    source = f"{work}try:\n    work()\nexcept ArithmeticError:\n{retry}"
    evidence = measure(fail(notebook, source))
    cause = build(evidence.failure).report["cause"]
    assert cause is not None
    assert cause["claim"]["id"] == "cause.earlier-traceback.handled"


def test_doubts_that_the_same_cell_fits_after_freeing(notebook: Notebook) -> None:
    """Run again it takes the same memory, so it fails again."""
    evidence = measure(fail(notebook, "step(128 * 1024)"))
    assert evidence.fits_after_free is False


def test_knows_that_it_fits_without_an_earlier_traceback(notebook: Notebook) -> None:
    """What an earlier error held is measured at the failure, and was all that was in the way."""
    notebook.run(
        "def work():\n    x = torch.empty(2**30, dtype=torch.uint8, device='cuda')\n    1/0\nwork()"
    )
    evidence = measure(fail(notebook, "y = torch.empty(2**30, dtype=torch.uint8, device='cuda')"))
    assert evidence.earlier_traceback_bytes == GIB
    assert evidence.fits_after_free is True
    report = build(evidence.failure).report
    assert report["cause"] is not None
    assert report["cause"]["claim"]["id"] == "cause.earlier-traceback"
    del evidence, report
    releasing.run(None, notebook.situation(), notebook.read)
    assert notebook.run("y = torch.empty(2**30, dtype=torch.uint8, device='cuda')").success


@pytest.mark.parametrize(
    "source",
    [
        "many = [torch.empty(2**26, device='cuda') for _ in range(40)]",
        "many = list(map(lambda n: torch.empty(2**26, device='cuda'), range(40)))",
    ],
)
def test_says_what_came_back_by_itself(notebook: Notebook, source: str) -> None:
    """Python lets go of a list in the making with the error, so nothing is left to free."""
    before = notebook.in_use()
    evidence = measure(fail(notebook, source))
    assert notebook.in_use() == before
    assert evidence.let_go_bytes
    assert evidence.let_go_bytes % 2**28 == 0
    assert evidence.memory.in_use_bytes == before + evidence.let_go_bytes
    assert evidence.traceback_bytes == 0
    report = build(evidence.failure).report
    parts = {row["kind"]: row["bytes"] for row in report["parts"]}
    assert parts["temporaries"] == evidence.let_go_bytes
    assert "not_attributed" not in parts
    assert report["cause"] is not None
    assert report["cause"]["rule"] == "kept-tensors"
    assert "free-traceback" not in {row["id"] for row in report["remedies"]}


def test_an_earlier_error_has_its_own_part(notebook: Notebook) -> None:
    """What the error before held went when this one took its place: it is told apart."""
    source = (
        "def spoil():\n    kept = torch.empty(2**28, device='cuda')\n    raise ValueError\nspoil()"
    )
    assert not notebook.run(source).success
    failure = fail(notebook, "many = [torch.empty(2**26, device='cuda') for _ in range(40)]")
    evidence = measure(replace(failure, earlier_traceback_bytes=2**30))
    assert evidence.let_go_bytes is not None
    assert evidence.parts["earlier_error"] == 2**30
    assert evidence.temporary_bytes == evidence.let_go_bytes - 2**30
    assert evidence.not_attributed_bytes == 0


def test_says_nothing_came_back_where_a_name_holds_it(notebook: Notebook) -> None:
    """The same list with a name stays as long as its name."""
    source = "many = []\nfor _ in range(40):\n    many.append(torch.empty(2**26, device='cuda'))"
    evidence = measure(fail(notebook, source))
    assert evidence.let_go_bytes == 0
    assert evidence.holders[0]["name"] == "many"


def evidence_of(failure: Failure, **changes: Any) -> Evidence:
    """Measure a failure that lacks something."""
    return measure(replace(failure, **changes))


def test_does_without_a_capture(notebook: Notebook) -> None:
    """The numbers measured after the error serve as well."""
    failure = fail(notebook, "step(128 * 1024)")
    assert failure.device is not None
    evidence = evidence_of(failure, capture=None)
    assert evidence.memory.in_use_bytes == failure.device.in_use_bytes
    assert evidence.memory.free_bytes == failure.device.free_bytes


def test_believes_the_message_where_memory_has_come_back(notebook: Notebook) -> None:
    """After the error its values are unused cache: scattered memory was not the cause."""
    failure = fail(notebook, "many = [torch.empty(2**26, device='cuda') for _ in range(40)]")
    exact = measure(failure).let_go_bytes
    evidence = evidence_of(failure, capture=None)
    assert evidence.memory.source == "error message"
    assert evidence.let_go_bytes == pytest.approx(exact, rel=0.01)
    report = build(evidence.failure).report
    assert report["cause"] is not None
    assert report["cause"]["rule"] == "kept-tensors"


@pytest.mark.parametrize(
    ("frameworks", "capacity", "free", "expected"),
    [
        (["memory_stats()"], "memory_stats()", "nvmlDeviceGetMemoryInfo", "memory_stats()"),
        (["torch.mps"], "recommended_max_memory()", "", "torch.mps"),
        (
            ["memory_stats()", "get_default_memory_pool()"],
            "get_device_properties()",
            "hipMemGetInfo",
            "memory_stats() + get_default_memory_pool()",
        ),
    ],
    ids=["JAX", "MPS", "PyTorch beside CuPy on ROCm"],
)
def test_names_the_calls_that_returned_the_numbers(
    notebook: Notebook, frameworks: list[str], capacity: str, free: str, expected: str
) -> None:
    """No other GPU than PyTorch's on CUDA has numbers of `cudaMemGetInfo` or a snapshot."""
    failure = fail(notebook, "step(128 * 1024)")
    assert failure.device is not None
    (only,) = failure.device.frameworks
    first, *rest = [replace(only, in_use_bytes=0, source=entry) for entry in frameworks]
    device = replace(
        failure.device,
        frameworks=(replace(first, in_use_bytes=only.in_use_bytes), *rest),
        capacity_source=capacity,
        free_source=free,
    )
    details = build(replace(failure, capture=None, device=device)).report["details"]
    sources = {entry["label"]["id"]: entry["source"]["text"] for entry in details}
    assert sources["detail.in_use"] == sources["detail.reserved"] == expected
    assert sources["detail.capacity"] == capacity
    assert sources["detail.free"] == (free or "no source")
    assert sources["detail.largest_block"] == "no source"


def test_the_request_is_exact_where_the_message_rounds_it(notebook: Notebook) -> None:
    """The observer was told the bytes; those of another failure are not taken for this one's."""
    failure = fail(notebook, f"torch.empty({1610 * MIB}, dtype=torch.uint8, device='cuda')")
    assert "Tried to allocate 1.57 GiB" in str(failure.error)
    assert measure(failure).requested_bytes == 1610 * MIB
    report = build(failure).report
    assert report["requested_bytes"] == 1610 * MIB
    source = next(row for row in report["details"] if row["label"]["id"] == "detail.requested")
    assert source["source"]["text"] == "attach_out_of_memory_observer()"
    assert failure.capture is not None
    for size in (None, GIB, 1620 * MIB):
        capture = replace(failure.capture, requested_bytes=size)
        printed = measure(replace(failure, capture=capture)).requested_bytes
        assert printed == failure.recognition.said.requested_bytes != 1610 * MIB


WORKER = """
from concurrent.futures.process import _RemoteTraceback
def gather():
    error = torch.OutOfMemoryError({text!r})
    error.__cause__ = _RemoteTraceback("Traceback (most recent call last): ...")
    raise error
"""
ELSEWHERE = (
    "CUDA out of memory. Tried to allocate 1.57 GiB. GPU 3 has a total capacity of {capacity} GiB"
    " of which 0.50 GiB is free. Of the allocated memory {in_use} GiB is allocated by PyTorch, and"
    " 0.25 GiB is reserved by PyTorch but unallocated."
)


@pytest.mark.parametrize("capacity", ["2.00", "79.15"])
def test_nothing_of_this_kernel_explains_the_failure_of_a_worker(
    notebook: Notebook, capacity: str
) -> None:
    """Only what the message says; not the tensors, not the code, not a button."""
    text = ELSEWHERE.format(capacity=capacity, in_use="1.00")
    assert notebook.run("kept = torch.empty(2**28, device='cuda')").success
    assert notebook.run(WORKER.format(text=text)).success
    failure = fail(notebook, "batch_size = 64\ngather()")
    assert failure.in_other_process
    report = build(failure).report
    cause = report["cause"]
    assert cause is not None
    assert cause["rule"] == "elsewhere"
    assert not report["remedies"]
    assert not report["holders"]
    assert not report["traceback_variables"]
    assert report["device_index"] == 3
    assert report["in_use_bytes"] == GIB
    assert {part["kind"] for part in report["parts"]} <= {
        "outside",
        "not_attributed",
        "cached",
        "free",
    }


def test_a_gpu_of_another_size_is_not_this_kernels(notebook: Notebook) -> None:
    """A text that a program raises anew has no class that says where it is from."""
    text = ELSEWHERE.format(capacity="79.15", in_use="70.00").replace("GPU 3", "GPU 0")
    failure = fail(notebook, f"raise RuntimeError({text!r})")
    assert failure.in_other_process
    cause = build(failure).report["cause"]
    assert cause is not None
    assert cause["rule"] == "elsewhere"
    own = text.replace("79.15", "2.00").replace("70.00", "1.00")
    assert not fail(notebook, f"raise RuntimeError({own!r})").in_other_process


def test_a_request_that_was_refused_here_is_this_kernels(notebook: Notebook) -> None:
    """Also where the class of the error says that it was brought."""
    assert notebook.run(
        "class RemoteError(RuntimeError): pass\n"
        "def brought():\n"
        "    try:\n        torch.empty(2**30, device='cuda')\n"
        "    except RuntimeError as error:\n        raise RemoteError(str(error)) from error"
    ).success
    failure = fail(notebook, "brought()")
    assert failure.recognition.in_other_process
    assert not failure.in_other_process
    assert measure(failure).device_index == 0


def test_does_without_any_reading(notebook: Notebook) -> None:
    """Only the message is left: its rounded numbers, and no split that they cannot bear."""
    failure = fail(notebook, "step(128 * 1024)")
    evidence = evidence_of(failure, capture=None, device=None)
    message = failure.recognition.said
    assert evidence.memory.in_use_bytes == message.in_use_bytes
    assert evidence.memory.source == "error message"


def test_takes_no_other_gpus_reading_for_this_ones(notebook: Notebook) -> None:
    """Of the GPU that failed there is none then; what another has in use says nothing of it."""
    failure = fail(notebook, "step(128 * 1024)")
    assert failure.device is not None
    second = replace(failure.device, index=1, frameworks=(), name="Other")
    without, evidence = evidence_of(failure, device=None), evidence_of(failure, device=second)
    assert evidence.device_index == without.device_index == 0
    assert evidence.memory == without.memory
    assert evidence.fits_after_free is without.fits_after_free
    assert evidence.let_go_bytes is None
    report = build(replace(failure, device=second)).report
    assert report["device_name"] is None


def test_only_models_on_the_gpu_count(notebook: Notebook) -> None:
    """One that trains on the host, such as a library's own, is not what filled the GPU."""
    notebook.run("helper = nn.Linear(4, 4)\nmodel.eval()")
    failure = fail(notebook, "kept = [model(torch.randn(65536, 1024, device='cuda'))]")
    assert [(model.name, model.training) for model in measure(failure).models] == [("model", False)]
    cause = build(failure).report["cause"]
    assert cause is not None
    assert cause["rule"] == "evaluation-with-gradients"


def test_a_batch_of_any_name_that_a_running_function_was_given(notebook: Notebook) -> None:
    """Most of what is in use has so many rows; a number beside it is none."""
    source = "def go(n, rounds):\n    for _ in range(rounds):\n        step(n)\ngo(120_011, 512)"
    evidence = measure(fail(notebook, source))
    assert evidence.batch is not None
    assert (evidence.batch.name, evidence.batch.value) == ("n", 120_011)
    assert evidence.batch_bytes >= 0.5 * (evidence.memory.in_use_bytes or 0)


@pytest.mark.parametrize(
    ("blocks", "progress"), [(8, pytest.approx(0.62, abs=0.1)), (16, pytest.approx(0.31, abs=0.1))]
)
def test_how_far_a_pass_had_come(blocks: int, progress: Any) -> None:
    """By the part that was running, also where checkpointing computes again."""
    code = f"""
import torch
from torch import nn
from torch.utils.checkpoint import checkpoint
net = nn.Sequential(*[nn.Sequential(nn.Linear(512, 512), nn.ReLU()) for _ in range({blocks})])
net = net.cuda()
x = torch.randn(131072, 512, device="cuda")
"""
    with simulate("2 GiB"), open_notebook() as fresh:
        assert fresh.run(code).success
        evidence = measure(fail(fresh, "checkpoint(net, x, use_reentrant=False).sum().backward()"))
        assert evidence.peak.progress == progress
        assert not evidence.scene.in_backward


def test_a_second_failure_of_the_same_code_proposes_no_larger_batch(notebook: Notebook) -> None:
    """What was proposed first may have been enough; more was not when that was said."""
    source = "batch_size = 2**16\nstep(batch_size)"
    evidence, tries = measure(fail(notebook, source)), Tries()
    assert evidence.requested_bytes is not None
    scarce = replace(evidence, requested_bytes=32 * evidence.requested_bytes)
    proposed, more = fitting(scarce), fitting(evidence)
    assert evidence.batch is not None
    assert proposed is not None
    assert more is not None
    assert more > proposed
    tries.enter(scarce)
    assert fitting(tries.enter(evidence)) == proposed
    variant = replace(evidence, batch=replace(evidence.batch, name="other"))
    assert fitting(tries.enter(variant)) == more
