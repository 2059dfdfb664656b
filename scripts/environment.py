"""Create or update a virtual environment: by uv, which takes seconds, or by pip where uv cannot.

`python scripts/environment.py .venv requirements/lab-4.6.txt --torch --with torchvision`

uv does not read pip's configuration. Where that alone leads to the packages, uv fails and pip
installs them. PyTorch always comes by pip (`install_torch.py`): uv would download its CUDA build.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
TOOLS = ROOT / ".venvs" / "uv" / "bin"
UV = TOOLS / "uv"
TORCH = ROOT / "requirements" / "torch.txt"


def is_done(command: list[str | Path]) -> bool:
    """Run a command; whether it succeeded."""
    return subprocess.run(command, check=False).returncode == 0


def create(folder: Path, python: str) -> None:
    """Create an empty environment with pip in it, where none is."""
    if (folder / "bin" / "python").exists():
        return
    by_uv: list[str | Path] = [UV, "venv", "--quiet", "--seed", "--python", python, folder]
    if not (UV.exists() and is_done(by_uv)):
        subprocess.run([python, "-m", "venv", "--clear", folder], check=True)


def install(python: Path, requirements: list[str]) -> None:
    """Install pinned requirements; PyTorch, where it is installed, keeps its version."""
    arguments = [word for name in requirements for word in ("--requirement", name)]
    arguments += ["--constraint", str(TORCH)]
    by_uv: list[str | Path] = [UV, "pip", "install", "--quiet", "--python", python]
    if not (UV.exists() and is_done([*by_uv, *arguments])):
        print(f"uv could not install into {python.parents[1]}, so pip does", flush=True)
        pip = (python, "-m", "pip", "--disable-pip-version-check", "install", "--quiet")
        subprocess.run([*pip, *arguments], check=True)


def main() -> int:
    """Bring an environment to what its requirements pin; returns an exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("requirements", nargs="*")
    parser.add_argument("--python", default=sys.executable, help="the interpreter it is made of")
    parser.add_argument("--torch", action="store_true", help="the CPU build of PyTorch, too")
    parser.add_argument("--with", nargs="+", default=[], dest="companions")
    options = parser.parse_args()
    print(f"Preparing {options.folder}", flush=True)
    create(options.folder, options.python)
    python = options.folder.absolute() / "bin" / "python"
    if options.torch:
        torch = ROOT / "scripts" / "install_torch.py"
        pip = TOOLS / "python"
        subprocess.run([pip, torch, python, *options.companions], check=True)
    if options.requirements:
        install(python, options.requirements)
    return 0


if __name__ == "__main__":
    sys.exit(main())
