"""The pack that travels into a kernel, against the sources it is made from."""

from __future__ import annotations

import ast
import bz2
import inspect
import json
import os
import re
import shutil
import subprocess
import textwrap
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
import python_minifier
from python_minifier import f_string
from tests.sampling import sample

from scripts.comprehensions import mixed_up
from scripts.minify import as_text, in_words, minify, shorter

ROOT = Path(__file__).parents[2]
HELPER = ROOT / "python_helper" / "gpu_headroom"
DOCUMENTED = {"__init__.py", "terminal/magics.py"}
WHEEL_ONLY = (
    "__main__.py",
    "cells/helper.py",
    "frames/",
    "gpu_dry_run/command.py",
    "holders/visit.py",
    "kernel/bootstrap.py",
    "protocol/generated/wire.py",
    "terminal/explain.py",
    "terminal/run.py",
    "terminal/script.py",
    "testing.py",
    "workers/arrival.py",
    "workers/own_rank.py",
)
BESIDE = "gpu_dry_run/", "gpu_simulator/"
FOR_TYPES = re.compile(r"^if TYPE_CHECKING:\n(?:(?:[ ]+[^\n]*)?\n)+", re.MULTILINE)


@pytest.fixture(scope="module")
def generated() -> str:
    """The module that scripts/pack.mjs writes, made from the sources as they are now."""
    subprocess.run(["node", ROOT / "scripts" / "pack.mjs", "--quiet"], check=True)
    return (ROOT / "src" / "kernel" / "pack.ts").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def packs(generated: str) -> list[dict[str, str]]:
    """The sources of all packs by module path, unpacked as the bootstrap does."""
    texts = re.findall(r"^export const \w*PACK: string =\s+'([^']*)'", generated, re.MULTILINE)
    return [unpack(text) for text in texts]


@pytest.fixture(scope="module")
def packed(packs: list[dict[str, str]]) -> dict[str, str]:
    """All that travels: no module is in two but the one that takes a pack up."""
    for left, right in combinations(packs, 2):
        assert left.keys() & right.keys() == {"kernel/injection.py"}
    first, for_workers, for_dry_runs = packs
    return {**first, **for_workers, **for_dry_runs}


def file_of(path: str) -> Path:
    """Return where a module that travels is: the simulated GPU is a package beside the helper."""
    return (HELPER.parent if path.startswith(BESIDE) else HELPER) / path


def path_of(file: Path) -> str:
    """Return by which path a module travels."""
    return file.relative_to(HELPER if file.is_relative_to(HELPER) else HELPER.parent).as_posix()


def unpack(pack: str) -> dict[str, str]:
    """Run the lines of the bootstrap that unpack."""
    bootstrap = (HELPER / "kernel" / "bootstrap.py").read_text(encoding="utf-8")
    first, last = "        import bz2\n", "for module in modules])\n"
    lines = bootstrap[bootstrap.index(first) : bootstrap.index(last) + len(last)]
    space: dict[str, Any] = {"packed": pack}
    exec(f"import builtins\n{textwrap.dedent(lines)}", space)  # noqa: S102  what travels is executed, too
    sources: dict[str, str] = space["sources"]
    return sources


@pytest.mark.parametrize("size", range(20))
def test_any_bytes_travel(size: int) -> None:
    """Whether they fill the last two signs or not, and whatever they begin and end with."""
    for filling in (1, 255):
        value = f"each “each” × {chr(filling) * size} →"
        text = as_text(bz2.compress(in_words(f"a\n{value}")))
        assert not set("'\"\\ \n") & set(text)
        assert unpack(text) == {"a": value}


def test_holds_every_module(packed: dict[str, str]) -> None:
    """All that there are, but what is in the wheel only."""
    modules = {path_of(path) for path in HELPER.parent.glob("gpu_*/**/*.py")}
    assert packed.keys() == {path for path in modules if not path.startswith(WHEEL_ONLY)}
    assert all(any(path.startswith(only) for path in modules) for only in WHEEL_ONLY)


def test_what_dry_runs_need_comes_with_them(packs: list[dict[str, str]]) -> None:
    """The process of one, what answers for it, and the whole simulated GPU; a start has none.

    What saves a training, and what running again costs, come with it: a click begins them, too.
    """
    *_, for_dry_runs = packs
    travels = {path for path in for_dry_runs if not path.startswith(("rerun/", "rescue/", *BESIDE))}
    assert travels == {"kernel/injection.py"}


def outline(source: str) -> list[str]:
    """List what others may ask a module for: its names, and those that its classes define."""
    tree = ast.parse(source)
    return [
        f"{'.'.join(outer)}.{name}"
        for outer, body in _bodies(tree.body)
        for node in body
        for name in _names(node)
        if name not in {"TYPE_CHECKING", "annotations"}
    ]


def _bodies(body: list[ast.stmt]) -> list[tuple[tuple[str, ...], list[ast.stmt]]]:
    classes = [node for node in body if isinstance(node, ast.ClassDef)]
    inner = [((node.name, *path), own) for node in classes for path, own in _bodies(node.body)]
    return [((), body), *inner]


