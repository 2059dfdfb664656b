"""What has to be so of a program for parts of a batch to train it as the batch does.

The loss is a mean over samples that do not look at each other; the number that becomes smaller
sets the batches of this loop and nothing else; all batches are equal; and what happens in a round
happens in one step of the optimizer, or adds up to the same.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..code.find import called, calls, dotted, method, names, words
from ..code.gate import TEXTS as GATE
from ..code.notebook import CodePlace
from ..code.origins import Origins, is_of_torch, keyword_stars
from ..code.pure import Doubt, Pure
from ..code.rows import BATCH, MEAN, Batchwise, Rows
from ..code.source import CellSource, Refused
from ..code.training import training_step
from ..text.messages import message
from .accumulate import schedules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..code.gate import Gate
    from ..code.literals import SizeLiteral
    from ..code.notebook import CellCode
    from ..code.rows import Value
    from ..code.training import TrainingStep
    from ..protocol.wire import Message

TEXTS = {
    "accumulate.form": "No button: whether each of its batches is used as before cannot be told.",
    "accumulate.batches": (
        "No button: which number sets the batches of this loop, and nothing else, cannot be told."
    ),
    "accumulate.last": (
        "No button: the last batch may be smaller than the others, and would count for more."
    ),
    "accumulate.loss": (
        "No button: whether the loss is a mean over samples that do not look at each other cannot "
        "be told ({cell}, line {line})."
    ),
    "accumulate.class": (
        "No button: `{name}` may look at a whole batch, count batches, or draw at random."
    ),
    "accumulate.often": "No button: {cell}, line {line} would run {steps} times as often.",
    "accumulate.gradients": "No button: {cell}, line {line} reads gradients.",
    "accumulate.trainer": (
        "No button: whether the batches of a trainer are all equal, and its loss a mean over "
        "samples, cannot be told."
    ),
}
_CLIPS = ("clip_grad_norm_", "clip_grad_value_")
# What a loader may be given: it gives the same samples in the same order, in other batches.
_LOADER = words("dataset batch_size shuffle drop_last pin_memory num_workers")
_COUNTS = ("collate_fn", "ignore_index", "batch_sampler", "-100")


def of_a_trainer(_gate: Gate, _cell: CellCode) -> Message | None:
    """Refuse: a trainer has the loop, and nobody sees its batches."""
    return message("accumulate.trainer", TEXTS)


@dataclass
class _Batches:
    """The batches of a loop: where their number stands, and how many samples there are."""

    number: tuple[CellCode, ast.AST]
    values: Value
    samples: int | None
    drops_last: bool


@dataclass(frozen=True, slots=True)
class Same:
    """Asks whether `steps` batches of `value` train as one of `batch` does."""

    batch: SizeLiteral
    value: int
    counter: str = "step"

    def __call__(self, gate: Gate, cell: CellCode) -> Message | None:
        """Return why not, or `None`."""
        why = gate.unread()
        if why is None and self.batch.value % self.value:
            why = message("accumulate.batches", TEXTS)
        return why or _Proof(gate, cell, self).why()


class _Proof:
    def __init__(self, gate: Gate, cell: CellCode, asked: Same) -> None:
        self._gate, self._cell, self._asked = gate, cell, asked
        self._pure = Pure(gate.notebook, gate.live)
        ranks = {name: len(facts.shape) for name, facts in gate.live.tensors.items()}
        self._rows = Batchwise(gate.notebook, self._pure, ranks)
        self._origins = Origins(gate.notebook)
        self._allowed: set[int] = set()

    def why(self) -> Message | None:
        try:
            step = training_step(CellSource(self._cell.source, self._cell.tree))
        except Refused:
            return message("accumulate.form", TEXTS)
        loop = step.loop
        if not isinstance(loop, ast.For):
            return message("accumulate.form", TEXTS)
        return self._of_models() or self._of_gradients(step) or self._of_loop(step, loop)

    def _of_models(self) -> Message | None:
        try:
            name = self._pure.modules() or self._pure.changed()
        except Doubt as doubt:
            return doubt.place.says("accumulate.loss", TEXTS)
        for count in _COUNTS:
            if any(count in cell.source for cell in self._gate.notebook.cells):
                name = name or count
        return None if name is None else message("accumulate.class", TEXTS, name=name)

    def _of_gradients(self, step: TrainingStep) -> Message | None:
        """Whether nobody reads gradients, which are those of parts now."""
        for cell, node in self._gate.notebook.nodes():
            reads = isinstance(node, ast.Attribute) and node.attr == "grad"
            clips = called(node) in _CLIPS and not any(
                node in ast.walk(statement) for statement in step.block
            )
            if reads or clips:
                return CodePlace.of(cell, node).says("accumulate.gradients", TEXTS)
        return None

    def _of_loop(self, step: TrainingStep, loop: ast.For) -> Message | None:
        try:
            batches = self._batches(loop)
        except Refused:
            return message("accumulate.batches", TEXTS)
        old = self._asked.batch.value
        equal = batches.samples is not None and batches.samples % old == 0
        if not equal and not batches.drops_last:
            return message("accumulate.last", TEXTS)
        env: dict[str, Value] = {}
        sums: dict[str, ast.AugAssign] = {}
        try:
            self._take(loop, batches.values, env)
        except Refused:
            return message("accumulate.batches", TEXTS)
        for statement in loop.body:
            try:
                if not self._is_once(step, statement, env) and not (
                    equal and self._adds(statement, env, sums)
                ):
                    steps = old // self._asked.value
                    place = CodePlace.of(self._cell, statement)
                    return place.says("accumulate.often", TEXTS, steps=steps)
            except Refused:
                return CodePlace.of(self._cell, statement).says("accumulate.loss", TEXTS)
        made = names(loop, ast.Store) - sums.keys()
        return (
            self._divided(loop, sums)
            or self._gate.deletes(self._cell, loop, *sorted(made))
            or self._used()
            or (self._gate.binds(self._asked.counter) if _needs_counter(loop) else None)
        )

    # The batches.

    def _batches(self, loop: ast.For) -> _Batches:
        iterated = _inner(loop.iter)
        if called(iterated) == "range" and isinstance(iterated, ast.Call):
            return self._of_range(loop, iterated)
        parts = iterated.args if isinstance(iterated, ast.Call) else []
        if (called(iterated) == "zip" and parts) or called(iterated) == "split":
            return self._of_split(parts if called(iterated) == "zip" else [iterated])
        (cell, made), *others = self._origins.of(self._cell, iterated)
        if others or not isinstance(made, ast.Call) or called(made) != "DataLoader":
            raise Refused
        if not is_of_torch(cell, self._gate.notebook, made.func) or keyword_stars(made):
            raise Refused
        given = {str(keyword.arg): keyword.value for keyword in made.keywords}
        positional = dict(zip(("dataset", "batch_size", "shuffle"), made.args, strict=False))
        given |= positional
        if not given.keys() <= _LOADER or len(made.args) > len(positional):
            raise Refused
        drops = getattr(given.get("drop_last"), "value", False) is True
        values, samples = self._of_data(cell, given["dataset"])
        for where, node in self._origins.trail:
            known = where.owners.get(node)
            if known is not None and known[1] is None and known[0] in self._gate.live.loaders:
                samples = samples or self._gate.live.loaders[known[0]].samples
        workers = given.get("num_workers", ast.Constant(0))
        if getattr(workers, "value", None) != 0 and samples is None:
            raise Refused  # they may draw other random numbers for other batches
        return _Batches(self._number(cell, given["batch_size"]), values, samples, drops)

    def _of_data(self, cell: CellCode, data: ast.expr) -> tuple[Value, int | None]:
        """Return what a batch of a data set is, and how many samples it has."""
        try:
            made = Origins(self._gate.notebook).of(cell, data)
        except Refused:
            return BATCH, None
        (_, call), *others = made
        if others or called(call) != "TensorDataset" or not isinstance(call, ast.Call):
            return BATCH, None
        shapes = [self._shape(expression) for expression in call.args]
        ranks = tuple([Rows("", len(shape)) if shape else self._rows.unknown() for shape in shapes])
        lengths = {shape[0] if shape else None for shape in shapes}
        return ranks, lengths.pop() if len(lengths) == 1 else None

    def _shape(self, node: ast.expr) -> tuple[int, ...] | None:
        fact = self._gate.live.tensors.get(dotted(node))
        return fact.shape if fact is not None and fact.shape else None

    def _number(self, cell: CellCode, node: ast.expr) -> tuple[CellCode, ast.AST]:
        """Return the only number that an expression stands for: the one that is changed."""
        (where, made), *others = self._origins.of(cell, node)
        batch = self._asked.batch
        if others or not isinstance(made, ast.Constant) or made.value != batch.value:
            raise Refused
        same = where.source != batch.cell.source or (made.lineno, made.col_offset) == (
            batch.line,
            batch.column,
        )
        if where.key != batch.cell.key or not same:
            raise Refused
        return where, made

    def _of_split(self, parts: list[ast.expr]) -> _Batches:
        values: list[Value] = []
        lengths: set[int] = set()
        numbers: list[ast.Constant] = []
        for expression in parts:
            of = method(expression, "split")
            if (
                not isinstance(expression, ast.Call)
                or of is None
                or len(expression.args) != 1
                or expression.keywords
            ):
                raise Refused
            shape = self._shape(of)
            if not isinstance(expression.args[0], ast.Constant) or shape is None:
                raise Refused
            values.append(Rows("", len(shape)))
            lengths.add(shape[0])
            numbers.append(expression.args[0])
        if {constant.value for constant in numbers} != {self._asked.batch.value} or len(
            lengths
        ) != 1:
            raise Refused
        first = next(
            constant for constant in numbers if constant.col_offset == self._asked.batch.column
        )
        number = self._number(self._cell, first)
        value = tuple(values) if len(values) > 1 else values[0]
        return _Batches(number, value, lengths.pop(), drops_last=False)

    def _of_range(self, loop: ast.For, given: ast.Call) -> _Batches:
        """`for i in range(0, len(X), size)`, where `i` is in slices `i : i + size` only."""
        stop, size = given.args[1], given.args[2]
        shape = None
        if isinstance(stop, ast.Call) and called(stop) == "len":
            shape = self._shape(stop.args[0])
        elif isinstance(stop, ast.Subscript) and isinstance(stop.value, ast.Attribute):
            first = stop.value.attr == "shape" and getattr(stop.slice, "value", None) == 0
            shape = self._shape(stop.value.value) if first else None
        if shape is None or not isinstance(loop.target, ast.Name):
            raise Refused
        cut = f"{loop.target.id}:{loop.target.id} + {ast.unparse(size)}"
        inside = set[int]()
        for node in ast.walk(loop):
            if isinstance(node, ast.Slice) and ast.unparse(node) == cut:
                inside |= {id(child) for child in ast.walk(node)}
        reads = [node for node in ast.walk(loop) if isinstance(node, ast.Name)]
        if any(
            name_node.id == loop.target.id
            and id(name_node) not in inside
            and name_node is not loop.target
            for name_node in reads
        ):
            raise Refused
        self._allowed |= inside
        return _Batches(self._number(self._cell, size), loop.target.id, shape[0], drops_last=False)

    def _take(self, loop: ast.For, values: Value, env: dict[str, Value]) -> None:
        """Give the targets of the loop what a batch is."""
        target = loop.target
        if isinstance(values, str) and values != BATCH:  # a place to cut from
            env[values] = "place"
            return
        if called(loop.iter) == "enumerate":
            if not isinstance(target, ast.Tuple) or len(target.elts) != 2:  # noqa: PLR2004
                raise Refused
            env[getattr(target.elts[0], "id", "")] = "number"
            target = target.elts[1]
        self._rows.assign(target, values, env)

    # What happens in a round.

    def _is_once(  # noqa: PLR0911  a kind of statement each
        self, step: TrainingStep, each: ast.stmt, env: dict[str, Value]
    ) -> bool:
        """Whether a statement computes the loss, or is one of those that come with a step."""
        block = step.block
        start, end = block.index(step.backward), block.index(step.step or step.backward)
        at = block.index(each)
        if each is step.backward:
            call = each.value if isinstance(each, ast.Expr) else None
            plain = isinstance(call, ast.Call) and not call.args and not call.keywords
            if not plain or self._rows.of(self._cell, step.loss, env) != MEAN:
                raise Refused
            return True
        if each is step.zero_grad:
            return True
        if each is step.step:
            return not getattr(each.value, "args", None) if isinstance(each, ast.Expr) else False
        if isinstance(each, ast.Expr) and start < at < end:
            only = called(each.value) in _CLIPS and not names(each) & env.keys()
            return only and all(call.func for call in calls(each, *_CLIPS))
        if schedules(each):
            between = block[end + 1 : at]
            plain = isinstance(each, ast.Expr) and not getattr(each.value, "args", None)
            return (
                plain
                and at > end
                and all(one is step.zero_grad or schedules(one) for one in between)
            )
        if isinstance(each, ast.Assign) and at < start and len(each.targets) == 1:
            self._rows.assign(each.targets[0], self._rows.of(self._cell, each.value, env), env)
            return True
        return False

    def _adds(self, each: ast.stmt, env: dict[str, Value], sums: dict[str, ast.AugAssign]) -> bool:
        """Whether it adds up the loss: a mean of means is the mean, where all are equal."""
        if not isinstance(each, ast.AugAssign) or not isinstance(each.op, ast.Add):
            return False
        name, value = each.target, method(each.value, "item")
        if not isinstance(name, ast.Name) or value is None or name.id in env:
            return False
        if self._rows.of(self._cell, value, env) != MEAN:
            return False
        env[name.id] = "number"
        sums[name.id] = each
        return True

    def _divided(self, loop: ast.For, sums: dict[str, ast.AugAssign]) -> Message | None:
        """Whether sums over the batches are divided by how many there are, wherever they stand."""
        loader = ast.dump(_inner(loop.iter))
        for name, added in sums.items():
            owner = self._cell.owners[added.target][1]
            for cell, use in self._gate.notebook.uses_of(self._cell, name, owner):
                node = use.node
                parent = cell.parent(node)
                if node is added.target:
                    continue
                begins = isinstance(parent, ast.Assign) and isinstance(parent.value, ast.Constant)
                if use.how == "bind" and begins:
                    continue
                if isinstance(parent, ast.BinOp) and _is_mean(parent, node, loader):
                    self._allowed |= {id(child) for child in ast.walk(parent.right)}
                    continue
                return CodePlace.of(cell, node).says("gate.read", GATE, name=name)
        return None

    def _used(self) -> Message | None:
        """Whether nobody else reads the loader, or the number of its batches."""
        allowed = self._allowed | {id(node) for _, node in self._origins.trail}
        for where, node in self._origins.trail:
            for cell, use in self._others(where, node):
                parent = cell.parent(use)
                entry = isinstance(parent, ast.Subscript) and isinstance(parent.slice, ast.Constant)
                data = isinstance(parent, ast.Attribute) and parent.attr == "dataset"
                if id(use) in allowed or data or (entry and isinstance(node, ast.Name)):
                    continue
                line = getattr(use, "lineno", 1)
                name = ast.unparse(node)
                return CodePlace(cell, line).says("gate.read", GATE, name=name)
        return None

    def _others(self, where: CellCode, node: ast.AST) -> Iterator[tuple[CellCode, ast.AST]]:
        """Yield all places where the same value may be read."""
        if isinstance(node, ast.Name) and (known := where.owners.get(node)):
            for cell, use in self._gate.notebook.uses_of(where, *known[:2]):
                if use.how == "read":
                    yield cell, use.node
        elif isinstance(node, (ast.Attribute, ast.Subscript)):
            for cell, child in self._gate.notebook.nodes():
                if type(child) is type(node) and isinstance(getattr(child, "ctx", None), ast.Load):
                    if isinstance(child, ast.Attribute) and isinstance(node, ast.Attribute):
                        same = child.attr == node.attr
                    else:
                        same = dotted(child) == dotted(node)
                    if same:
                        yield cell, child


def _inner(node: ast.expr) -> ast.expr:
    """Return what a loop goes through, without `enumerate` and `tqdm` around it."""
    while called(node) in ("enumerate", "tqdm") and isinstance(node, ast.Call) and node.args:
        node = node.args[0]
    return node


def _is_mean(node: ast.BinOp, total: ast.AST, loader: str) -> bool:
    """Whether it is `total / len(loader)`."""
    count = node.right
    counts = called(count) == "len" and isinstance(count, ast.Call) and len(count.args) == 1
    divides = isinstance(node.op, ast.Div) and node.left is total
    return divides and isinstance(count, ast.Call) and counts and ast.dump(count.args[0]) == loader


def _needs_counter(loop: ast.For) -> bool:
    return called(loop.iter) not in ("enumerate", "range")
