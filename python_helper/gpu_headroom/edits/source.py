"""The text of a cell, and changes of it that leave every other byte as it is.

Places are those of `ast`, which counts lines from 1 and columns in UTF-8 bytes. What cannot be
changed without doubt is `NotApplicableError`.
"""

from __future__ import annotations

import ast
import re
from functools import cached_property
from typing import TYPE_CHECKING

from ..code.find import keyword
from ..code.parsing import parse_cell
from ..code.scopes import Definition
from ..code.tree import Tree

if TYPE_CHECKING:
    from collections.abc import Sequence

Scope = (*Definition, ast.Lambda)
Loop = (ast.For, ast.While)
# A line end that is Python's alone, or a mark that it passes over: lines would be counted wrong.
_ODD = re.compile(r"\r(?!\n)|[\f\ufeff]")
_LONGEST = 50_000  # characters: a second's work, of which a report makes several
_REST = re.compile(r"[ \t]*;?[ \t]*(?:#.*)?\r?")
_GAP = re.compile(r"(?:[\s\\]|#[^\n]*)*")


class NotApplicableError(Exception):
    """There is nothing to change, or not without doubt."""


class CellSource(Tree):
    """One cell's text with its syntax tree; changes are gathered, and made by `changed`.

    `tree` is that of the text where it is known already, so that the nodes are the same.
    """

    def __init__(self, text: str, tree: ast.Module | None = None) -> None:
        plain = len(text) <= _LONGEST and not _ODD.search(text)
        tree = (tree or parse_cell(text)) if plain else None
        if tree is None:
            raise NotApplicableError
        self.text, self._tree = text, tree
        self.lines = text.split("\n")
        self.newline = "\r\n" if "\r\n" in text else "\n"
        self._changes: list[tuple[int, int, str]] = []

    @cached_property
    def _starts(self) -> list[int]:
        starts = [0]
        for line in self.lines:
            starts.append(starts[-1] + len(line) + 1)
        return starts

    # Positions.

    @property
    def tree(self) -> ast.Module:
        """The syntax tree."""
        return self._tree

    def loop(self, node: ast.AST) -> ast.For | ast.While:
        """Return the innermost loop around a node, of the same function."""
        for child in self.parents(node):
            if isinstance(child, Loop):
                return child
            if isinstance(child, Scope):
                break
        raise NotApplicableError

    def offset(self, line: int, column: int) -> int:
        """Return the place of a line and a column of `ast` in the text."""
        text = self.lines[line - 1]
        if not text.isascii():
            column = len(text.encode()[:column].decode(errors="replace"))
        return self._starts[line - 1] + column

    def span(self, node: ast.expr | ast.stmt | ast.keyword) -> tuple[int, int]:
        """Return where a node begins and ends in the text."""
        if node.end_lineno is None or node.end_col_offset is None:
            raise NotApplicableError
        end = self.offset(node.end_lineno, node.end_col_offset)
        return self.offset(node.lineno, node.col_offset), end

    def text_of(self, node: ast.expr | ast.stmt) -> str:
        """Return a node as it is written."""
        start, end = self.span(node)
        return self.text[start:end]

    def indent(self, statement: ast.stmt) -> str:
        """Return the blanks before a statement, which has to be the first of its line."""
        line, at = self.lines[first_line(statement) - 1], statement.col_offset
        indent = line[: len(line) - len(line.lstrip(" \t"))]
        # Blanks are single bytes, and a decorator begins where its function does.
        if len(indent) != at:
            raise NotApplicableError
        return indent

    @cached_property
    def unit(self) -> str:
        """One step of indentation, as this cell has it."""
        for node in self.nodes:
            body = getattr(node, "body", None)
            first = body[0] if isinstance(body, list) and body else None
            if not isinstance(node, ast.stmt) or not isinstance(first, ast.stmt):
                continue
            if first.lineno > node.lineno:
                return self.indent(first)[node.col_offset :]
        return "    "

    # Changes.

    def replace(self, node: ast.expr | ast.stmt | tuple[int, int], new: str) -> None:
        """Write something else in the place of a node, or of a span of the text."""
        start, end = node if isinstance(node, tuple) else self.span(node)
        if self.text[start:end] != new:
            self._changes.append((start, end, new))

    def before(self, statement: ast.stmt, *code: str) -> None:
        """Insert lines of code before a statement, as far to the right."""
        indent, at = self.indent(statement), self._starts[first_line(statement) - 1]
        new = "".join([f"{indent}{line}{self.newline}" for line in code])
        self._changes.append((at, at, new))

    def after(self, statement: ast.stmt, code: str) -> None:
        """Insert a line after a statement, as far to the right; its value is not shown."""
        indent, at = self.indent(statement), self._line_end(statement)
        end = ";" if self.tree.body[-1] is statement else ""
        self._changes.append((at, at, f"{self.newline}{indent}{code}{end}"))

    def wrap(self, first: ast.stmt, last: ast.stmt, header: str) -> None:
        """Put statements of one block under a header such as `with x:`, strings as they are."""
        indent = self.indent(first)
        self._line_end(last)
        self.before(first, header)
        inside = self._inside_strings()
        for number in range(first_line(first), (last.end_lineno or last.lineno) + 1):
            line, at = self.lines[number - 1], self._starts[number - 1]
            if number not in inside and line.strip():
                at += len(indent) if line.startswith(indent) else 0
                self._changes.append((at, at, self.unit))

    def changed(self) -> str:
        """Return the text with all changes made; it parses, and is another."""
        parts, done = [], 0
        for start, end, new in sorted(self._changes, key=lambda change: change[:2]):
            if start < done:
                raise NotApplicableError
            parts += [self.text[done:start], new]
            done = end
        text = "".join([*parts, self.text[done:]])
        if text == self.text or parse_cell(text) is None:
            raise NotApplicableError
        return text

    def set_keyword(self, call: ast.Call, name: str, value: str) -> None:
        """Give a call an argument of this name; refuse where `**options` may give it already."""
        given = keyword(call, name)
        if given is not None:
            self.replace(given.value, value)
            return
        arguments = [*call.args, *[option.value for option in call.keywords]]
        alone = len(arguments) == 1 and isinstance(arguments[0], ast.GeneratorExp)
        if alone or any(option.arg is None for option in call.keywords):
            raise NotApplicableError
        closing = self.span(call)[1] - 1
        text = f"{name}={value}"
        if not arguments:
            self.replace((closing, closing), text)
            return
        last = max([*map(self.span, call.args), *map(self.span, call.keywords)])
        end, comma = self._end_of_argument(last[1], closing)
        line = self.text.rfind("\n", 0, last[0]) + 1
        indent = self.text[line : last[0]]
        if indent.strip(" \t"):  # on a line with others
            # A comma that ends a line of its own is one for the next argument, too.
            more = "," if comma and "\n" in self.text[end:closing] else ""
            self.replace((end, end), f" {text}{more}" if comma else f", {text}")
            return
        if not comma:
            self.replace((end, end), ",")
        stop = min(self.line_end(end), closing)
        tail = "," if comma else ""
        self.replace((stop, stop), f"{self.newline}{indent}{text}{tail}")

    def _end_of_argument(self, at: int, closing: int) -> tuple[int, bool]:
        """Return where an argument ends, its comma included, and whether it has one."""
        end = at
        while (at := self._gap(at)) < closing:
            at, end = at + 1, at + 1
            if self.text[at - 1] == ",":
                return end, True
            if self.text[at - 1] != ")":
                raise NotApplicableError
        return end, False

    def _gap(self, at: int) -> int:
        """Return the position of the next code after blanks and comments."""
        match = _GAP.match(self.text, at)
        return match.end() if match else at

    def line_end(self, at: int) -> int:
        """Return the end of the line that a place of the text is in."""
        end = self.text.find("\n", at)
        end = len(self.text) if end < 0 else end
        return end - 1 if end > at and self.text[end - 1] == "\r" else end

    def _line_end(self, statement: ast.stmt) -> int:
        """Return the end of a statement's last line, on which nothing but a comment follows."""
        end = self.span(statement)[1]
        line = self.lines[(statement.end_lineno or statement.lineno) - 1]
        stop = self.line_end(end)
        if not line.lstrip().startswith(("%", "!")) and not _REST.fullmatch(self.text[end:stop]):
            raise NotApplicableError
        return stop

    def _inside_strings(self) -> set[int]:
        """Return the lines that begin inside a string."""
        numbers: set[int] = set()
        for node in self.nodes:
            text = isinstance(node, ast.Constant) and isinstance(node.value, (str, bytes))
            if (text or isinstance(node, ast.JoinedStr)) and isinstance(node, ast.expr):
                lines = range(node.lineno + 1, (node.end_lineno or node.lineno) + 1)
                # Without such a quote or end of line it is several strings, one to a line.
                if lines and re.search(r"'''|\"\"\"|\\\r?\n", self.text_of(node)):
                    numbers.update(lines)
        return numbers


def first_line(statement: ast.stmt) -> int:
    """Return the first line of a statement, with its decorators."""
    decorators: Sequence[ast.expr] = getattr(statement, "decorator_list", ())
    return min([statement.lineno, *[expression.lineno for expression in decorators]])
