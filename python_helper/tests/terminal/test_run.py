"""`python -m gpu_headroom run`: a script runs as by `python`, whatever becomes of what is told."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from gpu_headroom.workers.rank import _EVERY_S
from tests.live import PATIENCE_S, SOURCES

if TYPE_CHECKING:
    from collections.abc import Callable

PYTHON = [sys.executable]
RUN = [*PYTHON, "-m", "gpu_headroom", "run"]
SCRIPT = """
import sys, os, atexit, pickle, __main__
class Thing: pass
print(__file__, sys.argv, sys.path[:2], sorted(globals()), __name__, __doc__, __package__, __spec__)
print(__loader__.path, __loader__.name, __builtins__, __annotations__, type(__main__))
print(type(pickle.loads(pickle.dumps(Thing()))) is __main__.Thing)
print(sys._getframe().f_code.co_filename)
print([str(getattr(each, "__name__", type(each))) for each in sys.meta_path])
print(sys.excepthook is sys.__excepthook__, open(__file__).read(20))
atexit.register(lambda: print("end", sys.excepthook is sys.__excepthook__, sys.exc_info()))
def fail(how):
    if how == "error": raise ValueError("ü")
    if how == "interrupt": raise KeyboardInterrupt
    if how == "exit": sys.exit(3)
    if how == "told": sys.exit("told")
    if how == "at once": sys.stdout.flush(); os._exit(4)
    if how == "killed": sys.stdout.flush(); os.kill(os.getpid(), 15)
    if how == "chain":
        try: raise ValueError("first")
        except ValueError as error: raise KeyError("second") from error
    if how == "group": raise ExceptionGroup("two", [KeyError(1), KeyError(2)])
    if how == "hook":
        sys.excepthook = lambda kind, error, steps: print(kind, error, steps.tb_lineno)
        raise ValueError("hooked")
    if how == "thread":
        import threading, time
        threading.Thread(target=lambda: (time.sleep(0.1), print("from a thread"))).start()
fail(sys.argv[-1])
"""
WAITS = "<class 'gpu_headroom.workers.arrival.Arrival'>"


def names(folder: Path) -> list[str]:
    """What stands in a folder."""
    return sorted(path.name for path in folder.iterdir())


def until(condition: Callable[[], bool]) -> None:
    """Wait for what another process does."""
    deadline = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def state(process: subprocess.Popen[str]) -> str:
    """Return the state of a process, as Linux has it: `R` where it computes, `S` where it waits."""
    return Path(f"/proc/{process.pid}/stat").read_text("ascii").rpartition(")")[2].split()[0]


def run(command: list[str], folder: Path, **variables: str) -> tuple[int, str, str]:
    """Run a command to its end; its exit code, and what it printed."""
    base = {"PATH": os.environ["PATH"], "PYTHONPATH": str(SOURCES), "PYTHONHASHSEED": "0"}
    result = subprocess.run(
        command, cwd=folder, env={**base, **variables}, capture_output=True, check=False, text=True
    )
    return result.returncode, result.stdout, result.stderr


@pytest.mark.parametrize("is_asked", [False, True])
@pytest.mark.parametrize(
    "how",
    [
        *("", "error", "interrupt", "exit", "told", "at once", "killed", "chain", "hook", "thread"),
        pytest.param("group", marks=pytest.mark.skipif(sys.version_info < (3, 11), reason="newer")),
    ],
)
def test_runs_as_by_python(tmp_path: Path, how: str, is_asked: bool) -> None:
    """To the letter: what it sees of itself, what it prints, how it ends."""
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "script.py").write_text(SCRIPT)
    variables = {"GPU_HEADROOM_RANKS": f"{tmp_path}/gpu-headroom-ranks-x"} if is_asked else {}
    arguments = ["own/../own/script.py", "--lr", "1", "-h", how]
    code, output, errors = run([*PYTHON, *arguments], tmp_path, **variables)
    result = run([*RUN, *arguments], tmp_path, **variables)
    assert (result[0], result[2]) == (code, errors)
    # The one thing that it may see: who waits for PyTorch.
    assert result[1].replace(f"{WAITS!r}, ", "") == output
    assert names(tmp_path) == ["own"]


@pytest.mark.parametrize(
    ("name", "text"),
    [("script.py", "x = = 1"), ("script.py", "x = '\\ud800'\nprint(x)"), ("other.py", "")],
)
def test_a_script_that_cannot_be_run_is_told_as_by_python(
    tmp_path: Path, name: str, text: str
) -> None:
    """One with a fault, and one that is not there."""
    (tmp_path / name).write_text(text)
    assert run([*RUN, "script.py"], tmp_path) == run([*PYTHON, "script.py"], tmp_path)


def test_a_link_is_run_from_where_it_leads(tmp_path: Path) -> None:
    """Modules beside a script are those of its real folder, with Python's flags as they are."""
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "script.py").write_text("import sys\nprint(sys.path[0], __file__)")
    (tmp_path / "link.py").symlink_to(tmp_path / "real" / "script.py")
    for flags in ([], ["-O"], ["-X", "dev"], *([["-P"]] if sys.version_info >= (3, 11) else [])):
        expected = run([*PYTHON, *flags, "link.py"], tmp_path)
        assert run([*PYTHON, *flags, *RUN[1:], "link.py"], tmp_path) == expected


