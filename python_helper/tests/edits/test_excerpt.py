"""What of a line of code stands in a report, which is saved with the notebook."""

from __future__ import annotations

import pytest
from gpu_headroom.code.excerpt import without_texts
from gpu_headroom.edits.hunks import rows

SECRET = "hunter2"  # noqa: S105  it opens nothing

# Before, after, and the rows as a report shows them.
CASES: dict[str, tuple[str, str, list[str]]] = {
    "another statement of the line": (
        f"a = 1\nbatch_size = 96000; password = '{SECRET}'\nb = 2",
        f"a = 1\nbatch_size = 12; password = '{SECRET}'\nb = 2",
        ["-batch_size = 96000; …", "+batch_size = 12; …"],
    ),
    "before it and behind it": (
        f"    key = '{SECRET}'; n = 96; {SECRET} = 1; y = 2  # {SECRET}",
        f"    key = '{SECRET}'; n = 12; {SECRET} = 1; y = 2  # {SECRET}",
        ["-    …; n = 96; …", "+    …; n = 12; …"],
    ),
    "a string beside the number": (
        f"loader = make(open('/home/{SECRET}'), f'{SECRET}{{x}}', n=64)  # {SECRET}",
        f"loader = make(open('/home/{SECRET}'), f'{SECRET}{{x}}', n=32)  # {SECRET}",
        ["-loader = make(open('…'), f'…', n=64)  #…", "+loader = make(open('…'), f'…', n=32)  #…"],
    ),
    "the string that changes": (
        f"x = torch.zeros(3, dtype='double', name='{SECRET}', device='cuda')",
        f"x = torch.zeros(3, dtype='single', name='{SECRET}', device='cuda')",
        [
            "-x = torch.zeros(3, dtype='double', name='…', device='cuda')",
            "+x = torch.zeros(3, dtype='single', name='…', device='cuda')",
        ],
    ),
    "lines that are further to the right": (
        f"def f():\n    run(\"{SECRET}\")\n    b('''a\n{SECRET}; {SECRET}\nb''')\n",
        (
            f'def f():\n    with x:\n        run("{SECRET}")\n'
            f"        b('''a\n{SECRET}; {SECRET}\nb''')\n"
        ),
        ["+    with x:", '         run("…")', "         b(…"],
    ),
    "a line around what is inserted": (
        f"a('{SECRET}'); b = {SECRET}\nc = '''{SECRET}\n'''",
        f"a('{SECRET}'); b = {SECRET}\nours('torch')\nc = '''{SECRET}\n'''",
        [" a('…'); …", "+ours('torch')", " c = …"],
    ),
    "what is removed": (
        f"del x; y = '{SECRET}'\nz",
        "z",
        ["-del x; y = '…'"],
    ),
    "a string that does not end": (
        f"n = 96; x = '{SECRET}",
        f"n = 12; x = '{SECRET}",
        [
            "-n = 96; …",
            "+n = 12; …",
        ],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_shows_of_a_line_what_changes(name: str) -> None:
    """What else the line has, a password or a path, is left out."""
    before, after, expected = CASES[name]
    diff = rows(before, after)
    assert [f"{row['sign']}{row['text']}" for row in diff] == [
        row.replace(" " * 9, " " + " " * 8, 1) for row in expected
    ]
    assert SECRET not in str(diff)


def test_shows_of_an_expression_what_is_computed() -> None:
    """The operands are named; what it is given as text is not."""
    expression = f'model(tokens("{SECRET}", None)) @ b  # {SECRET}'
    assert without_texts(expression) == 'model(tokens("…", None)) @ b  #…'
