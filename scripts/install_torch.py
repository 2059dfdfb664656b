"""Install the CPU build of PyTorch into the environment that runs this script.

Names of further packages that are built against it, such as torchvision, may follow.

The default index offers a CUDA build of several gigabytes on Linux. So pip is
asked what it would install, and where that is not a CPU build, PyTorch's own
CPU index (https://pytorch.org/get-started/locally/) is used instead.
"""

from __future__ import annotations

import importlib.metadata
import json
import re
import subprocess
import sys
from pathlib import Path

CPU_INDEX = "https://download.pytorch.org/whl/cpu"
REQUIREMENTS = Path(__file__).parents[1] / "requirements"
REQUIREMENT = REQUIREMENTS.joinpath("torch.txt").read_text().strip()
ACCELERATOR_PACKAGES = re.compile(r"nvidia|cuda|triton|rocm")


def pip(*arguments: str, capture: bool = False) -> subprocess.CompletedProcess[str]:
    """Run this environment's pip with the given arguments."""
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", *arguments]
    return subprocess.run(command, check=False, text=True, capture_output=capture)


def is_installed(requirement: str) -> bool:
    """Whether the pinned version is here already, of whatever build."""
    name, version = requirement.split("==")
    try:
        return importlib.metadata.version(name).split("+")[0] == version
    except importlib.metadata.PackageNotFoundError:
        return False


def default_is_cpu() -> bool:
    """Whether the user's own pip configuration leads to a CPU build."""
    report = pip("install", "--dry-run", "--quiet", "--report", "-", REQUIREMENT, capture=True)
    if report.returncode != 0:
        return False
    found = [item["metadata"] for item in json.loads(report.stdout)["install"]]
    return not any(
        ACCELERATOR_PACKAGES.match(package["name"])
        or re.search(r"\+(cu|rocm|xpu)", package["version"])
        for package in found
    )


def install_companion(name: str) -> int:
    """Install a package that is built against PyTorch; returns pip's exit status.

    Where the CPU index cannot be reached it is the default build, whose Python part works, too.
    """
    requirement = REQUIREMENTS.joinpath(f"{name}.txt").read_text().strip()
    if is_installed(requirement):
        return 0
    install = ("install", "--quiet", "--no-deps", requirement)
    if pip(*install, "--index-url", CPU_INDEX, "--retries", "1", capture=True).returncode == 0:
        return 0
    return pip(*install).returncode


def main() -> int:
    """Install what is missing and return pip's exit status."""
    return install_torch() or max(map(install_companion, sys.argv[1:]), default=0)


def install_torch() -> int:
    """Install PyTorch if it is missing and return pip's exit status."""
    if is_installed(REQUIREMENT):
        return 0
    # Since this version `--dry-run` reads metadata and downloads no wheel.
    pip("install", "--quiet", "--upgrade", "pip>=25.1")
    if default_is_cpu():
        return pip("install", "--quiet", REQUIREMENT).returncode
    print(f"pip's default {REQUIREMENT} is no CPU build, so it is taken from {CPU_INDEX}")
    return pip("install", "--quiet", REQUIREMENT, "--index-url", CPU_INDEX).returncode


if __name__ == "__main__":
    sys.exit(main())