def test_an_interrupt_ends_it_as_ever(tmp_path: Path) -> None:
    """With its traceback, and by the signal."""
    (tmp_path / "script.py").write_text("import time\nprint(1, flush=True)\ntime.sleep(60)\n")
    ends = []
    for command in (PYTHON, RUN):
        process = subprocess.Popen(
            [*command, "script.py"],
            cwd=tmp_path,
            env={
                **os.environ,
                "PYTHONPATH": str(SOURCES),
                "GPU_HEADROOM_RANKS": f"{tmp_path}/gpu-headroom-ranks-x",
            },
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            # Whatever runs the tests in the background has it ignored.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509  see above
        )
        assert process.stdout is not None
        process.stdout.readline()
        until(lambda process=process: state(process) == "S")  # type: ignore[misc]
        process.send_signal(signal.SIGINT)
        ends.append((*process.communicate(), process.returncode))
    assert ends[0] == ends[1]
    assert ends[0][2] == -signal.SIGINT


def test_a_script_starts_processes_as_ever(tmp_path: Path) -> None:
    """Spawned and forked ones, which find its functions; they say nothing of themselves."""
    (tmp_path / "script.py").write_text("""
import multiprocessing, sys

def work(number):
    return __name__, number, [type(each).__name__ for each in sys.meta_path].count("Arrival")

if __name__ == "__main__":
    for how in ("spawn", "fork"):
        with multiprocessing.get_context(how).Pool(1) as pool:
            print(pool.map(work, [1, 2]))
""")
    path = tmp_path / "gpu-headroom-ranks-x"
    code, output, errors = run([*RUN, "script.py"], tmp_path, GPU_HEADROOM_RANKS=str(path))
    assert (code, errors) == (0, "")
    assert output.splitlines()[0] == "[('__mp_main__', 1, 0), ('__mp_main__', 2, 0)]"
    assert output.splitlines()[1] == "[('__main__', 1, 1), ('__main__', 2, 1)]"
    assert not path.exists()


# Real PyTorch over a simulated GPU.
HOLD = """
import gc, os, sys, threading, time
names = [each.name for each in threading.enumerate()]
import torch
sizes = []
for size in (2**33, 2**20, 2**33):
    try:
        torch.empty(size, dtype=torch.uint8, device="cuda")
    except torch.OutOfMemoryError:
        gc.collect()
    sizes.append(torch.cuda.memory_allocated())
kept = torch.empty(2**20, dtype=torch.uint8, device="cuda")
print(names, sizes, [type(each).__name__ for each in sys.meta_path].count("Arrival"))
"""
UNTIL_SENT = """
while not os.path.exists(f"{os.environ['GPU_HEADROOM_RANKS']}/{os.getpid()}.reading"):
    time.sleep(0.02)
"""
# Longer than the helper rests between two readings: no event can tell that none was written.
PAUSE = f"time.sleep({_EVERY_S + 0.1})"
REMOVAL = f"""{UNTIL_SENT}
import shutil
shutil.rmtree(os.environ["GPU_HEADROOM_RANKS"])
while threading.active_count() > 1:
    time.sleep(0.02)
threads = [each.name for each in threading.enumerate()]
print(threads, os.path.exists(os.environ["GPU_HEADROOM_RANKS"]))
"""
FULL = "import torch, resource; resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))\n"
OUTPUT = "['MainThread'] [0, 0, 0] 0\n"
OWNER_ONLY = 0o700


