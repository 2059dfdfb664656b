"""Run the tests that need CUDA on a real CUDA build of PyTorch, over a stub of the runtime.

`python -m scripts.cuda 2.12.1` makes an environment with that one wheel, and none of NVIDIA's
packages, builds the stub for it (`python_helper/tests/cuda_runtime`) and runs the tests there.
What ran is written to `RESULTS`, from which `cuda_table.py` makes the table of the documentation.
`--gpu` runs the same tests on this machine's own GPU, with NVIDIA's packages and without a stub.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET
from datetime import datetime, timezone
from pathlib import Path

from scripts import cuda_table

ROOT = Path(__file__).parents[1]
TESTS = ROOT / "python_helper" / "tests"
BUILD = TESTS / "cuda_runtime" / "build.py"
# pip's own configuration may lead to a CPU build; PyPI's is the CUDA build on Linux.
INDEX = "https://pypi.org/simple"
NEWEST = list(cuda_table.VERSIONS)[-1]
# What PyTorch imports, and what the tests need.
_PACKAGES = {
    *("filelock", "fsspec", "jinja2", "networkx", "numpy", "setuptools", "sympy"),
    *("typing-extensions", "ipykernel", "ipython", "jupyter-client", "jsonschema", "psutil"),
    *("pytest", "pytest-timeout", "pytest-xdist"),
}
_CONSTRAINTS = ("lab-4.6.txt", "test.txt")
# Compiled against NumPy 1, which a newer one would not replace.
_BEFORE_NUMPY_2 = (2, 3)


class Environment:
    """An environment with one CUDA wheel of PyTorch and the stub that was built for it."""

    prefix = "cuda"
    of_torch: tuple[str, ...] = ("--no-deps",)
    """How pip installs PyTorch."""

    def __init__(self, folder: Path, version: str) -> None:
        # Kernels start in folders of their own.
        self.folder = folder.resolve() / f"{self.prefix}-{version}"
        self.version = version
        self.python = self.folder / "bin" / "python"
        self._stamp = self.folder / "complete"

    @property
    def is_there(self) -> bool:
        """Whether it was made to its end."""
        return self._stamp.exists()

    @property
    def torch(self) -> Path:
        """The folder of its PyTorch."""
        (folder,) = self.folder.glob("lib/python*/site-packages/torch")
        return folder

    @property
    def announcement(self) -> str:
        """What it will download, in a sentence."""
        megabytes = cuda_table.VERSIONS.get(self.version)
        size = f"{megabytes} MB" if megabytes else "0.5 to 0.9 GB"
        return (
            f"PyTorch {self.version}: one wheel of {size} and some 50 MB of small packages, none "
            f"of NVIDIA's; three to four times as much in {self.folder}."
        )

    @property
    def variables(self) -> dict[str, str]:
        """What tells a Python of it that it has two GPUs, which the stub plays."""
        return stub_variables(self.folder, gpus="16GiB,24GiB")

    def make(self, *, only_local: bool) -> None:
        """Make it; `only_local` takes the wheel from where pip finds it without an index."""
        if self.is_there:
            return
        shutil.rmtree(self.folder, ignore_errors=True)
        subprocess.run([sys.executable, "-m", "venv", self.folder], check=True)
        source = ["--no-index"] if only_local else ["--index-url", INDEX]
        self._pip(*self.of_torch, *source, wheel(self.version))
        parts = tuple(int(each) for each in self.version.split(".")[:2])
        old_numpy = parts < _BEFORE_NUMPY_2
        constraints = [f"--constraint={ROOT / 'requirements' / each}" for each in _CONSTRAINTS]
        self._pip(*constraints, *sorted(_PACKAGES - ({"numpy"} if old_numpy else set())))
        if old_numpy:
            self._pip("numpy<2")
        self._stamp.touch()

    def _pip(self, *arguments: str) -> None:
        command = [str(self.python), "-m", "pip", "--disable-pip-version-check", "install"]
        # PyTorch's download shows how far it is.
        quiet = ["--quiet", "--no-warn-conflicts"] if "--index-url" not in arguments else []
        subprocess.run([*command, *quiet, *arguments], check=True)

    def add(self, name: str, packages: tuple[str, ...], on_torch: tuple[str, ...]) -> None:
        """Install more, once, in the tests' versions; `on_torch` are those that need PyTorch.

        pip would install what PyTorch needs with these, which is NVIDIA's packages.
        """
        stamp = self.folder / name
        if stamp.exists():
            return
        constraint = f"--constraint={ROOT / 'requirements' / 'test.txt'}"
        self._pip(constraint, *packages)
        self._pip(constraint, "--no-deps", *on_torch)
        stamp.touch()

    def build(self) -> None:
        """Build the stub for the wheel: it takes seconds, and its sources may have changed."""
        runtime = self.folder / "cuda_runtime"
        subprocess.run([self.python, BUILD, self.torch, runtime], check=True)

    def test(self, names: tuple[str, ...]) -> cuda_table.Run:
        """Run the tests for CUDA, or those in files of these names, and return what became."""
        variables = {**os.environ, **self.variables, "GPU_HEADROOM_CUDA": str(self.folder)}
        with tempfile.TemporaryDirectory() as folder:
            report = Path(folder) / "report.xml"
            command = [str(self.python), "-m", "pytest", "-m", "gpu or cuda", "--quiet"]
            command += ["-p", "no:cacheprovider", "--numprocesses", "2", "--dist", "loadfile"]
            # Older versions use their own deprecated names.
            command += ["-W", "ignore::FutureWarning"]
            command += [f"--junitxml={report}", *map(str, test_files(names))]
            subprocess.run(command, check=False, cwd=ROOT, env=variables)
            features = read_report(report)
        text = (self.torch / "version.py").read_text(encoding="utf-8")
        cuda = re.search(r"^cuda.*'([\d.]+)'", text, re.MULTILINE)
        return {
            "date": datetime.now(tz=timezone.utc).date().isoformat(),
            "python": f"{sys.version_info.major}.{sys.version_info.minor}",
            "cuda": cuda[1] if cuda else None,
            "gpu": self.gpu(),
            "features": features,
        }

    def gpu(self) -> str | None:
        """What the tests ran on, where that was no stub."""
        return None


class RealEnvironment(Environment):
    """An environment with PyTorch and NVIDIA's packages, for the GPU of this machine."""

    prefix = "cuda-real"
    of_torch = ()

    @property
    def announcement(self) -> str:
        """What it will download, in a sentence."""
        return (
            f"PyTorch {self.version} with NVIDIA's packages: 2 to 4 GB to download, and about "
            f"twice as much in {self.folder}."
        )

    @property
    def variables(self) -> dict[str, str]:
        """Tests are told that nothing is played."""
        return {"GPU_HEADROOM_CUDA_REAL": "1"}

    def build(self) -> None:
        """Nothing is built; raises `CalledProcessError` where PyTorch sees no GPU."""
        code = "import torch, sys; sys.exit(not torch.cuda.is_available())"
        subprocess.run([self.python, "-c", code], check=True)

    def gpu(self) -> str | None:
        """The first GPU's name and its driver."""
        query = ["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"]
        if shutil.which(query[0]) is None:
            return "unknown"
        process = subprocess.run(query, check=False, capture_output=True, text=True)
        return process.stdout.partition("\n")[0].replace(", ", ", driver ") or "unknown"


