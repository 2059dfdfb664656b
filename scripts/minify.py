"""Says the helper's modules in fewer characters, for `scripts/pack.mjs`.

Reads a list of `[path, source, documented]` as JSON and writes the pack: bz2 of all modules as
text, one after the other with a NUL between them, the path, a line break, the source. It travels
without comments and what is there for type checkers, with short names in functions, and without
annotations and docstrings where these are not the help that a person asks for (`documented`). bz2
sees all modules at once and zlib 32 kB: a fifth is saved; a fiftieth more as the words that take
most room are one byte each, as many of them as make the smallest. Lines are not kept, nor are names
that begin with `_`: a traceback of the helper names its modules, their public functions, and a line
of what travels.

What is written runs on every Python that the helper supports, whichever Python writes it.
"""

from __future__ import annotations

import ast
import bz2
import json
import re
import sys
from collections import Counter
from itertools import takewhile
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

try:
    import python_minifier
    from python_minifier import f_string
except ImportError:
    sys.exit(3)  # so that another Python is asked

from scripts import comprehensions

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Mapping, Sequence

# Two of these signs say 13 bits, of which base85 needs 2.03: all that can be printed but quotes
# and the backslash, which Python and JavaScript would read as theirs.
_SIGNS = [chr(code) for code in range(33, 127) if chr(code) not in "'\"\\"]
_BITS = 13
# Words, those of Python's with what they are hardly ever without; an indent of two is one, too.
_WORD = re.compile(
    r"(?<=\n)\t\t|is (?:not )?None|\(self[,)]:?|"
    r"(?:and|as|assert|class|def|elif|else|for|from|if|import|in|is|lambda|not|or|raise|return|"
    r"while|with|yield) |"
    r"(?:self|ast)\.|isinstance\(|[A-Za-z]{2,}"
)
_WORDS = 128  # as many as there are bytes that are no ASCII
_FEWEST_WORDS = 112
_VARS = "vars__"
_OF_TYPING = re.compile(r"^from typing import ([\w,]+)\n", re.MULTILINE)
_FUTURE = "from __future__ import annotations\n"

# Classes that no subclass shares a field of its own with.
_WITHOUT_FIELDS = ("Protocol", "NamedTuple", "ABC", "Wing", "WorkerFailure")

_OUTER: Any = f_string.OuterFString
_THEIR_INIT = _OUTER.__init__


def _as_of_python_310(self: Any, node: ast.JoinedStr, pep701: bool = False) -> None:  # noqa: ARG001  the signature is theirs
    """Quote an f-string as Python before 3.12 has to: newer ones could nest the same quotes."""
    _THEIR_INIT(self, node, pep701=False)


_OUTER.__init__ = _as_of_python_310


def _executed(statement: ast.stmt) -> list[ast.stmt]:
    """Return what of a statement of a module others than a type checker execute."""
    if isinstance(statement, ast.ImportFrom):
        statement.names = [alias for alias in statement.names if alias.name != "TYPE_CHECKING"]
        return [statement] if statement.names else []
    if isinstance(statement, ast.If) and ast.unparse(statement.test) == "TYPE_CHECKING":
        return statement.orelse
    return [statement]


def _names(node: ast.AST) -> list[str]:
    if isinstance(node, ast.alias):
        return [(node.asname or node.name).partition(".")[0]]
    name = getattr(node, "id", None) or getattr(node, "name", None)
    return [name] if isinstance(name, str) else []


class _Typeless(ast.NodeTransformer):
    """Says of the fields of classes no more than that they are there; a cast is its value."""

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AnnAssign:
        """Data classes are made from annotations, whatever these say."""
        self.generic_visit(node)
        node.annotation = ast.Name("object", ast.Load())
        return node

    def visit_Call(self, node: ast.Call) -> ast.expr:
        """Leave `cast` out."""
        self.generic_visit(node)
        is_cast = isinstance(node.func, ast.Name) and node.func.id == "cast"
        return node.args[1] if is_cast else node


