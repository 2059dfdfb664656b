"""Install the CPU build of PyTorch into the environment that runs this script.

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
REQUIREMENT = Path(__file__).parents[1].joinpath("requirements", "torch.txt").read_text().strip()
NAME, VERSION = REQUIREMENT.split("==")
ACCELERATOR_PACKAGES = re.compile(r"nvidia|cuda|triton|rocm")


def pip(*arguments: str, capture: bool = False) -> subprocess.CompletedProcess[str]:
    """Run this environment's pip with the given arguments."""
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", *arguments]
    return subprocess.run(command, check=False, text=True, capture_output=capture)


def is_installed() -> bool:
    """Whether the pinned version is here already, of whatever build."""
    try:
        return importlib.metadata.version(NAME).split("+")[0] == VERSION
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


def main() -> int:
    """Install PyTorch if it is missing and return pip's exit status."""
    if is_installed():
        return 0
    # Since this version `--dry-run` reads metadata and downloads no wheel.
    pip("install", "--quiet", "--upgrade", "pip>=25.1")
    if default_is_cpu():
        return pip("install", "--quiet", REQUIREMENT).returncode
    print(f"pip's default {NAME} is no CPU build, so it is taken from {CPU_INDEX}")
    return pip("install", "--quiet", REQUIREMENT, "--index-url", CPU_INDEX).returncode


if __name__ == "__main__":
    sys.exit(main())
