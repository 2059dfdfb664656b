"""Cells are read as Python reads them, without a warning."""

from __future__ import annotations

import ast
import sys
import sysconfig
import threading
import warnings
from pathlib import Path
from random import Random

import pytest
from gpu_headroom.code.literals import literals_in
from gpu_headroom.code.parsing import LONGEST, magics, parse_cell, quiet
from tests.code.test_batch import cell

# What Python 3.10 to 3.14 warn of while they read a source, and what looks like it.
ODD = [
    r"x = '\d'",
    r"x = 'é\d', batch_size",
    r"x = b'\d'",
    r"x = '\377\08'",
    r"x = r'\d', rb'\d', Rb'\d', '\\d', '\'', '\x41', '\N{BULLET}', '\u0041'",
    "x = '\\\n\\d'",
    "x = '''\n\\d\n''' '\\d' \"\\d\"",
    "x = '\\é', '\\\N{GRINNING FACE}', y(batch_size=64)",
    "'''\\d'''\ndef f():\n    '''\\d'''",
    r"x = f'\d{batch}\d'",
    r"x = f'\{batch}\{{\}}'",
    r"x = f'\N{BULLET}{batch}\d'",
    r"x = rf'\d{batch}\{batch}'",
    r"x = f'{batch:\d}'",
    r"x = f'{batch!r:>{width}}\d'",
    r"x = f'{{\d}}{batch}'",
    r"x = f'''{batch}\d{" + r'"a"' + r"}'''",
    r"x = f'{d[" + r'"a"' + r"]:\d}' '\d'",
    r"x = f'{(lambda a: {1: 2})(batch)}\d'",
    "x = {'\\d': 1, 'batch_size': 64}",
    "x = 1 if y else 0x1f or 2",
    "# '\\d' 1st, 5min, 3d, 0x1f",
    "x = '1st'",
    "x = x1if_y = 1.0 .real + 1e5 + 1_000j + 0b1 + .5",
    "match x:\n    case '\\d': pass",
    "%%time\nx = '\\d'\n!ls '\n%ls \\\ny = '\\d'",
    "try:\n    pass\nfinally:\n    x = '\\d'",
    "print(\n    '[%d]'\n    % (1,)\n)",
    "x = '%d' '\\d' \\\n%batch",
    "assert (a\n    != b)\n!ls '",
]
SINCE_312 = [
    r"x = f'{'\d'}'",
    r"x = f'{f'\d{f'\d'}'}\d'",
    "x = f'{\n'\\d'  # '\n}'",
    r"x = f'{x:{'\d'}}'",
]
if sys.version_info >= (3, 12):
    ODD += SINCE_312
if sys.version_info >= (3, 14):
    ODD += [r"x = t'\d{batch}\N{BULLET}\d'", r"x = tr'\d{batch}' t'\d'"]
# No room for a change of one character: these are not read at all.
REFUSED = [
    "x = 1if y else 0",
    "x = [0x1for z in y]",
    "x = 1.or y",
    "x = f'{1if y else 0}'",
    "x = 1_000and y",
    r"x = '\400'",
    r"x = b'\777'",
]


