"""The code of the person's that ran when the memory ran out, as its text tells.

Of each of their functions on the way to the failure only the innermost loop counts: a loop beside
it, in which another model is trained, says nothing of this one.
"""

from __future__ import annotations

import ast
import linecache
from dataclasses import dataclass
from traceback import walk_tb
from typing import TYPE_CHECKING

from ..code.batch import names_in
from ..code.given import Function, callee
from ..code.parsing import LONGEST, parse_cell
from ..holders.frames import is_installed, locals_of
from ..inspection.kinds import origins

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from types import FrameType

    Loop = ast.For | ast.AsyncFor | ast.While
    Scope = ast.Module | ast.FunctionDef | ast.AsyncFunctionDef | Loop

_Loop = (ast.For, ast.AsyncFor, ast.While)
_BACKWARD = frozenset({"backward", "manual_backward", "gradient"})
# Functions of Transformers, Lightning, Accelerate and Keras.
_TRAIN = frozenset({"training_step", "train_step", "optimizer_step", "_inner_training_loop"})
_EVALUATE = frozenset(
    {
        "evaluation_loop",
        "prediction_step",
        "prediction_loop",
        "validation_step",
        "test_step",
        "predict_step",
        "generate",
        "_run_evaluate",
    }
)
_NUMBERS = frozenset({"item", "detach", "detach_", "tolist", "numpy", "float", "int", "cpu"})
_GROWS = frozenset(
    {"append", "extend", "appendleft", "add", "update", "insert", "put", "setdefault"}
)
_CALLS_MODEL = frozenset({"_call_impl", "_wrapped_call_impl"})
_OF_FUTURES = frozenset({"__get_result"})
_AT_ONCE = frozenset({"gather", "create_task", "TaskGroup", "as_completed"})
_NAMES = ("previous", "adding", "growing", "one_pass", "assigning", "bound")
_MOST_FRAMES = 200


@dataclass(frozen=True, slots=True)
class Running:
    """What the text of the running code says.

    `trains`: a backward pass belongs to it. `in_optimizer`: an optimizer was making its step.
    `previous`: names that the innermost loop gives a value only at the failing line or behind it,
    so what they hold comes from the round before. `adding`: names that a loop on the way adds to,
    or makes from themselves, attributes as `.total`. `growing`: the last names of what the running
    code appends to. `one_pass`: names that a loop collects for a backward pass behind it,
    `rounds_done` the share of its rounds that had begun, where that can be told.
    `assigning`: names that were to get another value. `bound`: names that a round of a loop, or a
    function, has given a value on the way. `loops`: whether one of these ran in a loop, other than
    through the parts of a model. `asks_mode`: the model's own code asks whether it trains.
    `at_once`: it is one of several tasks. `functions`: all that were running, outermost first;
    `own` are those of the person's.
    """

    trains: bool = False
    in_optimizer: bool = False
    previous: frozenset[str] = frozenset()
    adding: frozenset[str] = frozenset()
    growing: frozenset[str] = frozenset()
    one_pass: frozenset[str] = frozenset()
    assigning: frozenset[str] = frozenset()
    bound: frozenset[str] = frozenset()
    loops: bool = False
    asks_mode: bool = False
    at_once: bool = False
    functions: tuple[str, ...] = ()
    own: tuple[str, ...] = ()
    rounds_done: float | None = None

    def adds_to(self, name: str) -> bool:
        """Whether a loop makes what has this name, `total` or `trainer.total`, from itself."""
        _, dot, last = name.rpartition(".")
        return name in self.adding or (dot + last if dot else "") in self.adding


def running(error: BaseException) -> Running:
    """Return what the frames of an error and their text say of what was running."""
    reading = _Reading()
    for frame, number in list(walk_tb(error.__traceback__))[-_MOST_FRAMES:]:
        reading.enter(frame, number)
    return reading.result()


