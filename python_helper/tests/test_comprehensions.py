"""What the compiler of Python 3.12.1 makes of comprehensions, and what we make of that."""

from __future__ import annotations

import ast
import subprocess
import sys

import pytest
from tests.test_pack import interpreter

from scripts.comprehensions import mixed_up, part

TWO = """
C = int
def told(m):
    a = [C for C in m]
    return [C(x) for x in m]
"""
NESTED = """
C = int
def told(m):
    return [[C for C in m] and C(x) for x in m]
"""
IN_A_LOOP = """
A = int
def told(m):
    D = []
    for node in [m]:
        D += [A for A in node]
        D = [A(D) for C in node for D in C]
    return D
"""
MIXED_UP = [TWO, NESTED, IN_A_LOOP]
WELL = [
    # A local, a parameter and a walrus are the function's own.
    "def told(m):\n    C = int\n    a = [C for C in m]\n    return [C(x) for x in m] and [1, 2]",
    "def told(m, C=int):\n    [C for C in m]\n    return [C(x) for x in m]",
    # Each binds what it reads, also from around it.
    "def told(m):\n    a = [int(C) for C in m]\n    return [[int(C) for _ in 'a'][0] for C in m]",
    # The first iterable is read in the function, and so is what is no comprehension.
    "C = list\ndef told(m):\n    a = [C for C in m]\n    return [int(x) for x in C(m)]",
    # Generators and lambdas are functions of their own.
    "C = int\ndef told(m):\n    a = list(C for C in m)\n    return [C(x) for x in m]",
    "C = int\ndef told(m):\n    a = lambda: [C for C in m]\n    return [C(x) for x in m]",
]


def names(source: str) -> list[str]:
    """Return the names that are mixed up."""
    return [name for _, _, name in mixed_up(ast.parse(source))]


def result_of(python: object, source: str) -> subprocess.CompletedProcess[str]:
    """Ask a Python what the function of a source returns."""
    code = f"{source}\nprint(told('12'))"
    return subprocess.run([str(python), "-c", code], capture_output=True, text=True, check=False)


@pytest.mark.parametrize("source", MIXED_UP)
def test_what_is_mixed_up_is_parted(source: str) -> None:
    """Every Python says then what the others said before, 3.12.1 too."""
    assert names(source)
    tree = ast.parse(source)
    assert part(tree)
    result = ast.unparse(tree)
    assert names(result) == []
    assert result_of(sys.executable, result).stdout == "[1, 2]\n"
    assert result_of(interpreter("3.12"), result).stdout == "[1, 2]\n"


@pytest.mark.parametrize("source", WELL)
def test_what_is_well_is_left_alone(source: str) -> None:
    """And 3.12 says so."""
    assert names(source) == []
    assert not part(ast.parse(source))
    assert result_of(interpreter("3.12"), source).stdout == "[1, 2]\n"


def test_a_parameter_within_is_not_renamed() -> None:
    """That would have to follow it; it is not written yet."""
    source = (
        "C = int\ndef told(m):\n    [(lambda C: C)(C) for C in m]\n    return [C(x) for x in m]"
    )
    with pytest.raises(ValueError, match="C is a parameter within"):
        part(ast.parse(source))
