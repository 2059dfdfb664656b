"""The number in the code that sets the batch size, found by the values of the failed run.

The data in memory has a number of rows, and the frames of the error have integers with names: the
number in the code with the value of both, and one of these names, sets the batch. Data flow is not
followed. `Scene.numbers` are the integers, read while the frames exist.
"""

from __future__ import annotations

import ast
import math
from collections import Counter, deque
from functools import cached_property, partial
from traceback import walk_tb
from typing import TYPE_CHECKING, NamedTuple

from ..cells.values import entries, value_at
from ..code.batch import OTHER_PHASE
from ..code.reading import walk
from ..code.rounds import stored
from ..code.scopes import Function
from ..code.size_names import role_of
from ..holders.frames import locals_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from ..code.literals import SizeLiteral
    from ..code.notebook import Notebook
    from ..holders.ledger import StorageLedger
    from .scene import Scene

    Numbers = Mapping[int, frozenset[str]]

_MOST_FRAMES = 200
_DEPTH = 2
_ENDS = 2  # of an edge: a graph is data
_MOST_OF_ONE = 200  # entries of an object
_MOST = 20_000  # entries in all
_LARGEST = 2**40
_PLAIN = {str, bytes, float, bool, type(None), list, tuple, set, frozenset}
_LOOPS = (ast.For, ast.AsyncFor)
_BLOCKS = (ast.If, ast.While, ast.With, ast.AsyncWith, ast.Try, ast.Module)
# Chosen by trial, without a theory: `benchmarks/causes` shows the effect.
_PROVEN_SHARE = 0.1  # of what is in use must have as many rows as a literal says
_PROVEN_UNNAMED = 0.5  # the same where its name says nothing
_LINKED = 0.01  # … and something else says that it leads to these rows
_BY_ROLE = {"batch": 3.0, "unnamed": 1.2, "other": 0.6}
_KNOWN, _NEAR = 2.0, 1.6
_MULTIPLES, _OTHER_PHASE = 0.4, 0.2


class Batch(NamedTuple):
    """The number that sets the batch, what scales with it, and another that is as likely."""

    literal: SizeLiteral
    bytes: int
    twin: SizeLiteral | None = None


class AtOnce(NamedTuple):
    """Number of rows of most data in memory, if no literal has it, and what has these rows.

    `attribute` is the attribute of a user's object that has the number.
    """

    value: int
    name: str
    attribute: str = ""


def numbers_in(error: BaseException) -> dict[int, frozenset[str]]:
    """Return the integers in the frames of an error, with their names.

    Variables, and members of objects and dicts one and two levels below them. No methods of these
    objects are called.
    """
    look = _Integers()
    frames = [frame for frame, _ in walk_tb(error.__traceback__)][-_MOST_FRAMES:]
    for frame in reversed(frames):
        for name, value in locals_of(frame).items():
            look.at(name, value, _DEPTH)
    return {value: frozenset(names) for value, names in look.found.items()}


class _Integers:
    def __init__(self) -> None:
        self.found: dict[int, set[str]] = {}
        self._seen = set[int]()
        self._left = _MOST

    def at(self, name: object, value: object, depth: int) -> None:
        """Enter an integer, or those of an object."""
        self._left -= 1
        if type(name) is not str or name.startswith("__") or self._left < 0:
            return
        if type(value) is int:
            if 1 < value < _LARGEST:
                self.found.setdefault(value, set()).add(name.lstrip("_"))
        elif type(value) is deque:
            self.found.setdefault(value.maxlen or 0, set()).add(f"{name}.maxlen")
        elif depth and type(value) not in _PLAIN and id(value) not in self._seen:
            self._seen.add(id(value))
            own = {} if type(value) is dict and len(value) > _MOST_OF_ONE else entries(value)
            for key, member in own.items() if len(own) <= _MOST_OF_ONE else ():
                self.at(key, member, depth - 1)


def batch_of(
    literals: Iterable[SizeLiteral],
    ledger: StorageLedger,
    index: int,
    here: Scene,
    notebook: Notebook,
) -> Batch | None:
    """Return the number that tensors in memory have as many rows as; `None`: none is shown.

    Of several the likeliest: by its name, by the names that the frames and the failing lines know
    it by, by how much has so many rows. Of two that are alike the last one, with the other where it
    has another name: two of one name are an option and its default.
    """
    judge = _Judge(ledger, index, here, notebook)
    scored = [(judge.score(literal), n, literal) for n, literal in enumerate(literals)]
    score, _, literal = max(scored, default=(0.0, 0, None))
    if literal is None or not score:
        return None
    twins = (
        candidate
        for points, _, candidate in scored
        if points == score and candidate.value == literal.value
    )
    twin = next((candidate for candidate in twins if candidate.name != literal.name), None)
    return Batch(literal, ledger.bytes_of_rows(index, literal.value, multiples=True), twin)


