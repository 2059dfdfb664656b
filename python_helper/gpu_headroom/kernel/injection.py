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
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from collections.abc import Sequence
    from importlib.machinery import ModuleSpec
    from types import CodeType, ModuleType

PACKAGE = "gpu_headroom"
BESIDE = "gpu_dry_run"
"""Package in a pack of its own, in a folder of its name."""
OWN = __name__.partition(".")[0]
"""Name under which this copy of the package is imported."""
_ASIDE = f"_{PACKAGE}"  # used where the user's own module has the package's name
_LIVE = "_gpu_headroom"  # attribute of the shell that holds the running helper
ROOT = f"<{PACKAGE}>"  # not a valid folder: only this finder looks into it
_PATIENCE_S = 2.0
_BEGIN = "session/session.py"


class InMemory(  # type: ignore[misc]  # typeshed's own bases disagree
    importlib.abc.MetaPathFinder, importlib.abc.SourceLoader
):
    """Finder and loader of the package's modules, from a pack instead of files.

    Tracebacks show lines through `get_source`: those of the minified source in the pack.
    """

    def __init__(self, sources: dict[str, str], version: str, package: str) -> None:
        self.sources = sources
        self.version = version
        self.package = package
        self._codes: dict[str, CodeType | None] = {}

    def add(self, sources: dict[str, str], version: str) -> None:
        """Add modules of the same helper version; existing ones are kept."""
        if version == self.version:
            self.sources = {**sources, **self.sources}

    def compile_one(self) -> bool:
        """Compile a module ahead of its import; return false when none is left.

        Executes nothing and blocks no import: one that happens meanwhile compiles its own code.
        """
        path = next((path for path in self.sources if path not in self._codes), None)
        if path is None:
            return False
        self._codes[path] = None
        if f"{self.package}.{path[:-3].replace('/', '.')}" not in sys.modules:
            self._codes[path] = self.source_to_code(self._adapted(path), f"{ROOT}/{path}")
        return True

    def get_code(self, fullname: str) -> CodeType | None:
        """Return the code of a module, compiled ahead or now; raises `ImportError`."""
        code = self._codes.pop(str(self._path(fullname)), None)
        return super().get_code(fullname) if code is None else code

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None = None,  # noqa: ARG002  part of the finder's interface
        target: ModuleType | None = None,  # noqa: ARG002  part of the finder's interface
    ) -> ModuleSpec | None:
        """Return the spec of a module in the pack, else `None`."""
        if self._path(fullname) is None:
            return None
        return importlib.util.spec_from_loader(fullname, self)

    def get_filename(self, fullname: str) -> str:
        """Return a module's file name for tracebacks; raises `ImportError`."""
        path = self._path(fullname)
        if path is None:
            raise ImportError(f"{fullname} is not in this kernel.", name=fullname)
        return f"{ROOT}/{path}"

    def get_data(self, path: str | bytes) -> bytes:
        """Return the source for a name of `get_filename`; raises `OSError`."""
        try:
            return self._adapted(str(path).removeprefix(f"{ROOT}/")).encode()
        except KeyError:
            raise FileNotFoundError(path) from None

    def _adapted(self, path: str) -> str:
        """Return a source; `gpu_dry_run` imports this package by its name here."""
        text = self.sources[path]
        is_beside = path.startswith(f"{BESIDE}/")
        return text.replace(f"from {PACKAGE}", f"from {self.package}") if is_beside else text

    def _path(self, fullname: str) -> str | None:
        package, *names = fullname.split(".")
        if package not in {self.package, BESIDE}:
            return None
        stem = "/".join(names if package == self.package else [package, *names])
        candidates = (f"{stem}.py", f"{stem}/__init__.py") if stem else ("__init__.py",)
        return next((path for path in candidates if path in self.sources), None)


