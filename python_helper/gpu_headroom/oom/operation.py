"""The operation whose memory request was refused, with its operands and its result."""

from __future__ import annotations

import ast
import linecache
import math
import re
from dataclasses import dataclass, replace
from itertools import combinations_with_replacement, islice, zip_longest
from typing import TYPE_CHECKING, Any

from ..code.excerpt import without_texts
from ..code.find import called
from ..code.parsing import parse_cell
from ..code.reading import walk
from ..holders.frames import is_installed, locals_of
from ..text.format import MIB
from .failing_line import CALLS_MODEL, innermost

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from types import CodeType, FrameType, TracebackType

    from ..holders.inspector import Inspector

    Shape = tuple[int, ...]

_SEGMENT = 2 * MIB  # what PyTorch rounds large requests up to
_LONGEST = 80
_LIST = "list"
# What libraries call the choice of one result at a time, and of where what is kept is.
_STREAMS = ("stream", "as_iterator", "return_generator")
_OPTIONS = re.compile(
    rf"(?:{'|'.join(_STREAMS)})(?:ing)?$|.*_(?:on|to)_(?:(?P<gpu>gpu|cuda)|cpu|host)$|offload"
)
_PRINTED = 0.005  # of a size, as messages round it
_MOST_OPERANDS = 6
_WIDTHS = (4, 8, 2, 1, 16)
_SIGNS: dict[type[ast.operator], str] = {
    ast.MatMult: "@",
    ast.Sub: "-",
    ast.Add: "+",
    ast.Mult: "*",
}


@dataclass(frozen=True, slots=True)
class Operand:
    """A tensor that an expression names, its shape and its dtype.

    `bytes` are of its storage, 0 where it is on the host.
    """

    name: str
    shape: Shape
    dtype: str
    bytes: int


@dataclass(frozen=True, slots=True)
class FailedOperation:
    """The expression that was being computed, in the innermost Python frame.

    `name` is the called function, or the operator. `shape` is the shape of a result with exactly
    the requested bytes and larger than each operand; `None` if there is none. `option` is an
    argument of the called function with which it returns one result at a time (`streams`), or
    keeps values on the host. `is_own`: the expression is in the user's code.
    """

    text: str
    name: str
    operands: tuple[Operand, ...]
    shape: Shape | None
    option: str = ""
    is_own: bool = True

    @property
    def streams(self) -> bool:
        """Whether the option is that of one result at a time."""
        return self.option.startswith(_STREAMS)

    @property
    def copied(self) -> Shape | None:
        """The shape of what was to be copied from the host, if anything was."""
        hosts = [
            operand.shape
            for operand in self.operands
            if not operand.bytes and operand.dtype != _LIST
        ]
        return self.shape if self.shape in hosts else None


def failed(
    error: BaseException, requested_bytes: int | None, inspector: Inspector
) -> FailedOperation | None:
    """Look at the operation that failed; `None` where its text is not at hand.

    In the person's own code where its shapes explain the request, else in the innermost frame.
    Holds no object afterwards. Reads variables of frames that have ended with `error`.
    """
    steps = (innermost(error, own=True), innermost(error))
    operations = [
        _operation_at(step, requested_bytes, inspector) for step in dict.fromkeys(steps) if step
    ]
    ops = [operation for operation in operations if operation is not None]
    return next((operation for operation in ops if operation.shape), ops[-1] if ops else None)


def given(error: BaseException, inspector: Inspector) -> FailedOperation | None:
    """Return the user's own call on the way into a model, or the innermost, and what it is given.

    Lists are operands as well, of a dtype `list`. Not what only a part of is given.
    """
    step, call, option = error.__traceback__, None, ""
    while step is not None and step.tb_frame.f_code.co_name not in CALLS_MODEL:
        code, variables = step.tb_frame.f_code, locals_of(step.tb_frame)
        given = map(_OPTIONS.match, code.co_varnames[: code.co_argcount + code.co_kwonlyargcount])
        ways = [(match.string, bool(match["gpu"])) for match in given if match is not None]
        option = next((f"{name}={not now}" for name, now in ways if variables.get(name) is now), "")
        if call is not None and option:
            break
        call = call if is_installed(step.tb_frame) else step
        step = step.tb_next
    operation = None if call is None else _operation_at(call, None, inspector)
    return None if operation is None else replace(operation, option=option)


def _operation_at(
    step: TracebackType, requested_bytes: int | None, inspector: Inspector
) -> FailedOperation | None:
    frame = step.tb_frame
    text = text_at(frame.f_code, step.tb_lasti, step.tb_lineno)
    expression = _expression(text)
    if text is None or expression is None:
        return None
    operands = tuple(list(_operands(expression, frame, inspector))[:_MOST_OPERANDS])
    shape = None
    if requested_bytes is not None:
        shape = _result(
            [operand for operand in operands if operand.dtype != _LIST], requested_bytes
        )
        shape = shape or _made_by_numbers(expression, frame, requested_bytes)
    shown = " ".join(without_texts(text).split())
    return FailedOperation(
        text=shown if len(shown) <= _LONGEST else f"{shown[:_LONGEST]}…",
        name=_name(expression),
        operands=operands,
        shape=shape,
        is_own=not is_installed(frame),
    )