def run_holder(folder: Path, script: str, path: Path) -> tuple[int, str, str]:
    """Run a script that holds a MiB, and probes before."""
    (folder / "script.py").write_text(script)
    variables = {"GPU_HEADROOM_RANKS": str(path), "GPU_HEADROOM_SIMULATE": "1GiB"}
    return run([*RUN, "script.py"], folder, **variables)


def test_what_it_says_of_itself(tmp_path: Path) -> None:
    """In a file that only this user reads, replaced whole, and gone with it."""
    path = tmp_path / "gpu-headroom-ranks-x"
    (tmp_path / "script.py").write_text(f"{HOLD}time.sleep(60)")
    variables = {"GPU_HEADROOM_RANKS": str(path), "GPU_HEADROOM_SIMULATE": "1GiB"}
    process = subprocess.Popen(
        [*RUN, "script.py"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(SOURCES), **variables},
    )
    file = path / f"{process.pid}.reading"
    reading: dict[str, Any] = {}

    def is_sent() -> bool:
        reading.update(json.loads(file.read_text()) if file.exists() else {})
        return bool(reading) and reading["devices"][0]["in_use_bytes"] == 2**20

    until(is_sent)
    assert [path.stat().st_mode & 0o777, file.stat().st_mode & 0o777] == [OWNER_ONLY, 0o600]
    assert reading.keys() == {"rank", "born", "execution_count", "start_s", "devices"}
    assert (reading["rank"], reading["execution_count"]) == (None, None)
    process.terminate()
    assert process.wait() == -signal.SIGTERM
    assert names(path) == [file.name]


def test_nothing_is_left_of_one_that_ends_well(tmp_path: Path) -> None:
    """Nor of what it caught, while it ran."""
    path = tmp_path / "gpu-headroom-ranks-x"
    assert run_holder(tmp_path, HOLD + UNTIL_SENT, path) == (0, OUTPUT, "")
    assert not path.exists()


@pytest.mark.parametrize("case", ["link", "file", "full", "gone"])
def test_a_folder_that_is_not_to_be_used_is_left_alone(tmp_path: Path, case: str) -> None:
    """The script runs on, and prints nothing about it."""
    path, target = tmp_path / "gpu-headroom-ranks-x", tmp_path / "other"
    target.mkdir()
    if case == "link":
        path.symlink_to(target)
    elif case == "file":
        path.write_text("")
    script = HOLD + (REMOVAL if case == "gone" else PAUSE)
    script = script.replace("import torch\n", FULL) if case == "full" else script
    expected = OUTPUT + ("['MainThread'] False\n" if case == "gone" else "")
    before = names(tmp_path)
    assert run_holder(tmp_path, script, path) == (0, expected, "")
    assert names(target) == []
    assert names(tmp_path) == sorted([*before, "script.py"])


@pytest.mark.skipif(os.getuid() != 0, reason="only root gives folders away")
def test_the_folder_of_another_user_is_left_alone(tmp_path: Path) -> None:
    """Whatever its rights say."""
    path = tmp_path / "gpu-headroom-ranks-x"
    path.mkdir(0o777)
    os.chown(path, 12345, 12345)
    assert run_holder(tmp_path, HOLD + PAUSE, path) == (0, OUTPUT, "")
    assert names(path) == []


@pytest.mark.parametrize("path", ["gpu-headroom-ranks-x", "/other", "/", ""])
def test_what_is_no_such_folder_is_not_asked(tmp_path: Path, path: str) -> None:
    """A variable of that name may be anything."""
    (tmp_path / "script.py").write_text("import sys; print('gpu_headroom.workers' in sys.modules)")
    result = run([*RUN, "script.py"], tmp_path, GPU_HEADROOM_RANKS=path)
    assert (result[0], result[2], names(tmp_path)) == (0, "", ["script.py"])
