"""No two files of the helper need each other, by value or by type."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from tests.live import SOURCES

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

# In circles still.
ALLOWED = {"oom.batch_number", "oom.evidence", "oom.peak", "oom.scene"}
FILES = {
    ".".join(path.relative_to(SOURCES).with_suffix("").parts).removesuffix(".__init__"): path
    for package in ("gpu_headroom", "gpu_dry_run")
    for path in (SOURCES / package).rglob("*.py")
}


def uses_of(name: str) -> Iterator[str]:
    """Yield the files of ours that one imports, for values or for types."""
    path = FILES[name]
    package = name.split(".") if path.name == "__init__.py" else name.split(".")[:-1]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            start = package[: len(package) - node.level + 1] if node.level else []
            module = ".".join([*start, *([node.module] if node.module else [])])
            for alias in node.names:
                inner = f"{module}.{alias.name}"
                yield inner if inner in FILES else module


def in_circles(imports: Mapping[str, set[str]]) -> set[str]:
    """Return the files from which imports lead back to themselves."""
    names = set()
    for name in imports:
        targets, waiting = set[str](), [name]
        while waiting:
            more = imports[waiting.pop()] - targets
            targets |= more
            waiting += more
        if name in targets:
            names.add(name)
    return names


def test_no_files_import_each_other_in_a_circle() -> None:
    """Whoever reads a file can begin with what it imports."""
    imports = {name: {file for file in uses_of(name) if file in FILES} - {name} for name in FILES}
    assert sum(map(len, imports.values())) > 1000
    assert in_circles(imports) - {f"gpu_headroom.{name}" for name in ALLOWED} == set()


def test_a_circle_is_found() -> None:
    """Also one over another file; what only leads to it is in none."""
    assert in_circles({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}, "e": set()}) == set("abc")


def test_no_package_imports_its_own_modules() -> None:
    """A thread that imports a module holds it while it waits for the package, and so both wait.

    Python then hands out one that is half made. One thread alone starts a session.
    """
    packages = {name: set(uses_of(name)) for name in FILES if FILES[name].name == "__init__.py"}
    inner = {
        name
        for name, imports in packages.items()
        if any(target.startswith(f"{name}.") for target in imports)
    }
    assert inner == {"gpu_headroom", "gpu_headroom.session"}
