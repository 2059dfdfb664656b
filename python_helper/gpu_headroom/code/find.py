"""Searches in a syntax tree: names, calls, assignments."""

from __future__ import annotations

import ast

from .reading import walk


def dotted(node: ast.AST | None) -> str:
    """Return `log['loss']` or `self.losses` as written, and nothing for what is no plain name."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        return f"{owner}.{node.attr}" if (owner := dotted(node.value)) else ""
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
        return f"{owner}[{node.slice.value!r}]" if (owner := dotted(node.value)) else ""
    return ""


def called(node: ast.AST | None) -> str:
    """Return the last name of what is called: `fit` for `trainer.fit()`."""
    if not isinstance(node, ast.Call):
        return ""
    function = node.func
    return function.attr if isinstance(function, ast.Attribute) else dotted(function)


def method(node: ast.AST | None, name: str) -> ast.expr | None:
    """Return `x` of `x.name(...)`."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return node.func.value if node.func.attr == name else None
    return None


def keyword(call: ast.Call, name: str) -> ast.keyword | None:
    """Return an argument given by its name."""
    return next((option for option in call.keywords if option.arg == name), None)


def base_of(node: ast.AST | None, *through: type[ast.AST]) -> ast.AST | None:
    """Return `run` of `run.models[0]`, going `through` attributes and entries, or only these."""
    while isinstance(node, through or (ast.Attribute, ast.Subscript)):
        node = getattr(node, "func" if isinstance(node, ast.Call) else "value", None)
    return node


def root_name(node: ast.AST) -> str:
    """Return `copy` of `copy.deepcopy(model).eval()`."""
    return dotted(base_of(node, ast.Attribute, ast.Subscript, ast.Call))


def assigned(statement: ast.AST) -> str:
    """Return the one name that a statement assigns to."""
    if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
        return dotted(statement.targets[0])
    return dotted(statement.target) if isinstance(statement, (ast.AnnAssign, ast.AugAssign)) else ""


def names(node: ast.AST, context: type[ast.expr_context] = ast.Load) -> set[str]:
    """Return the names that are read in a piece of code, stored, or whatever the context is."""
    return {
        child.id
        for child in walk(node)
        if isinstance(child, ast.Name) and isinstance(child.ctx, context)
    }


def mentions(node: ast.AST, wanted: set[str]) -> bool:
    """Return whether one of these names or places, such as `self.losses`, is in a piece of code."""
    return any(
        dotted(child) in wanted
        for child in walk(node)
        if isinstance(child, (ast.Name, ast.Attribute, ast.Subscript))
    )


def words(text: str) -> frozenset[str]:
    """Return the words of a text, as a set."""
    return frozenset(text.split())


def path_of(node: ast.AST | None, keys: type = str) -> tuple[str, ...]:
    """Return `config`, `train`, `batch_size` for `config.train["batch_size"]`.

    `keys` is the class of the keys that are followed; others are none of a setting's.
    """
    if isinstance(node, ast.Name):
        return (node.id,)
    if isinstance(node, ast.Attribute):
        key: object = node.attr
    elif isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
        key = node.slice.value
    else:
        return ()
    before = path_of(node.value, keys)
    return (*before, str(key)) if before and isinstance(key, keys) else ()