def plainly(source: str) -> ast.Module:
    """Read a source as Python does, whatever it warns of."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.parse(source)


def places(tree: ast.AST) -> list[tuple[object, ...]]:
    """List the nodes of a tree with where they stand."""
    keys = ("lineno", "col_offset", "end_lineno", "end_col_offset")
    return [(type(node), *(getattr(node, key, None) for key in keys)) for node in ast.walk(tree)]


def without_magics(source: str) -> str:
    """Blank out magics by hand."""
    return source.replace("%%time", "#%time").replace("!ls '", "pass").replace("%ls \\", "pass")


@pytest.mark.parametrize("source", ODD)
def test_reads_odd_texts_without_a_word(source: str) -> None:
    """Each node stands where Python sees it, and texts say what they say."""
    want = plainly(without_magics(source))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tree = parse_cell(source)
    assert tree is not None
    assert places(tree) == places(want)
    if "t'" not in source and "tr'" not in source:
        assert ast.dump(tree) == ast.dump(want)


@pytest.mark.parametrize("source", REFUSED)
def test_does_not_read_what_cannot_be_read_without_a_word(source: str) -> None:
    """Python would warn; the notebook would show a warning that its code did not cause."""
    if sys.version_info >= (3, 11) or "\\" not in source:  # 3.10 takes any octal number
        with pytest.warns(Warning, match="invalid"):
            ast.parse(source)
    with warnings.catch_warnings(record=True) as log:
        warnings.simplefilter("always")
        assert parse_cell(source) is None
    assert log == []


def mutated(source: str, random: Random) -> str:
    """Put escapes into the texts of a source that has none."""
    for old, new in (
        ("\\n", ("\\q", "\\!", "\\é", "\\n")),
        ("%s", ("\\d", "\\%s", "\\ ", "%s")),
        ("f'", ("f'\\d", "f'\\{1}", "f'\\N{BULLET}", "f'{1:\\>5}\\w", "f'")),
        ('f"', ('f"\\d', 'f"\\{1}', 'f"\\N{BULLET}', 'f"{1:\\>5}\\w', 'f"')),
    ):
        parts = source.split(old)
        source = parts[0] + "".join(random.choice(new) + part for part in parts[1:])
    return source


def test_reads_what_others_have_written() -> None:
    """A part of the standard library, as it is and with escapes that are none."""
    files = sorted(Path(sysconfig.get_path("stdlib")).glob("*.py"))[::8]
    random, count = Random(5), 0  # noqa: S311  nothing to be guessed
    for file in files:
        text = file.read_text(encoding="utf-8")
        for source in (text, mutated(text, random)) if len(text) < 100_000 else ():
            try:
                want = plainly(source)
            except (SyntaxError, ValueError):
                continue
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                code, _ = quiet(source)
                tree = ast.parse(code)
            assert places(tree) == places(want), file
            count += 1
    assert count > 20


def test_touches_no_filters_while_another_thread_does() -> None:
    """A cell's own `catch_warnings` puts back what it found, whatever is parsed meanwhile."""
    source = "\n".join(f"x{n} = f('\\d', batch_size=64)" for n in range(500))
    before, interval_s = list(warnings.filters), sys.getswitchinterval()
    sys.setswitchinterval(1e-4)
    try:
        for _ in range(20):
            thread = threading.Thread(target=parse_cell, args=(source,))
            thread.start()
            while thread.is_alive():
                with warnings.catch_warnings():
                    sum(range(2000))
            thread.join()
            assert warnings.filters == before
    finally:
        sys.setswitchinterval(interval_s)
        warnings.filters[:] = before  # type: ignore[index]  # it is a list


def test_finds_a_batch_behind_odd_texts() -> None:
    """What stands behind them is found where it is."""
    source = "title = f'$\\mu = {mu}$, \\sigma'; batch_size = 64"
    (literal,) = literals_in(cell(source), source)
    assert source[literal.column : literal.end_column] == "64"


@pytest.mark.parametrize(
    "source", ["x = " + "-" * 100_000 + "1", "x = " + "(" * 1000, "x = '", "x = f'{", "\ud800"]
)
def test_what_python_cannot_read_is_none(source: str) -> None:
    """Whatever it raises."""
    assert parse_cell(source) is None


def test_does_not_read_a_cell_of_a_megabyte() -> None:
    """It would hold everything else up for seconds."""
    line = "x = f(batch_size=64)\n"
    assert parse_cell(line * (LONGEST // len(line) + 1)) is None


@pytest.mark.parametrize(
    ("source", "plain"),
    [
        ("gpu = !nvidia-smi\nif gpu:\n    t, = %timeit -o f()", "gpu = []\nif gpu:\n    t, = []"),
        ("!python train.py \\\n    -b 64\nx = 1", "pass\n\nx = 1"),
        ("%%html\n<style>\n", ""),
        ("\n%%writefile requirements.txt\ntorch==2.13.0", ""),
        ("x = (y\n  % z)\n%time y = x", "x = (y\n  % z)\npass"),
    ],
)
def test_reads_around_magics(source: str, plain: str) -> None:
    """What a command wrote gets a name, a command has several lines, a cell is no Python."""
    tree = parse_cell(source)
    assert tree is not None
    assert ast.dump(tree) == ast.dump(ast.parse(plain))
    assert [node.lineno for node in tree.body] == [node.lineno for node in ast.parse(plain).body]
    assert magics(source)
    assert not magics(plain)


def test_lists_magics() -> None:
    """A line each, without what stands before them."""
    assert magics("%time x\n\n  !ls -l\ny = 1 % 2\n\n\t%matplotlib inline") == [
        "%time x",
        "!ls -l",
        "%matplotlib inline",
    ]
