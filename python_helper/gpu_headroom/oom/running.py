"""Facts about the user's code that was running at the failure, from its source.

Of each of the user's functions on the stack only the innermost loop counts: a loop beside it, in
which another model is trained, shows nothing of this one.
"""

from __future__ import annotations

import ast
import inspect
import linecache
from dataclasses import dataclass
from functools import cache, partial
from os.path import realpath
from pathlib import PurePath
from traceback import walk_tb
from typing import TYPE_CHECKING, Any

from ..code.find import called, names
from ..code.parsing import parse_cell
from ..code.reading import walk
from ..code.rounds import (
    LOOP,
    added_to,
    assigned_at,
    bound_from,
    calls_in,
    gathering,
    grown,
    grown_by_functions,
    one_pass,
    scopes_at,
    spans,
    stored,
)
from ..code.training import goes_back, going_back
from ..holders.frames import is_installed, locals_of, where_of
from ..inspection.kinds import origins, top_of
from .failing_line import CALLS_MODEL

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from types import CodeType, FrameType

    from ..cells.runs import CellRun
    from ..code.rounds import Gathering, Scope


# Functions of Transformers, Lightning, Accelerate and Keras.
LIBRARIES_TRAIN = frozenset(
    {"training_step", "train_step", "optimizer_step", "_inner_training_loop"}
)
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
_FUTURES, _RESULT = "concurrent.futures", "__get_result"
_AT_ONCE = frozenset({"gather", "create_task", "TaskGroup", "as_completed"})
_NAMES = ("previous", "adding", "growing", "one_pass", "assigning", "bound", "of_libraries")
_MOST_FRAMES = 200


@dataclass(frozen=True, slots=True)
class Running:
    """Facts from the source of the running code.

    Names are as in `Group.keys`: `out`, of a function `out in fit`, of any object `.total`.

    `trains`: the code has a backward pass. `in_optimizer`: an optimizer was making its step.
    `previous`: names that the innermost loop assigns only at or after the failing line, so their
    values are from the previous iteration. `adding`: names that a running loop adds to, or
    computes from their old values. `growing`: names that the running code appends to. `one_pass`:
    names that a loop collects for a backward pass after it; `rounds_done`: the share of its
    iterations that had started, if that is known. `assigning`: names that were to get another
    value. `bound`: names that an iteration, or a function, has assigned on the way.
    `of_libraries`: lists that functions of libraries were filling.

    `loops`: whether library code ran in a loop, other than through the parts of a model.
    `first_round`: each of these loops was certainly in its first iteration. `asks_mode`: the
    model's own code reads `training`. `at_once`: the code is one of several tasks. `gathering`: the
    expression that was collecting values, and `gathered_at` its file and line in a library.
    `functions`: all that were running, outermost first; `own`: the user's among them; `callers`:
    those that called the model; `calls`: the names of all functions, and other names that their
    bytecode reads.
    """

    trains: bool = False
    in_optimizer: bool = False
    previous: frozenset[str] = frozenset()
    adding: frozenset[str] = frozenset()
    growing: frozenset[str] = frozenset()
    one_pass: frozenset[str] = frozenset()
    assigning: frozenset[str] = frozenset()
    bound: frozenset[str] = frozenset()
    of_libraries: frozenset[str] = frozenset()
    loops: bool = False
    first_round: bool = False
    asks_mode: bool = False
    at_once: bool = False
    functions: tuple[str, ...] = ()
    own: tuple[str, ...] = ()
    callers: frozenset[str] = frozenset()
    calls: frozenset[str] = frozenset()
    gathering: Gathering | None = None
    gathered_at: str = ""
    rounds: tuple[int, int] | None = None
    rounds_done: float | None = None


def running(
    error: BaseException, files: Iterable[CellRun] = (), cells: Iterable[CellRun] = ()
) -> Running:
    """Return what the frames of an error and their text say of what was running.

    `files` are those beside the notebook that are as they were when they ran. Functions of `cells`
    may put something into containers, whether they were running or not.
    """
    reading = _FrameReading({run.filename: run.source for run in files})
    for frame, number in list(walk_tb(error.__traceback__))[-_MOST_FRAMES:]:
        reading.enter(frame, number)
    return reading.result(grown_by_functions(run.source for run in cells))


