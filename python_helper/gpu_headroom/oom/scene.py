"""Position of a failure and the code running there: all facts that need the error itself.

A scene refers to no error or frame, so a report can be completed after these are gone.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import PurePath
from traceback import walk_tb
from typing import TYPE_CHECKING, NamedTuple

from ..code.beside import script_lines
from ..concurrency.turns import TimeLimitError
from ..holders.frames import locals_of
from ..holders.inspector import Inspector
from ..inspection.kinds import name_of
from .batch_number import numbers_in
from .failing_line import (
    failed_in_backward,
    failing_line,
    in_cells,
    is_last_step,
    steps_of,
    up_to_model,
)
from .files import files_of
from .inputs import inputs_require_grad
from .layers import layers_of
from .operation import failed, given
from .running import Running, running

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from ..cells.runs import CellRun
    from ..concurrency.turns import Turn
    from .failing_line import Place
    from .failure import Failure
    from .layers import Layers
    from .operation import FailedOperation

_MOST_FRAMES = 200


@dataclass(frozen=True, slots=True)
class Scene:
    """The failed line of the cell, whether it was in a backward pass, and the code that ran.

    `steps` are the lines on the stack, of cells and of `files` beside the notebook, outermost
    first, up to a model's call. `call` is the user's own call into a model, with its arguments.
    `is_last`: the request was the last action of the cell. `layers` are those of the model that
    was running; `None` if unknown. `inputs_require_grad`: inputs of the failed code require
    gradients. `origin` is the line of a cell, and its function, that failed in another process.
    `numbers` are integers in the frames, with their names. `complete`: the time was enough for all.
    """

    line: int | None = None
    in_backward: bool = False
    running: Running = field(default_factory=Running)
    operation: FailedOperation | None = None
    call: FailedOperation | None = None
    is_last: bool = False
    modules: tuple[RunningModule, ...] = ()
    steps: tuple[tuple[CellRun, int], ...] = ()
    layers: Layers | None = None
    files: tuple[CellRun, ...] = ()
    inputs_require_grad: bool = False
    origin: Place | None = None
    numbers: Mapping[int, frozenset[str]] = field(default_factory=dict)
    complete: bool = True

    @property
    def places(self) -> tuple[tuple[CellRun, int], ...]:
        """The cells and lines on the way."""
        return tuple([step for step in self.steps if step[0].path is None])


class RunningModule(NamedTuple):
    """A model, or a part of one, whose function was running: which, its class, the function.

    `hands_back`: it was given what has a graph, so that gradients have to go back through it.
    `given` is the shape of the first tensor that it was called with.
    """

    key: int
    type_name: str
    function: str
    hands_back: bool = False
    given: tuple[int, ...] = ()


def scene(failure: Failure, turn: Turn) -> Scene:
    """Look at the frames of a failure, as long as they are there, and read their code."""
    inner, cell = failure.recognition.error, failure.cell
    inspector = Inspector(turn)
    modules = list(_modules(inner, inspector))
    files = files_of(inner, (*failure.cells[:-1], cell))
    places = in_cells(
        dict.fromkeys(up_to_model(steps_of(inner))), (*files, *failure.cells[:-1], cell)
    )
    steps = tuple([(run, line) for run, line, _ in places])
    at = failing_line(inner, cell) or failing_line(failure.error, cell)
    if at is None and (at := _script_line(cell, steps)) is not None:
        steps = ((cell, at), *steps)
    here = Scene(
        line=at,
        in_backward=failed_in_backward(inner),
        modules=tuple([module for module, _ in modules]),
        steps=steps,
        files=files,
        complete=False,
    )
    with suppress(TimeLimitError):
        here = replace(
            here,
            running=running(inner, files, failure.cells),
            operation=failed(inner, failure.requested_bytes, inspector)
            if inspector.torch
            else None,
            call=given(inner, inspector) if inspector.torch else None,
            is_last=is_last_step(inner, cell),
            layers=layers_of(
                [module for _, module in modules], inspector, _beside(inner, inspector)
            ),
            inputs_require_grad=inputs_require_grad(inner, inspector),
            numbers=numbers_in(inner),
            complete=True,
        )
    return here


def _beside(error: BaseException, inspector: Inspector) -> list[object]:
    """Return the other models that the code names which called the outermost one."""
    frames = [frame for frame, _ in list(walk_tb(error.__traceback__))[-_MOST_FRAMES:]]
    owners = [locals_of(frame).get("self") for frame in frames]
    first = next((n for n, owner in enumerate(owners) if inspector.is_module(owner)), 0)
    if not first:
        return []
    calling, model = frames[first - 1], owners[first]
    names = (*calling.f_code.co_names, *calling.f_code.co_varnames, *calling.f_code.co_freevars)
    variables = locals_of(calling)
    named = [variables[n] if n in variables else dict.get(calling.f_globals, n) for n in names]
    return [module for module in named if inspector.is_module(module) and module is not model]


def _script_line(cell: CellRun, steps: Sequence[tuple[CellRun, int]]) -> int | None:
    """Return the line that ran the outermost file: IPython shows the error of a script itself."""
    name = PurePath((steps[0][0].path if steps else None) or " ").stem
    lines = cell.source.split("\n")
    matches = [line for line in script_lines(cell.source) if name in lines[line - 1]]
    return matches[0] if len(matches) == 1 else None


def _modules(error: BaseException, inspector: Inspector) -> Iterator[tuple[RunningModule, object]]:
    for frame, _ in list(walk_tb(error.__traceback__))[-_MOST_FRAMES:]:
        owner = locals_of(frame).get("self") if "self" in frame.f_code.co_varnames else None
        if owner is not None and inspector.is_module(owner):
            kind = str.__str__(name_of(type(owner)))
            code, torch = frame.f_code, inspector.torch
            # A `forward` may call what it makes on its way by the name of what it was given.
            given = locals_of(frame).get("args") if code.co_name == "_call_impl" else None
            tensors = list(filter(inspector.is_tensor, given if type(given) is tuple else ()))
            if torch is None or not tensors:
                yield RunningModule(id(owner), kind, code.co_name), owner
                continue
            hands_back = any(torch.get(tensor, "requires_grad") for tensor in tensors)
            shape, _ = torch.look_of(tensors[0])
            yield RunningModule(id(owner), kind, code.co_name, hands_back, shape), owner
