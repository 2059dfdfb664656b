"""What errors of other processes say, whose they are, and what only looks like one."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
import torch
from gpu_headroom.errors.recognise import recognise
from gpu_headroom.errors.remote import RemoteWorker, named_in
from tests.errors.test_recognise import MESSAGES, NOT_THE_GPU, recognised, torch_2
from torch.distributed.elastic.multiprocessing.errors import ChildFailedError, ProcessFailure
from torch.multiprocessing.spawn import ProcessRaisedException

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from gpu_headroom.errors.recognise import Recognition

TEXT = torch_2()
ELSE = "ValueError: expected 3 channels"
STEPS = """Traceback (most recent call last):
  File "/tmp/ipykernel_1/2.py", line 6, in train
    raise RuntimeError("CUDA out of memory. Tried to allocate 2.00 GiB")
"""


class RayError(Exception):
    """As Ray's are based on."""


class RayTaskError(RayError):
    """As Ray's: its text is made from attributes."""

    def __init__(self, text: str, cause: BaseException) -> None:
        self.proctitle, self.pid, self.ip = "ray::train", 727, "192.0.2.1"
        self.function_name, self.traceback_str, self.cause = "train", text, cause
        self.args = ("train", text, cause, None, 727, "192.0.2.1")


def of_ray(cause: BaseException) -> BaseException:
    """Return the error that `ray.get` raises: its class is made for it, and knows only the text."""
    error_msg = f"\x1b[36mray::train()\x1b[39m (pid=727, ip=192.0.2.1)\n{STEPS}"
    kind: Any = type(cause)

    class BothError(RayTaskError, kind):  # type: ignore[misc]  # as Ray does
        def __init__(self) -> None:
            self.cause = cause

        @property
        def args(self) -> Any:  # type: ignore[override]  # as Ray does
            """Ask nothing of it."""
            raise AssertionError

        def __str__(self) -> str:
            return error_msg

    return BothError()


class WorkerGroupError(Exception):
    """As Ray Train's: its text is cut in the middle."""

    def __init__(self, failures: dict[int, BaseException]) -> None:
        super().__init__("Tried to allocate 700.0… (Output truncated")
        self.worker_failures = failures


class RemoteError(Exception):
    """As an engine's."""

    def __init__(self, name: str, text: str, engine: int) -> None:
        super().__init__(name, text)
        self.ename, self.evalue, self.traceback = name, text, f"{STEPS}{name}: {text}"
        self.engine_info = {"engine_id": engine, "engine_uuid": "1-2", "method": "apply"}


class CompositeError(RemoteError):
    """As of several engines."""

    def __init__(self, failures: list[tuple[str, str, str, dict[str, Any]]]) -> None:
        self.msg, self.elist = "one or more exceptions raised in: f", failures
        self.args = [failure[0] for failure in failures]  # type: ignore[assignment]  # a list becomes a tuple


class AlreadyDisplayedError(RemoteError):
    """As `%%px` raises it."""

    def __init__(self, error: CompositeError) -> None:
        self.original_error, self.n = error, len(error.elist)


def engines(*texts: str) -> CompositeError:
    """Return the error of engines that fail so."""
    return CompositeError(
        [("RuntimeError", text, STEPS, {"engine_id": n}) for n, text in enumerate(texts)]
    )


def rank_failed(folder: Path, texts: dict[int, str]) -> ChildFailedError:
    """Return elastic's own error of ranks that wrote down what they failed with."""
    failures = {}
    for rank, text in texts.items():
        file = folder / f"{rank}.json"
        stack = f"{STEPS}{text}\n".replace("\n", "\\n").replace('"', '\\"')
        file.write_text(
            f'{{"message": {{"message": "{text}", "extraInfo": {{"py_callstack": "{stack}", '
            f'"timestamp": "{rank}"}}}}}}'
        )
        failures[rank] = ProcessFailure(rank, 1000 + rank, 1, str(file))
    return ChildFailedError("train", failures)


def spawned(text: str) -> BaseException:
    """Return PyTorch's own error of a process that it has started."""
    message = f"\n\n-- Process 1 terminated with the following error:\n{STEPS}{text}\n"
    return ProcessRaisedException(message, 1, 1190)


def command(text: str) -> BaseException:
    """Return the error of a command whose output was kept."""
    with pytest.raises(subprocess.CalledProcessError) as caught:
        subprocess.run(
            [sys.executable, "-c", f"import sys; sys.exit({text!r})"], check=True, stderr=-1
        )
    return caught.value


def say(error: BaseException) -> Recognition:
    """Return what is recognised, with its numbers."""
    result = recognised(error)
    assert result.in_other_process
    statement = result.said
    assert (statement.device_index, statement.requested_bytes) == (1, 2**31)
    return result


OOM = f"OutOfMemoryError: {TEXT}"


@pytest.mark.parametrize(
    ("make", "worker"),
    [
        (lambda: of_ray(torch.OutOfMemoryError(TEXT)), RemoteWorker("ray", None, 727, "192.0.2.1")),
        (
            lambda: RayTaskError(f"{STEPS}{OOM}", RayError("not serializable")),
            RemoteWorker("ray", None, 727, "192.0.2.1"),
        ),
        (
            lambda: WorkerGroupError({1: of_ray(RuntimeError(TEXT))}),
            RemoteWorker("ray", 1, 727, "192.0.2.1"),
        ),
        (lambda: RemoteError("OutOfMemoryError", TEXT, 3), RemoteWorker("ipyparallel", 3)),
        (lambda: engines(OOM), RemoteWorker("ipyparallel", 0)),
        (lambda: AlreadyDisplayedError(engines(ELSE, OOM)), RemoteWorker("ipyparallel", 1)),
        (lambda: spawned(OOM), RemoteWorker("rank", 1, 1190)),
        (lambda: command(OOM), RemoteWorker("command")),
        (lambda: command(f"[rank3]: {OOM}"), RemoteWorker("command", 3)),
    ],
)
def test_each_engine_names_its_worker(
    make: Callable[[], BaseException], worker: RemoteWorker
) -> None:
    """With all numbers, wherever the whole text stands."""
    result = say(make())
    assert result.worker == worker
    assert result.also_failed == 0