class _OfAnObject(ast.NodeTransformer):
    """Names `vars` otherwise where it is given an object: only without one is it about names."""

    def visit_Call(self, node: ast.Call) -> ast.Call:
        """Name it where it is called so."""
        self.generic_visit(node)
        if isinstance(node.func, ast.Name) and node.func.id == "vars" and node.args:
            node.func.id = _VARS
        return node


class _Positional(ast.NodeTransformer):
    """Lets the first parameters of functions that no other module names be given by position only.

    So they may have other names. `given` has all names that anything may be given by.
    """

    def __init__(self, given: Container[str]) -> None:
        self._given = given

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        """Part the parameters of one that is private, or a function's own."""
        for own in node.body:
            if isinstance(own, ast.FunctionDef):
                self._part(own.args)
        self.generic_visit(node)
        if re.match("_[^_]", node.name):
            self._part(node.args)
        return node

    def visit_Lambda(self, node: ast.Lambda) -> ast.Lambda:
        """Part those of a function without a name."""
        self.generic_visit(node)
        self._part(node.args)
        return node

    def _part(self, own: ast.arguments) -> None:
        first = list(takewhile(lambda arg: arg.arg not in self._given, own.args))
        own.posonlyargs += first
        own.args = own.args[len(first) :]


class _Comprehended(ast.NodeTransformer):
    """Gives what comprehensions bind names that no parameter has: they can be shortened."""

    def _visit(self, node: Any) -> Any:
        self.generic_visit(node)
        first, *_ = node.generators
        outside = {id(part) for part in ast.walk(first.iter)}
        inside = [part for part in ast.walk(node) if id(part) not in outside]
        targets = [part for generator in node.generators for part in ast.walk(generator.target)]
        bound = {part.id for part in targets if isinstance(part, ast.Name)}
        bound -= {part.arg for part in inside if isinstance(part, ast.arg)}
        for part in inside:
            if isinstance(part, ast.Name) and part.id in bound:
                part.id += "_"
        return node

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = _visit  # noqa: N815  the names are ast's


_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


class _Local(ast.NodeTransformer):
    """Gives the variables of a function names that no parameter has: they can be shortened.

    Those that nothing but an assignment of its own binds, there and in the functions within it.
    """

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        """Name those of one, after those of the functions within it."""
        self.generic_visit(node)
        parts = [part for part in ast.walk(node) if part is not node]
        if any(isinstance(part, ast.ClassDef) for part in parts):
            return node
        inner = [part for part in parts if isinstance(part, _FUNCTIONS)]
        inner_ids = {id(part) for function in inner for part in ast.walk(function)}
        bound = {
            part.id
            for part in parts
            if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)
            if id(part) not in inner_ids
        }
        bound -= {name for part in parts for name in _bound_otherwise(part)}
        for part in parts:
            if isinstance(part, ast.Name) and part.id in bound:
                part.id += "_"
        return node


def _bound_otherwise(part: ast.AST) -> list[str]:
    """Return the names that a part of a function binds without assigning to them."""
    if isinstance(part, (ast.Global, ast.Nonlocal)):
        return part.names
    if isinstance(part, ast.alias):
        return _names(part)
    if isinstance(part, ast.arg):
        return [part.arg]
    return [name for key in ("name", "rest") if (name := getattr(part, key, None))]


class _Shortened(ast.NodeTransformer):
    """Gives other names to attributes, where they are defined and where they are asked for."""

    def __init__(self, short: Mapping[str, str]) -> None:
        self._short = short

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.ClassDef:
        """Name the methods and the fields of a class."""
        for own in node.body:
            if isinstance(own, _FUNCTIONS):
                own.name = self._short.get(own.name, own.name)
        for name in _fields(node):
            name.id = self._short.get(name.id, name.id)
        self.generic_visit(node)
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.Attribute:
        """Name one that is asked for."""
        self.generic_visit(node)
        node.attr = self._short.get(node.attr, node.attr)
        return node


