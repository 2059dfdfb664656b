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


def explained(text: str) -> str:
    """Return the explanation as one text."""
    lines = explain(text)
    assert lines is not None
    return "\n".join(lines)


def test_says_what_the_card_would() -> None:
    """The same title, bars, cause and remedies, from the printed numbers alone."""
    said = explained(f"{LOG}\n{FRAMES}torch.OutOfMemoryError: {torch_2(split=SPLIT)}")
    assert said.startswith(
        "Out of GPU memory: needed 2.00 GiB more, 0.50 GiB was available\nGPU 1."
    )
    assert "Most likely cause: Fragmentation: 2.5 GiB are reserved but scattered." in said
    assert "expandable_segments:True" in said
    assert "torch.OutOfMemoryError of PyTorch." in said
    assert "%gpu_headroom holders" in said


def test_offers_nothing_that_the_numbers_do_not_bear() -> None:
    """A message without numbers has no cause and no remedy, and says what would tell more."""
    said = explained("CUDA out of memory.")
    assert "No single cause stands out." in said
    assert "What you can do" not in said
    assert "The whole message" in said
    assert "GPU 0" not in said


def test_names_other_processes_but_not_the_program_itself() -> None:
    """A lone process is the failing one, as the machine sees it from a container."""
    lone = explained(torch_2(between=" Process 7 has 7.00 GiB memory in use."))
    assert "Process 7 had 7.0 GiB of the card: as no other is named, this is probably" in lone
    own = " Including non-PyTorch memory, this process has 5.00 GiB memory in use."
    others = explained(torch_2(between=f" Process 8 has 2.00 GiB memory in use.{own}"))
    assert "Process 8 had 2.0 GiB of the card." in others
    assert "probably" not in others


def test_says_where_the_words_stand_for_other_faults_too() -> None:
    """The driver's words may be about pinned memory."""
    assert "pinned host memory" in explained("RuntimeError: CUDA error: out of memory")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("DefaultCPUAllocator: not enough memory", "host memory, shared memory, a disk"),
        ("KeyError: 'loss'", "does not say that a GPU ran out of memory."),
        ("", "does not say that a GPU ran out of memory."),
    ],
)
def test_says_so_where_there_is_nothing_to_explain(text: str, said: str) -> None:
    """In one sentence, and for another shortage that it is one."""
    assert explain(text) is None
    assert said in explain_nothing(text)


@pytest.mark.parametrize(
    ("pasted", "code", "stream"),
    [(torch_2().encode(), 0, "stdout"), (b"\xff\xfe nothing", 1, "stderr")],
)
def test_reads_standard_input(pasted: bytes, code: int, stream: str) -> None:
    """Of any bytes; the exit code tells whether there was something to explain."""
    done = subprocess.run(
        [sys.executable, "-m", "gpu_headroom", "explain"],
        input=pasted,
        capture_output=True,
        check=False,
        cwd=SOURCES,
    )
    assert done.returncode == code
    assert b"ran out of memory" in done.stderr if code else b"Out of GPU memory" in done.stdout
    assert getattr(done, stream)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-16-le"])
def test_reads_and_writes_as_windows_does(encoding: str) -> None:
    """A log that PowerShell wrote; signs that its code page lacks are no reason to fail."""
    mark = "\ufeff" if encoding.endswith("le") else ""
    done = subprocess.run(
        [sys.executable, "-m", "gpu_headroom", "explain"],
        input=f"{mark}{torch_2(split=SPLIT)}\r\n".encode(encoding),
        capture_output=True,
        check=True,
        cwd=SOURCES,
        env={**os.environ, "PYTHONIOENCODING": "ascii:strict"},
    )
    assert b"Out of GPU memory" in done.stdout
    assert b"?" in done.stdout


def test_names_the_worker_that_failed() -> None:
    """A rank or a Ray worker, with its process where the text has it."""
    of_rank = f"[rank3]: torch.OutOfMemoryError: {torch_2()}"
    assert "It is the failure of rank 3: its own card was full." in explained(of_rank)
    of_ray = f"ray::train() (pid=727, ip=192.0.2.1)\n{FRAMES}torch.OutOfMemoryError: {torch_2()}"
    said = explained(of_ray)
    assert "It is the failure of a Ray worker: its own card was full." in said
    assert "Process 727 on 192.0.2.1." in said
    assert "failure of" not in explained(torch_2())
