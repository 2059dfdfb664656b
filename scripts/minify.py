"""Says the helper's modules in fewer characters, for `scripts/pack.mjs`.

Reads `{path: source}` as JSON and writes the same with the sources that travel: without comments,
docstrings, annotations and what is there for type checkers, with short names in functions. Lines
are not kept: a traceback of the helper names its module and function, and a line of what travels.

What is written runs on every Python that the helper supports, whichever Python writes it.
"""

from __future__ import annotations

import ast
import json
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


def minify(source: str) -> str:
    """Return Python that does what `source` does.

    Kept are the names of globals, which other modules and `getattr` ask for; of parameters, which
    may be given by keyword, and under a second name would outlive their own `del`; and the
    annotations of classes, which data classes are made from.
    """
    tree = ast.parse(source)
    tree.body = [each for each in tree.body if not _is_for_types(each)]
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
        preserve_locals=[each for each in parameters if each not in {"self", "cls"}],
    )


if __name__ == "__main__":
    json.dump({path: minify(source) for path, source in json.load(sys.stdin).items()}, sys.stdout)
