"""Run the versions and hosts that `make test-all` does not, one after the other.

Each environment is made, tested and thrown away; what became of it is written to
`validation.RESULTS`, from which `validation.py` makes the first table of `docs/validation.md`.
`python -m scripts.matrix "JupyterLab 4.4"` runs one.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from scripts import cuda, validation
from scripts.choice import chosen

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from scripts import cuda_table

ROOT = Path(__file__).parents[1]
ENVIRONMENT = ROOT / ".venvs" / "matrix"
PYTEST = (str(ROOT / ".venv" / "bin" / "pytest"), "--quiet", "--numprocesses=3", "--dist=loadfile")
# What PyTorch imports.
_OF_TORCH = ("filelock", "fsspec", "jinja2", "networkx", "numpy", "setuptools", "sympy")
_PYTORCH = "2.13.0"
_OF_TESTS = ("pytest", "pytest-timeout", "pytest-xdist", "jsonschema", "psutil", "ipykernel")
# What needs no framework, and no tool of ours.
_ASKS_RUFF = "test_the_types_are_made_from_the_schema"
_ASKS_TORCH = "test_a_backward_pass_belongs_to_it[autograd]"
_UNIT_TESTS = (
    *("advice", "code", "concurrency", "errors", "protocol", "readings", "render", "text"),
    "oom/test_running.py",
)
_LEFT_OUT = (
    *("errors/test_hostile_text.py", "errors/test_remote.py", "errors/test_sticky_error.py"),
    "protocol/test_leases.py",
    *("readings/test_real_gpu.py", "readings/test_visible.py", "text/test_translations.py"),
)


class Left(Exception):  # noqa: N818 -- no error: it is told, and the next one runs
    """A cell cannot be run on this machine; its message says why."""


class Cell(Protocol):
    """A place of the matrix."""

    def run(self) -> validation.Result:
        """Run it here and return what became of it; raises `Left` where it cannot."""
        ...


@dataclass(frozen=True)
class Application:
    """JupyterLab or Notebook of some version: browser tests."""

    name: str
    packages: tuple[str, ...]

    def run(self) -> validation.Result:
        """See `Cell`."""
        python = _environment(Path(sys.executable), *self.packages, "scikit-learn")
        (wheel,) = ROOT.glob("dist/*.whl")
        _pip(python, "--no-deps", str(wheel))
        passed, failed = _run_browser(f"matrix-{self.name}", {})
        return _result(passed, failed, _versions(python, "jupyterlab", "notebook"))


@dataclass(frozen=True)
class Kernel:
    """ipykernel of some version: the tests in real kernels."""

    packages: tuple[str, ...]

    def run(self) -> validation.Result:
        """See `Cell`."""
        python = _environment(Path(sys.executable), *self.packages)
        # The tests know three generations; here each is this one.
        names = ("LAB_46", "LAB_42", "KERNEL_617")
        variables = {f"GPU_HEADROOM_PYTHON_{name}": str(python) for name in names}
        passed, failed = _run_tests(PYTEST, variables, "python_helper/tests/kernels")
        return _result(passed, failed, _versions(python, "ipykernel", "ipython"))


@dataclass(frozen=True)
class Colab:
    """Colab's kernel on a Python that it offers: a smoke test in kernels, and the page like its."""

    version: str

    def run(self) -> validation.Result:
        """See `Cell`."""
        pinned = ROOT / "requirements" / "kernel-6.17.txt"
        python = _venv(find_python(self.version), "--requirement", str(pinned))
        _install_torch(python)
        variables = {
            "GPU_HEADROOM_GENERATION": "ipykernel-6.17",
            "GPU_HEADROOM_PYTHON_KERNEL_617": str(python),
            "GPU_HEADROOM_PYTHON_LAB_46": str(python),
        }
        folders = [f"python_helper/tests/{name}" for name in ("kernels", "recovery")]
        passed, failed = _run_tests((*PYTEST, "-m", "kernel and smoke"), variables, *folders)
        on_page = _run_browser("colab", variables, "--project", "6.17 strict")
        versions = _versions(python, "ipykernel", "ipython", "torch")
        return _result(passed + on_page[0], failed + on_page[1], versions)