def stub_variables(folder: Path, *, gpus: str, driver: bool = True) -> dict[str, str]:
    """Return what a program's environment has besides, on GPUs of the stub or without a driver.

    `folder` is an environment's; `gpus` is a size for each GPU, as CUDA_RUNTIME_DEVICES.
    """
    parts = ("lib", "driver") if driver else ("lib",)
    return {
        "LD_LIBRARY_PATH": ":".join(str(folder / "cuda_runtime" / part) for part in parts),
        "CUDA_RUNTIME_DEVICES": gpus,
        # cuDNN is played by its older API only, and nothing is compiled.
        "TORCH_CUDNN_V8_API_DISABLED": "1",
        "USE_PYTORCH_KERNEL_CACHE": "0",
    }


def test_files(names: tuple[str, ...]) -> list[Path]:
    """Return the files that have tests marked `gpu` or `cuda`."""
    if names:
        return [TESTS / "cuda" / f"{each}.py" for each in names]
    files = (each for each in TESTS.rglob("test_*.py") if "mark.gpu" in each.read_text("utf-8"))
    return [TESTS / "cuda", *sorted(files)]


def read_report(report: Path) -> dict[str, cuda_table.Feature]:
    """Count the tests of each file that passed, and name the others."""
    features: dict[str, cuda_table.Feature] = {}
    for case in ET.parse(report).getroot().iter("testcase"):  # noqa: S314 -- our pytest wrote it
        name = case.get("classname", "").rsplit(".", 1)[-1]
        feature = features.setdefault(name, {"passed": 0, "left_out": {}, "failed": []})
        skipped = case.find("skipped")
        if case.find("failure") is not None or case.find("error") is not None:
            feature["failed"].append(case.get("name", ""))
        elif skipped is not None:
            feature["left_out"][case.get("name", "")] = skipped.get("message", "")
        else:
            feature["passed"] += 1
    return features


