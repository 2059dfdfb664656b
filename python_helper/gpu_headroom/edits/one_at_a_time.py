"""Tasks one after the other, not all at once."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ..code.find import called, dotted, keyword, words
from ..code.flow import leaves
from ..code.notebook import CodePlace
from ..code.source import Refused
from ..code.taint import COMPUTES
from .call import set_keyword
from .rewrite import rewriting

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..code.gate import Gate
    from ..code.notebook import CellCode
    from ..code.source import CellSource
    from ..protocol.wire import Message
    from .rewrite import Rewrite

TEXTS = {
    "tasks.wait": (
        "No button: tasks may wait for each other, or for time ({cell}, line {line}: `{name}`)."
    ),
    "tasks.write": (
        "No button: tasks may change what others see ({cell}, line {line}: `{name}`): then their "
        "order counts."
    ),
    "tasks.unknown": "No button: what `{name}` ({cell}, line {line}) does cannot be told.",
}
_POOLS = {"ThreadPoolExecutor": "max_workers", "ThreadPool": "processes"}
# Tasks that wait for each other do not come to an end one after the other; begun ones go on.
_WAITS = words(
    """Barrier Condition Event Queue Semaphore BoundedSemaphore Lock create_task ensure_future
    TaskGroup wait_for timeout timeout_at as_completed FIRST_COMPLETED FIRST_EXCEPTION
    imap_unordered SimpleQueue add_done_callback current_task get_ident current_thread
    _max_workers active_count Thread local run_coroutine_threadsafe apply_async RLock
    PriorityQueue LifoQueue done cancel running all_tasks"""
)
_KEYWORDS = words("timeout return_exceptions initializer callback")
_BEGINS = words("submit map starmap imap gather")
# What a task may call: it makes something new, and nobody else can tell.
_PURE = words(
    """len float int str list tuple dict range enumerate zip sum max min abs sorted round ord chr
    isinstance bool reversed sleep no_grad inference_mode autocast to_thread device"""
)
_METHODS = COMPUTES | words(
    """cuda cpu to item tolist numpy argmax clamp split lower upper strip format join topk values
    items keys result get bfloat16"""
)
# Of a library they make something new; all others may draw random numbers, or keep something.
_OF_LIBRARIES = _METHODS | words(
    """tensor zeros ones full arange eye linspace stack cat zeros_like ones_like full_like
    interpolate as_tensor from_numpy einsum matmul empty_cache synchronize no_grad inference_mode
    autocast device sleep time perf_counter to_thread array asarray normalize conv2d linear"""
)
_DRAW = ("Dropout", "BatchNorm", "InstanceNorm", "GaussianNoise", "RNN", "LSTM", "GRU")


def one_worker(*aliases: str) -> Rewrite:
    """`one_worker()`: a pool of threads has one, so that its tasks run one after the other.

    `aliases` are other names that the class goes by.
    """
    return _one_worker(aliases).asking(_independent)


@rewriting
def _one_worker(source: CellSource, aliases: tuple[str, ...]) -> None:
    pools = {**dict.fromkeys(aliases, "max_workers"), **_POOLS}
    for node in ast.walk(source.tree):
        if isinstance(node, ast.Call) and called(node) in pools:
            word = pools[called(node)]
            given = keyword(node, word)
            if given is None and node.args:
                source.replace(node.args[0], "1")
            elif given is not None:
                source.replace(given.value, "1")
            else:
                set_keyword(source, node, word, "1")


def awaited_in_turn() -> Rewrite:
    """`awaited_in_turn()`: `[await f(x) for x in xs]` in place of `await gather(*map(f, xs))`."""
    return _awaited_in_turn().asking(_independent)


@rewriting
def _awaited_in_turn(source: CellSource) -> None:
    for node in ast.walk(source.tree):
        if isinstance(node, ast.Await) and called(node.value) == "gather":
            source.replace(node, f"[{_in_turn(source, node.value)}]")


def _in_turn(source: CellSource, call: ast.expr) -> str:
    """Return what stands between the brackets for the arguments of `gather`."""
    if not isinstance(call, ast.Call) or call.keywords or not call.args:
        raise Refused
    first = call.args[0]
    if not isinstance(first, ast.Starred):
        if not all(isinstance(expression, ast.Call) for expression in call.args):
            raise Refused  # a task that was begun before goes on
        return ", ".join([f"await {source.text_of(expression)}" for expression in call.args])
    if len(call.args) > 1:
        raise Refused
    many = first.value
    if isinstance(many, (ast.GeneratorExp, ast.ListComp)) and isinstance(many.elt, ast.Call):
        start, end = source.span(many.elt)[0], source.span(many)[1]
        return f"await {source.text[start : end - 1].rstrip()}"
    if called(many) != "map":
        raise Refused
    return f"await each for each in {source.text_of(many)}"


def _independent(gate: Gate, _: CellCode) -> Message | None:
    """Whether no task waits for another, and none changes what another sees."""
    return gate.unread() or _waits(gate) or _writes(gate)


def _waits(gate: Gate) -> Message | None:
    for cell, node in gate.notebook.nodes():
        name = ""
        if isinstance(node, (ast.Name, ast.Attribute)):
            name = dotted(node).rpartition(".")[2]
            name = node.attr if isinstance(node, ast.Attribute) else name
        elif isinstance(node, ast.alias):
            name = node.name.rpartition(".")[2]
        elif isinstance(node, ast.keyword) and node.arg in _KEYWORDS:
            return _said("tasks.wait", node.arg or "", cell, node.value)
        if name in _WAITS:
            return _said("tasks.wait", name, cell, node)
    return None


def _writes(gate: Gate) -> Message | None:
    """Whether all that tasks run is here, and makes nothing but new values."""
    for cell, node in gate.notebook.nodes():
        is_builtin = isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
        if called(node) not in _BEGINS or (called(node) == "map" and is_builtin):
            continue
        for task in _tasks(node):
            made = gate.notebook.functions.get(dotted(task), [])
            root, _, name = dotted(task).partition(".")
            if not made and not (root in ("torch", "math") and name in _OF_LIBRARIES):
                return _said("tasks.unknown", dotted(task) or "…", cell, node)
            for own, definition in made:
                why = _Task(gate, own, definition).objection()
                if why is not None:
                    return why
    return None


def _tasks(call: ast.AST) -> Iterator[ast.expr]:
    """Yield the functions that a call runs at once."""
    given = call.args if isinstance(call, ast.Call) else []
    if called(call) != "gather":
        yield from given[:1]
        return
    for expression in given:
        many = expression.value if isinstance(expression, ast.Starred) else expression
        one = many.elt if isinstance(many, (ast.GeneratorExp, ast.ListComp)) else many
        if called(one) == "map" and isinstance(one, ast.Call):
            yield from one.args[:1]
        else:
            yield one.func if isinstance(one, ast.Call) else one


class _Task:
    """A function that tasks run, and those of the notebook that it calls."""

    def __init__(self, gate: Gate, cell: CellCode, definition: ast.AST) -> None:
        self._gate, self._cell, self._definition = gate, cell, definition

    def objection(self) -> Message | None:
        """Return why its calls may see each other."""
        for other, part in self._gate.notebook.reached(self._definition):
            cell = other or self._cell
            if isinstance(part, ast.ClassDef):
                return _said("tasks.unknown", part.name, cell, part)
            for node in ast.walk(part):
                found = self._of(cell, part, node)
                if found is not None:
                    return _said(found[0], found[1], cell, node)
        return None

    def _of(self, cell: CellCode, part: ast.AST, node: ast.AST) -> tuple[str, str] | None:
        if isinstance(node, (ast.Global, ast.Nonlocal)):
            return "tasks.write", node.names[0]
        if isinstance(node, (ast.Attribute, ast.Subscript, ast.Name)) and _is_changed(cell, node):
            base: ast.AST = node
            while isinstance(base, (ast.Attribute, ast.Subscript)):
                base = base.value
            if not self._is_new(part, base):
                return "tasks.write", dotted(node) or dotted(base) or "…"
        if isinstance(node, ast.Call) and not self._is_known(part, node):
            writes = isinstance(node.func, ast.Attribute) and self._is_kept_by(part, node.func)
            which = "tasks.write" if writes else "tasks.unknown"
            return None if writes is None else (which, called(node) or "…")
        return None

    def _is_new(self, part: ast.AST, base: ast.AST) -> bool:
        """Whether a name is the function's own, and only ever given what it has just made."""
        values = [
            node.value
            for node in ast.walk(part)
            if isinstance(node, ast.Assign)
            and any(dotted(one) == dotted(base) for x in node.targets for one in leaves(x))
        ]
        made = (ast.Call, ast.Constant, ast.BinOp, ast.List, ast.Dict, ast.ListComp, ast.DictComp)
        return bool(values) and all(isinstance(expression, made) for expression in values)

    def _is_kept_by(self, part: ast.AST, function: ast.Attribute) -> bool | None:
        """Whether a method changes what is not new; `None` where it is new."""
        if function.attr not in ("append", "extend", "add", "update", "insert"):
            return function.attr.endswith("_")
        return None if self._is_new(part, function.value) else True

    def _is_known(self, part: ast.AST, call: ast.Call) -> bool:
        function, name = call.func, called(call)
        if isinstance(function, ast.Name):
            known = name in _PURE or bool(self._gate.notebook.functions.get(name))
            return known or self._is_model(part, function)
        if isinstance(function, ast.Subscript):
            return self._is_model(part, function.value)
        if not isinstance(function, ast.Attribute):
            return False
        root = dotted(function).partition(".")[0]
        if root in ("torch", "nn", "F", "np", "numpy", "math", "time", "asyncio"):
            return name in _OF_LIBRARIES
        return name in _METHODS or self._is_model(part, function)

    def _is_model(self, part: ast.AST, node: ast.AST) -> bool:
        """Whether it is a model, or a layer of one, that draws nothing and keeps nothing."""
        name = dotted(node)
        for child in ast.walk(part):
            if isinstance(child, (ast.For, ast.comprehension)) and dotted(child.target) == name:
                name = dotted(child.iter)
        facts = self._gate.live.models.get(name)
        if facts is None:
            return False
        draws = any(word in each for each in facts.classes for word in _DRAW)
        return facts.training is False or not draws


def _is_changed(cell: CellCode, node: ast.AST) -> bool:
    """Whether a value is changed in place: `x[0] = y`, `a.b = y`, `x += y`."""
    if isinstance(node, ast.Name):
        parent = cell.parent(node)
        return isinstance(parent, ast.AugAssign) and node is parent.target
    return isinstance(getattr(node, "ctx", None), (ast.Store, ast.Del))


def _said(which: str, name: str, cell: CellCode, node: ast.AST) -> Message:
    return CodePlace.of(cell, node).says(which, TEXTS, name=name)