class _Reading:
    """What is read frame by frame, outermost first."""

    def __init__(self) -> None:
        self._functions = list[str]()
        self._own = list[str]()
        self._names: dict[str, set[str]] = {each: set() for each in _NAMES}
        self._trees: dict[str, ast.Module | None] = {}
        self._trains = self._evaluates = self._in_optimizer = False
        self._rounds_done: float | None = None
        self._loops = self._in_model = self._asks_mode = self._at_once = False

    def enter(self, frame: FrameType, number: int | None) -> None:
        """Read one frame, which stood at this line."""
        name = frame.f_code.co_name
        self._functions.append(name)
        self._at_once |= name in _OF_FUTURES
        if is_installed(frame):
            self._trains |= name in _TRAIN
            self._evaluates |= name in _EVALUATE
            self._in_optimizer |= name == "step" and _is_optimizers(frame)
            self._in_model |= name in _CALLS_MODEL
            return
        self._own.append(name)
        tree = _tree_of(frame, self._trees)
        if tree is not None and number:
            self._read(frame, number, tree)

    def _read(self, frame: FrameType, number: int, tree: ast.Module) -> None:
        whole, scope = _scopes_at(tree, number)
        calls = list(_calls(whole, number))
        self._at_once |= any(callee(each) in _AT_ONCE for each in calls)
        names = self._names
        names["assigning"] |= set(_assigned_at(scope, number))
        if not isinstance(scope, ast.Module):
            names["bound"] |= set(_stored(scope))
        if self._in_model:
            self._asks_mode |= "training" in frame.f_code.co_names
            return
        is_loop = isinstance(scope, _Loop)
        self._trains |= any(
            _goes_back(each) and (is_loop or each.lineno >= number) for each in calls
        )
        names["growing"] |= set(_grown(scope))
        passes: dict[ast.AST, set[str]] = {
            each: _one_pass(whole, each) for each in ast.walk(whole) if isinstance(each, _Loop)
        }
        names["one_pass"].update(*passes.values())
        if is_loop and not _goes_through_model(frame, scope):
            self._loops = True
            names["previous"] |= set(_bound_from(scope, number))
            names["adding"] |= set(_added_to(scope))
            if passes.get(scope):
                self._rounds_done = _rounds_done(frame, scope)

    def result(self) -> Running:
        """Return what has been read."""
        return Running(
            trains=(self._trains or self._in_optimizer) and not self._evaluates,
            in_optimizer=self._in_optimizer,
            loops=self._loops,
            asks_mode=self._asks_mode,
            at_once=self._at_once,
            functions=tuple(self._functions),
            own=tuple(self._own),
            rounds_done=self._rounds_done,
            **{name: frozenset(each) for name, each in self._names.items()},
        )


def grown_by_functions(sources: Iterable[str]) -> set[str]:
    """Return the last names of containers that functions of these cells put something into.

    No more text is parsed in all than of one cell.
    """
    left, found = LONGEST, set[str]()
    for text in sources:
        left -= len(text)
        tree = parse_cell(text) if left >= 0 else None
        for node in ast.walk(tree) if tree is not None else ():
            if isinstance(node, Function) and node.name != "forward":
                found |= set(_grown(node))
    return found


def left_by_loops(others: Iterable[str], source: str) -> set[str]:
    """Return the names that loops at the top of `others` bind and a cell's `source` does not use.

    No more text is parsed in all than of one cell.
    """
    left, found = LONGEST, set[str]()
    used: set[str] | None = None
    for text in [source, *others]:
        left -= len(text)
        tree = parse_cell(text) if left >= 0 else None
        if tree is None:
            continue
        if used is None:
            used = names_in(tree)
        else:
            found |= {
                name for each in tree.body if isinstance(each, _Loop) for name in _stored(each)
            }
    return found - (used or set())


def _is_optimizers(frame: FrameType) -> bool:
    return ".optim" in str(frame.f_globals.get("__name__", ""))