@dataclass(frozen=True)
class Interpreter:
    """Another Python: unit tests, and those on a CUDA build of PyTorch for it, over the stub."""

    version: str

    def run(self) -> validation.Result:
        """See `Cell`."""
        python = find_python(self.version)
        unit = _venv(python, *_OF_TESTS, "numpy", "python-minifier==3.4.0")
        unit_passed, unit_failed = _unit_tests(unit)
        with tempfile.TemporaryDirectory() as folder:
            report = Path(folder) / "report.json"
            command = [str(python), "-m", "scripts.cuda", _PYTORCH, "--throw-away"]
            command += ["--folder", str(ENVIRONMENT), "--record", str(report)]
            subprocess.run(command, cwd=ROOT, check=False)
            if not report.exists():
                raise Left("PyTorch could not be installed for it")
            passed, failed = _counted(json.loads(report.read_text(encoding="utf-8"))["features"])
        passed, failed = passed + unit_passed, failed + unit_failed
        output = subprocess.run([python, "--version"], capture_output=True, text=True, check=True)
        return _result(passed, failed, f"{output.stdout.strip()}, PyTorch {_PYTORCH} over the stub")


@dataclass(frozen=True)
class Host:
    """Where JupyterLab runs or is looked at in another way: `make hosts`."""

    name: str

    def run(self) -> validation.Result:
        """See `Cell`."""
        with tempfile.TemporaryDirectory() as folder:
            report = Path(folder) / "report.json"
            variables = {**os.environ, "PLAYWRIGHT_JSON_OUTPUT_NAME": str(report)}
            command = ["make", "hosts", f"HOST={self.name}", "ARGS=--reporter=json"]
            subprocess.run(command, cwd=ROOT, env=variables, check=False)
            if not report.exists():
                raise Left(f"`make hosts HOST={self.name}` ran no test")
            return _result(*_browser_tests(report), "")


CELLS: Mapping[str, Cell] = {
    "JupyterLab 4.3": Application("lab", ("jupyterlab==4.3.8", "notebook==7.3.3")),
    "JupyterLab 4.4": Application("lab", ("jupyterlab==4.4.10", "notebook==7.4.7")),
    "JupyterLab 4.5": Application("lab", ("jupyterlab==4.5.11", "notebook==7.5.8")),
    # Pre-releases: what is tested there is all but the wings.
    "JupyterLab 4.7": Application("core", ("jupyterlab==4.7.0a2", "notebook==7.7.0a2")),
    "Notebook 7.3": Application("notebook", ("jupyterlab==4.3.8", "notebook==7.3.3")),
    "Notebook 7.4": Application("notebook", ("jupyterlab==4.4.10", "notebook==7.4.7")),
    "Notebook 7.5": Application("notebook", ("jupyterlab==4.5.11", "notebook==7.5.8")),
    "Notebook 7.7": Application("notebook", ("jupyterlab==4.7.0a2", "notebook==7.7.0a2")),
    "ipykernel 6.21": Kernel(("ipykernel==6.21.3", "ipython==8.10.0")),
    "ipykernel 6.25": Kernel(("ipykernel==6.25.2", "ipython==8.14.0")),
    "ipykernel 6.31": Kernel(("ipykernel==6.31.0", "ipython==8.38.0")),
    "ipykernel 7.1": Kernel(("ipykernel==7.1.0", "ipython==9.7.0")),
    "Colab's kernel, Python 3.12": Colab("3.12"),
    "Colab's kernel, Python 3.13": Colab("3.13"),
    "Python 3.10": Interpreter("3.10"),
    "Python 3.12": Interpreter("3.12"),
    "Python 3.13": Interpreter("3.13"),
    "Python 3.14": Interpreter("3.14"),
    "JupyterHub": Host("hub"),
    "Real-time collaboration": Host("collaboration"),
    "Kernel gateway": Host("gateway"),
    "Firefox": Host("firefox"),
    "Outputs without scripts": Host("static"),
}


def find_python(version: str) -> Path:
    """Find a Python of this version: on the path, or one of pyenv's; raises `Left`."""
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    on_path = shutil.which(f"python{version}")
    paths = [*([Path(on_path)] if on_path else []), *pyenv.glob(f"versions/{version}.*/bin/python")]
    for path in paths:
        # One of pyenv's is on the path and may run nothing.
        process = subprocess.run([path, "-c", "import venv"], capture_output=True, check=False)
        if process.returncode == 0:
            return path
    raise Left(f"there is no Python {version} on this machine")


def _unit_tests(python: Path) -> tuple[int, list[str]]:
    """Run the tests in an interpreter itself."""
    tests = ROOT / "python_helper" / "tests"
    options = [f"--ignore={tests / name}" for name in _LEFT_OUT]
    for test in (f"protocol/test_protocol.py::{_ASKS_RUFF}", f"oom/test_running.py::{_ASKS_TORCH}"):
        options += ["--deselect", f"python_helper/tests/{test}"]
    command = [str(python), "-m", "pytest", "--quiet", "-p", "no:cacheprovider", *options]
    return _run_tests(command, os.environ, *(str(tests / name) for name in _UNIT_TESTS))