class _Attributes(ast.NodeVisitor):
    """What a module calls attributes: those of its classes' own, and all others.

    `own` is how often each is named that begins with one `_` and is asked of `self` only, in a
    class that is no base class and has none itself that says more than what kind it is.
    """

    def __init__(self, tree: ast.Module, bases: Container[str]) -> None:
        self._bases = bases
        self.own: Counter[str] = Counter()
        self.others: set[str] = set()
        self.visit(tree)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        """Read the names of a class."""
        methods = [part.name for part in node.body if isinstance(part, _FUNCTIONS)]
        attributes = [part for part in ast.walk(node) if isinstance(part, ast.Attribute)]
        names = [part.id for part in _fields(node)] + methods
        names += [part.attr for part in attributes if _is_name(part.value, "self")]
        is_alone = node.name not in self._bases and all(map(_is_plain, node.bases))
        if is_alone:
            self.own.update(filter(re.compile("_[^_].*[^_]$").match, names))
        else:
            self.others.update(names)
        self.generic_visit(node)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        """Read what is asked of anything but `self`."""
        if not _is_name(node.value, "self"):
            self.others.add(node.attr)
        self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> None:
        """Read a text, which may be a name."""
        self.others.add(str(node.value))


def _fields(node: ast.ClassDef) -> list[ast.Name]:
    """Return the names that the body of a class binds, but for functions."""
    bound = [
        target
        for each in node.body
        for target in getattr(each, "targets", [getattr(each, "target", None)])
    ]
    return [name for each in bound if each for name in ast.walk(each) if isinstance(name, ast.Name)]


