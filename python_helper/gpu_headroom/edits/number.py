"""Set a number where it stands: the batch, the length of the input, the size of images."""

from __future__ import annotations

import ast
import re
from pathlib import PurePath
from typing import TYPE_CHECKING

from ..code.batch import PARSERS
from ..code.beside import beside, script_at, script_lines
from ..code.command import as_run, put_back
from ..code.find import called, dotted, keyword, names, values_of
from ..code.follows import other_places, unlike
from ..code.gate import Gate
from ..code.literals import integer, literals_in
from ..code.notebook import CellCode, CodePlace, Notebook
from ..code.source import CellSource, Refused
from ..text.messages import message
from .rewrite import Rewrite, line_of, rewriting

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ..code.literals import SizeLiteral
    from ..code.loaders import Numbers, Way
    from ..code.tree import Tree
    from ..protocol.wire import Message
    from .rewrite import Anchor, Question

TEXTS = {
    "number.other": (
        "No button: the batches of the loop that failed have their size from another number."
    ),
    "number.several": (
        "No button: {count} numbers are {value}, and nobody can tell which is the batch of the "
        "loop that failed."
    ),
    "number.again": (
        "No button: {value} stands in {cell}, line {line}, too, and would have to follow."
    ),
    "number.ends": (
        "No button: {cell}, line {line} may leave the loop before all data were seen, and then "
        "fewer would be."
    ),
    "number.fixed": (
        "No button: {cell}, line {line} makes something of that size which does not follow."
    ),
    "number.left_out": (
        "No button: {cell}, line {line} leaves targets out, and of {value} samples none may be "
        "left: the mean of their losses is no number, and then no weight is one."
    ),
    "number.file": "No button: {file} was changed after it ran.",
    "number.named": (
        "No button: `{file}` is named in {cell}, line {line}, too, which may read or write it."
    ),
    "number.imported": (
        "No button: `{file}` was imported, and running the cell again would not read it again."
    ),
    "number.bytes": "No button: encoding or line ends of `{file}` might not stay as they are.",
    "number.schedule": (
        "No button: {cell}, line {line} makes a schedule of so many steps, and there would be more."
    ),
}
_SCHEDULES = re.compile(r"OneCycleLR|get_(?:\w+_)?schedule\w*")
_CODED = re.compile(r"(?:.*\n)?.*coding[:=](?![ \t]*utf-?8\b)|[^\r]*\r|\ufeff", re.IGNORECASE)
_MOST_NAMES = 50
_FEW = 16  # of so many samples hardly ever all are left out


def set_batch(literal: SizeLiteral, value: int, way: Way) -> Rewrite:
    """`set_batch(literal, value, way)`: give the batch of the loop that failed another size.

    It has to be the number that the failing loop's loader has, and nothing else may need to stay
    that large.
    """

    def is_the_batch(gate: Gate, cell: CellCode) -> Message | None:
        cells = _standing(gate, cell, way)
        try:
            source = CellSource(cell.source)
            number = _found(source, literal, value)
            own = _together(source, number)
        except Refused:
            return None  # the edit changes nothing there
        reached = way.numbers(cells)
        is_script = number.kind == "text" and number.line in script_lines(cell.source)
        alike = {
            (code.key, other.line)
            for code in cells
            for other in literals_in(literal.cell, code.source, literal.role)
            if other.value == literal.value
            and (not reached or reached.has(other, code.key))
            # A command line wins over what is the default.
            and not (
                number.parameter is not None and number.kind == "text" and other.kind == "option"
            )
            and not (is_script and other.kind == "text" and code is not cell)
        }
        never_ran = is_script and not way.passes(cell, number.line)
        if never_ran or (reached and not reached.has(number, cell.key)):
            return message("number.other", TEXTS)
        if len(alike - {(cell.key, number.line)}) > 0:
            return message("number.several", TEXTS, count=len(alike), value=literal.value)
        place = _left_out(cells) if value < _FEW else None
        if place is not None:
            return place.says("number.left_out", TEXTS, value=value)
        return _follows(cells, cell, own, number, reached)

    return set_number(literal, value).asking(lambda gate, _: _unread(gate, way), is_the_batch)