def text_at(code: CodeType, instruction: int, number: int) -> str | None:
    """Return the text that an instruction was compiled from; before Python 3.11 its line."""
    lines = linecache.getlines(code.co_filename)
    positions = getattr(code, "co_positions", None)
    if positions is None:
        return lines[number - 1].strip() if 0 < number <= len(lines) else None
    place = next(islice(positions(), instruction // 2, None), None)
    if place is None or None in place or place[1] > len(lines):
        return None
    first, last, begins, ends = place
    part = [line.encode() for line in lines[first - 1 : last]]
    if not part:
        return None
    part[-1] = part[-1][:ends]
    part[0] = part[0][begins:]
    text = b"".join(part).decode(errors="replace")
    tree = parse_cell(text) if text.startswith("for ") else None  # as Python 3.11 places its steps
    loop = tree.body[0] if tree is not None else None
    return ast.get_source_segment(text, loop.iter) if isinstance(loop, ast.For) else text


def _expression(text: str | None) -> ast.expr | None:
    for source in (f"({text}\n)", text) if text else ():
        tree = parse_cell(source)
        if tree is not None and len(tree.body) == 1:
            value = getattr(tree.body[0], "value", None)
            return value if isinstance(value, ast.expr) else None
    return None


def _name(expression: ast.expr) -> str:
    if isinstance(expression, ast.Call):
        return called(expression)
    if isinstance(expression, ast.BinOp):
        return _SIGNS.get(type(expression.op), "")
    return ""


def _operands(expression: ast.expr, frame: FrameType, inspector: Inspector) -> Iterator[Operand]:
    """Yield the tensors that an expression names, with what they were called in its frame."""
    variables = locals_of(frame)
    seen = set[str]()
    with inspector.quiet():
        for node in walk(expression):
            if not isinstance(node, ast.Name) or node.id in seen:
                continue
            seen.add(node.id)
            value: Any = variables.get(node.id)
            if type(value) in (list, tuple):
                yield Operand(node.id, (len(value),), _LIST, 0)
            if value is None or not inspector.is_tensor(value):
                continue
            storage = next(inspector.storages(value), None)
            if storage is not None:
                yield Operand(node.id, storage.shape or (), storage.dtype or "", storage.bytes)
            elif inspector.torch is not None:
                shape, dtype = inspector.torch.look_of(value)
                yield Operand(node.id, shape, dtype, 0)


def _made_by_numbers(expression: ast.expr, frame: FrameType, requested: int) -> Shape | None:
    """Return the shape that the numbers of a call, as of `torch.zeros(n, n)`, are."""
    variables = {**frame.f_globals, **locals_of(frame)}
    values = [
        node.value if isinstance(node, ast.Constant) else variables.get(node.id)
        for node in walk(expression)
        if isinstance(node, (ast.Constant, ast.Name))
    ]
    shape = tuple([value for value in values if type(value) is int])
    sizes = [math.prod(shape) * width for width in _WIDTHS]
    is_size = any(abs(size - requested) <= _PRINTED * requested for size in sizes)
    return shape if is_size else None


def _result(operands: Sequence[Operand], requested: int) -> Shape | None:
    """Return the shape of a result of these operands that has the requested bytes, or `None`.

    The shape of an operand on the GPU does not count, as it shows nothing. Operands on the host
    may have been copied.
    """
    gpu_shapes = {operand.shape for operand in operands if operand.bytes}
    host_shapes = [operand.shape for operand in operands if not operand.bytes]
    for shape in (*host_shapes, *_shapes([operand.shape for operand in operands])):
        count = math.prod(shape)
        if shape not in gpu_shapes and any(_is_size(count * width, requested) for width in _WIDTHS):
            return shape
    return None


def _is_size(size: int, requested: int) -> bool:
    return requested in (size, -(-size // _SEGMENT) * _SEGMENT)


def _shapes(shapes: list[Shape]) -> Iterator[Shape]:
    """Yield what operations may make of these shapes: broadcast, products, pairs of rows."""
    for one, other in combinations_with_replacement(shapes, 2):
        yield from filter(None, (_broadcast(one, other),))
        for first, second in ((one, other), (other, one)):
            if len(first) > 1 and len(second) > 1:
                heads = _broadcast(first[:-2], second[:-2])
                if heads is not None:
                    if first[-1] == second[-2]:
                        yield (*heads, first[-2], second[-1])
                    if first[-1] == second[-1]:
                        yield (*heads, first[-2], second[-2])
        if len(one) == len(other) == 1:
            yield (*one, *other)


def _broadcast(one: Shape, other: Shape) -> Shape | None:
    pairs = list(zip_longest(reversed(one), reversed(other), fillvalue=1))
    if any(first != second and 1 not in (first, second) for first, second in pairs):
        return None
    return tuple([max(pair) for pair in reversed(pairs)])
