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
DOCUMENTED = {"__init__.py", "magics.py"}
PACKS = ("core", "more")


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
    """Describe what a module does: its syntax tree with empty docstrings."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            first = node.body[0] if node.body else None
            if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
                first.value.value = ""
    return ast.dump(tree)


@pytest.mark.parametrize("name", PACKS)
def test_holds_the_listed_modules(generated: str, name: str) -> None:
    """A pack holds exactly the files that packs.json lists for it."""
    listed = json.loads((HELPER / "packs.json").read_text(encoding="utf-8"))[name]
    assert list(unpack(generated, name)) == listed


@pytest.mark.parametrize("name", PACKS)
def test_does_what_the_sources_do(generated: str, name: str) -> None:
    """Stripping comments and docstrings changes neither what a module does nor its line numbers."""
    for path, packed in unpack(generated, name).items():
        source = (HELPER / path).read_text(encoding="utf-8")
        if path.endswith(".py"):
            assert meaning(packed) == meaning(source), path
            assert packed.count("\n") == source.count("\n"), path
        else:
            assert json.loads(packed) == json.loads(source), path


def test_keeps_the_help_of_public_functions(generated: str) -> None:
    """What a person may ask help for keeps its docstrings in a kernel without the package."""
    for path in DOCUMENTED & unpack(generated, "core").keys():
        assert unpack(generated, "core")[path] == (HELPER / path).read_text(encoding="utf-8")


def test_carries_the_versions(generated: str) -> None:
    """The front end knows the helper's version and the protocol's from the same sources."""
    version = json.loads((ROOT / "package.json").read_text(encoding="utf-8"))["version"]
    protocol = (HELPER / "protocol.py").read_text(encoding="utf-8")
    spoken = re.search(r'^PROTOCOL_VERSION\b.*= "([0-9.]+)"', protocol, re.MULTILINE)
    assert spoken is not None
    assert f"HELPER_VERSION: string = '{version}'" in generated
    assert f"PROTOCOL_VERSION: string = '{spoken[1]}'" in generated