def wheel(version: str) -> str:
    """Return what pip calls the CUDA build: `==` would take a CPU build too, `2.13.0+cpu`."""
    return f"torch==={version}"


def is_local(version: str) -> bool:
    """Whether pip finds the wheel without asking an index; its cache cannot be asked that way."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-index", "--no-deps"]
        process = subprocess.run(
            [*command, "--dest", folder, wheel(version)], check=False, capture_output=True
        )
        return process.returncode == 0


def stub_refuses() -> int:
    """Return the status, other than 0, with which the stub says why it is not for this machine."""
    return subprocess.run([sys.executable, BUILD, "--check"], check=False).returncode


def run(version: str, options: argparse.Namespace) -> bool:
    """Make, build and test; whether all passed."""
    environment = (RealEnvironment if options.gpu else Environment)(options.folder, version)
    if not environment.is_there:
        print(environment.announcement, flush=True)
    try:
        environment.make(only_local=options.if_here)
        environment.build()
    except subprocess.CalledProcessError as error:
        print(f"PyTorch {version} was left out: {error}")
        return False
    result = environment.test(tuple(options.only))
    if options.record:
        options.record.write_text(json.dumps(result), encoding="utf-8")
    elif not options.if_here and not options.only:
        cuda_table.write(version, result, gpu=options.gpu)
        print(f"Written to {cuda_table.RESULTS}.")
    if options.throw_away:
        shutil.rmtree(environment.folder)
    return not any(feature["failed"] for feature in result["features"].values())


def main() -> int:
    """Run one version, or all of them."""
    options = _arguments()
    versions = list(cuda_table.VERSIONS) if options.all else [options.version]
    here = not options.if_here or Environment(options.folder, NEWEST).is_there or is_local(NEWEST)
    if not here:
        print(f"Left out: PyTorch {NEWEST} for CUDA is not here; `make cuda` downloads it.")
        return 0
    status = 0 if options.gpu else stub_refuses()
    if status:
        return 0 if options.if_here else status
    passed = [run(version, options) for version in versions]
    return 0 if all(passed) else 1


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("version", nargs="?", default=NEWEST)
    parser.add_argument("--gpu", action="store_true", help="on this machine's GPU, no stub")
    parser.add_argument("--all", action="store_true", help="every supported series")
    parser.add_argument("--throw-away", action="store_true", help="remove the environment after")
    parser.add_argument("--if-here", action="store_true", help="download no wheel, record nothing")
    parser.add_argument("--only", nargs="*", default=[], help="files of tests/cuda, not recorded")
    parser.add_argument("--record", type=Path, help="write the results there, not in the table")
    parser.add_argument("--folder", type=Path, default=ROOT / ".venvs")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
