"""Values that the code of a cell gives a name: assignments, arguments, defaults, options."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from .beside import script_lines
from .find import called, path_of, words
from .reading import check_time, children
from .scopes import Function, defaults
from .size_names import role_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import Literal

    from .size_names import Role

    Kind = Literal[
        "variable", "field", "parameter", "argument", "entry", "attribute", "option", "text"
    ]
    # What positional arguments are called, by the name of what is called.
    Signatures = Mapping[str, Mapping[int, str]]
    Placed = tuple[ast.AST, ast.AST | None]


_KINDS: dict[type, Kind] = {
    ast.Name: "variable",
    ast.Attribute: "attribute",
    ast.Subscript: "entry",
}
KNOWN: Signatures = {
    "DataLoader": {1: "batch_size"},
    "split": {0: "batch_size"},
    "Resize": {0: "image_size"},
    "RandomCrop": {0: "crop_size"},
    "CenterCrop": {0: "crop_size"},
    "RandomResizedCrop": {0: "crop_size"},
}
# `size=` and `height=` of these are of an image.
_IMAGE_CALLS = {*KNOWN, "LongestMaxSize", "SmallestMaxSize", "resize"} - {"DataLoader", "split"}
_IMAGE_ARGUMENTS = words("size height width max_size")
_OPTIONS = {"add_argument": None, "option": None, "DEFINE_integer": 1}
_LOADERS = words("loads load safe_load full_load create read_string parse")
_ENTRY = re.compile(
    r"""(?<![\w.])(?P<quote>\\?["'])?(?P<name>[A-Za-z_][\w-]{0,59})(?(quote)\\?["'])[ \t]{0,20}:"""
    r"""[ \t]{0,20}(?P<number>[0-9][0-9_]{0,15})(?=[ \t]{0,20}(?:[,}\]#\r\n\\"']|$))"""
)
_LONGEST_NUMBER = 12  # digits
_FLAG = re.compile(
    r"(?<![\w-])(?P<name>--?[A-Za-z][\w-]{0,59})[ =](?P<number>[0-9]{1,15})(?![\w.])"
)


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter that `callee` takes; its `position` counts without `self`."""

    callee: str
    name: str
    position: int | None


class Given(NamedTuple):
    """A value in the code, and what it is given to."""

    name: str
    value: ast.expr
    kind: Kind
    path: tuple[str, ...] = ()
    parameter: Parameter | None = None
    role: Role | None = None


def signatures_of(placed: Iterable[Placed]) -> dict[str, dict[int, str]]:
    """Return what the positional parameters are called of functions and classes defined here."""
    callees: dict[str, dict[int, str]] = {}
    for node, owner in placed:
        if isinstance(node, ast.Call):
            flags = [text for text in map(_text, node.args) if text.startswith("-")]
            callees |= {flag: {0: option_name(node)} for flag in flags if called(node) in _OPTIONS}
            continue
        if isinstance(node, Function):
            name, taken = _callee(node, owner), isinstance(owner, ast.ClassDef)
            names = [argument.arg for argument in (*node.args.posonlyargs, *node.args.args)][taken:]
        elif isinstance(node, ast.ClassDef) and (fields := _fields(node)):
            name, names = node.name, [argument.arg for argument in fields]
        else:
            continue
        callees[name] = {n: word for n, word in enumerate(names) if role_of(word)}
    return {name: params for name, params in callees.items() if any(map(role_of, params.values()))}


def options(call: ast.Call) -> tuple[str, ast.expr] | None:
    """Return the name of a command line option and its default, of a call that adds one."""
    maker = called(call)
    if maker not in _OPTIONS:
        return None
    given = {keyword.arg: keyword.value for keyword in call.keywords}
    name = option_name(call)
    position = _OPTIONS[maker]
    default = given.get("default")
    if position is not None and default is None and len(call.args) > position:
        default = call.args[position]
    return (name, default) if name and default is not None else None


def option_name(call: ast.Call) -> str:
    """Return what an option is called in the code: its `dest`, else by its first long form."""
    texts = [_text(keyword.value) for keyword in call.keywords if keyword.arg == "dest"]
    texts = list(filter(None, texts or map(_text, call.args)))
    name = min(
        texts, key=lambda text: (text.startswith("-"), not text.startswith("--")), default=""
    )
    return name.lstrip("-").replace("-", "_")


class Look:
    """Goes over the nodes of a cell, and remembers which values belong to which variable."""

    def __init__(self, lines: list[str], signatures: Signatures) -> None:
        self._lines = lines
        self._signatures = signatures
        self._paths: dict[int, tuple[str, ...]] = {}
        self.texts: list[tuple[str, int, tuple[int, int, int], Parameter | None]] = []

    def given(self, node: ast.AST, owner: ast.AST | None) -> Iterator[Given]:
        """Yield what a node gives a name: assignments, arguments, defaults, entries of a dict."""
        if isinstance(node, ast.Assign):
            for target in node.targets:
                yield from self._assigned(target, node.value, owner)
        elif isinstance(node, ast.AnnAssign) and node.value is not None:
            yield from self._assigned(node.target, node.value, owner)
        elif isinstance(node, ast.Call):
            yield from self._arguments(node)
        elif isinstance(node, ast.Dict):
            yield from self._entries(node)
        elif isinstance(node, (ast.List, ast.Tuple)):
            self._flags(node)
        elif isinstance(node, Function):
            positional = [*node.args.posonlyargs, *node.args.args][
                isinstance(owner, ast.ClassDef) :
            ]
            for argument, default in defaults(node.args).items():
                place = positional.index(argument) if argument in positional else None
                parameter = Parameter(_callee(node, owner), argument.arg, place)
                yield Given(argument.arg, default, "parameter", parameter=parameter)

    def _assigned(
        self, target: ast.expr, value: ast.expr, owner: ast.AST | None
    ) -> Iterator[Given]:
        if isinstance(target, (ast.Tuple, ast.List)) and isinstance(value, (ast.Tuple, ast.List)):
            for expression, given in zip(target.elts, value.elts, strict=False):
                yield from self._assigned(expression, given, owner)
            return
        path = path_of(target)
        if not path:
            return
        name, parameter, kind = path[-1], None, _KINDS[type(target)]
        if isinstance(owner, ast.ClassDef):
            kind, path, parameter = "field", (owner.name, *path), _field(owner, name)
        elif owner is not None:
            path = ()
        self._paths[id(value)] = path
        self._text_entries(value)
        yield Given(name, value, kind, path, parameter)

    def _entries(self, node: ast.Dict) -> Iterator[Given]:
        path = self._paths.get(id(node), ())
        for key, value in zip(node.keys, node.values, strict=True):
            if name := _text(key):
                self._paths[id(value)] = inner = (*path, name) if path else ()
                yield Given(name, value, "entry", inner)

    def _arguments(self, call: ast.Call) -> Iterator[Given]:
        name, path = called(call), self._paths.get(id(call), ())
        for keyword in call.keywords:
            if keyword.arg is not None and (name, keyword.arg) != ("deque", "maxlen"):
                inner = (*path, keyword.arg) if path else ()
                self._paths[id(keyword.value)] = inner
                of_image = name in _IMAGE_CALLS and keyword.arg in _IMAGE_ARGUMENTS
                role: Role | None = "image" if of_image else None
                yield Given(keyword.arg, keyword.value, "argument", inner, role=role)
        for position, param_name in self._signatures.get(name, {}).items():
            before = call.args[: position + 1]
            if len(before) > position and not any(isinstance(e, ast.Starred) for e in before):
                parameter = Parameter(name, param_name, position)
                yield Given(param_name, call.args[position], "argument", parameter=parameter)
        if (option := options(call)) is not None:
            yield Given(*option, "option", parameter=Parameter("--", option[0], None))
        if name in _LOADERS:
            for expression in call.args[:1]:
                self._text_entries(expression)
        elif name == "split" and isinstance(call.func, ast.Attribute):
            self._find(call.func.value, _FLAG)

    def _flags(self, node: ast.List | ast.Tuple) -> None:
        """Look for `"--batch-size", "64"` in a list."""
        for n, expression in enumerate(node.elts):
            if _text(expression).startswith("-"):
                self._find(expression, _FLAG)
                following = node.elts[n + 1] if n + 1 < len(node.elts) else None
                number = _text(following)
                if following is not None and number.isdecimal() and number.isascii():
                    at = following.col_offset + 1, (following.end_col_offset or 0) - 1
                    if at[1] - at[0] == len(number) < _LONGEST_NUMBER:
                        self._enter(_text(expression), int(number), (following.lineno, *at))

    def entries(self) -> None:
        """Look for entries in lines of YAML."""
        for number in range(1, len(self._lines) + 1):
            self._scan(number, 0, None, _ENTRY)

    def scripts(self) -> None:
        """Look for `--batch-size 64` behind each `%run`."""
        for number in script_lines("\n".join(self._lines)):
            self._scan(number, 0, None, _FLAG)

    def _enter(self, name: str, number: int, place: tuple[int, int, int]) -> None:
        """Note a number in text; `-b` is called what the code that takes it calls it."""
        plain = name.lstrip("-").replace("-", "_")
        flag = None
        if name.startswith("-"):
            plain = self._signatures.get(name, {}).get(0, plain)
            flag = Parameter(name, plain, 0)
        self.texts.append((plain, number, place, flag))

    def _text_entries(self, node: ast.expr) -> None:
        """Look for entries of YAML or JSON in a string that is given a name or read."""
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            plain = "\n" not in node.value and not node.value.lstrip().startswith("{")
            if not plain or id(node) not in self._paths:
                self._find(node, _ENTRY)

    def _find(self, node: ast.expr, pattern: re.Pattern[str]) -> None:
        """Note each number that a pattern finds in a string, where it is written."""
        end = node.end_lineno
        if not _text(node) or end is None:
            return
        for number in range(node.lineno, end + 1):
            start = node.col_offset if number == node.lineno else 0
            self._scan(number, start, node.end_col_offset if number == end else None, pattern)

    def _scan(self, line: int, start: int, stop: int | None, pattern: re.Pattern[str]) -> None:
        raw = self._lines[line - 1].encode(errors="replace")
        for match in pattern.finditer(raw[start:stop].decode(errors="replace")):
            # Columns count bytes.
            at = start + len(match.string[: match.start("number")].encode())
            self._enter(match["name"], int(match["number"]), (line, at, at + len(match["number"])))


def nodes(tree: ast.Module) -> Iterator[Placed]:
    """Yield each node with the function or class around it, outermost nodes first.

    Nodes inside f-strings are left out: their position is wrong before Python 3.12.
    """
    waiting: list[tuple[ast.AST, ast.AST | None]] = [(tree, None)]
    while waiting:
        check_time()
        node, owner = waiting.pop()
        if isinstance(node, ast.JoinedStr):
            continue
        yield node, owner
        inside = node if isinstance(node, (*Function, ast.ClassDef)) else owner
        waiting += [(child, inside) for child in children(node)]


def _callee(function: ast.FunctionDef | ast.AsyncFunctionDef, owner: ast.AST | None) -> str:
    makes = isinstance(owner, ast.ClassDef) and function.name == "__init__"
    return owner.name if makes and isinstance(owner, ast.ClassDef) else function.name


def _fields(node: ast.ClassDef) -> list[ast.arg]:
    """Return the fields of a dataclass and its like, as parameters."""
    decorators = [
        path_of(getattr(expression, "func", expression))[-1:] for expression in node.decorator_list
    ]
    if ("dataclass",) not in decorators and not node.bases:
        return []
    return [
        ast.arg(statement.target.id)
        for statement in node.body
        if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name)
    ]


def _field(owner: ast.ClassDef, name: str) -> Parameter | None:
    names = [argument.arg for argument in _fields(owner)]
    return Parameter(owner.name, name, names.index(name)) if name in names else None


def _text(node: ast.AST | None) -> str:
    value = node.value if isinstance(node, ast.Constant) else None
    return value if isinstance(value, str) else ""