def _unread(gate: Gate, way: Way) -> Message | None:
    """Whether all code can be read, and files on the way are as they ran."""
    files = [file for file in gate.notebook.files if way.passes(file)]
    for cell in files:
        now = beside(cell.key)
        if now is None or now.source != cell.source:
            return message("number.file", TEXTS, file=cell.key)
    return gate.unread() or Gate(Notebook(files), gate.live).unread()


def smaller_batch(literal: SizeLiteral, value: int, way: Way) -> Rewrite:
    """`smaller_batch(literal, value, way)`: the same, where each of its batches is a step.

    A schedule that is made for a number of steps has to follow the length of a loader: it raises an
    error behind its last step, or has come to its end.
    """

    def has_room(gate: Gate, _: CellCode) -> Message | None:
        for cell in (*gate.notebook.cells, *gate.notebook.files):
            for node in cell.nodes:
                if isinstance(node, ast.Call) and _SCHEDULES.fullmatch(called(node)):
                    given = [*node.args[1:], *[option.value for option in node.keywords]]
                    if not _measures(gate.notebook, given):
                        return CodePlace.of(cell, node).says("number.schedule", TEXTS)
        return None

    return set_batch(literal, value, way).asking(has_room)


def by_flag(literal: SizeLiteral, value: int, way: Way, anchor: Anchor) -> Rewrite:
    """`by_flag(option, 32, way, anchor)`: give a script another than the default of its option.

    The flag is set behind the `%run` of the anchor's line. It has to be an option of whole numbers,
    of the only parser, which reads the command line.
    """

    def is_an_option(gate: Gate, _: CellCode) -> Message | None:
        file = gate.notebook.cell(literal.cell.key)
        if file is None:
            return message("number.other", TEXTS)
        return smaller_batch(literal, value, way).objection(gate, file)

    return add_flag(anchor, flag_of(literal) or "", value).asking(is_an_option)


def in_script(  # noqa: PLR0913, PLR0917  a number, and who runs it
    literal: SizeLiteral, value: int, way: Way, key: str, anchor: Anchor, started: str = ""
) -> Rewrite:
    """`in_script(literal, 32, way, "cell", anchor)`: set a number of a script that a `%run` runs.

    Of the whole program only that line of the cell may have to do with the file: what was imported
    is not read again, and what writes it may not know of the edit. `started` is the script that a
    command starts there: its process reads every file anew.
    """
    file = literal.cell.key

    def is_run_there(gate: Gate, script: CellCode) -> Message | None:
        run = script_at(anchor.text, 1)
        if not started and (run is None or run.key != file):
            return message("number.imported", TEXTS, file=file)
        if _CODED.match(script.source):
            return message("number.bytes", TEXTS, file=file)
        for cell in (*gate.notebook.cells, *(gate.notebook.files if not started else ())):
            for line in _naming(cell, file) if cell.key != file else ():
                if (cell.key, cell.source.split("\n")[line - 1].strip()) != (key, anchor.text):
                    return CodePlace(cell, line).says("number.named", TEXTS, file=file)
        is_known = literal.kind not in ("option", "text")
        numbers = way.numbers(_standing(gate, script, way)) if is_known else None
        return None if numbers else message("number.other", TEXTS)

    smaller = smaller_batch(literal, value, way)
    asks = of_command(smaller, key, started).asks
    return Rewrite(smaller.change, (is_run_there, *asks))


