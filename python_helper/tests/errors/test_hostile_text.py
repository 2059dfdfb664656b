"""What a person's text costs: megabytes of logs in an error, and cells of any make.

What each text costs is bounded in plain passes over a text of that size, so generously that only
what grows faster than its text fails, and however busy the machine is.
"""

from __future__ import annotations

import re
import sys
import time
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any

import pytest
from gpu_headroom.cells.runs import CellRun
from gpu_headroom.code import batch, parsing
from gpu_headroom.code.batch import size_literals
from gpu_headroom.code.literals import literals_in
from gpu_headroom.code.loops import left_behind
from gpu_headroom.code.parsing import parse_cell
from gpu_headroom.concurrency.turns import Turn
from gpu_headroom.errors import formats, reader, sticky_error, unknown
from gpu_headroom.errors import recognise as recogniser
from gpu_headroom.errors.recognise import errors_within, recognise
from gpu_headroom.errors.sticky_error import recognise_fault
from gpu_headroom.frameworks.torch import errors as torch_errors
from gpu_headroom.oom import failing_line as failing
from gpu_headroom.oom.failing_line import failing_line
from tests.errors.test_recognise import MESSAGES, recognised
from tests.errors.test_sticky_error import natively

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

SIZE = 10_000_000
# Passes over `SIZE` characters: some thirty times what it takes.
LIMIT = 100
LINE = "node-3:4711:4820 [2] NCCL INFO Channel 07/0 : 3[3] -> 4[0] [send] via NET/Socket/0\n"
# Private to the standard library; its name has changed.
PARSER: Any = import_module("re._parser" if sys.version_info >= (3, 11) else "sre_parse")
FORMATS = (*formats.STRUCTURED, *formats.LOOSE)
PATTERNS = {
    **{f"{row.framework} {n}": row.sign for n, row in enumerate(FORMATS)},
    **{
        f"{row.framework} {n}.{key}": pattern
        for n, row in enumerate(FORMATS)
        for key, pattern in row.clauses.items()
    },
    **{f"unknown.{n}": pattern for n, pattern in enumerate((unknown.ANY.sign, unknown._GPU))},
    "sticky_error.opening": sticky_error._OPENING,
    "sticky_error.caught": sticky_error._CAUGHT,
    **sticky_error._PATTERNS,
}
# Those that are matched at one place, or on one line of a text that was cut down before.
ANCHORED = {"_NAME", "_TIMED", "_NAMED_LINE"}


def repetitions(parsed: Any) -> Iterator[int]:
    """Yield the limits of all repetitions of a parsed pattern."""
    for kind, value in parsed:
        if str(kind).lower() in ("max_repeat", "min_repeat"):
            yield int(value[1])
        parts = value if isinstance(value, (tuple, list)) else ()
        for part in parts:
            inner = part if isinstance(part, list) else [part]
            for item in inner:
                if isinstance(item, PARSER.SubPattern):
                    yield from repetitions(item)


