"""The packs that travel into a kernel, against the sources they are made from."""

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
PACKS = ("core", "more")
LISTED: dict[str, list[str]] = json.loads((HELPER / "packs.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def generated() -> str:
    """The module that scripts/pack.mjs writes, made from the sources as they are now."""
    subprocess.run(["node", ROOT / "scripts" / "pack.mjs", "--quiet"], check=True)
    return (ROOT / "src" / "kernel" / "packs.ts").read_text(encoding="utf-8")


def unpack(generated: str, name: str) -> dict[str, str]:
    """Unpack a pack as the bootstrap does."""
    packed = re.search(
        rf"^export const {name.upper()}_PACK: string =\s+'([^']*)'", generated, re.MULTILINE
    )
    assert packed is not None
    sources: dict[str, str] = json.loads(zlib.decompress(base64.b64decode(packed[1])))
    return sources


def meaning(source: str) -> str:
    """Describe what a module does: its syntax tree with empty docstrings, nothing for checkers."""
    tree = ast.parse(source)
    tree.body = [
        each
        for each in tree.body
        if not (isinstance(each, ast.If) and ast.unparse(each.test) == "TYPE_CHECKING")
    ]
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            first = node.body[0] if node.body else None
            if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
                first.value.value = ""
    return ast.dump(tree)


def test_hold_every_module_once(generated: str) -> None:
    """The core as listed, and in the other pack all but what is in the wheel only."""
    core, more = [list(unpack(generated, name)) for name in PACKS]
    assert core == LISTED["core"]
    modules = {path.relative_to(HELPER).as_posix() for path in HELPER.rglob("*.py")}
    travel = {each for each in modules if not each.startswith(tuple(LISTED["wheel"]))}
    assert sorted(core + more) == sorted(travel)
    assert all(any(each.startswith(only) for each in modules) for only in LISTED["wheel"])


@pytest.mark.parametrize("name", PACKS)
def test_does_what_the_sources_do(generated: str, name: str) -> None:
    """Stripping what nobody reads changes neither what a module does nor its line numbers."""
    for path, packed in unpack(generated, name).items():
        source = (HELPER / path).read_text(encoding="utf-8")
        assert meaning(packed) == meaning(source), path
        assert packed.count("\n") == source.count("\n"), path


def test_keeps_the_help_of_public_functions(generated: str) -> None:
    """What a person may ask help for keeps its docstrings in a kernel without the package."""
    for path in DOCUMENTED & unpack(generated, "core").keys():
        assert unpack(generated, "core")[path] == (HELPER / path).read_text(encoding="utf-8")


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


def test_lack_nothing_that_they_import(generated: str) -> None:
    """Every module that a packed one imports is packed too, but what only the wheel has."""
    packed = {path for name in PACKS for path in unpack(generated, name)}
    needed = {each for path in packed for each in imported(path)}
    in_wheel_only = ("simulate/", "terminal/script.py")
    assert {each for each in needed - packed if not each.startswith(in_wheel_only)} == set()