class _FrameReading:
    """Facts collected frame by frame, outermost first."""

    def __init__(self, files: Mapping[str | None, str]) -> None:
        self._files = files
        self._functions = list[str]()
        self._own = list[str]()
        self._calls = set[str]()
        self._names: dict[str, set[str]] = {name: set() for name in _NAMES}
        self._going_back = cache(going_back)
        self._trains = self._evaluates = self._in_optimizer = False
        self._rounds: tuple[int, int] | None = None
        self._is_one_pass = False
        self._first_round = True
        self._loops = self._in_model = self._asks_mode = self._at_once = False
        self._called_by_own = self._begins_tasks = False
        self._model_at = 0
        self._gathering: Gathering | None = None
        self._gathered_at = ""

    def enter(self, frame: FrameType, number: int | None) -> None:
        """Read one frame, which stood at this line."""
        name = frame.f_code.co_name
        self._functions.append(name)
        self._calls.update((name, *frame.f_code.co_names))
        if is_installed(frame):
            self._look_for_gathering(frame, number)
            module = str(frame.f_globals.get("__name__", ""))
            # What a library does in several threads, as it loads a model, is one task.
            self._called_by_own &= module.startswith(_FUTURES)
            self._at_once |= name == _RESULT and self._called_by_own
            self._trains |= name in LIBRARIES_TRAIN
            self._evaluates |= name in _EVALUATE
            self._in_optimizer |= name == "step" and ".optim" in module
            if name in CALLS_MODEL and not self._in_model:
                self._in_model, self._model_at = True, len(self._functions) - 1
            return
        self._own.append(name)
        self._called_by_own = True
        tree = _tree_of(frame, self._files)
        if tree is not None and number:
            self._read(frame, number, tree)

    def _look_for_gathering(self, frame: FrameType, number: int | None) -> None:
        """Look at a library's line and variables; in PyTorch nothing that is gathered stays."""
        if self._own and not self._in_model and top_of(frame.f_globals.get("__name__")) != "torch":
            code, variables = frame.f_code, locals_of(frame)
            list_names = [
                n for n in code.co_varnames[code.co_argcount :] if type(variables.get(n)) is list
            ]
            self._names["of_libraries"] |= _known(code, list_names)
            file = code.co_filename
            tree = parse_cell(linecache.getline(file, number or 0).strip())
            expression = gathering(tree, 1) if tree is not None else None
            if expression is not None:
                self._gathering = expression
                self._gathered_at = f"{PurePath(file).name}, line {number}"

    def _read(self, frame: FrameType, number: int, tree: ast.Module) -> None:
        code = frame.f_code
        function, scope = scopes_at(tree, number)
        calls = list(calls_in(function, number))
        tasks = [call for call in calls if called(call) in _AT_ONCE]
        # Either it waits for them here, or one of them has brought its error.
        is_coroutine = bool(code.co_flags & inspect.CO_COROUTINE)
        waits = [call for call in tasks if is_coroutine or called(call) != "create_task"]
        self._at_once |= any(spans(call, number) for call in waits)
        self._at_once |= self._begins_tasks and is_coroutine
        self._begins_tasks |= bool(tasks)
        keys_of = partial(_known, code)
        names = self._names
        names["assigning"] |= keys_of(assigned_at(scope, number))
        if not isinstance(scope, ast.Module):
            names["bound"] |= keys_of(stored(scope))
        if self._in_model:
            self._asks_mode |= "training" in code.co_names
            return
        expression = gathering(function, number)
        if expression is not None:
            file = frame.f_code.co_filename
            is_file = realpath(file) in self._files
            self._gathering = expression
            self._gathered_at = f"{PurePath(file).name}, line {number}" if is_file else ""
        is_loop = isinstance(scope, LOOP)
        back = self._going_back(tree)
        self._trains |= any(
            (goes_back(call) or called(call) in back) and (is_loop or call.lineno >= number)
            for call in calls
        )
        through_model = is_loop and _goes_through_model(frame, scope)
        names["bound" if through_model else "growing"] |= keys_of(grown(scope))
        passes: dict[ast.AST, set[str]] = {loop: keys_of(body) for loop, body in one_pass(function)}
        names["one_pass"].update(*passes.values())
        if is_loop and not through_model:
            self._loops = True
            self._first_round &= _is_first_round(frame, scope, number)
            names["previous"] |= keys_of(bound_from(scope, number))
            names["adding"] |= keys_of(added_to(scope))
            self._rounds = _rounds(frame, scope)
            self._is_one_pass = bool(passes.get(scope))

    def result(self, by_functions: tuple[set[str], set[str]]) -> Running:
        """Return what has been read, with what `grown_by_functions` has found."""
        rounds, names = self._rounds, self._names
        names["growing"] |= by_functions[0]
        names["adding"] |= by_functions[1]
        return Running(
            trains=(self._trains or self._in_optimizer) and not self._evaluates,
            in_optimizer=self._in_optimizer,
            loops=self._loops,
            first_round=self._loops and self._first_round,
            asks_mode=self._asks_mode,
            at_once=self._at_once,
            functions=tuple(self._functions),
            own=tuple(self._own),
            callers=frozenset(self._functions[: self._model_at])
            - frozenset(self._functions[self._model_at :]),
            calls=frozenset(self._calls),
            gathering=self._gathering,
            gathered_at=self._gathered_at,
            rounds=rounds,
            rounds_done=rounds[0] / rounds[1] if rounds and self._is_one_pass else None,
            **{name: frozenset(keys) for name, keys in names.items()},
        )