def _tree_of(frame: FrameType, trees: dict[str, ast.Module | None]) -> ast.Module | None:
    """Parse the text of a frame's code, where Python has it at hand: no file is read."""
    file = frame.f_code.co_filename
    if file not in trees:
        kept = linecache.cache.get(file)
        text = "".join(kept[2]) if kept is not None and len(kept) > 1 else ""
        trees[file] = parse_cell(text) if text and len(text) <= LONGEST else None
    return trees[file]


def _scopes_at(tree: ast.Module, number: int) -> tuple[Scope, Scope]:
    """Return the function that a line stands in, else all of the cell, and its innermost loop.

    The second is the first where there is no loop.
    """
    function: Scope = tree
    scope: Scope = tree
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, Function) and _spans(node, number):
            function = scope = node
        elif isinstance(node, _Loop) and _spans(node, number):
            scope = node
        waiting += [
            child
            for child in ast.iter_child_nodes(node)
            if not isinstance(child, ast.stmt) or _spans(child, number)
        ]
    return function, scope


def _goes_through_model(frame: FrameType, loop: Scope) -> bool:
    """Whether a loop goes through the parts of a model: its rounds are one pass."""
    if not isinstance(loop, (ast.For, ast.AsyncFor)):
        return False
    variables = {**frame.f_globals, **locals_of(frame)}
    values = [variables.get(each) for each in names_in(loop.iter)]
    return any(("torch", "Module") in origins(type(each)) for each in values)


def _spans(node: ast.AST, number: int) -> bool:
    first, last = getattr(node, "lineno", 0), getattr(node, "end_lineno", None)
    return first <= number <= (last or first)


def _calls(scope: Scope, number: int) -> Iterator[ast.Call]:
    """Yield the calls of a scope, without those of loops and functions beside the line."""
    for node in _statements(scope, number):
        if isinstance(node, ast.Call):
            yield node


def _statements(scope: Scope, number: int | None = None) -> Iterator[ast.AST]:
    waiting: list[ast.AST] = [scope]
    while waiting:
        node = waiting.pop()
        beside = number is not None and not _spans(node, number)
        if node is not scope and isinstance(node, (*Function, ast.ClassDef, ast.Lambda)):
            continue
        if node is not scope and beside and isinstance(node, _Loop):
            continue
        yield node
        waiting += ast.iter_child_nodes(node)


def _goes_back(call: ast.Call) -> bool:
    if callee(call) in _BACKWARD:
        return True
    function = call.func
    owner = function.value if isinstance(function, ast.Attribute) else None
    last = owner.attr if isinstance(owner, ast.Attribute) else getattr(owner, "id", "")
    return callee(call) == "grad" and last == "autograd"


def _bound_from(loop: Scope, number: int) -> Iterator[str]:
    """Yield the names that a loop binds at a line or behind it, and not before."""
    before, behind = set[str](), set[str]()
    nodes = list(_statements(loop))
    # Which of several statements in one line was running is not known.
    shared = sum(isinstance(each, ast.stmt) and each.lineno == number for each in nodes) > 1
    for node in nodes:
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            # A statement over several lines binds its names when it has come to its end.
            is_before = node.lineno < number + shared
            (before if is_before else behind).add(node.id)
    if isinstance(loop, (ast.For, ast.AsyncFor)):
        behind -= names_in(loop.target)
    return iter(behind - before)


def _assigned_at(scope: Scope, number: int) -> Iterator[str]:
    for node in _statements(scope, number):
        if isinstance(node, ast.Assign) and _spans(node, number):
            for target in node.targets:
                yield from names_in(target)


def _stored(scope: Scope) -> Iterator[str]:
    for node in _statements(scope):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id


def _added_to(loop: Scope) -> Iterator[str]:
    """Yield the names that a loop makes from what they were, with their graphs; `.total` of any."""
    for node in _statements(loop):
        if isinstance(node, ast.AugAssign) and not _is_number(node.value):
            yield from _bound_in(node.target)
        elif isinstance(node, ast.Assign) and not _is_number(node.value):
            read = _bound_in(node.value)
            for target in node.targets:
                yield from _bound_in(target) & read


