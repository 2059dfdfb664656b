"""What a framework has to be told when it starts: Keras, TensorFlow, JAX."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from .find import called, method
from .rewrite import Anchor, rewriting, statement_at
from .source import Loop, Refused

if TYPE_CHECKING:
    from .source import CellSource

# JAX takes three quarters of the card when it starts: a cell to run before it is imported.
JAX_NO_PREALLOCATION = """import os

os.environ["XLA_PYTHON_CLIENT_PREALLOCATE"] = "false"
"""


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


@rewriting
def session_cleared(source: CellSource, anchor: Anchor, keras: str = "keras") -> None:
    """`session_cleared(anchor, keras)`: models of earlier steps go before the next is made.

    The line makes a model in a loop: `keras.backend.clear_session()` begins each step.
    """
    statement = statement_at(source, anchor)
    loop = statement if isinstance(statement, Loop) else source.loop(statement)
    if any(called(node) == "clear_session" for node in ast.walk(loop)):
        raise Refused
    if any(method(node, "fit") is not None for node in ast.walk(statement)):
        raise Refused
    source.before(loop.body[0], f"{keras}.backend.clear_session()")


def _imported(source: CellSource, module: str) -> tuple[str, ast.stmt]:
    """Return what a module is called in a cell, and the import behind which that holds."""
    for node in source.tree.body:
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            for each in node.names:
                whole = isinstance(node, ast.Import) and each.name == module
                part = isinstance(node, ast.ImportFrom) and node.module == "tensorflow"
                if whole or (part and each.name == module):
                    return each.asname or each.name, node
                if isinstance(node, ast.Import) and (each.name, module) == ("tensorflow", "keras"):
                    return f"{each.asname or each.name}.keras", node
    raise Refused
