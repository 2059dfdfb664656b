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
"""A package that comes with a pack of its own, in a folder of its name."""
OWN = __name__.partition(".")[0]
"""What this copy of the package is imported as."""
_ASIDE = f"_{PACKAGE}"  # where a person's own module is called as the package is
_LIVE = "_gpu_headroom"  # where the helper that lives stands on the shell
ROOT = f"<{PACKAGE}>"  # no folder is called that: only this finder looks into it
_PATIENCE_S = 2.0
_BEGIN = "session/session.py"


class InMemory(  # type: ignore[misc]  # typeshed's own bases disagree
    importlib.abc.MetaPathFinder, importlib.abc.SourceLoader
):
    """Finds and loads the package's modules from the pack instead of files.

    Tracebacks show lines through `get_source`: those of the minified source that travels.
    """

    def __init__(self, sources: dict[str, str], version: str, package: str) -> None:
        self.sources = sources
        self.version = version
        self.package = package
        self._codes: dict[str, CodeType | None] = {}

    def add(self, sources: dict[str, str], version: str) -> None:
        """Hold more modules, if they are of the same helper; what is there stays."""
        if version == self.version:
            self.sources = {**sources, **self.sources}

    def compile_one(self) -> bool:
        """Compile a module ahead of its import; whether there was one left.

        Nothing is executed and nobody waits: an import that comes meanwhile compiles its own.
        """
        path = next((path for path in self.sources if path not in self._codes), None)
        if path is None:
            return False
        self._codes[path] = None
        if f"{self.package}.{path[:-3].replace('/', '.')}" not in sys.modules:
            self._codes[path] = self.source_to_code(self._adapted(path), f"{ROOT}/{path}")
        return True

    def get_code(self, fullname: str) -> CodeType | None:
        """Return the code of a module, which may have been compiled; raises `ImportError`."""
        code = self._codes.pop(str(self._path(fullname)), None)
        return super().get_code(fullname) if code is None else code

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
            return self._adapted(str(path).removeprefix(f"{ROOT}/")).encode()
        except KeyError:
            raise FileNotFoundError(path) from None

    def _adapted(self, path: str) -> str:
        """Return a text; that of a package beside this one imports it as it is called here."""
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
    """Start the helper of this kernel: the one that lives, is imported, installed or brought.

    A module of a person's that is called `gpu_headroom` stays what `import gpu_headroom` gives:
    the package is then brought under another name.

    Raises `TimeoutError` where another thread does not get done with importing it.
    """
    session = live()
    if session is not None:
        session.keep_modules(sources, version)
    elif _BEGIN in sources:  # a pack of what is needed later alone begins nothing
        importlib.import_module(bring(sources, protocol_major, version)).start()


def bring(sources: dict[str, str], protocol_major: str, version: str) -> str:
    """Have the package found here, installed or brought, and return its name: see `start`."""
    _wait_for_imports()
    spec = _found()
    major = None if spec is None else _major(spec)
    is_foreign = spec is not None and not (major or spec.origin is None or _is_ours(spec.loader))
    name = _ASIDE if is_foreign else PACKAGE
    if name not in sys.modules and (is_foreign or major != protocol_major):
        # Another list: whoever imports on another thread goes on through that one.
        others = [finder for finder in sys.meta_path if not _is_ours(finder)]
        sys.meta_path = [InMemory(sources, version, name), *others]
    return name


def of_shell() -> dict[str, Any] | None:
    """Return what stands on IPython's shell, which outlives our modules; `None` without one."""
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    return None if shell is None else vars(shell)


def enter(session: object | None) -> None:
    """Say which helper lives in this kernel, `None` if none."""
    space = of_shell()
    if space is not None and session is not None:
        space[_LIVE] = session
    elif space is not None:
        space.pop(_LIVE, None)


def live() -> Any:
    """Return the helper that lives in this kernel, whichever copy of the package made it."""
    return (of_shell() or {}).get(_LIVE)


def own_modules() -> dict[str, ModuleType]:
    """Return our modules that are imported, by name."""
    from ..own import OURS

    modules = sys.modules.copy()  # at one moment, as `items_of` does: another thread may import
    return {name: module for name, module in modules.items() if name.partition(".")[0] in OURS}


def _found() -> ModuleSpec | None:
    """Return what `import gpu_headroom` finds, without importing it."""
    try:
        return importlib.util.find_spec(PACKAGE)
    except (ImportError, ValueError):
        return None


def _major(spec: ModuleSpec) -> str | None:
    """Read the protocol major of an installed helper without importing it; of others none."""
    try:
        text = (Path(spec.origin or "").parent / "protocol" / "checking.py").read_text("utf-8")
    except (OSError, ValueError):
        return None
    match = re.search(r'^PROTOCOL_VERSION = "(\d+)\.', text, re.MULTILINE)
    return match[1] if match else None


def finder() -> InMemory | None:
    """Return the finder that brought the package, `None` where it is installed."""
    loader = getattr(sys.modules[OWN].__spec__, "loader", None)
    return cast("InMemory", loader) if _is_ours(loader) else None


@cache
def helper_version() -> str:
    """Return the version of the helper, brought or installed.

    It is that of what runs here, also when another one has been installed since.
    """
    if brought := finder():
        return brought.version
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("gpu-headroom")
    except PackageNotFoundError:
        return "0.0.0"


def _wait_for_imports() -> None:
    """Wait while a cell imports the package, but not for one that a debugger has suspended."""
    end_s = time.monotonic() + _PATIENCE_S
    while any(_is_being_imported(module) for module in list(sys.modules)):
        if time.monotonic() > end_s:
            raise TimeoutError("a cell has begun to import it and has not come to the end")
        time.sleep(0.01)


def _is_being_imported(name: str) -> bool:
    own = name.partition(".")[0] == PACKAGE
    spec = getattr(sys.modules.get(name), "__spec__", None) if own else None
    return bool(getattr(spec, "_initializing", False))  # as importlib itself tells


def _is_ours(candidate: object) -> bool:
    # By its shape: a running finder's class comes from another copy of this file.
    return type(candidate).__name__ == "InMemory" and hasattr(candidate, "sources")
