r"""Paths as Windows has them: drives, backslashes, names in any case, `\\server\share`.

`OnWindows` stands for its paths, over a folder of this machine; Windows itself is not here.
"""

from __future__ import annotations

import linecache
import ntpath
import pickle
import time
from pathlib import Path, PurePath, PureWindowsPath
from typing import TYPE_CHECKING, Any

import pytest
from gpu_dry_run import command, engine
from gpu_headroom.cells.runs import CellRun
from gpu_headroom.code import beside
from gpu_headroom.code.command import as_run, put_back
from gpu_headroom.concurrency import other_threads
from gpu_headroom.errors.pasted import recognise_text
from gpu_headroom.errors.recognise import Recognition
from gpu_headroom.frameworks.torch import memory_snapshot
from gpu_headroom.oom import failing_line, remote, running, scene
from gpu_headroom.oom.failure import Failure
from gpu_headroom.workers import travel
from tests.kernels.test_scripts import MAIN, PARTS

if TYPE_CHECKING:
    from collections.abc import Callable

ERROR = "CUDA out of memory. Tried to allocate 2.00 GiB."
FOLDERS = [r"C:\work", r"d:\Users\Jo Doe\My notebooks", r"\\server\share\work"]


class OnWindows(PureWindowsPath):
    """A path of Windows, as `pathlib` has it there; `here` is what is at `there`."""

    here: Path
    there: str

    @classmethod
    def cwd(cls) -> OnWindows:
        """Return the folder of the notebook."""
        return cls(cls.there)

    def expanduser(self) -> OnWindows:
        """Return the path itself: there is no home folder."""
        return self

    def resolve(self) -> OnWindows:
        """Return the whole path; names have the case that they have on the disk."""
        full = OnWindows(ntpath.normpath(ntpath.join(self.there, self)))
        if not full.is_relative_to(self.there):
            return full
        path = self.cwd()
        for name in full.relative_to(self.there).parts:
            names = [entry.name for entry in path._here.glob("*")]
            alike = [entry for entry in names if entry.lower() == name.lower()]
            path = OnWindows(path, *(alike or [name]))
        return path

    @property
    def _here(self) -> Path:
        return self.here.joinpath(*OnWindows(self.there, self).relative_to(self.there).parts)

    def stat(self) -> Any:
        """Return what the file is."""
        return self._here.stat()

    def read_bytes(self) -> bytes:
        """Return what is in the file."""
        return self._here.read_bytes()

    def read_text(self, *arguments: str, **options: str) -> str:
        """Return the text of the file."""
        return self._here.read_text(*arguments, **options)


def realpath(path: str) -> str:
    """Return what `os.path.realpath` of Windows does."""
    return str(OnWindows(path).resolve())