def at_once(
    ledger: StorageLedger, index: int, here: Scene, values: dict[str, object]
) -> AtOnce | None:
    """Return the rows that most in memory has, where a call or one of the `values` has as many."""
    sizes = Counter[int]()
    for holder in ledger.on(index):
        if holder.kind == "activations" or (holder.kind, holder.origin) == ("tensor", "traceback"):
            sizes[(holder.storage.shape or (0,))[0]] += holder.storage.bytes
    ((rows, size),) = sizes.most_common(1) or [(0, 0)]
    if rows < _ENDS or here.call is None or size < _PROVEN_UNNAMED * ledger.bytes(index):
        return None
    for number in here.numbers.get(rows, ()):
        for name, value in reversed(values.items()) if role_of(number) == "batch" else ():
            counts = [value_at({"": owner}, ("", number)) for owner in (value, type(value))]
            if any(type(count) is int and count == rows for count in counts):
                return AtOnce(rows, number, f"{name}.{number}")
    for given in here.call.operands:
        if given.shape and not given.shape[0] % rows and f"{given.name}[" not in here.call.text:
            return AtOnce(rows, given.name)
    return None


class _Judge:
    """Scores how likely a number is to set the batch; 0 if it does not, or nothing shows it."""

    def __init__(self, ledger: StorageLedger, index: int, here: Scene, notebook: Notebook) -> None:
        self._ledger, self._index, self._here = ledger, index, here
        self._in_all = max(ledger.bytes(index), 1)
        edges = {held.storage.shape for held in ledger.on(index) if held.kind == "tensor"}
        self._edges = {shape[1] for shape in edges if shape and len(shape) == shape[0] == _ENDS}
        self._known = set[str]().union(*here.numbers.values())
        self._near = set(_names_near(here, notebook))
        self._copied = here.operation.copied if here.operation is not None else None
        self._notebook = notebook
        self._rows = {(held.root, (held.storage.shape or (0,))[0]) for held in ledger.on(index)}

    def score(self, literal: SizeLiteral) -> float:
        """Return how likely it is, on a scale of this failure."""
        share = self._share(literal)
        if not share or literal.value in self._edges or self._is_of_data(literal):
            return 0.0
        here, score = self._here, _BY_ROLE[literal.role] * math.sqrt(share)
        if literal.name in here.numbers.get(literal.value, ()):
            score *= _KNOWN
        elif literal.kind in ("parameter", "field") and literal.name in self._known:
            return 0.0  # a default that was not used
        if not self._near.isdisjoint((literal.name, *literal.path[:1])):
            score *= _NEAR
        named = " ".join((literal.name, *literal.path))
        if bool(OTHER_PHASE.search(named)) is here.running.trains:
            score *= _OTHER_PHASE
        return score

    def _is_of_data(self, literal: SizeLiteral) -> bool:
        """Whether a number whose name is no batch is at several places, as a size of data."""
        return literal.role == "other" and self._places[literal.value] > 1

    @cached_property
    def _places(self) -> Counter[int]:
        """At how many places of the code each whole number is."""
        values = (getattr(node, "value", None) for _, node in self._notebook.nodes())
        return Counter([value for value in values if type(value) is int])

    def _share(self, literal: SizeLiteral) -> float:
        """Return the share of memory with so many rows; a name that says less must show more."""
        share_of = partial(self._ledger.bytes_of_rows, self._index, literal.value)
        if literal.role != "batch":
            rows, of_all = (share_of(multiples=e, first=True) / self._in_all for e in (False, True))
            if rows >= _PROVEN_UNNAMED:
                return rows
            is_proven = of_all >= _PROVEN_UNNAMED and self._leads_to(literal, rows)
            return _MULTIPLES * of_all if is_proven else 0.0
        rows, multiples = (
            share_of(multiples=is_multiple) / self._in_all for is_multiple in (False, True)
        )
        if rows >= _PROVEN_SHARE:
            return rows
        if self._copied and self._copied[0] == literal.value:
            return _PROVEN_SHARE
        # Tokens and heads multiply the rows; many numbers divide them.
        scaled: float = _MULTIPLES * multiples
        # What divides the rows of a graph does so by chance.
        return scaled if not self._edges and multiples >= _PROVEN_SHARE else 0.0

    def _leads_to(self, literal: SizeLiteral, share: float) -> bool:
        """Whether frames know the number by its name, or its statement makes so many rows."""
        if literal.role == "unnamed" and share >= _LINKED:
            return literal.name in self._here.numbers.get(literal.value, ())
        cell = self._notebook.cell(literal.cell.key, literal.cell.source)
        statement = None if cell is None else cell.statement_on(literal.line)
        names = () if statement is None else stored(ast.Module([statement], []))
        return any((name, literal.value) in self._rows for name in names)


def _names_near(here: Scene, notebook: Notebook) -> Iterator[str]:
    """Yield the names that the lines on the way read, and the heads of the loops around these."""
    for run, line in here.steps:
        cell = notebook.cell(run.key, run.source)
        statement = None if cell is None else cell.statement_on(line)
        if cell is None or statement is None:
            continue
        for node in (statement, *cell.parents(statement)):
            if isinstance(node, (*Function, ast.ClassDef)):
                break
            head = getattr(node, "iter", None) if isinstance(node, _LOOPS) else node
            if head is not None and not isinstance(head, _BLOCKS):
                for inner in walk(head):
                    if isinstance(inner, (ast.Name, ast.Attribute)):
                        yield inner.id if isinstance(inner, ast.Name) else inner.attr
