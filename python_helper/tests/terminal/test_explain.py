"""`python -m gpu_headroom explain`: a pasted text, its numbers, and the advice that holds."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from gpu_headroom.terminal.explain import explain, explain_nothing
from tests.errors.test_pasted import FRAMES, LOG
from tests.errors.test_recognise import torch_2

SOURCES = Path(__file__).parents[2]
SPLIT = (
    " Of the allocated memory 4.00 GiB is allocated by PyTorch,"
    " and 2.50 GiB is reserved by PyTorch but unallocated."
)


def text_of(text: str) -> str:
    """Return the explanation as one text."""
    lines = explain(text)
    assert lines is not None
    return "\n".join(lines)


def test_says_what_the_report_would() -> None:
    """The same title, bars, cause and remedies, from the printed numbers alone."""
    report = text_of(f"{LOG}\n{FRAMES}torch.OutOfMemoryError: {torch_2(split=SPLIT)}")
    assert report.startswith(
        "Out of GPU memory: needed 2.00 GiB more, 0.50 GiB was available\nGPU 1, 8.0 GiB."
    )
    assert "Most likely cause: Fragmentation: 2.5 GiB are reserved but scattered." in report
    assert "expandable_segments:True" in report
    assert "torch.OutOfMemoryError of PyTorch." in report
    assert "%gpu_headroom holders" in report


def test_offers_nothing_that_the_numbers_do_not_bear() -> None:
    """A message without numbers has no cause and no remedy, and says what would tell more."""
    report = text_of("CUDA out of memory.")
    assert "No single cause stands out." in report
    assert "What you can do" not in report
    assert "The whole message" in report
    assert "GPU 0" not in report


def test_names_other_processes_but_not_the_program_itself() -> None:
    """A lone process is the failing one, as the machine sees it from a container."""
    lone = text_of(torch_2(between=" Process 7 has 7.00 GiB memory in use."))
    assert "Process 7 had 7.0 GiB of the GPU: as no other is named, this is probably" in lone
    own = " Including non-PyTorch memory, this process has 5.00 GiB memory in use."
    report = text_of(torch_2(between=f" Process 8 has 2.00 GiB memory in use.{own}"))
    assert "Process 8 had 2.0 GiB of the GPU." in report
    assert "probably" not in report


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("DefaultCPUAllocator: not enough memory", "host memory, shared memory, a disk"),
        ("KeyError: 'loss'", "does not say that a GPU ran out of memory."),
        ("", "does not say that a GPU ran out of memory."),
    ],
)
def test_says_so_where_there_is_nothing_to_explain(text: str, sentence: str) -> None:
    """In one sentence, and for another shortage that it is one."""
    assert explain(text) is None
    assert sentence in explain_nothing(text)


@pytest.mark.parametrize(
    ("log", "code", "stream"),
    [(torch_2().encode(), 0, "stdout"), (b"\xff\xfe nothing", 1, "stderr")],
)
def test_reads_standard_input(log: bytes, code: int, stream: str) -> None:
    """Of any bytes; the exit code tells whether there was something to explain."""
    result = subprocess.run(
        [sys.executable, "-m", "gpu_headroom", "explain"],
        input=log,
        capture_output=True,
        check=False,
        cwd=SOURCES,
    )
    assert result.returncode == code
    assert b"ran out of memory" in result.stderr if code else b"Out of GPU memory" in result.stdout
    assert getattr(result, stream)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-16-le"])
def test_reads_and_writes_as_windows_does(encoding: str) -> None:
    """A log that PowerShell wrote; signs that its code page lacks are no reason to fail."""
    mark = "\ufeff" if encoding.endswith("le") else ""
    result = subprocess.run(
        [sys.executable, "-m", "gpu_headroom", "explain"],
        input=f"{mark}{torch_2(split=SPLIT)}\r\n".encode(encoding),
        capture_output=True,
        check=True,
        cwd=SOURCES,
        env={**os.environ, "PYTHONIOENCODING": "ascii:strict"},
    )
    assert b"Out of GPU memory" in result.stdout
    assert b"?" in result.stdout


def test_names_the_worker_that_failed() -> None:
    """A rank or a Ray worker, with its process where the text has it."""
    of_rank = f"[rank3]: torch.OutOfMemoryError: {torch_2()}"
    assert "It is the failure of rank 3: its own GPU was full." in text_of(of_rank)
    of_ray = f"ray::train() (pid=727, ip=192.0.2.1)\n{FRAMES}torch.OutOfMemoryError: {torch_2()}"
    report = text_of(of_ray)
    assert "It is the failure of a Ray worker: its own GPU was full." in report
    assert "Process 727 on 192.0.2.1." in report
    assert "failure of" not in text_of(torch_2())


POOL = (
    "2026-01-01 10:11:02.1: I tensorflow/core/x.cc:15] Created device /job:localhost/replica:0/"
    "task:0/device:GPU:1 with 7000 MB memory:  -> device: 1, name: Tesla T4"
)
FIRST = (
    "RuntimeError: CUDA out of memory. Tried to allocate 736.00 MiB (GPU 1; 8.00 GiB total "
    "capacity; 102.00 MiB already allocated; 300.00 MiB free; 124.00 MiB reserved in total by "
    "PyTorch)"
)


@pytest.mark.parametrize(
    ("line", "library", "size"),
    [
        (POOL, "TensorFlow", "6.8 GiB"),
        (
            "I x.cc:114] XLA backend allocating 7000000000 bytes on device 1 for BFCAllocator.",
            "JAX",
            "6.5 GiB",
        ),
    ],
)
def test_names_the_library_that_took_the_gpu_by_the_same_log(
    line: str, library: str, size: str
) -> None:
    """Never other programs, and no advice to shut them down."""
    report = text_of(f"{line}\n{FIRST}")
    assert f"Most likely cause: {library} took {size} in the same process" in report
    assert "Other programs" not in report
    assert "What you can do" not in report
    assert "Other programs" in text_of(FIRST)
    of_other_gpu = line.replace("GPU:1", "GPU:0").replace("device 1 for", "device 0 for")
    assert "Other programs" in text_of(f"{of_other_gpu}\n{FIRST}")


@pytest.mark.parametrize("process", ["this process", "Process 7"])
def test_what_the_text_counts_to_this_process_is_no_other_programs(process: str) -> None:
    """Also where it is named by the id that it has outside of its container."""
    small = SPLIT.replace("4.00 GiB", "0.10 GiB").replace("2.50 GiB", "0.02 GiB")
    report = text_of(torch_2(between=f" {process} has 7.40 GiB memory in use.", split=small))
    assert "This process has 7.3 GiB besides what PyTorch reserved." in report
    assert "Other programs" not in report
    both = f" Process 8 has 6.00 GiB memory in use. {process} has 1.40 GiB memory in use."
    if process == "this process":
        assert "Other programs" in text_of(torch_2(between=both, split=small))


@pytest.mark.parametrize("sign", ["17179869184.00 GiB", "C:\\Users\\me\\train.py"])
def test_under_windows_the_owner_of_the_memory_is_unknown(sign: str) -> None:
    """So no program is blamed, and the tool that tells is named."""
    small = SPLIT.replace("4.00 GiB", "0.10 GiB").replace("2.50 GiB", "0.02 GiB")
    own = f" this process has {sign} memory in use." if "GiB" in sign else ""
    step = "" if own else f'  File "{sign}", line 3, in f\n'
    report = text_of(f"{step}torch.OutOfMemoryError: {torch_2(between=own, split=small)}")
    assert "7.4 GiB of the GPU's 8.0 GiB are not PyTorch's: Windows does not say whose." in report
    assert "Task Manager" in report
    assert "Other programs" not in report
    assert "nvidia-smi" not in report


def test_more_than_the_gpu_has_is_the_hosts_memory() -> None:
    """As Windows' driver lends it; the number of the process is none."""
    split = SPLIT.replace("4.00 GiB", "12.00 GiB")
    between = " this process has 17179869184.00 GiB memory in use."
    report = text_of(torch_2(between=between, split=split).replace("512.00 MiB is", "0 bytes is"))
    assert "12.0 GiB are allocated on a GPU of 8.0 GiB." in report
    assert "Windows" in report
    assert "GPU 1, 8.0 GiB." in report