def test_ranks_of_elastic_are_told_apart(tmp_path: Path) -> None:
    """As `notebook_launcher` and `torchrun` raise it; others that failed likewise are counted."""
    result = say(rank_failed(tmp_path, {0: ELSE, 1: TEXT, 3: TEXT}))
    assert result.worker is not None
    assert (result.worker.engine, result.worker.rank, result.worker.pid) == ("rank", 1, 1001)
    assert result.also_failed == 1
    assert "line 6, in train" in result.traceback


@pytest.mark.parametrize(
    "make",
    [
        lambda: spawned(ELSE),
        lambda: RemoteError("ValueError", ELSE, 0),
        lambda: engines(ELSE, ELSE),
        lambda: RayTaskError(f"{STEPS}{ELSE}", ValueError(ELSE)),
        lambda: WorkerGroupError({0: of_ray(ValueError(ELSE))}),
        lambda: command(f"{STEPS}{ELSE}"),
        lambda: subprocess.CalledProcessError(1, ["python", "-c", OOM], ELSE),
        lambda: RayError("Task was killed due to the node running low on memory."),
    ],
)
def test_what_a_traceback_quotes_is_no_failure(make: Callable[[], BaseException]) -> None:
    """Code that speaks of a full GPU, a command that does, and another shortage."""
    assert recognise(make()) is None


def test_ranks_that_failed_otherwise_are_no_failure_of_a_gpu(tmp_path: Path) -> None:
    """Their code may speak of one."""
    assert recognise(rank_failed(tmp_path, {0: ELSE})) is None


def test_an_error_of_this_process_after_a_failed_command_is_its_own() -> None:
    """What failed before it is told by Python as its context."""
    error = RuntimeError(TEXT)
    error.__context__ = command(ELSE)
    assert not recognised(error).in_other_process


def test_what_carries_itself_comes_to_an_end() -> None:
    """And what carries very much is read in part."""
    error = WorkerGroupError({})
    error.worker_failures |= {0: error, 1: [error.worker_failures]}  # type: ignore[dict-item]
    assert recognise(error) is None
    error.worker_failures = dict.fromkeys(range(10**5), ValueError(ELSE))
    assert recognise(error) is None
    error.worker_failures = {0: RuntimeError(TEXT + "x" * 10**7)}
    assert say(error).worker == RemoteWorker("ray", 0)


def ended(text: str) -> str:
    """A traceback's last line, as Python prints it."""
    return f"torch.OutOfMemoryError: {text}"


WRAPPED: dict[str, Callable[[str], BaseException]] = {
    "rank": lambda text: spawned(ended(text)),
    "ray": lambda text: of_ray(RuntimeError(text)),
    "ray, text": lambda text: RayTaskError(f"{STEPS}{ended(text)}", RayError("no pickle")),
    "ray train": lambda text: WorkerGroupError({0: ValueError(ELSE), 1: RuntimeError(text)}),
    "engine": lambda text: RemoteError("RuntimeError", text, 0),
    "engines": lambda text: AlreadyDisplayedError(engines(ELSE, text)),
    "command": lambda text: subprocess.CalledProcessError(1, "x", stderr=f"{STEPS}{ended(text)}"),
    "chained": lambda text: chained_to(spawned(ended(text))),
}


def chained_to(error: BaseException) -> BaseException:
    """Another library's error in the place of a worker's."""
    outer = RuntimeError("The training could not be finished.")
    outer.__cause__ = error
    return outer


@pytest.mark.parametrize("how", list(WRAPPED))
def test_every_text_is_read_of_a_worker_as_of_this_process(how: str) -> None:
    """With the same numbers, whoever brings it."""
    wrong = []
    for _, text, _ in MESSAGES.values():
        plain, remote = recognised(RuntimeError(text)), recognise(WRAPPED[how](text))
        if remote is None or not remote.in_other_process or remote.said != plain.said:
            wrong.append((text, remote))
    assert wrong == []


@pytest.mark.parametrize("how", list(WRAPPED))
def test_no_text_is_taken_for_one_because_a_worker_says_it(how: str) -> None:
    """Host memory, disks, asserts and advice, and workers that were killed."""
    killed = [
        "Attempted to run task 'train-1' on 4 different workers, but all those workers died.",
        "Task was killed due to the node running low on memory.",
        "A process in the process pool was terminated abruptly while the future was running.",
        "process 1 terminated with signal SIGKILL",
    ]
    texts = [*NOT_THE_GPU, *killed]
    assert [text for text in texts if recognise(WRAPPED[how](text)) is not None] == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[rank3]:\nFile x", RemoteWorker("command", 3)),
        (
            "  host      : node7\n  rank      : 1 (local_rank: 1)\n  exitcode  : 1 (pid: 1294)",
            RemoteWorker("command", 1, 1294, "node7"),
        ),
        ("File x, rank 3 of host y", RemoteWorker("command")),
    ],
)
def test_a_rank_is_named_in_what_its_launcher_prints(text: str, expected: RemoteWorker) -> None:
    """As a page hands it over, of a cell that itself succeeded."""
    assert named_in(text, RemoteWorker("command")) == expected