def of_command(rewrite: Rewrite, key: str, script: str) -> Rewrite:
    """`of_command(rewrite, "cell", "main.py")`: the same, where a command starts the script.

    It is decided on what runs in that process: the command of this cell, and files. As it is where
    there is no script.
    """
    if not script:
        return rewrite

    def change(text: str) -> str | None:
        after = rewrite(as_run(text, script))
        return None if after is None else put_back(text, script, after)

    def of_its_program(ask: Question) -> Question:
        def asked(gate: Gate, cell: CellCode) -> Message | None:
            own = cell if cell.key == key else gate.notebook.cell(key)
            if own is None:
                return message("number.other", TEXTS)
            read = CellCode(key, as_run(own.source, script), own.title)
            program = Gate(Notebook([read], gate.notebook.files), gate.live)
            return ask(program, read if own is cell else cell)

        return asked

    return Rewrite(change, tuple([of_its_program(each) for each in rewrite.asks]))


def _naming(cell: CellCode, file: str) -> Iterator[int]:
    """Yield the lines of a cell that name a file, or import it as a module."""
    stem = PurePath(file).stem
    said = re.escape(stem)
    texts = re.compile(rf"""\b{said}(?:\.py\b|["'])|-m[ \t]+[\w.]*\b{said}\b""")
    for match in texts.finditer(cell.source):
        yield cell.source.count("\n", 0, match.start()) + 1
    for node in cell.nodes:
        named = getattr(node, "module", None) or getattr(node, "name", None)
        if isinstance(node, (ast.alias, ast.ImportFrom)) and str(named).split(".")[-1] == stem:
            yield node.lineno


def flag_of(literal: SizeLiteral) -> str | None:
    """Return what sets an option on the command line of its script; `None`: not for certain."""
    nodes = CellCode("", literal.cell.source).nodes
    calls = [node for node in nodes if isinstance(node, ast.Call)]
    parses = any(called(each) in PARSERS and not each.args for each in calls)
    if not parses or any(called(each) == "add_subparsers" for each in calls):
        return None
    for call in calls:
        default, kind = keyword(call, "default"), keyword(call, "type")
        is_it = default is not None and default.value.lineno == literal.line
        if called(call) == "add_argument" and is_it and dotted(kind and kind.value) == "int":
            flags = [str(getattr(expression, "value", "")) for expression in call.args]
            return max((flag for flag in flags if flag.startswith("-")), key=len, default=None)
    return None


@rewriting
def add_flag(source: CellSource, anchor: Anchor, flag: str, value: int) -> None:
    """`add_flag(anchor, "--batch-size", 32)`: set an option behind a `%run`."""
    line = line_of(source, anchor)
    text = source.lines[line - 1].rstrip()
    if line not in script_lines(source.text) or text.endswith(("\\", ";")) or not flag:
        raise Refused
    if not {flag, "--"}.isdisjoint(re.split(r"[\s=]", text)):
        raise Refused
    end = source.offset(line, len(text.encode()))
    source.replace((end, end), f" {flag} {value}")


def _measures(notebook: Notebook, given: list[ast.expr]) -> bool:
    """Whether values are made of the length of something, by whatever names."""
    wanted = set[str]()
    for expression in given:  # it grows meanwhile
        if any(called(node) == "len" for node in ast.walk(expression)):
            return True
        new = names(expression) - wanted if len(wanted) < _MOST_NAMES else set[str]()
        wanted |= new
        given += values_of((node for _, node in notebook.nodes()), *new) if new else []
    return False


def _left_out(cells: Iterable[CellCode]) -> CodePlace | None:
    """Return where a loss leaves out targets of some value, with a mean over the others."""
    for cell in cells:
        for node in cell.nodes:
            if isinstance(node, ast.Call) and any(e.arg == "ignore_index" for e in node.keywords):
                return CodePlace.of(cell, node)
    return None


