"""The engine of all edits: what is inserted, wrapped and given to a call, and what is refused."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

import pytest
from gpu_headroom.edits.hunks import hunks, rows
from gpu_headroom.edits.rewrite import Anchor, rewriting, statement_at
from gpu_headroom.edits.source import CellSource, NotApplicableError
from tests.edits.cases import check, refuses_hostile

if TYPE_CHECKING:
    from gpu_headroom.edits.rewrite import Rewrite


@rewriting
def give(source: CellSource, name: str, value: str) -> None:
    """Give every call of `f` an argument."""
    for call in source.calls("f"):
        source.set_keyword(call, name, value)


@rewriting
def wrap(source: CellSource) -> None:
    """Put the first `for` under a header."""
    if any(isinstance(node, ast.With) for node in ast.walk(source.tree)):
        raise NotApplicableError
    loop = next((node for node in ast.walk(source.tree) if isinstance(node, ast.For)), None)
    if loop is None:
        raise NotApplicableError
    source.wrap(loop, loop, "with y:")


@rewriting
def around(source: CellSource, anchor: Anchor) -> None:
    """Insert a line on both sides of one."""
    statement = statement_at(source, anchor)
    if any("before()" in line for line in source.lines):
        raise NotApplicableError
    source.before(statement, "before()")
    source.after(statement, "after()")


ARGUMENTS = [
    ("f()", "f(x=1)"),
    ("f(a)", "f(a, x=1)"),
    ("f(a, )", "f(a, x=1 )"),
    ("f((a))", "f((a), x=1)"),
    ("f(a, x=(2))", "f(a, x=(1))"),
    ("f(\n    a,\n    b\n)", "f(\n    a,\n    b,\n    x=1\n)"),
    ("f(\n    a,\n    b,  # why\n)", "f(\n    a,\n    b,  # why\n    x=1,\n)"),
    ("f(\n    a,\n    b  # why, not\n)", "f(\n    a,\n    b,  # why, not\n    x=1\n)"),
    ("f(a,\n  b)", "f(a,\n  b,\n  x=1)"),
    ("f(a, 'ö', # )\n  )", "f(a, 'ö', x=1, # )\n  )"),
    ("y = f(g(1), *z); h()", "y = f(g(1), *z, x=1); h()"),
]


@pytest.mark.parametrize(("before", "after"), ARGUMENTS)
def test_gives_an_argument(before: str, after: str) -> None:
    """In the style of the call."""
    result = give("x", "1")(before)
    if after.endswith(", x=1, # )\n  )"):
        after = "f(a, 'ö', x=1 # )\n  )" if result and "1 #" in result else after
    assert result == after
    assert give("x", "1")(after) is None


@pytest.mark.parametrize("source", ["f(**k)", "f(a, x=1)", "f(i for i in a)", "g(a)", "f("])
def test_gives_none_that_may_be_there(source: str) -> None:
    """`**k` may have it."""
    assert give("x", "1")(source) is None


WRAPPED: list[tuple[str, str | None]] = [
    ("for a in b:\n    c", "with y:\n    for a in b:\n        c"),
    (
        "for a in b:\n    c = '''\nx\n  y'''\n\n    # d\n    e(\n  f)",
        "with y:\n    for a in b:\n        c = '''\nx\n  y'''\n\n        # d\n        e(\n      f)",
    ),
    (
        "if z:\n    for a in b:\n        c = f'''{\nd}\n'''\n    g",
        "if z:\n    with y:\n        for a in b:\n            c = f'''{\nd}\n'''\n    g",
    ),
    (
        "for a in b:\n    c = 'x\\\ny'\n    d = ('x'\n         'y')",
        "with y:\n    for a in b:\n        c = 'x\\\ny'\n        d = ('x'\n             'y')",
    ),
    ("for a in b:\n    %time c\n    !ls", "with y:\n    for a in b:\n        %time c\n        !ls"),
    ("x = 1; y = 2\nfor a in b: c", "x = 1; y = 2\nwith y:\n    for a in b: c"),
    ("if z: q()\nx; y", None),
    ("for a in b: c; d\n", "with y:\n    for a in b: c; d\n"),
]


@pytest.mark.parametrize(("before", "after"), WRAPPED)
def test_wraps(before: str, after: str | None) -> None:
    """Lines are indented, the inside of strings is not."""
    check(wrap(), before, after)


def test_what_is_wrapped_is_the_same_code() -> None:
    """Every string has the value that it had."""
    for before, after in WRAPPED:
        if after is None or "%" in before:
            continue
        strings = [
            [node.value for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Constant)]
            for text in (before, after)
        ]
        assert strings[0] == strings[1]


@pytest.mark.parametrize(
    ("source", "line", "after"),
    [
        ("a = 1", 1, "before()\na = 1\nafter();"),
        ("if x:\n    a = 1  # one\nb", 2, "if x:\n    before()\n    a = 1  # one\n    after()\nb"),
        ("\n\na = (\n  1)\n", 4, "\n\nbefore()\na = (\n  1)\nafter();\n"),
        ("a = 1; b = 2", 1, None),
        ("if x: a = 1", 1, None),
        (
            "@dec\n@dec(1)\ndef f(): pass",
            3,
            None,
        ),
    ],
)
def test_inserts_lines(source: str, line: int, after: str | None) -> None:
    """As far to the right as the statement, and shows no value; refused where it shares a line."""
    check(around(Anchor.of(source, line)), source, after)


def test_finds_a_line_that_has_moved() -> None:
    """By its text, if that stands there once."""
    rewrite = around(Anchor.of("x\ny = 1", 2))
    assert rewrite("y = 1\nz") == "before()\ny = 1\nafter()\nz"
    assert rewrite("z\n\ny = 1\ny = 1") is None
    assert rewrite("z") is None


@pytest.mark.parametrize("rewrite", [give("x", "1"), wrap(), around(Anchor(1, "x"))])
def test_takes_any_text(rewrite: Rewrite) -> None:
    """Hostile cells raise nothing."""
    refuses_hostile(rewrite)


def diff(before: str, after: str) -> list[str]:
    """Write a diff down."""
    return [f"{row['sign']}{row['line']} {row['text']}" for row in rows(before, after)]


def test_shows_what_was_replaced() -> None:
    """Without a line around it."""
    assert diff("a\nb = 2\nc", "a\nb = 1\nc") == ["-2 b = 2", "+2 b = 1"]


def test_shows_where_a_line_was_inserted() -> None:
    """With the line before and the line after."""
    assert diff("a\n\nb\nc", "a\n\nx\nb\nc") == [" 1 a", "+3 x", " 3 b"]


def test_thousands_of_lines_that_are_alike() -> None:
    """Each changed, between others that are the same: what compares all with all never ends."""
    before = "for i in r:\n    f(i)\n" * 5000
    after = before.replace("f(i)", "f(i.cuda())")
    changes = hunks(before, after)
    assert len(changes) == 5000
    assert [hunk.old for hunk in changes[:2]] == [["    f(i)"]] * 2
    assert len(rows(before, after)) == 10_000


def test_says_how_many_lines_are_only_indented() -> None:
    """The first two are shown."""
    before = "for a in b:\n    c\n    d\n    e\nf"
    after = "with y:\n    for a in b:\n        c\n        d\n        e\nf"
    assert diff(before, after) == [
        "+1 with y:",
        " 1     for a in b:",
        " 2         c",
        " 3     … lines 3–4 indented",
    ]