def test_reads_what_metal_has_given() -> None:
    """Other allocations are this process's; the variable must be set before the import."""
    report = text_of(
        'os.environ["PYTORCH_MPS_HIGH_WATERMARK_RATIO"] = "0.0"\n'
        "RuntimeError: MPS backend out of memory (MPS allocated: 5.50 GiB, other allocations: "
        "14.75 GiB, max allowed: 20.40 GiB). Tried to allocate 500.00 MiB on private pool."
    )
    assert "needed 0.49 GiB more, 0.15 GiB was available" in report
    assert "14.8 GiB are other allocations of this process" in report
    assert "set it before import torch" in report
    assert "The whole message" not in report
    own = "MPS backend out of memory (MPS allocated: 5.50 GB, other allocations: 0.2 GB, max "
    assert "are other" not in text_of(f"{own}allowed: 5.80 GB). Tried to allocate 1.00 GB")


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (("of which 512.00 MiB", "of which 7.00 GiB"), "more than its size: as under Windows"),
        (("5.00 GiB is alloc", "0 bytes is alloc"), "Look for a limit"),
        (("capacity of 8.00", "capacity of 24.00"), "one had more for a moment"),
    ],
)
def test_says_why_less_than_was_free_failed(change: tuple[str, str], reason: str) -> None:
    """By the numbers alone, and only where no other cause has them."""
    text = torch_2(between="").replace("512.00 MiB is free", "7.00 GiB is free")
    text = text.replace("1.50 GiB is reserved", "0.50 GiB is reserved").replace(*change)
    report = text_of(text)
    assert "The GPU was not full: 7.0 GiB were free." in report
    assert reason in report
    assert "was not full" not in text_of(torch_2(between=" 6.00 GiB allowed;"))


