"""What pasted errors, tracebacks and logs say of a full GPU."""

from __future__ import annotations

import pytest
from gpu_headroom.errors.pasted import recognise_text
from gpu_headroom.text.format import GIB
from tests.errors.test_recognise import KNOWN, MESSAGES, NOT_THE_GPU, torch_1, torch_2

FRAMES = """\
Traceback (most recent call last):
  File "/home/me/train.py", line 12, in <module>
    loss.backward()
  File "/usr/lib/python3/site-packages/torch/_tensor.py", line 581, in backward
    torch.autograd.backward(
"""
OOM = f"{FRAMES}torch.OutOfMemoryError: {torch_2()}"
HANDLING = "\n\nDuring handling of the above exception, another exception occurred:\n\n"
LOG = "\n".join(f"2026-01-01 INFO step {n} loss 0.5" for n in range(2000))
SURVIVED = (
    "W bfc_allocator.cc:1] Allocator (GPU_0_bfc) ran out of memory trying to allocate 2.16GiB with"
    " freed_by_count=0. The caller indicates that this is not a failure, but may mean more."
)
TEXTS = {
    "traceback": OOM,
    "colours": OOM.replace("torch.OutOf", "\x1b[31mtorch.OutOf").replace("Error:", "Error\x1b[0m:"),
    "Windows": OOM.replace("\n", "\r\n"),
    "in a log": f"{LOG}\n{OOM}\n{LOG}",
    "a log's prefix": "\n".join(f"[rank1]: {line}" for line in OOM.splitlines()),
    "another error behind it": f"{OOM}{HANDLING}{FRAMES}KeyError: 'loss'",
    "a host error in front of it": f"{FRAMES}OSError: [Errno 12] Cannot allocate memory\n{OOM}",
    "a survived shortage in front of it": f"{SURVIVED}\n{LOG}\n{OOM}",
    "wrapped": OOM.replace("Tried to", "Tried\n    to").replace("8.00 GiB", "8.00\n    GiB"),
    "without a class": torch_2(),
    "an old one": f"{FRAMES}RuntimeError: {torch_1('6.50 GiB reserved in total by PyTorch')}",
}


@pytest.mark.parametrize("name", TEXTS)
def test_finds_the_numbers_in_a_pasted_text(name: str) -> None:
    """Whatever stands around the message."""
    result = recognise_text(TEXTS[name])
    assert result is not None
    assert {key: getattr(result.said, key) for key in KNOWN} == KNOWN
    assert result.said.framework == "torch"


def test_the_last_one_of_several_counts() -> None:
    """A log of several tries ends with the one that is asked about."""
    later = OOM.replace("2.00 GiB. GPU 1", "3.00 GiB. GPU 0")
    result = recognise_text(f"{OOM}\n{LOG}\n{later}")
    assert result is not None
    assert (result.said.requested_bytes, result.said.device_index) == (3 * GIB, 0)
    assert result.error_name == "torch.OutOfMemoryError"


def test_the_error_that_a_program_ended_by_is_told_from_one_that_it_survived() -> None:
    """Summaries of launchers stand behind it, not a program that went on, and no log says it."""
    summary = "\nRoot Cause (first observed failure):\n  rank      : 1 (local_rank: 1)\n"
    for text, is_end in ((OOM, True), (OOM + summary, True), (OOM + LOG, False)):
        result = recognise_text(f"{LOG}\n{text}")
        assert result is not None
        assert result.is_end == is_end
        assert result.above == f"{FRAMES}torch.OutOfMemoryError: "
        assert result.below.startswith("CUDA out of memory.")
    result = recognise_text(torch_2())
    assert result is not None
    assert not result.is_end


@pytest.mark.parametrize("name", MESSAGES)
def test_every_format_is_found_in_a_log_and_in_a_traceback(name: str) -> None:
    """Each message by itself, as an error of a traceback, and in the middle of a log."""
    error = f"{FRAMES}RuntimeError: {MESSAGES[name].text}"
    for pasted in (MESSAGES[name].text, error, f"{LOG}\n{error}\n{LOG}"):
        assert recognise_text(pasted) is not None, pasted


@pytest.mark.parametrize("text", NOT_THE_GPU)
def test_other_shortages_are_none_of_the_gpu(text: str) -> None:
    """As the message of an error, in a traceback, and in a log."""
    for pasted in (text, f"{FRAMES}RuntimeError: {text}", f"{LOG}\n{text}\n{LOG}"):
        assert recognise_text(pasted) is None


@pytest.mark.parametrize(
    "text",
    [
        "ray.exceptions.OutOfMemoryError: Task was killed: memory on the node is low",
        "UserWarning: CUDA out of memory. Skipping this batch.",
        f"ResourceWarning: {torch_2()}",
        f"/x.py:3: UserWarning: {torch_2()}",
        SURVIVED,
        LOG,
        "",
    ],
)
def test_what_was_survived_or_is_of_another_kind_is_left_out(text: str) -> None:
    """Warnings, retries, and errors that only share a name."""
    assert recognise_text(text) is None


def test_a_class_of_a_framework_says_it_alone() -> None:
    """Whatever its message is."""
    for name in ("torch.OutOfMemoryError", "torch.cuda.OutOfMemoryError"):
        for text in (f"{name}: out of it", f"{FRAMES}{name}"):
            result = recognise_text(text)
            assert result is not None
            assert (result.error_name, result.said.framework) == (name, "torch")


def test_pinned_memory_is_told_by_its_frames() -> None:
    """The driver's words are the same for the host's memory."""
    text = "RuntimeError: CUDA error: out of memory"
    assert recognise_text(f"{FRAMES}{text}") is not None
    pinned = '  File "/x/pin_memory.py", line 40, in _pin_memory_loop\n    data = pin(data)\n'
    assert recognise_text(f"{FRAMES}{pinned}{text}") is None
