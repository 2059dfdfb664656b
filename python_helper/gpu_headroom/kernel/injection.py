"""The helper as an in-memory package, in kernels whose environment lacks it.

Runs before the package exists, so it imports nothing of it at its top.
"""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.util
import re
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from collections.abc import Sequence
    from importlib.machinery import ModuleSpec
    from types import ModuleType

PACKAGE = "gpu_headroom"
ROOT = f"<{PACKAGE}>"  # no folder is called that: only this finder looks into it
_PATIENCE_S = 2.0


class InMemory(  # type: ignore[misc]  # typeshed's own bases disagree
    importlib.abc.MetaPathFinder, importlib.abc.SourceLoader
):
    """Finds and loads the package's modules from the pack instead of files.

    Tracebacks show lines through `get_source`: those of the minified source that travels.
    """

    def __init__(self, sources: dict[str, str], version: str) -> None:
        self.sources = sources
        self.version = version

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None = None,  # noqa: ARG002  part of the finder's interface
        target: ModuleType | None = None,  # noqa: ARG002  part of the finder's interface
    ) -> ModuleSpec | None:
        """Find a module of the package that the pack holds."""
        if self._path(fullname) is None:
            return None
        return importlib.util.spec_from_loader(fullname, self)

    def get_filename(self, fullname: str) -> str:
        """Return the name that a module has in tracebacks; raises `ImportError`."""
        path = self._path(fullname)
        if path is None:
            raise ImportError(f"{fullname} is not in this kernel.", name=fullname)
        return f"{ROOT}/{path}"

    def get_data(self, path: str | bytes) -> bytes:
        """Return the source under a name of `get_filename`; raises `OSError`."""
        try:
            return self.sources[str(path).removeprefix(f"{ROOT}/")].encode()
        except KeyError:
            raise FileNotFoundError(path) from None

    def _path(self, fullname: str) -> str | None:
        package, *names = fullname.split(".")
        if package != PACKAGE:
            return None
        stem = "/".join(names)
        candidates = (f"{stem}.py", f"{stem}/__init__.py") if stem else ("__init__.py",)
        return next((path for path in candidates if path in self.sources), None)


def start(sources: dict[str, str], protocol_major: str, version: str) -> None:
    """Start the helper of this kernel: the one that is imported, installed or brought.

    Raises `TimeoutError` where another thread does not get done with importing it.
    """
    _wait_for_imports()
    if PACKAGE not in sys.modules and installed_major() != protocol_major:
        sys.meta_path[:] = [each for each in sys.meta_path if not _is_ours(each)]
        sys.meta_path.insert(0, InMemory(sources, version))
    importlib.import_module(PACKAGE).start()


def installed_major() -> str | None:
    """Read the protocol major of an installed helper without importing it."""
    try:
        spec = importlib.util.find_spec(PACKAGE)
        if spec is None or spec.origin is None:
            return None
        text = (Path(spec.origin).parent / "protocol" / "requests.py").read_text(encoding="utf-8")
    except (ImportError, OSError, ValueError):
        return None
    found = re.search(r'^PROTOCOL_VERSION = "(\d+)\.', text, re.MULTILINE)
    return found[1] if found else None


def finder() -> InMemory | None:
    """Return the finder that brought the package, `None` where it is installed."""
    loader = getattr(sys.modules[PACKAGE].__spec__, "loader", None)
    return cast("InMemory", loader) if _is_ours(loader) else None


def helper_version() -> str:
    """Return the version of the helper, brought or installed."""
    brought = finder()
    if brought is not None:
        return brought.version
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("gpu-headroom")
    except PackageNotFoundError:
        return "0.0.0"


def _wait_for_imports() -> None:
    """Wait while a cell imports the package, but not for one that a debugger has suspended."""
    end_s = time.monotonic() + _PATIENCE_S
    while any(_is_being_imported(each) for each in list(sys.modules)):
        if time.monotonic() > end_s:
            raise TimeoutError("a cell has begun to import it and has not come to the end")
        time.sleep(0.01)


def _is_being_imported(name: str) -> bool:
    spec = getattr(sys.modules.get(name), "__spec__", None) if _is_of_package(name) else None
    return bool(getattr(spec, "_initializing", False))  # as importlib itself tells


def _is_of_package(name: str) -> bool:
    return name.partition(".")[0] == PACKAGE


def _is_ours(candidate: object) -> bool:
    # By its shape: a running finder's class comes from another copy of this file.
    return type(candidate).__name__ == "InMemory" and hasattr(candidate, "sources")
