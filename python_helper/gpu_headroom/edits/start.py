"""What a framework has to be told when it starts: Keras, TensorFlow."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ..code.source import Refused
from .rewrite import rewriting

if TYPE_CHECKING:
    from ..code.source import CellSource


@rewriting
def keras_precision(source: CellSource, policy: str = "mixed_float16") -> None:
    """`keras_precision(policy)`: Keras computes in half precision: a line behind its import.

    `mixed_bfloat16` where the card has it. For models that are made after that.
    """
    name, statement = _imported(source, "keras")
    if "set_global_policy" in source.text:
        raise Refused
    source.after(statement, f'{name}.mixed_precision.set_global_policy("{policy}")')


@rewriting
def memory_growth(source: CellSource) -> None:
    """`memory_growth()`: TensorFlow takes memory as it needs it: two lines behind its import."""
    name, statement = _imported(source, "tensorflow")
    if "set_memory_growth" in source.text:
        raise Refused
    source.after(
        statement,
        f'for gpu in {name}.config.list_physical_devices("GPU"):',
        f"    {name}.config.experimental.set_memory_growth(gpu, True)",
    )


def _imported(source: CellSource, module: str) -> tuple[str, ast.stmt]:
    """Return what a module is called in a cell, and the import behind which that holds."""
    for node in source.tree.body:
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            for alias in node.names:
                whole = isinstance(node, ast.Import) and alias.name == module
                part = isinstance(node, ast.ImportFrom) and node.module == "tensorflow"
                if whole or (part and alias.name == module):
                    return alias.asname or alias.name, node
                if isinstance(node, ast.Import) and (alias.name, module) == ("tensorflow", "keras"):
                    return f"{alias.asname or alias.name}.keras", node
    raise Refused