def test_names_accelerate_and_transformers() -> None:
    """A model that is left on the CPU is no failure; one that may not be there is Transformers'."""
    text = "Some parameters are on the meta device because they were offloaded to the cpu."
    assert explain(text) is None
    assert "Accelerate has left a part of the model on the CPU" in explain_nothing(text)
    report = text_of("ValueError: Some modules are dispatched on the CPU or the disk. Make sure")
    assert "The model does not fit on the GPU" in report
    assert "ValueError of Transformers." in report


@pytest.mark.parametrize(
    ("text", "library"),
    [
        ("No available memory for the cache blocks.", "vLLM"),
        ("CUDA out of memory occurred when warming up. Lower gpu_memory_utilization", "vLLM"),
        ("Decode out of memory. Try to lower your batch size.", "SGLang"),
        (
            "[TensorRT-LLM][ERROR] CUDA runtime error in cudaMalloc(&p, n): out of memory",
            "TensorRT-LLM",
        ),
        ("NCCL error in x.cpp:1. Last error: Failed to CUDA calloc async 4 bytes", "NCCL"),
        ("ggml_cuda: kv cache: allocating 20.00 MiB: cudaMalloc failed: out of memory", "ggml"),
        ("kernel.cu: cudaMalloc(&p, n) failed: out of memory", "a library that uses CUDA"),
    ],
)
def test_names_whose_library_it_is(text: str, library: str) -> None:
    """By what only its messages say."""
    assert f"RuntimeError of {library}." in text_of(f"RuntimeError: {text}")
