"""Install the CPU build of PyTorch into an environment, with the pip that runs this script.

`python scripts/install_torch.py ENVIRONMENT/bin/python [torchvision]`

Names of further packages that are built against it may follow. That pip is 25.1 or newer, whose
`--dry-run` reads metadata and downloads no wheel.

The default index offers a CUDA build of several gigabytes on Linux. So pip is
asked what it would install, and where that is not a CPU build, PyTorch's own
CPU index (https://pytorch.org/get-started/locally/) is used instead.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

CPU_INDEX = "https://download.pytorch.org/whl/cpu"
REQUIREMENTS = Path(__file__).parents[1] / "requirements"
REQUIREMENT = REQUIREMENTS.joinpath("torch.txt").read_text().strip()
ACCELERATOR_PACKAGES = re.compile(r"nvidia|cuda|triton|rocm")


PYTHON = sys.argv[1]
VERSION = "import sys; from importlib.metadata import version; print(version(sys.argv[1]))"


def pip(*arguments: str, capture: bool = False) -> subprocess.CompletedProcess[str]:
    """Run pip on the environment with the given arguments."""
    command = [sys.executable, "-m", "pip", "--python", PYTHON, "--disable-pip-version-check"]
    return subprocess.run([*command, *arguments], check=False, text=True, capture_output=capture)


def install(*arguments: str, capture: bool = False) -> int:
    """Install with pip, without compiling thousands of modules that are never imported."""
    return pip("install", "--quiet", "--no-compile", *arguments, capture=capture).returncode


def is_installed(requirement: str) -> bool:
    """Whether the pinned version is here already, of whatever build."""
    name, version = requirement.split("==")
    command = [PYTHON, "-c", VERSION, name]
    answer = subprocess.run(command, check=False, text=True, capture_output=True)
    return answer.returncode == 0 and answer.stdout.strip().split("+")[0] == version


def default_is_cpu() -> bool:
    """Whether the user's own pip configuration leads to a CPU build."""
    report = pip("install", "--dry-run", "--quiet", "--report", "-", REQUIREMENT, capture=True)
    if report.returncode != 0:
        return False
    packages = [item["metadata"] for item in json.loads(report.stdout)["install"]]
    return not any(
        ACCELERATOR_PACKAGES.match(package["name"])
        or re.search(r"\+(cu|rocm|xpu)", package["version"])
        for package in packages
    )


def install_companion(name: str) -> int:
    """Install a package that is built against PyTorch; returns pip's exit status.

    Where the CPU index cannot be reached it is the default build, whose Python part works, too.
    """
    requirement = REQUIREMENTS.joinpath(f"{name}.txt").read_text().strip()
    if is_installed(requirement):
        return 0
    by_index = ("--no-deps", requirement, "--index-url", CPU_INDEX, "--retries", "1")
    if install(*by_index, capture=True) == 0:
        return 0
    return install("--no-deps", requirement)


def main() -> int:
    """Install what is missing and return pip's exit status."""
    return install_torch() or max(map(install_companion, sys.argv[2:]), default=0)


def install_torch() -> int:
    """Install PyTorch if it is missing and return pip's exit status."""
    if is_installed(REQUIREMENT):
        return 0
    if default_is_cpu():
        return install(REQUIREMENT)
    print(f"pip's default {REQUIREMENT} is no CPU build, so it is taken from {CPU_INDEX}")
    return install(REQUIREMENT, "--index-url", CPU_INDEX)


if __name__ == "__main__":
    sys.exit(main())
