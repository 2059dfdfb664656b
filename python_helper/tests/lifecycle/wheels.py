"""Two wheels that differ in their version, and environments that pip puts them into."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from base64 import urlsafe_b64encode
from hashlib import sha256
from pathlib import Path

ROOT = Path(__file__).parents[3]
EXTENSION = Path("share", "jupyter", "labextensions", "gpu-headroom")


def present_wheel() -> Path:
    """Find the wheel that `make wheel` built, or the one in dist/."""
    setting = os.environ.get("GPU_HEADROOM_WHEEL")
    wheels = [Path(setting).resolve()] if setting else list(ROOT.glob("dist/*.whl"))
    assert len(wheels) == 1, "build the wheel first: make wheel"
    return wheels[0]


def version_of(wheel: Path) -> str:
    """Return the version that a wheel has in its name."""
    return wheel.name.split("-")[1]


def with_version(wheel: Path, version: str, folder: Path) -> Path:
    """Write the same wheel with another version.

    An upgrade is from one release to the next, and there is one release only: what pip and
    JupyterLab know of a version stands in three places, all else is the same. Every file is
    written down anew, as pip compares them with RECORD.
    """
    before = version_of(wheel)
    written = folder / wheel.name.replace(before, version)
    with zipfile.ZipFile(wheel) as source, zipfile.ZipFile(written, "w") as target:
        rows = []
        for name in source.namelist():
            data = source.read(name)
            path = name.replace(f"gpu_headroom-{before}.", f"gpu_headroom-{version}.")
            if name.endswith("dist-info/RECORD"):
                record = path
                continue
            if name.endswith("dist-info/METADATA"):
                data = data.replace(
                    f"\nVersion: {before}\n".encode(), f"\nVersion: {version}\n".encode()
                )
            if name.endswith(f"{EXTENSION.as_posix()}/package.json"):
                data = json.dumps({**json.loads(data), "version": version}, indent=2).encode()
            target.writestr(path, data)
            digest = urlsafe_b64encode(sha256(data).digest()).rstrip(b"=").decode()
            rows.append(f"{path},sha256={digest},{len(data)}")
        target.writestr(record, "\n".join([*rows, f"{record},,", ""]))
    return written


class Environment:
    """A fresh virtual environment in which kernels can run.

    What they need beside the helper is borrowed from an environment that never has one, so that
    what pip does here is about the wheel alone.
    """

    def __init__(self, folder: Path, lender: Path) -> None:
        self.folder = folder
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
        self.python = folder / "bin" / "python"
        (packages,) = folder.glob("lib/python*/site-packages")
        (borrowed,) = lender.parents[1].glob("lib/python*/site-packages")
        (packages / "borrowed.pth").write_text(f"{borrowed}\n")

    def pip(self, *arguments: str) -> str:
        """Run a pip of another environment on this one, away from the source tree."""
        pip = ["-m", "pip", "--python", str(self.python), "--disable-pip-version-check"]
        inherited = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
        return subprocess.run(
            [sys.executable, *pip, *arguments],
            check=True,
            text=True,
            capture_output=True,
            cwd=self.folder,
            env=inherited,
        ).stdout

    def install(self, wheel: Path) -> None:
        """Install a wheel by its path, whichever version is there."""
        self.pip("install", "--no-index", str(wheel))

    def uninstall(self) -> None:
        """Remove the package."""
        self.pip("uninstall", "--yes", "gpu-headroom")

    def files(self) -> dict[str, int]:
        """Return every file and its size; Python compiles modules as it likes."""
        return {
            path.relative_to(self.folder).as_posix(): path.lstat().st_size
            for path in self.folder.rglob("*")
            if not path.is_dir() and path.parent.name != "__pycache__"
        }

    def folders(self) -> set[str]:
        """Return every folder but those of compiled modules; pip keeps those that are shared."""
        return {
            path.relative_to(self.folder).as_posix()
            for path in self.folder.rglob("*")
            if path.is_dir() and path.name != "__pycache__"
        }

    @property
    def extension(self) -> str | None:
        """The version of the extension that JupyterLab would find, `None` without one."""
        manifest = self.folder / EXTENSION / "package.json"
        if not manifest.exists():
            return None
        return str(json.loads(manifest.read_text(encoding="utf-8"))["version"])