def start(sources: dict[str, str], protocol_major: str, version: str) -> None:
    """Start the helper of this kernel: one already running, imported, installed or from the pack.

    If the user has an own module `gpu_headroom`, `import gpu_headroom` still returns that: this
    package then gets another name.

    Raises `TimeoutError` where another thread does not finish importing it.
    """
    session = live()
    if session is not None:
        session.keep_modules(sources, version)
    elif _BEGIN in sources:  # a pack of later modules only starts nothing
        importlib.import_module(bring(sources, protocol_major, version)).start()


def bring(sources: dict[str, str], protocol_major: str, version: str) -> str:
    """Make the package importable, installed or from the pack; return its name. See `start`."""
    _wait_for_imports()
    spec = _found()
    major = None if spec is None else _major(spec)
    is_foreign = spec is not None and not (major or spec.origin is None or _is_ours(spec.loader))
    name = _ASIDE if is_foreign else PACKAGE
    if name not in sys.modules and (is_foreign or major != protocol_major):
        # Assign a new list: an import on another thread may be iterating over the old one.
        finders = [finder for finder in sys.meta_path if not _is_ours(finder)]
        sys.meta_path = [InMemory(sources, version, name), *finders]
    return name


def of_shell() -> dict[str, Any] | None:
    """Return the attributes of IPython's shell, which outlives this package; `None` without it."""
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    return None if shell is None else vars(shell)


def enter(session: object | None) -> None:
    """Store the running helper on the shell; `None` removes it."""
    space = of_shell()
    if space is not None and session is not None:
        space[_LIVE] = session
    elif space is not None:
        space.pop(_LIVE, None)


def live() -> Any:
    """Return the running helper of this kernel, of any copy of the package; `None` without one."""
    return (of_shell() or {}).get(_LIVE)


def own_modules() -> dict[str, ModuleType]:
    """Return the imported modules of the helper, by name."""
    from ..own import OURS

    modules = sys.modules.copy()  # one atomic copy, as another thread may import
    return {name: module for name, module in modules.items() if name.partition(".")[0] in OURS}


def _found() -> ModuleSpec | None:
    """Return the spec that `import gpu_headroom` finds, without importing it."""
    try:
        return importlib.util.find_spec(PACKAGE)
    except (ImportError, ValueError):
        return None


def _major(spec: ModuleSpec) -> str | None:
    """Read the major protocol version of an installed helper; `None` for other packages."""
    try:
        text = (Path(spec.origin or "").parent / "protocol" / "checking.py").read_text("utf-8")
    except (OSError, ValueError):
        return None
    match = re.search(r'^PROTOCOL_VERSION = "(\d+)\.', text, re.MULTILINE)
    return match[1] if match else None


def finder() -> InMemory | None:
    """Return the finder that the package was loaded by, `None` where it is installed."""
    loader = getattr(sys.modules[OWN].__spec__, "loader", None)
    return cast("InMemory", loader) if _is_ours(loader) else None


@cache
def helper_version() -> str:
    """Return the version of the running helper, from a pack or installed.

    Unchanged where another version has been installed since.
    """
    if own_finder := finder():
        return own_finder.version
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("gpu-headroom")
    except PackageNotFoundError:
        return "0.0.0"


def _wait_for_imports() -> None:
    """Wait while a cell imports the package; raises `TimeoutError` after 2 s.

    A debugger may have suspended that import.
    """
    end_s = time.monotonic() + _PATIENCE_S
    while any(_is_being_imported(module) for module in list(sys.modules)):
        if time.monotonic() > end_s:
            raise TimeoutError("a cell has begun to import it and has not come to the end")
        time.sleep(0.01)


def _is_being_imported(name: str) -> bool:
    own = name.partition(".")[0] == PACKAGE
    spec = getattr(sys.modules.get(name), "__spec__", None) if own else None
    return bool(getattr(spec, "_initializing", False))  # as importlib itself checks


def _is_ours(candidate: object) -> bool:
    # By its shape: a running finder's class comes from another copy of this file.
    return type(candidate).__name__ == "InMemory" and hasattr(candidate, "sources")