def _names(node: ast.stmt) -> list[str]:
    """The names that a statement of a module or class binds, functions with their parameters."""
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        args = [*node.args.args, *node.args.kwonlyargs]
        if re.match("_[^_]", node.name):
            args = []  # see below
        return [node.name, *(f"{node.name}({item.arg})" for item in args[_own(args) :])]
    if isinstance(node, ast.ClassDef):
        return [node.name]
    if isinstance(node, ast.ImportFrom) and node.module == "typing":
        return []  # no code asks a module for these
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        return [item.asname or item.name for item in node.names]
    targets = [item for item in ast.iter_child_nodes(node) if isinstance(item, ast.Name)]
    return [item.id for item in targets if isinstance(item.ctx, ast.Store)]


def _own(args: list[ast.arg]) -> int:
    """How many of the first parameters are never given by name: `self`, `cls`, of one letter."""
    return int(bool(args) and (args[0].arg in {"self", "cls"} or len(args[0].arg) == 1))


def test_keeps_what_others_ask_for(packed: dict[str, str]) -> None:
    """Names of globals, methods, fields and parameters stay: they are asked for from elsewhere.

    Not those that begin with `_`, of a module or of a class for itself.
    """
    for path in packed.keys() - DOCUMENTED:
        code = packed[path]
        source = FOR_TYPES.sub("if 0: 0\n", file_of(path).read_text(encoding="utf-8"))
        names = [name for name in outline(source) if not re.match(r"(?:\w+\.|\.)*_[^_]", name)]
        rest = iter(outline(code))
        assert all(name in rest for name in names), path


def test_no_comprehension_is_mixed_up(packed: dict[str, str]) -> None:
    """What travels, and what is installed, means the same to the compiler of Python 3.12.1."""
    sources = [item.read_text("utf-8") for item in HELPER.parent.glob("gpu_*/**/*.py")]
    for source in [*packed.values(), *sources]:
        pairs = [(ast.unparse(item), name) for _, item, name in mixed_up(ast.parse(source))]
        assert pairs == []


# Each would be said otherwise by a newer Python, in a way that 3.10 cannot read.
NEWER_WORDS = """def say(rows, key):
    return f"{rows['a']} {key!r:>{len(rows)}} {' '.join([f'{each}' for each in rows])}"
"""


def interpreter(version: str) -> Path:
    """Find a Python of a version, on the path or among pyenv's; the test is skipped without."""
    pyenv = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv") / "versions"
    for path in [shutil.which(f"python{version}"), *pyenv.glob(f"{version}.*/bin/python")]:
        if path and subprocess.run([path, "-c", ""], check=False, stderr=-3).returncode == 0:
            return Path(path)
    return pytest.skip(f"There is no Python {version} here.")


# The oldest, the first that has nested quotes in f-strings, and the newest are in a sample, too.
@pytest.mark.kernel
@pytest.mark.parametrize("version", sample(["3.10", "3.11", "3.12", "3.13", "3.14"]))
def test_whoever_writes_it_the_oldest_python_reads_it(version: str) -> None:
    """A pack that a newer Python made is valid on 3.10, the oldest that the helper supports."""
    files = HELPER.rglob("*.py")
    sources = [
        (path.relative_to(HELPER).as_posix(), path.read_text(encoding="utf-8"), False)
        for path in files
    ]
    output = subprocess.run(
        [interpreter(version), "-m", "scripts.minify"],
        cwd=ROOT,
        input=json.dumps([*sources, ("words.py", NEWER_WORDS, False)]),
        env={**os.environ, "PYTHONPATH": str(Path(python_minifier.__file__).parents[1])},
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    check = "import ast, json, sys\nfor each in json.load(sys.stdin).values(): ast.parse(each)"
    subprocess.run(
        [interpreter("3.10"), "-c", check],
        input=json.dumps(unpack(output)),
        text=True,
        check=True,
    )


def test_quotes_as_the_oldest_python_has_to() -> None:
    """Whichever Python writes: the same quotes inside an f-string came with 3.12 only."""
    space: dict[str, Any] = {}
    exec(minify(NEWER_WORDS), space)  # noqa: S102  what travels is executed, too
    assert space["say"]({"a": 1}, "x") == "1 'x' a"
    outer: Any = f_string.OuterFString
    result = outer(ast.parse("f'{a}'", mode="eval").body, pep701=True)
    assert not result.pep701


def test_a_parameter_is_no_longer_alive_than_in_the_sources() -> None:
    """Under a second name what is given would outlive a `del`, and hold a person's memory."""
    body = "".join(f"    thing_{n} = [given, given, given]\n" for n in range(20))
    assert "=given\n" not in minify(f"def hold(given):\n{body}    del given")


def test_keeps_what_a_private_function_is_given_by(packs: list[dict[str, str]]) -> None:
    """By name: the parameters before the first that a call names may be called anything."""
    short = minify("def _add(first, second, third):\n return first", given={"second"})
    assert re.fullmatch(r"def \w+\((\w),/,second,third\):return \1\n?", short)
    for pack in packs:
        keywords = {
            argument.arg
            for path in pack
            for node in ast.walk(ast.parse(file_of(path).read_text(encoding="utf-8")))
            for argument in getattr(node, "keywords", ())
        }
        for path, source in pack.items():
            for node in ast.walk(ast.parse(source)):
                if isinstance(node, ast.arguments):
                    assert keywords.isdisjoint(argument.arg for argument in node.posonlyargs), path


def test_keeps_the_help_of_public_functions(packed: dict[str, str]) -> None:
    """What a person may ask help for keeps its docstrings in a kernel without the package."""
    for path in DOCUMENTED:
        whole, travels = file_of(path).read_text(encoding="utf-8"), packed[path]
        assert help_of(travels) == help_of(whole)
        assert len(help_of(whole)) > 1


def help_of(source: str) -> dict[str, tuple[str, str | None]]:
    """Return what `help` shows of the functions of a module: how they are called, and why."""
    functions = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.FunctionDef)]
    return {
        node.name: (
            f"{ast.unparse(node.args)} -> {ast.unparse(node.returns) if node.returns else ''}",
            ast.get_docstring(node),
        )
        for node in functions
        if not re.match("_[^_]|[A-Z]$", node.name)  # private ones travel under one letter
    }