def _known(code: CodeType, names: Iterable[str]) -> set[str]:
    """Return names as groups have them: a function's own, or of one around it, with the function's.

    Which of several functions around it a closure's variable is of, only the text would tell.
    """
    own, where = {*code.co_varnames, *code.co_cellvars}, where_of(code)
    around = where_of(code, outer=1) if code.co_freevars else ""
    outer = dict.fromkeys(code.co_freevars, around)
    return {name + (where if name in own else outer.get(name, "")) for name in names}


def _tree_of(frame: FrameType, files: Mapping[str | None, str]) -> ast.Module | None:
    """Parse the text of a frame's code, where it is at hand: no file is read."""
    file = frame.f_code.co_filename
    entry = linecache.cache.get(file)
    text = "".join(entry[2]) if entry is not None and len(entry) > 1 else ""
    text = text or files.get(realpath(file), "") if files else text
    return parse_cell(text) if text else None


def _goes_through_model(frame: FrameType, loop: Scope) -> bool:
    """Whether a loop goes through the parts of a model: its rounds are one pass."""
    if not isinstance(loop, (ast.For, ast.AsyncFor)):
        return False
    variables = {**frame.f_globals, **locals_of(frame)}
    values = [variables.get(name) for name in names(loop.iter)]
    return any(("torch", "Module") in origins(type(value)) for value in values)


def _is_first_round(frame: FrameType, loop: Scope, number: int) -> bool:
    """Whether a name is still unknown that each round of a loop binds further on."""
    later: set[str] = set()
    waiting = list(loop.body)
    while waiting:
        statement = waiting.pop()
        if isinstance(statement, (ast.With, ast.AsyncWith)):
            waiting += statement.body
        elif isinstance(statement, (ast.Assign, ast.AnnAssign)):
            later.update(stored(ast.Module([statement], [])))
    later &= set(bound_from(loop, number))
    skips = any(
        isinstance(node, ast.Continue) or isinstance(getattr(node, "ctx", None), ast.Del)
        for node in walk(loop)
    )
    return bool(later.difference(locals_of(frame))) and not skips


def _rounds(frame: FrameType, loop: Scope) -> tuple[int, int] | None:
    """Return how many rounds of a loop have begun, and how many there are.

    Of `for n in range(…)`, and of `for n, x in enumerate(…)` over a list.
    """
    variables = {**frame.f_globals, **locals_of(frame)}

    def value(node: ast.expr) -> Any:
        if isinstance(node, ast.Call) and called(node) == "len" and len(node.args) == 1:
            given = value(node.args[0])
            return len(given) if type(given) in (list, tuple, dict) else None
        return node.value if isinstance(node, ast.Constant) else variables.get(ast.unparse(node))

    call, target = getattr(loop, "iter", None), getattr(loop, "target", None)
    while isinstance(call, ast.Call) and called(call) == "tqdm" and call.args:
        call = call.args[0]
    if not isinstance(call, ast.Call) or target is None:
        return None
    limits = [value(argument) for argument in call.args]
    if called(call) == "enumerate" and isinstance(target, ast.Tuple) and not call.keywords:
        limits = [len(limit) for limit in limits if type(limit) in (list, tuple)]
        target = target.elts[0] if len(limits) == len(call.args) == 1 else target
    elif called(call) not in ("range", "trange"):
        return None
    now = value(target)
    if type(now) is not int or not limits or not all(type(limit) is int for limit in limits):
        return None
    rounds = range(*limits) if all(limits[2:]) else range(0)
    return (rounds.index(now) + 1, len(rounds)) if now in rounds else None
