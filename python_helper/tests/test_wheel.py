"""The wheel, in an environment that has nothing else."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from tests.lifecycle.wheels import EXTENSION, present_wheel

ROOT = Path(__file__).parents[2]
# How webpack writes a shared package of its host: scope, name, singleton, version.
REQUEST = re.compile(r'"default","(@jupyterlab/[a-z-]+)",![01],\[1,([0-9,]+)\]')


@pytest.fixture(scope="module")
def wheel() -> Path:
    """The wheel that `make wheel` built, or the one in dist/."""
    return present_wheel()


@pytest.fixture(scope="module")
def environment(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A fresh virtual environment after `pip install` of the wheel."""
    folder = tmp_path_factory.mktemp("environment")
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    run_python(folder, "-m", "pip", "install", "--disable-pip-version-check", str(wheel))
    return folder


def run_python(environment: Path, *arguments: str) -> str:
    """Run the environment's Python, away from the source tree, and return what it prints."""
    variables = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    command = [str(environment / "bin" / "python"), *arguments]
    return subprocess.run(
        command, check=True, text=True, capture_output=True, cwd=environment, env=variables
    ).stdout


def test_brings_no_other_package(environment: Path) -> None:
    """Installing the wheel adds itself and moves nothing else."""
    packages = json.loads(run_python(environment, "-m", "pip", "list", "--format", "json"))
    assert {package["name"] for package in packages} - {"pip", "setuptools"} == {"gpu-headroom"}


def test_imports_without_any_dependency(environment: Path) -> None:
    """`import gpu_headroom` works with the standard library alone and prints nothing."""
    assert run_python(environment, "-W", "error", "-c", "import gpu_headroom") == ""


def test_holds_the_whole_helper(wheel: Path) -> None:
    """Every module and data file of the source tree is in the wheel: helper and simulator."""
    folder = ROOT / "python_helper"
    sources = {
        path.relative_to(folder).as_posix()
        for path in folder.glob("gpu_*/**/*")
        if path.is_file() and path.suffix in {".py", ".json", ".typed"}
    }
    files = set(zipfile.ZipFile(wheel).namelist())
    assert sources - files == set()
    packages = ("gpu_dry_run", "gpu_headroom", "gpu_simulator")
    assert {f"{name}/py.typed" for name in packages} <= files


def test_puts_the_extension_where_jupyterlab_looks(environment: Path) -> None:
    """The prebuilt extension, its settings and its install note are in place."""
    folder = environment / EXTENSION
    manifest = json.loads((folder / "package.json").read_text(encoding="utf-8"))
    note = json.loads((folder / "install.json").read_text(encoding="utf-8"))
    assert (folder / manifest["jupyterlab"]["_build"]["load"]).is_file()
    assert (folder / "schemas" / "gpu-headroom" / "plugin.json").is_file()
    assert note["packageName"] == "gpu-headroom"


def test_asks_for_no_newer_jupyterlab_than_the_oldest(environment: Path) -> None:
    """The bundle asks its host for the versions that package.json names as the oldest."""
    oldest = json.loads((ROOT / "package.json").read_text(encoding="utf-8"))["dependencies"]
    scripts = (environment / EXTENSION / "static").glob("*.js")
    versions = dict(REQUEST.findall("".join(path.read_text(encoding="utf-8") for path in scripts)))
    assert versions, "the bundle asks for no shared package"
    assert versions == {name: oldest[name].lstrip("^").replace(".", ",") for name in versions}


def test_is_built_with_what_the_requirements_pin() -> None:
    """requirements/build.in and the build system of pyproject.toml name the same packages."""
    lines = (ROOT / "requirements" / "build.in").read_text(encoding="utf-8").splitlines()
    names = {line for line in lines if line and not line.startswith("#")}
    match = re.search(
        r"^requires = \[(.*?)^\]", (ROOT / "pyproject.toml").read_text(), re.MULTILINE | re.DOTALL
    )
    assert match is not None
    assert set(re.findall(r'"([^"]+)"', match[1])) == names