def filled(text: str, size: int = SIZE) -> str:
    """Repeat a text up to a size."""
    return (text * (size // len(text) + 1))[:size]


PLAIN = filled(LINE)


def cpu_s(call: Callable[[], object]) -> float:
    """Return the processor time of a call."""
    start = time.thread_time()
    call()
    return time.thread_time() - start


def passes(call: Callable[[], object]) -> float:
    """Return the least cost of three, each in passes that are made beside it."""
    costs = []
    for _ in range(3):
        cost, one_pass = cpu_s(call), cpu_s(PLAIN.lower)
        costs.append(cost / one_pass)
        if costs[-1] < LIMIT / 10:
            break
    return min(costs)


def test_patterns_repeat_nothing_without_limit() -> None:
    """So none looks through a long text again from each of its places."""
    modules = (torch_errors, sticky_error, recogniser, reader, unknown, batch, failing)
    of_modules = {
        name: value
        for module in modules
        for name, value in vars(module).items()
        if isinstance(value, re.Pattern) and name not in ANCHORED
    }
    for name, pattern in {**PATTERNS, **of_modules}.items():
        limits = list(repetitions(PARSER.parse(pattern.pattern, pattern.flags & re.IGNORECASE)))
        assert all(limit <= 300 for limit in limits), name


@pytest.mark.parametrize("sign", reader.SIGNS)
def test_a_text_made_of_signs_costs_no_more(sign: str) -> None:
    """Ten megabytes of what marks a place to look at, or nearly does."""
    for text in (sign, sign[:-1], f"{sign}\n"):
        assert passes(partial(recognise, RuntimeError(filled(text)))) < LIMIT


@pytest.mark.parametrize(
    "text",
    [
        "a b c d ",
        " ",
        "\n",
        "\\n",
        "1",
        "1,",
        "\0",
        "ä€ö ",
        "€ out of memor",
        "\ud800",
        "\U0001f600",
        LINE,
    ],
    ids=ascii,
)
def test_any_characters_cost_no_more(text: str) -> None:
    """Blanks, digits, any script and what is no text at all."""
    assert passes(partial(recognise, RuntimeError(filled(text)))) < LIMIT
    error = natively(RuntimeError("CUDA error: " + filled(text)))
    assert passes(partial(recognise_fault, error)) < LIMIT


class Loud(str):
    """A text that answers for itself."""

    __slots__ = ()

    def _fail(self, *_: object, **__: object) -> Any:
        raise AssertionError

    __len__ = __getitem__ = __str__ = __repr__ = __iter__ = __eq__ = __add__ = __contains__ = _fail
    find = rfind = lower = split = replace = splitlines = partition = join = strip = _fail
    __hash__ = str.__hash__


@pytest.mark.parametrize("size", [1, 5_000, SIZE])
def test_a_text_of_a_class_of_its_own_is_not_asked(size: int) -> None:
    """Short or long, only `str` itself is."""
    text = Loud(filled("x", size) + " CUDA out of memory. Tried to allocate 2.00 GiB.")
    error = RuntimeError(text)
    assert passes(partial(recognise, error)) < LIMIT
    assert recognised(error).said.requested_bytes == 2 * 2**30
    assert recognise_fault(natively(RuntimeError(text))) is None


def chain(count: int, text: str) -> BaseException:
    """Raise an error in the handler of another, many times."""
    last = RuntimeError(text)
    for _ in range(count):
        error = RuntimeError(text)
        error.__context__ = last
        last = error
    return last


def group(count: int, text: str) -> BaseException:
    """Raise many errors at once."""
    kind = getattr(__import__("builtins"), "ExceptionGroup", None)
    if kind is None:
        pytest.skip("Python 3.10 has no exception groups")
    members = [RuntimeError(text) for _ in range(count)]
    error: BaseException = kind(text, [kind(text, members), *members])
    return error


@pytest.mark.parametrize("make", [chain, group])
@pytest.mark.parametrize("text", [LINE, "bfc_allocator", "out of memory "])
def test_many_errors_cost_no_more(make: Callable[[int, str], BaseException], text: str) -> None:
    """Ten thousand errors with a megabyte each."""
    error = make(10_000, filled(text, 1_000_000))
    assert passes(partial(recognise, error)) < LIMIT
    assert passes(partial(recognise_fault, error)) < LIMIT
    assert len(list(errors_within(error))) <= 100


def test_reads_the_error_behind_long_ones() -> None:
    """What wraps an error may say as much as it likes."""
    error = chain(20, filled(LINE, 1_000_000))
    error.__context__ = RuntimeError("CUDA out of memory. Tried to allocate 2.00 GiB.")
    assert recognised(error).said.requested_bytes == 2 * 2**30


# --- Cells -----------------------------------------------------------------------


def cell(source: str, name: str = "failing") -> CellRun:
    """Make the run of a cell."""
    return CellRun(name, 1, source, f"<{name}>", 0.0)


def failed(source: str, filename: str = "<failing>") -> BaseException:
    """Compile a cell's last line alone, where it stands, and return what it raises."""
    lines = source.splitlines()
    code = compile("\n" * (len(lines) - 1) + "1 / 0", filename, "exec")
    try:
        exec(code, {})  # noqa: S102  a frame of that file is the case
    except ZeroDivisionError as error:
        return error
    raise AssertionError


CELLS = {
    "one line, many times": "x = f(1, batch_size=64)\n",
    "blank lines": "\n",
    "blank lines with blanks": "   \n",
    "magics": "%time x = 1\n",
    "continued commands": "!ls \\\n",
    "a long line": "x = 1; ",
    "quotation marks": "'",
    "backslashes": "\\",
    "escapes in texts": "'\\d' ",
    "open fields": "f'{",
    "fields in fields": "f'{x:{",
    "named characters": "f'\\N{",
    "numbers that run into words": "1if ",
    "numbers": "1.1",
    "comments": "#",
    "brackets": "(",
    "closed brackets": "()",
    "signs": "-",
    "sums": "1+",
    "products": "batch_size=1*",
    "names": "batch_",
    "leaving": "finally return ",
}


@pytest.mark.parametrize("name", CELLS)
def test_a_long_cell_is_not_looked_through(name: str) -> None:
    """Ten megabytes that were run."""
    source = filled(CELLS[name])
    run = cell(source)
    error = failed("x\n")
    for call in (
        partial(parse_cell, source),
        partial(literals_in, run, source),
        partial(size_literals, ("batch",), [run], {}),
        partial(failing_line, error, run),
        partial(left_behind, [source], {"x"}, Turn(30.0)),
    ):
        assert passes(call) < LIMIT


@pytest.mark.parametrize("name", CELLS)
def test_no_cell_takes_longer_than_its_size(name: str) -> None:
    """A tenth of what is looked through at most: nothing in it is looked at again and again."""
    source = filled(CELLS[name], parsing.LONGEST // 10)
    run = cell(source)
    for call in (
        partial(parse_cell, source),
        partial(size_literals, ("batch",), [run], {}),
        partial(failing_line, failed(source), run),
        partial(left_behind, [source], {"x"}, Turn(30.0)),
    ):
        assert passes(call) < 10 * LIMIT


def test_a_failing_line_of_many_equal_ones_is_found() -> None:
    """Twenty thousand lines that all look alike, behind a magic that became something else."""
    source = "%ls\n" + "x = 1\n" * 20_000 + "1 / 0"
    run = cell(source)
    error = failed(source)
    assert failing_line(error, run) == 20_002
    assert passes(partial(failing_line, error, run)) < LIMIT


MANY = {
    "calls": "f(batch_size=64)\n" * 3000,
    "defaults": "".join(f"def f{n}(batch_size=64): pass\n" for n in range(2000)),
    "defaults of one function": "def f(batch_size=64): pass\n" * 2000 + "f(" + "1, " * 2000 + ")\n",
    "factors": "batch_size = " + "2*" * 900 + "2",
    "a key": "config[0x" + "f" * 20_000 + "] = 64\nbatch_size = 64\n",
    "keys": "config = {" + "'" + "_" * 1000 + "': 64, " * 50 + "}\n",
    "lines": "x = f(1)\n" * 5000,
}


@pytest.mark.parametrize("name", MANY)
def test_many_batches_in_many_cells_cost_no_more(name: str) -> None:
    """Each cell is looked through once, however many literals there are."""
    first = cell(MANY[name], "first")
    cells = [first, *(cell(f"y{n} = g({n})\n" * 20, f"cell {n}") for n in range(100))]
    failing = cell("train()\n" + MANY[name])
    assert passes(partial(size_literals, ("batch",), [*cells, failing], {})) < 10 * LIMIT


def test_thousands_of_arguments_cost_no_more() -> None:
    """The first few say what there is to say."""
    error = RuntimeError(*[filled(LINE, 1_000_000)] * 10_000)
    assert passes(partial(recognise, error)) < LIMIT
    error = RuntimeError("CUDA out of memory. Tried to allocate 2.00 GiB.", *["x"] * 10_000)
    assert recognise(error) is not None


LOG = "2026-01-01 12:00:00 worker 3: step 100 of 1000, loss 1.234, 12.3 samples/s\n" * 10_000


# What says no more than which GPU it is, and one sentence of vLLM's, are read by themselves only.
WHOLE = {
    name: row
    for name, row in MESSAGES.items()
    if len(row.text) > 20 and row.numbers.keys() != {"device_index"} and name != "vLLM's sampler"
}


@pytest.mark.parametrize("name", WHOLE)
def test_finds_a_message_anywhere_in_a_log(name: str) -> None:
    """At its head, at its tail and in its middle, with the same numbers."""
    framework, text, numbers = WHOLE[name]
    for error in (f"{text}\n{LOG}", f"{LOG}\n{text}", f"{LOG}\n{text}\n{LOG}"):
        statement = recognised(RuntimeError(error)).said
        assert statement.framework == framework
        assert {key: getattr(statement, key) for key in numbers} == numbers


def test_a_deep_traceback_costs_no_more() -> None:
    """Each file of it is looked at once."""
    source = "def f(n):\n    return f(n - 1) if n else 1 / 0\n" + "# a comment\n" * 12_000
    space: dict[str, Any] = {}
    exec(compile(source, "<failing>", "exec"), space)  # noqa: S102  frames of that file are the case
    with pytest.raises(ZeroDivisionError) as caught:
        space["f"](500)
    run = cell(source)
    assert failing_line(caught.value, run) == 2
    assert passes(partial(failing_line, caught.value, run)) < LIMIT