def _venv(python: Path, *packages: str) -> Path:
    shutil.rmtree(ENVIRONMENT, ignore_errors=True)
    subprocess.run([python, "-m", "venv", ENVIRONMENT], check=True)
    interpreter = ENVIRONMENT / "bin" / "python"
    _pip(interpreter, *packages)
    return interpreter


def _environment(python: Path, *packages: str) -> Path:
    interpreter = _venv(python, *packages, *_OF_TORCH)
    _install_torch(interpreter)
    return interpreter


def _install_torch(python: Path) -> None:
    """Install the CPU build, or, where its index cannot be reached, the one with CUDA."""
    pip = ROOT / ".venvs" / "uv" / "bin" / "python"
    command = [str(pip), "scripts/install_torch.py", str(python.absolute())]
    if subprocess.run(command, cwd=ROOT, check=False).returncode != 0:
        _pip(python, "--no-compile", "--requirement", str(ROOT / "requirements" / "torch.txt"))


def _pip(python: Path, *arguments: str) -> None:
    command = [str(python), "-m", "pip", "--disable-pip-version-check", "install", "--quiet"]
    subprocess.run([*command, *arguments], check=True)


def _versions(python: Path, *packages: str) -> str:
    code = "import importlib.metadata as m, sys; print(*map(m.version, sys.argv[1:]))"
    process = subprocess.run(
        [python, "-c", code, *packages], capture_output=True, text=True, check=True
    )
    return ", ".join(map(" ".join, zip(packages, process.stdout.split(), strict=True)))


def _run_tests(
    pytest: Sequence[str], variables: Mapping[str, str], *folders: str
) -> tuple[int, list[str]]:
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.xml"
        command = [*pytest, f"--junitxml={report}", *folders]
        subprocess.run(command, cwd=ROOT, env={**os.environ, **variables}, check=False)
        return _counted(cuda.read_report(report))


def _counted(features: Mapping[str, cuda_table.Feature]) -> tuple[int, list[str]]:
    passed = sum(feature["passed"] for feature in features.values())
    return passed, [name for feature in features.values() for name in feature["failed"]]


def _run_browser(app: str, variables: Mapping[str, str], *arguments: str) -> tuple[int, list[str]]:
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        settings = {"GPU_HEADROOM_APP": app, "PLAYWRIGHT_JSON_OUTPUT_NAME": str(report)}
        command = ["node", "node_modules/@playwright/test/cli.js", "test", "--reporter=json"]
        subprocess.run(
            [*command, *arguments],
            cwd=ROOT / "ui-tests",
            env={**os.environ, **variables, **settings},
            check=False,
        )
        return _browser_tests(report)


def _browser_tests(report: Path) -> tuple[int, list[str]]:
    """Count what passed, and name what did not, of Playwright's report."""
    if not report.exists():
        return 0, ["no test ran"]
    passed, failed = 0, []
    stack = [json.loads(report.read_text(encoding="utf-8"))]
    while stack:
        suite = stack.pop()
        stack += suite.get("suites", ())
        for spec in suite.get("specs", ()):
            if spec["ok"]:
                passed += 1
            else:
                failed.append(spec["title"])
    return passed, failed


def _result(passed: int, failed: list[str], versions: str) -> validation.Result:
    date = datetime.now(tz=timezone.utc).date().isoformat()
    return {"date": date, "ran": versions, "passed": passed, "failed": failed}


def main() -> int:
    """Run all, or those that were named; write the page."""
    bad = []
    for name in chosen(__doc__, "CELL", CELLS):
        print(f"{name} …", flush=True)
        try:
            result = CELLS[name].run()
        except Left as reason:
            print(f"{name}: left out, {reason}.", flush=True)
            continue
        except subprocess.CalledProcessError as error:
            print(f"{name}: could not be prepared: {error}", flush=True)
            bad.append(name)
            continue
        finally:
            shutil.rmtree(ENVIRONMENT, ignore_errors=True)
        validation.record(name, result)
        print(f"{name}: {result['passed']} passed, {len(result['failed'])} failed", flush=True)
        bad += [name] if result["failed"] or not result["passed"] else []
    if bad:
        print(f"Failed: {', '.join(bad)}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
