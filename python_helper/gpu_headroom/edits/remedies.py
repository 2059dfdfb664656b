"""Edits for remedies: rows as in `advice/remedies/`, under the same ids."""

from __future__ import annotations

from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any, cast

from ..advice.program import torch_name
from ..advice.remedies.parts import without_graphs
from ..advice.remedies.training import fits_with_checkpoints
from ..advice.remedy import Shown, edit
from ..cells.values import value_at
from ..code.beside import script_at
from ..oom.failing_line import CALLS_MODEL
from ..text.messages import message
from .checkpointing import checkpointed, trainer_checkpointed
from .code_fix import CellChange, edited, in_first_cell
from .keep_numbers import kept_without_graph
from .map_location import loaded_to_host
from .no_grad import without_gradients
from .number import add_flag, flag_of, is_plain_text, of_command, set_number
from .rewrite import Anchor

if TYPE_CHECKING:
    from ..advice.finding import Finding
    from ..code.literals import SizeLiteral
    from ..oom.evidence import Evidence

TEXTS = {"fix.ok": "`{name} = {old}` becomes `{new}`."}


@edit("keep-numbers")
def _keep_numbers(evidence: Evidence, finding: Finding, shown: Shown | None) -> Shown | None:
    held = finding.about[0]
    if shown is None or not (finding.grew and held.plain and held.name.isidentifier()):
        return shown
    return edited(evidence, shown, in_first_cell(evidence, kept_without_graph(held.name)))


@edit(
    "map-location",
    load="Load the checkpoint on the host first",
    note_load='`map_location="cpu"`: `load_state_dict` copies it from there to the GPU.',
)
def _map_location(evidence: Evidence, _: Finding, shown: Shown | None) -> Shown | None:
    if shown is None:
        return None
    live = evidence.live
    rewrite = loaded_to_host(torch_name(evidence) or "torch", live.loads, live.entries)
    remedy = edited(evidence, shown, in_first_cell(evidence, rewrite))
    if remedy.fix is None:
        return shown
    return remedy._replace(params={}, title="load", note="note_load")


@edit("no-grad")
def _no_grad(evidence: Evidence, finding: Finding, shown: Shown | None) -> Shown | None:
    """Make it one where nothing trains on the way, and no library is in between."""
    torch, scene = torch_name(evidence), evidence.scene
    own = next(iter(scene.places), None)
    if shown is None or torch is None or own is None:
        return shown
    if own[0].key != evidence.failure.cell.key or _is_of_library(evidence):
        return shown
    if scene.running.trains or scene.in_backward or without_graphs(evidence, finding)[1]:
        return shown
    cell, line = own
    rewrite = without_gradients(Anchor.of(cell.source, line), torch, evidence.live.foreign)
    remedy = edited(evidence, shown, CellChange(cell, line, rewrite))
    return shown if remedy.fix is None else remedy


def _is_of_library(evidence: Evidence) -> bool:
    """Return whether a library's function called the model: what it does with it is its secret."""
    functions, own = list(evidence.scene.running.functions), evidence.scene.running.own
    first = functions.index(own[0]) if own else 0
    until = next((n for n, function in enumerate(functions) if function in CALLS_MODEL), 0)
    return not set(functions[first:until]) <= {*own, "decorate_context"}


@edit("smaller-input")
def _smaller_input(evidence: Evidence, _: Finding, shown: Shown | None) -> Shown | None:
    """Show the changed line only: other code may have to change too, so there is no fix."""
    size = evidence.input_size
    if shown is None or size is None:
        return None
    diff = CellChange(size.cell, size.line, set_number(size, _new(shown))).diff()
    return None if diff is None else shown._replace(diffs=(diff,))


@edit("checkpointing", note="A step takes about a third longer.")
def _checkpointing(evidence: Evidence, _: Finding, shown: Shown | None) -> Shown | None:
    """Turn it on as a library has it, of the model that ran."""
    if not fits_with_checkpoints(evidence):
        return None
    live, running = evidence.live, {module.key for module in evidence.scene.modules}
    rewrites = [trainer_checkpointed(live.trainer)] if live.trainer else []
    for model in evidence.models:
        facts = live.models.get(model.name)
        if facts is not None and facts.checkpoints and (not running or model.key in running):
            rewrites.append(checkpointed(model.name, facts.checkpoints))
    remedy = edited(evidence, Shown(), in_first_cell(evidence, *rewrites))
    return remedy if remedy.diffs else shown


@edit(
    "smaller-batch",
    flag="`{flag} {new}` in line {line} (the default is {old}: {file}, line {at})",
    note_imported="Change it in `{file}` and restart the kernel, which does not read it again.",
)
def _smaller_batch(evidence: Evidence, _: Finding, shown: Shown | None) -> Shown | None:
    batch = evidence.batch
    if shown is None or batch is None:
        return shown
    value, twin = _new(shown), evidence.batch_twin
    change, is_imported = _change_of(evidence, batch, value)
    is_here = not evidence.failure.in_other_process
    remedy = edited(
        evidence,
        shown,
        None if twin else change,
        sets=f"{batch.name} = {value}" if is_here else None,  # whether it fits is not seen
        done=message("fix.ok", TEXTS, name=batch.name, old=batch.value, new=value),
    )
    if is_imported:
        return remedy._replace(fix=None, note="note_imported")
    if not remedy.diffs:
        return shown if twin or batch.cell.path else None
    if batch.cell.path and remedy.diffs[0]["file"] is None:
        flag = {"flag": flag_of(batch), "line": evidence.scene.line or 1, "at": batch.line}
        return remedy._replace(title="flag", params={**shown.params, **flag})
    return remedy


def _new(shown: Shown) -> int:
    return cast("int", shown.params["new"])


def _change_of(
    evidence: Evidence, batch: SizeLiteral, value: int
) -> tuple[CellChange | None, bool]:
    """Change the number in its place; that of an option after the `%run` of the failing cell.

    A command that starts a script is treated like `%run`. The second value is whether the number
    is in an imported file, where a change has no effect before a restart.
    """
    cell, line = evidence.failure.cell, evidence.scene.line
    path, started, read = batch.cell.path, "", cell
    if evidence.failure.in_other_process and evidence.scene.files:  # a command has started these
        (read, _), *_ = evidence.scene.steps
        started = PurePath(evidence.scene.files[0].key).name
    if path is None:
        changed = cell if started else batch.cell
        rewrite = of_command(set_number(batch, value), started)
        return CellChange(changed, batch.line, rewrite), False
    if line is None:
        return None, False
    flag = flag_of(batch) if batch.kind == "option" else None
    if flag is not None:
        rewrite = add_flag(Anchor.of(read.source, line), flag, value)
        change = CellChange(cell, line, of_command(rewrite, started))
        if change.diff() is not None:
            return change, False
    is_plain = path.endswith(".py") and is_plain_text(batch.cell.source)
    if not is_plain or not _is_at_notebook(evidence.failure.shell):
        return None, False
    run = script_at(cell.source, line)
    is_imported = not started and (run is None or run.key != batch.cell.key)
    change = CellChange(batch.cell, batch.line, set_number(batch, value), (cell, line))
    return change, is_imported


def _is_at_notebook(shell: Any) -> bool:
    """Whether the kernel works where it began: in the notebook's folder, as a page takes it."""
    history = value_at({"": shell.user_ns}, ("", "_dh"))
    began = history[0] if type(history) is list and history else None
    return type(began) in (str, type(Path())) and str(began) == str(Path.cwd())
