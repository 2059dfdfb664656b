"""Says the helper's modules in fewer characters, for `scripts/pack.mjs`.

Reads a list of `[path, source, whole]` as JSON and writes the pack: base85 of bz2 of all modules,
one after the other with a NUL between them, the path, a line break, the source. What is not to stay
`whole` travels without comments, docstrings, annotations and what is there for type checkers, with
short names in functions. bz2 sees all modules at once and zlib 32 kB: a fifth is saved. Lines
are not kept, nor are names that begin with `_`: a traceback of the helper names its modules, their
public functions, and a line of what travels.

What is written runs on every Python that the helper supports, whichever Python writes it.
"""

from __future__ import annotations

import ast
import base64
import bz2
import json
import re
import sys
from typing import Any

try:
    import python_minifier
    from python_minifier import f_string
except ImportError:
    sys.exit(3)  # so that another Python is asked

_OUTER: Any = f_string.OuterFString
_THEIR_INIT = _OUTER.__init__


def _as_of_python_310(self: Any, node: ast.JoinedStr, pep701: bool = False) -> None:  # noqa: ARG001  the signature is theirs
    """Quote an f-string as Python before 3.12 has to: newer ones could nest the same quotes."""
    _THEIR_INIT(self, node, pep701=False)


_OUTER.__init__ = _as_of_python_310


def _is_for_types(statement: ast.stmt) -> bool:
    """Whether nobody but a type checker executes a statement of a module."""
    if isinstance(statement, ast.ImportFrom):
        statement.names = [each for each in statement.names if each.name != "TYPE_CHECKING"]
        return not statement.names
    if not isinstance(statement, ast.If) or statement.orelse:
        return False
    return ast.unparse(statement.test) == "TYPE_CHECKING"


def _names(node: ast.AST) -> list[str]:
    if isinstance(node, ast.alias):
        return [(node.asname or node.name).partition(".")[0]]
    name = getattr(node, "id", None) or getattr(node, "name", None)
    return [name] if isinstance(name, str) else []


def minify(source: str) -> str:
    """Return Python that does what `source` does.

    Kept are the names of globals that other modules may ask for, all but those that begin with one
    `_`; of parameters, which may be given by keyword, and under a second name would outlive their
    own `del`; and the annotations of classes, which data classes are made from.
    """
    tree = ast.parse(source)
    tree.body = [each for each in tree.body if not _is_for_types(each)]
    names = {name for each in ast.walk(tree) for name in _names(each)}
    parameters = [each.arg for each in ast.walk(tree) if isinstance(each, ast.arg)]
    return python_minifier.minify(
        ast.unparse(tree),
        remove_annotations=python_minifier.RemoveAnnotationsOptions(
            remove_class_attribute_annotations=False
        ),
        remove_literal_statements=True,
        combine_imports=False,
        hoist_literals=False,
        convert_posargs_to_args=False,
        rename_globals=True,
        preserve_globals=[each for each in names if not re.match("_[^_]", each)],
        preserve_locals=[each for each in parameters if each not in {"self", "cls"}],
    )


def pack(modules: list[tuple[str, str, bool]]) -> str:
    """Return modules as the text that the bootstrap unpacks."""
    parts = [f"{path}\n{source if whole else minify(source)}" for path, source, whole in modules]
    return base64.b85encode(bz2.compress("\0".join(parts).encode())).decode()


if __name__ == "__main__":
    sys.stdout.write(pack(json.load(sys.stdin)))