def _is_name(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _is_plain(base: ast.expr) -> bool:
    return any(_is_name(base, name) for name in _WITHOUT_FIELDS)


def shorter(sources: Sequence[str], keywords: Iterable[str]) -> list[dict[str, str]]:
    """Return other names for attributes that only their own classes use, by module."""
    trees = [ast.parse(source) for source in sources]
    nodes = [node for tree in trees for node in ast.walk(tree)]
    bases = [base for node in nodes if isinstance(node, ast.ClassDef) for base in node.bases]
    classes = {part.id for base in bases for part in ast.walk(base) if isinstance(part, ast.Name)}
    modules = [_Attributes(tree, classes) for tree in trees]
    shared = set(keywords).union(*[module.others for module in modules])
    free = [name for letter in "abcdefghijklmnopqrstuvwxyz" if (name := f"_{letter}") not in shared]
    own = [[name for name, _ in each.own.most_common() if name not in shared] for each in modules]
    return [dict(zip(names, free, strict=False)) for names in own]


def _keywords(sources: Iterable[str]) -> set[str]:
    """Return the names by which modules give something: keywords, and keys, for `**`."""
    nodes = [node for source in sources for node in ast.walk(ast.parse(source))]
    tables = [key for part in nodes if isinstance(part, ast.Dict) for key in part.keys]
    keys = {str(part.value) for part in tables if isinstance(part, ast.Constant)}
    return keys.union(part.arg for part in nodes if isinstance(part, ast.keyword) and part.arg)


def minify(
    source: str,
    *,
    documented: bool = False,
    given: Container[str] = (),
    short: Mapping[str, str] = MappingProxyType({}),
) -> str:
    """Return Python that does what `source` does, with its help where it is `documented`.

    Kept are the names of globals that other modules may ask for, all but those that begin with one
    `_`; of parameters, which may be given by keyword, and under a second name would outlive their
    own `del`, but those of private functions that are not `given` so; and the names of classes'
    fields, which data classes are made from, with their types where these are of a `TypedDict`.
    Attributes are called as `short` has them.
    """
    tree = _OfAnObject().visit(_Shortened(short).visit(ast.parse(source)))
    tree.body = [each for statement in tree.body for each in _executed(statement)]
    if not documented:
        tree = _Local().visit(_Comprehended().visit(_Positional(given).visit(tree)))
    typed = documented or "TypedDict" in source
    if not typed:
        tree = ast.fix_missing_locations(_Typeless().visit(tree))
    names = {name for each in ast.walk(tree) for name in _names(each)}
    by_position = [each for node in ast.walk(tree) for each in getattr(node, "posonlyargs", ())]
    parameters = [
        each.arg for each in ast.walk(tree) if isinstance(each, ast.arg) and each not in by_position
    ]
    minified: str = python_minifier.minify(
        ast.unparse(tree),
        remove_annotations=python_minifier.RemoveAnnotationsOptions(
            remove_variable_annotations=not documented,
            remove_return_annotations=not documented,
            remove_argument_annotations=not documented,
            remove_class_attribute_annotations=False,
        ),
        remove_literal_statements=not documented,
        combine_imports=False,
        hoist_literals=False,
        convert_posargs_to_args=False,
        rename_globals=True,
        preserve_globals=[each for each in names if not re.match("_[^_]", each)],
        preserve_locals=[each for each in parameters if each not in {"self", "cls"}],
    )
    module = ast.parse(minified.replace(_VARS, "vars"))
    is_parted = comprehensions.part(module)
    result = python_minifier.unparse(module) if is_parted else minified.replace(_VARS, "vars")
    return result if typed else _without_types(result.replace(_FUTURE, "", 1))


def _without_types(short: str) -> str:
    """Return a module without what it imports of `typing` for annotations, which are gone."""
    used = {each.id for each in ast.walk(ast.parse(short)) if isinstance(each, ast.Name)}

    def shorten(match: re.Match[str]) -> str:
        names = [each for each in match[1].split(",") if each in used]
        return f"from typing import {','.join(names)}\n" if names else ""

    return _OF_TYPING.sub(shorten, short, count=1)


def as_text(data: bytes) -> str:
    """Return bytes as text, two signs for 13 bits; `kernel/bootstrap.py` reads it."""
    bits = f"{int.from_bytes(data, 'big'):0{8 * len(data)}b}"
    bits += "0" * (-len(bits) % _BITS)
    numbers = [int(bits[n : n + _BITS], 2) for n in range(0, len(bits), _BITS)]
    return "".join([sign for number in numbers for sign in _pair(number)])


def _pair(number: int) -> tuple[str, str]:
    high, low = divmod(number, len(_SIGNS))
    return _SIGNS[high], _SIGNS[low]


def pack(modules: list[tuple[str, str, bool]]) -> str:
    """Return modules as the text that the bootstrap unpacks."""
    sources = [source for _, source, _ in modules]
    names = _keywords(sources)
    parts = [
        f"{path}\n{minify(source, documented=documented, given=names, short=short)}"
        for (path, source, documented), short in zip(modules, shorter(sources, names), strict=True)
    ]
    text = "\0".join(parts)
    # With a word more or less what bz2 makes of it jumps by a part in 400, up or down; so it does
    # with another root, or other neighbours.
    tries = [
        bz2.compress(in_words(text, most, root, before))
        for most in range(_FEWEST_WORDS, _WORDS + 1, 2)
        for root, before in ((0.4, 2), (0.7, 3))
    ]
    return as_text(min(tries, key=len))


def in_words(text: str, most: int = _WORDS, root: float = 0.5, before: int = 2) -> bytes:
    """Return text with a byte for each of so many words, behind a list of these, a line each.

    What is no ASCII is a word, too. Words are chosen by how often they are there, times that
    `root` of their length, and those are neighbours that stand behind the same signs, so many
    `before` them.
    """
    symbols = {each for each in text if not each.isascii()}
    behind: dict[str, Counter[str]] = {}
    for match in _WORD.finditer(text):
        signs_before = text[max(0, match.start() - before) : match.start()]
        behind.setdefault(match[0], Counter())[signs_before[::-1]] += 1
    # The root, as bz2 has made a long word that is said often small already.
    rooms = sorted(behind, key=lambda each: (-behind[each].total() * (len(each) - 1) ** root, each))
    words = [*sorted(symbols), *rooms][:most]
    # bz2 lays beside each other what stands before bytes that are neighbours: so are words that
    # mostly stand behind the same two signs (0.15 % less).
    words.sort(key=lambda each: (behind[each].most_common(1)[0][0] if each in behind else "", each))
    signs = {word: chr(_WORDS + number) for number, word in enumerate(words)}
    shorter = "".join([signs[each] if each in symbols else each for each in text])
    shorter = _WORD.sub(lambda each: signs.get(each[0], each[0]), shorter)
    return "\n".join(words).encode() + b"\0" + shorter.encode("latin-1")


if __name__ == "__main__":
    sys.stdout.write(pack(json.load(sys.stdin)))
