"""Checkouts of public repositories, and what recipes take from them by commit and path.

Nothing of them is kept with this project: a recipe names repository, commit and file, and is
run with a folder in which the clones lie as `owner/name`. They are read with git, so that it
does not matter what is checked out there.
"""

from __future__ import annotations

import json
import re
import subprocess
import tarfile
from dataclasses import dataclass
from io import BytesIO
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

_ORIGIN = re.compile(r"(?P<repository>[\w.-]+/[\w.-]+)@(?P<commit>[0-9a-f]{40}) (?P<file>\S+)")
# Cells of a script in the percent format, and those of them that are text.
_PERCENT = re.compile(r"^# ?%%(.*)\n", re.MULTILINE)


@dataclass(frozen=True)
class Origin:
    """A file of a public repository at one commit."""

    repository: str
    commit: str
    file: str

    @classmethod
    def read(cls, text: str) -> Origin:
        """Read `owner/name@commit path`; raises `ValueError`."""
        match = _ORIGIN.fullmatch(text)
        if not match:
            raise ValueError(f"not `owner/name@commit path`: {text}")
        return cls(**match.groupdict())

    @property
    def folder(self) -> str:
        """The folder of the file inside the repository; empty for its root."""
        parent = str(PurePosixPath(self.file).parent)
        return "" if parent == "." else parent


@dataclass(frozen=True)
class Sources:
    """A folder of checkouts."""

    root: Path

    def has(self, origin: Origin) -> bool:
        """Whether the repository is here with that commit."""
        checkout = self.root / origin.repository
        return checkout.is_dir() and not self._git(origin, "cat-file", "-e").returncode

    def cells(self, origin: Origin) -> tuple[str, ...]:
        """Return the cells of code of a notebook, in order; a script's text is one cell."""
        text = self._git(origin, "show", f":{origin.file}", check=True).stdout.decode()
        if origin.file.endswith(".ipynb"):
            items = json.loads(text)["cells"]
            return tuple("".join(item["source"]) for item in items if item["cell_type"] == "code")
        _, *parts = _PERCENT.split(text)
        kinds, cells = parts[::2], parts[1::2]
        code = [
            cell.strip("\n")
            for kind, cell in zip(kinds, cells, strict=True)
            if "[markdown]" not in kind
        ]
        return tuple(code) or (text,)

    def lay(self, origin: Origin, below: str, folder: Path) -> None:
        """Put the Python files below a folder of the repository into another one."""
        packed = self._git(origin, "archive", f":{below}", "*.py", check=True).stdout
        with tarfile.open(fileobj=BytesIO(packed)) as archive:
            archive.extractall(folder, filter="data")

    def _git(
        self, origin: Origin, verb: str, target: str = "", *paths: str, check: bool = False
    ) -> subprocess.CompletedProcess[bytes]:
        options = ["-e"] if target == "-e" else []
        rev = origin.commit + ("" if options else target)
        command = ["git", "-C", str(self.root / origin.repository), verb, *options, rev, *paths]
        return subprocess.run(command, capture_output=True, check=check)
