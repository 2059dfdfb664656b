"""The source of a cell as Python reads it."""

from __future__ import annotations

import ast
import re

from .find import words
from .reading import current, walk

LONGEST = 200_000  # characters of a cell that is looked through
_MAGIC = re.compile(r"^([^\S\n]*)(%[%\w].*|!(?!=)(?:.*\\\n)*.*)$", re.MULTILINE)
# What a command wrote, or a magic returned, gets a name: `gpu = !nvidia-smi`.
_RESULT = re.compile(r"^([^\S\n]*\w[\w, ]*=[^\S\n]*)([%!](?!=).*)$", re.MULTILINE)
_WORD = re.compile(r"\w+")
_CELL_MAGIC = re.compile(r"(?<!\S)%(?=%\w)")
# Cells of another language than Python, or another process's.
_NO_PYTHON = tuple(
    words(
        """%%bash %%cmd %%sh %%script %%writefile %%file %%html %%HTML %%javascript %%js %%latex
        %%markdown %%svg"""
    )
)
# The parser sends its warnings to the running thread, and warning filters are set for the whole
# process: neither may change while a cell runs. So what would cause a warning is replaced first.
_ESCAPE = re.compile(r"(?s)\\(.)")
_ESCAPES = frozenset("\r\n\\'\"abfnrtvx01234567NuU")
# Replacements of a backslash that escapes nothing; the one that is rarest in a source is used.
_MARKS = "\x7f\x1e\x1f\x1d"
# What no change of one character mends: `\400`, and a number that runs into a word, as `1if`.
_ODD = re.compile(
    r"\\[4-7][0-7]{2}|\b(?:0[xX][0-9a-fA-F_]+|[0-9][0-9_.]*)(?:and|else|for|if|in|is|not|or)\b"
)


def parse_cell(source: str) -> ast.Module | None:
    """Parse a cell, magics and shell commands blanked out in their lines; `None` if it does not.

    Touches no warnings, and gives no cause for any: what cannot be read without one is not read.
    """
    reading, text = current(), source.rstrip("\n")  # IPython ends what it compiles with a line
    if reading is None:
        return _parse(text)
    if text not in reading.trees:
        reading.check()
        reading.trees[text] = _parse(text)
    return reading.trees[text]


def _parse(source: str) -> ast.Module | None:
    if len(source) > LONGEST:
        return None
    tree = _python(source)
    if tree is not None or not any(mark in source for mark in "%!"):
        return tree
    if _is_other(source):
        return ast.Module([], [])
    plain = _MAGIC.sub(  # as many lines that do nothing
        lambda magic: f"{magic[1]}pass" + "\n" * magic[2].count("\n"), _CELL_MAGIC.sub("#", source)
    )
    return _python(_RESULT.sub(r"\1[]", plain))


def _is_other(source: str) -> bool:
    return source.lstrip().startswith(_NO_PYTHON)


def _python(source: str) -> ast.Module | None:
    """Parse plain Python, in which a line may begin with the operator `%`; `None` on errors."""
    if _ODD.search(source):
        return None
    code, mark = quiet(source)
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):  # the last: nested too deeply
        return None
    if mark:
        _restore(tree, mark)
    return tree


def quiet(source: str) -> tuple[str, str]:
    r"""Replace backslashes that escape nothing, for which the parser would warn, by a mark.

    Returns the source, in which each character has its position, and the mark, which is empty
    without a backslash. In raw strings the mark replaces a backslash too. `b"\N"` still warns.
    """
    if "\\" not in source:
        return source, ""
    mark = min(_MARKS, key=source.count)
    return _ESCAPE.sub(
        lambda match: match[0] if match[1] in _ESCAPES else mark + match[1], source
    ), mark


def _restore(tree: ast.Module, mark: str) -> None:
    for node in walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            node.value = node.value.replace(mark, "\\")
        elif isinstance(node, ast.Constant) and isinstance(node.value, bytes):
            node.value = node.value.replace(mark.encode(), b"\\")


def words_in(text: str) -> set[str]:
    """Return the words of a text, each of which may be a name."""
    return set(_WORD.findall(text))


def magics(source: str) -> list[str]:
    """Return the magics and shell commands of a cell, or all of it where it is no Python."""
    if not any(mark in source for mark in "%!"):
        return []
    if _is_other(source):
        return [source.lstrip()]
    commands = [match[2] for way in (_MAGIC, _RESULT) for match in way.finditer(source)]
    return commands if commands and _python(source) is None else []