def test_carries_the_versions(generated: str) -> None:
    """The front end knows the helper's version and the protocol's from the same sources."""
    version = json.loads((ROOT / "package.json").read_text(encoding="utf-8"))["version"]
    protocol = (HELPER / "protocol" / "checking.py").read_text(encoding="utf-8")
    match = re.search(r'^PROTOCOL_VERSION\b.*= "([0-9.]+)"', protocol, re.MULTILINE)
    assert match is not None
    assert f"HELPER_VERSION: string = '{version}'" in generated
    assert f"PROTOCOL_VERSION: string = '{match[1]}'" in generated


def imports_of(path: str) -> set[str]:
    """Return the helper's own modules that a packed module imports, as paths."""
    tree = ast.parse(file_of(path).read_text(encoding="utf-8"))
    type_only = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test)
        for inner in ast.walk(node)
    }
    paths = set()
    for node in ast.walk(tree):
        if not isinstance(node, ast.ImportFrom) or not node.level or id(node) in type_only:
            continue
        folder = file_of(path).parents[node.level - 1] / (node.module or "").replace(".", "/")
        for target in [folder, *(folder / name.name for name in node.names)]:
            for file in (target.with_suffix(".py"), target / "__init__.py"):
                if file.is_file():
                    paths.add(path_of(file))
    return paths


def test_lacks_nothing_that_it_imports(packed: dict[str, str]) -> None:
    """Every module that a packed one imports is packed too, but what only the wheel has."""
    files = {file for path in packed for file in imports_of(path)}
    in_wheel_only = ("frames/", "terminal/script.py")
    assert {file for file in files - packed.keys() if not file.startswith(in_wheel_only)} == set()


def test_what_classes_keep_for_themselves_has_short_names() -> None:
    """Not what another module asks for, a text names, or a class that inherits may share."""
    own = """class Reader:
    _shared: int

    def __init__(self, place):
        self._place, self._shared, self._named = place, 1, 2

    def read(self):
        return self._look() + self._place

    def _look(self):
        return getattr(self, "_named")


class Inner(Reader):
    def _look(self):
        return 3


class Other:
    _times = 2

    def __init__(self):
        self._number = 4

    def _twice(self):
        return self._times * self._number

    async def _later(self):
        return self._twice()
"""
    reader = "def ask(reader):\n    return reader._shared"
    names = shorter([own, reader], ())
    assert names == [{"_times": "_a", "_twice": "_b", "_number": "_c", "_later": "_d"}, {}]
    space: dict[str, Any] = {}
    exec(minify(own, short=names[0]), space)  # noqa: S102  what travels is executed, too
    assert space["Reader"](5).read() == 7
    assert space["Other"]()._b() == 8
    assert inspect.iscoroutinefunction(space["Other"]._d)


def test_each_short_name_is_of_something(packed: dict[str, str]) -> None:
    """What a module asks for by one it has defined by it, too."""
    short = re.compile(r"_[a-z]")
    for path, source in packed.items():
        nodes = list(ast.walk(ast.parse(source)))
        attributes = [node for node in nodes if isinstance(node, ast.Attribute)]
        bindings = {node.attr for node in attributes if isinstance(node.ctx, ast.Store)}
        bodies = [node.body for node in nodes if isinstance(node, ast.ClassDef)]
        bindings |= {name for body in bodies for node in body for name in _names(node)}
        uses = {node.attr for node in attributes if short.fullmatch(node.attr)}
        assert uses <= bindings, path