def _bound_in(node: ast.expr) -> set[str]:
    """Return the names in an expression, and the last ones of attributes with their dot."""
    inner = list(ast.walk(node))
    owners = {id(each.value) for each in inner if isinstance(each, ast.Attribute)}
    names = {each.id for each in inner if isinstance(each, ast.Name) and id(each) not in owners}
    return names | {
        f".{each.attr}"
        for each in inner
        if isinstance(each, ast.Attribute) and id(each) not in owners
    }


def _one_pass(function: Scope, loop: Loop) -> set[str]:
    """Return what a loop collects or hands on for a backward pass behind it: that is no leak.

    It is begun anew before each such loop. A sum alone does not count: its parts could go backward
    one by one, unless they hang together by what is handed on.
    """
    around, last = _around(function, loop), loop.end_lineno or loop.lineno
    calls = [each.lineno for each in _calls(around, loop.lineno) if _goes_back(each)]
    if not calls or min(calls) <= last:
        return set()
    begun, read = set[str](), set[str]()
    for node in _statements(around):
        if isinstance(node, ast.Name):
            if isinstance(node.ctx, ast.Store) and node.lineno < loop.lineno:
                begun.add(node.id)
            elif isinstance(node.ctx, ast.Load) and node.lineno > last:
                read.add(node.id)
    handed_on = {
        name
        for node in _statements(loop)
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call)
        for target in node.targets
        for name in _bound_in(target) & _bound_in(node.value)
    }
    collected = set(_grown(loop)) & read
    if not (collected | handed_on) & begun:
        return set()
    return (collected | handed_on | set(_added_to(loop))) & begun


def _rounds_done(frame: FrameType, loop: Scope) -> float | None:
    """Return the share of the rounds of `for n in range(…)` that have begun."""
    if not (isinstance(loop, ast.For) and isinstance(loop.iter, ast.Call)):
        return None
    if callee(loop.iter) != "range" or not isinstance(loop.target, ast.Name):
        return None
    variables = locals_of(frame)
    values = [
        each.value
        if isinstance(each, ast.Constant)
        else variables.get(each.id, frame.f_globals.get(each.id))
        for each in (loop.target, *loop.iter.args)
        if isinstance(each, (ast.Constant, ast.Name))
    ]
    now, *limits = [each for each in values if type(each) is int] or [-1]
    if len(limits) != len(loop.iter.args) or not all(limits[2:]):
        return None
    rounds = range(*limits)
    return (rounds.index(now) + 1) / len(rounds) if now in rounds else None


def _around(function: Scope, loop: Loop) -> Scope:
    """Return the innermost loop of a function that another one is in, else the function."""
    last = loop.end_lineno or loop.lineno
    outer = [
        each
        for each in ast.walk(function)
        if isinstance(each, _Loop) and each is not loop
        if _spans(each, loop.lineno) and _spans(each, last)
    ]
    return max(outer, key=lambda each: each.lineno, default=function)


def _grown(scope: Scope) -> Iterator[str]:
    """Yield the last name of each container that a scope puts something into."""
    for node in _statements(scope):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            if node.func.attr in _GROWS:
                yield from _last_name(node.func.value)
        elif isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store):
            yield from _last_name(node.value)
        elif isinstance(node, ast.AugAssign) and isinstance(node.value, ast.List):
            yield from _last_name(node.target)


def _last_name(node: ast.expr) -> Iterator[str]:
    while isinstance(node, ast.Subscript):
        node = node.value
    if isinstance(node, ast.Name):
        yield node.id
    elif isinstance(node, ast.Attribute):
        yield node.attr


def _is_number(value: ast.expr) -> bool:
    """Whether an expression ends in something that lets go of the graph."""
    return isinstance(value, ast.Constant) or any(
        isinstance(each, ast.Call) and callee(each) in _NUMBERS for each in ast.walk(value)
    )
