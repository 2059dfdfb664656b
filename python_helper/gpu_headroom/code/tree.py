"""A syntax tree whose nodes have their parents."""

from __future__ import annotations

import ast
from functools import cached_property
from typing import TYPE_CHECKING

from .find import called
from .reading import children, walk

if TYPE_CHECKING:
    from collections.abc import Iterator


class Tree:
    """The code of a cell; `tree` is `None` where it cannot be read."""

    @property
    def tree(self) -> ast.Module | None:
        """The syntax tree."""
        raise NotImplementedError

    @cached_property
    def nodes(self) -> list[ast.AST]:
        """All nodes, outermost first."""
        return [] if self.tree is None else list(walk(self.tree))

    @cached_property
    def _parents(self) -> dict[ast.AST, ast.AST]:
        return {child: node for node in self.nodes for child in children(node)}

    def calls(self, name: str) -> list[ast.Call]:
        """Return the calls of functions and methods of a name, by its last part: `fit`."""
        return [e for e in self.nodes if isinstance(e, ast.Call) and called(e) == name]

    def parent(self, node: ast.AST) -> ast.AST | None:
        """Return the parent of a node; `None` for the root."""
        return self._parents.get(node)

    def parents(self, node: ast.AST) -> Iterator[ast.AST]:
        """Yield the ancestors of a node, from the inside out."""
        while (parent := self.parent(node)) is not None:
            yield parent
            node = parent

    def around(self, node: ast.AST) -> ast.stmt | None:
        """Return the innermost statement that contains a node, or the node if it is one."""
        around = (node, *self.parents(node))
        return next((outer for outer in around if isinstance(outer, ast.stmt)), None)

    def statement_on(self, line: int) -> ast.stmt | None:
        """Return the innermost statement on a line, counted from 1."""
        statements = [node for node in self.nodes if isinstance(node, ast.stmt)]
        hits = (node for node in statements[::-1] if node.lineno <= line <= (node.end_lineno or 0))
        return next(hits, None)