def _follows(
    cells: list[CellCode],
    cell: CellCode,
    own: list[SizeLiteral],
    found: SizeLiteral,
    reached: Numbers,
) -> Message | None:
    """Whether all that has the number of a batch follows it, and all data are still seen."""
    if reached.ends is not None:
        ends = reached.ends
        return CodePlace(ends.cell, ends.number).says("number.ends", TEXTS)
    known = {(cell.key, literal.line, literal.column) for literal in own} | reached.places
    notebook = Notebook(cells)
    for place in other_places(notebook, found.value, known):
        return place.says("number.again", TEXTS, value=found.value)
    node = _node(cell, found)
    entry = found.name if found.kind in ("option", "text") else ""
    fixed = unlike(notebook, cell, node, reached.calls, entry)
    if fixed is not None:
        return fixed.says("number.fixed", TEXTS)
    return None


def _standing(gate: Gate, cell: CellCode, way: Way) -> list[CellCode]:
    """Return the cells as they ran, with this one as it is now, in the order they ran."""
    keys = dict.fromkeys([*(each.key for each in gate.notebook.cells), *way.order])
    cells = [cell if key == cell.key else gate.notebook.cell(key) for key in keys]
    return [each for each in cells if each is not None]


def _node(code: Tree, literal: SizeLiteral) -> ast.expr | None:
    """Return the number in the code of a cell."""
    place = (literal.line, literal.column, literal.end_column)
    for node in code.nodes:
        if isinstance(node, ast.expr) and place == (
            node.lineno,
            node.col_offset,
            node.end_col_offset,
        ):
            return node
    return None


@rewriting
def set_number(source: CellSource, literal: SizeLiteral, value: int) -> None:
    """`set_number(literal, value)`: give a literal of `cells.literals` another value.

    It is looked for where it stood, and elsewhere only if there is no other like it. Equal sides
    of an image are set together, and what is split in step. The changed cell has to say `value`.
    """
    found = _found(source, literal, value)
    for number in _together(source, found):
        _set(source, number, value)
    proven = _literals(source.changed(), literal)
    if (found.name, value, found.line, found.column) not in [
        (each.name, each.value, each.line, each.column) for each in proven
    ]:
        raise Refused


def _set(source: CellSource, found: SizeLiteral, value: int) -> None:
    if found.kind == "text":
        start = source.offset(found.line, found.column)
        source.replace((start, source.offset(found.line, found.end_column)), str(value))
        return
    node = _node(source, found)
    several = isinstance(node, (ast.Tuple, ast.List))
    for expression in node.elts if isinstance(node, (ast.Tuple, ast.List)) else [node]:
        if expression is not None and (not several or integer(expression) == found.value):
            number = f"{value:_}" if "_" in source.text_of(expression) else str(value)
            source.replace(expression, number)


def _together(source: CellSource, found: SizeLiteral) -> list[SizeLiteral]:
    """Return what has to stay equal: both of `zip(X.split(64), y.split(64))`."""
    if found.parameter is None or found.parameter.callee != "split":
        return [found]
    return [
        literal
        for literal in _literals(source.text, found)
        if literal.parameter == found.parameter
        and (literal.line, literal.value) == (found.line, found.value)
    ]


def _literals(text: str, literal: SizeLiteral) -> list[SizeLiteral]:
    known = literal.parameter
    given = known is not None and literal.kind in ("argument", "text")
    positional = given and known is not None and known.position is not None
    signatures = {known.callee: {known.position or 0: known.name}} if known and positional else None
    return literals_in(literal.cell, text, literal.role, signatures)


def _found(source: CellSource, wanted: SizeLiteral, value: int) -> SizeLiteral:
    """Return the same name and value where it stood, or the only other one like it."""
    literals = _literals(source.text, wanted)
    alike = [
        literal
        for literal in literals
        if (literal.name, literal.value) == (wanted.name, wanted.value)
    ]
    at_place = [literal for literal in alike if literal.line == wanted.line]
    if len(at_place) > 1:
        at_place = [literal for literal in at_place if literal.column == wanted.column]
    elif not at_place and (wanted.name, value, wanted.line, wanted.column) in [
        (literal.name, literal.value, literal.line, literal.column) for literal in literals
    ]:
        raise Refused  # it is set already
    numbers = at_place or alike
    if len(numbers) != 1:
        raise Refused
    return numbers[0]