@pytest.fixture(params=FOLDERS)
def windows(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> OnWindows:
    """The folder of a notebook on Windows; empty."""
    monkeypatch.setattr(OnWindows, "here", tmp_path, raising=False)
    monkeypatch.setattr(OnWindows, "there", request.param, raising=False)
    for module in (beside, command):
        monkeypatch.setattr(module, "Path", OnWindows)
    for module in (remote, scene):
        monkeypatch.setattr(module, "PurePath", PureWindowsPath)
    for module in (failing_line, running):
        monkeypatch.setattr(module, "realpath", realpath)
    return OnWindows.cwd()


STEPS = {
    r'  File "C:\work\train.py", line 12, in fit': r"C:\work\train.py",
    r'  File "\\server\share\train.py", line 12, in fit': r"\\server\share\train.py",
    r"File c:\Users\Jo Doe\train.py:12, in fit(model, loader)": r"c:\Users\Jo Doe\train.py",
    r"File ~\work\train.py:12, in fit(model)": r"~\work\train.py",
    "File D:/work/train.py:12, in fit(model)": "D:/work/train.py",
    "File ~/work/train.py:12, in fit(model)": "~/work/train.py",
}


@pytest.mark.parametrize("text", STEPS)
def test_steps_of_a_traceback_are_read(text: str) -> None:
    """As Python and as IPython print them."""
    assert list(remote.steps_in(f"{text}\r\n    loss = model(x)\r\n")) == [(STEPS[text], 12, "fit")]


@pytest.mark.parametrize(
    "command",
    [
        r"!python {}\train.py --lr 1",
        r'!python "{}\train.py" --lr 1',
        r'!"C:\Program Files\Python312\python.exe" -u "{}\train.py" --lr 1',
        r'!py -3.12 "{}\train.py" --lr 1',
        r'!{{sys.executable}} "{}/train.py" --lr 1',
        "%%cmd\npython -u {}\\train.py --lr 1",
    ],
)
def test_a_command_is_read_as_a_run(command: str) -> None:
    """With its arguments, and what is written there is put back as it was."""
    source = command.format(r"C:\work")
    text = as_run(source, "train.py")
    assert text.strip() == "%run . --lr 1" or text.strip() == '%run ." --lr 1'
    result = put_back(source, "train.py", text.replace("--lr 1", "--lr 2"))
    assert result == source.replace("--lr 1", "--lr 2")


@pytest.mark.parametrize("source", ["!copy a.py train.py", "!type happy train.py", "py train.py"])
def test_another_command_is_none(source: str) -> None:
    """Whatever ends in the letters of the launcher."""
    assert as_run(source, "train.py") == ""


def test_a_run_names_its_script(windows: OnWindows) -> None:
    """Whole or from here, in any case, with blanks where it is quoted."""
    (OnWindows.here / "My code").mkdir()
    (OnWindows.here / "My code" / "Train.py").write_bytes(b"batch_size = 64\r\n")
    for path in (rf"{windows}\My code\Train.py", r"my code\train.py", "My code/train.py"):
        run = beside.script_at(f'%run -i "{path}" --lr 1', 1)
        assert run is not None
        assert (run.path, run.filename) == ("My code/Train.py", rf"{windows}\My code\Train.py")
    assert beside.script_at(r'%run "C:\elsewhere\train.py"', 1) is None
    assert beside.script_at(r'%run "..\train.py"', 1) is None


def test_the_failure_of_a_process_is_traced_to_its_files(windows: OnWindows) -> None:
    """By its printed steps: the script and what it imports, and the number of the command."""
    script = MAIN.replace("import argparse\n", "import argparse\nfrom parts import make\n")
    (OnWindows.here / "main.py").write_text(script)
    (OnWindows.here / "parts.py").write_text(PARTS)
    line = script.split("\n").index("        loss = model(xb.cuda()).mean()") + 1
    cell = CellRun("cell", 1, f'!python "{windows}\\main.py" -b 64', None, time.time() + 1)
    failure = _failure(cell)
    steps = f'  File "{str(windows).lower()}\\MAIN.py", line {line}, in train\n'
    report = remote.of_command(failure, steps)
    assert [file.key for file in report.scene.files] == ["main.py", "parts.py"]
    assert [(run.key, line) for run, line in report.scene.steps] == [("cell", 1), ("main.py", line)]
    assert report.batch is not None
    assert (report.batch.name, report.batch.value) == ("batch_size", 64)
    assert report.batch.cell.key == "cell"


def test_a_frame_is_found_in_its_file(windows: OnWindows) -> None:
    """Whatever the case in which its name was typed."""
    source = "def train():\n    for x in [1, 2]:\n        raise MemoryError\n"
    (OnWindows.here / "train.py").write_text(source)
    file = beside.beside("train.py")
    assert file is not None
    name = str(windows / "TRAIN.py").swapcase()
    assert name not in linecache.cache
    space: dict[str, Any] = {}
    exec(compile(source, name, "exec"), space)  # noqa: S102  as a script is run
    with pytest.raises(MemoryError) as excinfo:
        space["train"]()
    places = failing_line.in_cells(failing_line.steps_of(excinfo.value), [file])
    assert [(run.path, line) for run, line, _ in places] == [("train.py", 3)]
    assert running.running(excinfo.value, [file]).loops
    cell = CellRun("cell", 1, f'x = 1\n%run "{name}"', None, 0.0)
    assert scene._script_line(cell, [(file, 3)]) == 2


@pytest.mark.parametrize(
    ("file", "kind"),
    [
        (r"C:\Python310\lib\threading.py", "standard"),
        (r"c:\python310\Lib\asyncio\base_events.py", "standard"),
        (r"C:/Python310/Lib/threading.py", "standard"),
        (r"C:\Python310\Library\tool.py", "own"),
        (r"C:\Python310\lib\site-packages\torch\nn\modules\module.py", "library"),
        (r"C:\work\.venv\Lib\site-packages\torch\nn\modules\module.py", "library"),
        (r"C:\work\train.py", "own"),
        (r"\\server\share\train.py", "own"),
        (r"C:\Users\RUNNER~1\AppData\Local\Temp\ipykernel_9\123.py", "own"),
        ("<frozen importlib._bootstrap>", "standard"),
    ],
)
def test_whose_a_file_is(file: str, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Python 3.10 calls its own folder `lib` in one place and `Lib` in another."""
    standard = ntpath.normcase(r"C:\Python310\Lib") + "\\", "<frozen"
    monkeypatch.setattr(other_threads, "_STANDARD", standard)
    monkeypatch.setattr(other_threads, "normcase", ntpath.normcase)
    assert other_threads.kind_of_file(file) == kind


@pytest.mark.parametrize(("name", "argv"), [("train.ipynb", ""), ("train.py", "train.py")])
def test_a_dry_run_takes_a_path(
    windows: OnWindows, monkeypatch: pytest.MonkeyPatch, name: str, argv: str
) -> None:
    """Its cells are those of the file, and it runs in the folder of it."""
    notebook = '{"cells": [{"cell_type": "code", "source": ["x = 1"]}]}'
    (OnWindows.here / name).write_text(notebook if name.endswith("b") else "x = 1")
    orders: list[Any] = []

    def run(order: Any, hear: Callable[[Any], object]) -> None:
        orders.append(order)
        hear({"status": "failed", "message": None, "asks": [], "found": None})

    monkeypatch.setattr(engine, "dry_run", run)
    monkeypatch.setattr(command, "find_spec", lambda _: True)
    for path in (rf"{windows}\{name}", f".\\{name}", f"{windows.as_posix()}/{name}"):
        assert command.dry_run([path, "--gpu", "T4"]) == 2
    assert [order.folder for order in orders] == [str(windows)] * 3
    assert [order.argv for order in orders] == [[argv]] * 3
    assert [order.sources for order in orders] == [{"cell-1": "x = 1"}] * 3
    assert command.dry_run([f"file:///{windows.as_posix()}/{name}"]) == 2
    assert len(orders) == 3


def test_modules_travel_by_names_with_slashes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Under which a worker, on whatever system, looks for them."""

    class Folder(type(Path())):  # type: ignore[misc]
        def relative_to(self, other: PurePath) -> PurePath:
            return PureWindowsPath(super().relative_to(other))

    monkeypatch.setattr(travel, "Path", Folder)
    assert {"__init__.py", "kernel/injection.py"} <= set(travel.sources())


def test_a_file_is_removed_once_it_is_closed(tmp_path: Path) -> None:
    """Windows removes none that is open."""

    class File(type(Path())):  # type: ignore[misc]
        def open(self, *arguments: Any) -> Any:
            self.opened = super().open(*arguments)
            return self.opened

        def unlink(self) -> None:
            assert self.opened.closed
            super().unlink()

    with pytest.raises((AttributeError, pickle.PickleError), match="lambda"):
        memory_snapshot._write(File(tmp_path / "a.pickle"), {"segments": lambda: None})
    assert list(tmp_path.iterdir()) == []


def _failure(cell: CellRun) -> Failure:
    error, recognition = RuntimeError(), recognise_text(f"torch.OutOfMemoryError: {ERROR}")
    assert recognition is not None
    return Failure(
        error=error,
        recognition=Recognition(error, "OutOfMemoryError", recognition.said),
        capture=None,
        helper_id="",
        cell=cell,
        cells=(cell,),
        device=None,
        shell=None,
        time_s=cell.start_s,
    )
