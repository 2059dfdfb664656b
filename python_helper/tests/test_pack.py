"""The pack that travels into a kernel, against the sources it is made from."""

from __future__ import annotations

import ast
import base64
import json
import re
import subprocess
import zlib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
HELPER = ROOT / "python_helper" / "gpu_headroom"
DOCUMENTED = {"__init__.py", "terminal/magics.py"}
WHEEL_ONLY = (
    "__main__.py",
    "errors/pasted.py",
    "frames/",
    "kernel/bootstrap.py",
    "kernel/plain_release.py",
    "protocol/wire.py",
    "simulate/",
    "terminal/explain.py",
    "terminal/gauge.py",
    "terminal/script.py",
    "testing.py",
)


@pytest.fixture(scope="module")
def generated() -> str:
    """The module that scripts/pack.mjs writes, made from the sources as they are now."""
    subprocess.run(["node", ROOT / "scripts" / "pack.mjs", "--quiet"], check=True)
    return (ROOT / "src" / "kernel" / "pack.ts").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def packed(generated: str) -> dict[str, str]:
    """The sources by module path, unpacked as the bootstrap does."""
    pack = re.search(r"^export const PACK: string =\s+'([^']*)'", generated, re.MULTILINE)
    assert pack is not None
    modules = zlib.decompress(base64.b85decode(pack[1])).decode().split("\0")
    return dict([each.split("\n", 1) for each in modules])


class _Unannotated(ast.NodeTransformer):
    """Sets attributes without saying what they are."""

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        """Make a plain assignment of one to an attribute."""
        if isinstance(node.target, ast.Attribute) and node.value is not None:
            return ast.Assign([node.target], node.value)
        return node


def meaning(source: str) -> str:
    """Describe what a module does: its syntax tree without docstrings, nothing for checkers.

    What a function's parameters and result are said to be nobody asks at run time.
    """
    tree = ast.parse(source)
    tree.body = [
        each
        for each in tree.body
        if not (isinstance(each, ast.If) and ast.unparse(each.test) == "TYPE_CHECKING")
        and ast.unparse(each) != "from typing import TYPE_CHECKING"
    ]
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            first = node.body[0] if node.body else None
            if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
                del node.body[0]
        if isinstance(node, ast.ImportFrom):
            node.names = [each for each in node.names if each.name != "TYPE_CHECKING"]
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            node.returns = None
        elif isinstance(node, ast.arg):
            node.annotation = None
    return ast.dump(_Unannotated().visit(tree))


def test_holds_every_module(packed: dict[str, str]) -> None:
    """All that there are, but what is in the wheel only."""
    modules = {path.relative_to(HELPER).as_posix() for path in HELPER.rglob("*.py")}
    assert packed.keys() == {each for each in modules if not each.startswith(WHEEL_ONLY)}
    assert all(any(each.startswith(only) for each in modules) for only in WHEEL_ONLY)


def test_does_what_the_sources_do(packed: dict[str, str]) -> None:
    """Stripping what nobody reads changes neither what a module does nor its line numbers."""
    for path, stripped in packed.items():
        source = (HELPER / path).read_text(encoding="utf-8")
        assert meaning(stripped) == meaning(source), path
        assert stripped.count("\n") == source.count("\n"), path


def test_keeps_the_help_of_public_functions(packed: dict[str, str]) -> None:
    """What a person may ask help for keeps its docstrings in a kernel without the package."""
    for path in DOCUMENTED:
        assert packed[path] == (HELPER / path).read_text(encoding="utf-8")


def test_carries_the_versions(generated: str) -> None:
    """The front end knows the helper's version and the protocol's from the same sources."""
    version = json.loads((ROOT / "package.json").read_text(encoding="utf-8"))["version"]
    protocol = (HELPER / "protocol" / "requests.py").read_text(encoding="utf-8")
    spoken = re.search(r'^PROTOCOL_VERSION\b.*= "([0-9.]+)"', protocol, re.MULTILINE)
    assert spoken is not None
    assert f"HELPER_VERSION: string = '{version}'" in generated
    assert f"PROTOCOL_VERSION: string = '{spoken[1]}'" in generated


def imported(path: str) -> set[str]:
    """Return the helper's own modules that a packed module imports, as paths."""
    tree = ast.parse((HELPER / path).read_text(encoding="utf-8"))
    typed = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test)
        for inner in ast.walk(node)
    }
    found = set()
    for node in ast.walk(tree):
        if not isinstance(node, ast.ImportFrom) or not node.level or id(node) in typed:
            continue
        folder = (HELPER / path).parents[node.level - 1] / (node.module or "").replace(".", "/")
        for target in [folder, *(folder / name.name for name in node.names)]:
            for file in (target.with_suffix(".py"), target / "__init__.py"):
                if file.is_file():
                    found.add(file.relative_to(HELPER).as_posix())
    return found


def test_lacks_nothing_that_it_imports(packed: dict[str, str]) -> None:
    """Every module that a packed one imports is packed too, but what only the wheel has."""
    needed = {each for path in packed for each in imported(path)}
    in_wheel_only = ("frames/", "simulate/", "terminal/script.py")
    assert {each for each in needed - packed.keys() if not each.startswith(in_wheel_only)} == set()
