"""What may help, mostly no button: rows of a table, each with its sentences and its condition."""

from __future__ import annotations

import re
from dataclasses import dataclass
from textwrap import indent
from typing import TYPE_CHECKING, NamedTuple, cast

from ..code.find import called, mentions
from ..code.parsing import parse_cell
from ..code.training import backwards
from ..edits.checkpointing import checkpointed, trainer_checkpointed
from ..edits.keep_numbers import kept_without_graph
from ..edits.map_location import loaded_to_host
from ..edits.no_grad import without_gradients
from ..edits.number import set_number
from ..edits.rewrite import Anchor
from ..frameworks.imported import imported
from ..frameworks.registry import SETTINGS
from ..holders.training import file_stem
from ..oom.failing_line import CALLS_MODEL
from ..oom.fitting import estimated, fitting
from ..own import OWN
from ..text.format import GIB, MIB
from ..text.messages import message
from .code_fix import UNCHANGED, CellChange, Edited
from .editing import edited, in_first_cell, torch_name
from .kept_in_module import ENGINES, call_that_frees
from .remedy import Offer
from .rules.copies import bound_of, is_cache, is_replaced, moved_whole, of_evaluation
from .rules.holding import displayed
from .rules.running import scaling_bytes

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Literal

    from ..holders.groups import Group
    from ..oom.evidence import Evidence
    from ..oom.operation import FailedOperation, Operand
    from .finding import Finding


_SIZES = (16, 24, 32, 40, 48, 80, 96, 141, 192)  # of common GPUs, as they are sold
_USABLE = 0.93  # of that, in GiB: a T4 of 16 GB has 14.7 to 15.0
_SPARE = 0.15  # of what is needed: an estimate
_OF_MODEL = 0.2
_CASTS = ("to", "float")
_FEWER = 0.75  # 8 bits for 32
# The older name is read by every PyTorch; 2.9.1 ignores the newer one for this setting.
_SEGMENTS = 'import os; os.environ["PYTORCH_CUDA_ALLOC_CONF"] = "expandable_segments:True"'
_GROWTH = (
    'for gpu in tf.config.list_physical_devices("GPU"):\n'
    "    tf.config.experimental.set_memory_growth(gpu, True)"
)


class Shown(NamedTuple):
    """What is shown of a suggestion; `title` and `note` are the ends of its sentences' ids."""

    params: Mapping[str, str | int | None] = {}
    bytes: int | None = None
    measured: bool = False
    example: str | None = None
    type_this: str | None = None
    title: str = ""
    note: str = "note"
    edited: Edited = UNCHANGED
    kind: Literal["suggestion", "release", "snippet", "save"] = "suggestion"


@dataclass(frozen=True)
class Suggestion:
    """One suggestion: the rules whose causes it removes, when, and its sentences by their ids.

    `alone`: it may be shown where no cause was found.
    """

    id: str
    TREATS: tuple[str, ...]
    when: Callable[[Evidence, Finding], Shown | None]
    TEXTS: dict[str, str]
    rank: int
    alone: bool

    def _id(self, end: str) -> str:
        return f"remedy.{self.id}.{end}" if end else f"remedy.{self.id}"

    def offer(self, evidence: Evidence, finding: Finding | None) -> Offer | None:
        """Return it for what was found by one of its rules, where its condition holds."""
        if finding is None and not self.alone:
            return None
        shown = self.when(evidence, cast("Finding", finding))
        if shown is None:
            return None
        title, note = (
            message(self._id(end), self.TEXTS, **shown.params) for end in (shown.title, shown.note)
        )
        return Offer(
            title=title,
            note=note,
            effect_bytes=shown.bytes,
            measured=shown.measured,
            type_this=shown.type_this,
            example=shown.example,
            edited=shown.edited,
            kind=shown.kind,
            rank=self.rank,
        )


def suggestion(
    name: str, *treats: str, title: str, rank: int = 1, alone: bool = False, **sentences: str
) -> Callable[[Callable[[Evidence, Finding], Shown | None]], Suggestion]:
    """Make of a condition a row: its id, the rules that it treats, title, notes and variants."""
    own = f"remedy.{name}"
    texts = {own: title, **{f"{own}.{end}": text for end, text in sentences.items()}}
    return lambda when: Suggestion(name, treats, when, texts, rank, alone)


_TRAINERS = ("TrainingArguments", "SFTConfig", "DPOConfig", "Seq2SeqTrainingArguments")
_HALF = re.compile(r"\bautocast\b|GradScaler|\.half\(|\bbfloat16\b|\bbf16\b|\bfp16\b|precision=")
_AMPERE = 8  # the major compute capability of the first GPUs that compute `bfloat16` fast
_LEAST_SHARE = 0.1  # of the activations
_CERTAIN = 0.8  # of what is saved: casts of weights and what libraries compute in full come besides
_OF_STATE = 0.2  # of what is in use
_LEFT_FROZEN = 0.15  # of what its pass keeps, about
_ROOM = 0.2  # of the headroom: what comes before and behind takes as much
_MOST_HALVED = 8
_NUMBER = re.compile(r"\d+")
# Of the activations, about: what stands between checkpoints, and with a head beside them.
_BETWEEN, _BESIDE = 0.1, 0.25
_FEWEST = 3
_BLOCKS = (
    "from torch.utils.checkpoint import checkpoint\n\n"
    "x = checkpoint(block, x, use_reentrant=False)  # for x = block(x)"
)
_SEQUENTIAL = (
    "from torch.utils.checkpoint import checkpoint_sequential\n\n"
    "checkpoint_sequential({name}, {segments}, x, use_reentrant=False)  # for {name}(x)"
)
_WORTH_IT_BYTES = 10 * MIB
_EVALUATION = "TrainingArguments(..., eval_accumulation_steps=1)"
_ALL_PAIRS = 2
_MANY_EDGES = 1000


def _sources(evidence: Evidence) -> list[str]:
    return [run.source for run in evidence.failure.cells]


def _has(evidence: Evidence, pattern: str) -> bool:
    return any(re.search(pattern, source) for source in _sources(evidence))


def _trainer(evidence: Evidence) -> str:
    """Return the class of a trainer's arguments that the notebook makes."""
    return next((name for name in _TRAINERS if _has(evidence, rf"\b{name}\(")), "")


def _optimizer(evidence: Evidence) -> str:
    """Return the name of a live optimizer, else the usual one."""
    return min(evidence.live.loads - evidence.live.models.keys(), default="optimizer")


def _column_and_row(operation: FailedOperation | None) -> tuple[Operand, Operand] | None:
    if operation is None or operation.shape is None or len(operation.operands) != _ALL_PAIRS:
        return None
    row, column = sorted(operation.operands, key=lambda operand: len(operand.shape))
    size = row.shape[-1] if row.shape else 0
    is_pair = (row.shape, column.shape, operation.shape) == ((size,), (size, 1), (size, size))
    return (column, row) if is_pair else None


@suggestion(
    "free-traceback",
    title="Free {traceback_bytes} held by this error's traceback",
    left="Free {traceback_bytes} that failed cells have left",
    displayed="Free {freeable_bytes}: this error's and displayed values",
    note_displayed="You lose `{names}`, and `%debug` for this error.",
    note="You lose `%debug` for this error.",
    note_not_enough="You lose `%debug` for this error. That alone will not make this cell fit.",
    note_maybe="You lose `%debug` for this error. That alone may not be enough.",
    note_at_once="Freed at once, as your settings ask. You lose `%debug` for this error.",
    rank=0,
    alone=True,
)
def _free_traceback(evidence: Evidence, _: Finding) -> Shown | None:
    after_oom, held = evidence.failure.after_oom, evidence.traceback_bytes
    if after_oom == "never" or held is None:
        return None
    title, call = "", "free_traceback"
    unnamed = sum(group.bytes for group in evidence.groups if not group.root)
    waits = min(unnamed, evidence.earlier_bytes)
    if waits > held:
        held, title, call = held + waits, "left", "free"
    note = {True: "note", False: "note_not_enough", None: "note_maybe"}[evidence.fits_after_free]
    note = "note_at_once" if after_oom == "free" else note
    params: dict[str, str | int | None] = {"traceback_bytes": held}
    shown = displayed(evidence) if after_oom != "free" else []
    if shown:
        roots = dict.fromkeys([group.root for group in shown])
        held += sum(group.bytes for group in shown)
        params = {"freeable_bytes": held, "names": ", ".join(roots)}
        title, note, call = "displayed", "note_displayed", "free"
    elif held < min(_WORTH_IT_BYTES, (evidence.memory.in_use_bytes or 0) // 10 or 1):
        return None
    code = f"import {OWN}; {OWN}.{call}()"
    made = Shown(params, held, measured=evidence.complete, type_this=code, kind="release")
    return made._replace(title=title, note=note)


@suggestion(
    "shut-down",
    "kept-in-module",
    "kept-copies",
    title="Free it with `{call}`",
    note="What still uses it fails afterwards, or makes it again.",
)
def _shut_down(_: Evidence, finding: Finding) -> Shown | None:
    held, call = finding.about[0], call_that_frees(finding.about[0])
    is_known = call in ENGINES.values()
    if finding.rule != "kept-in-module" and not (is_known and finding.is_remade):
        return None
    module = (call if is_known else held.root).rpartition(".")[0]
    before = f"del {held.root}\n" if finding.is_remade else ""
    before += f"import {module}\n" if imported(module) is not None else ""
    return Shown({"call": call}, finding.bytes, example=before + call)


@suggestion(
    "keep-numbers",
    "retained-graph",
    title="Collect values without their graphs in `{name}`",
    note=(
        "The values stay, and the graph of each step is freed: nothing can go backward through "
        "them any more."
    ),
    one="Keep `{name}` without its graph",
    note_one="The value stays; no backward pass can go through it any more.",
)
def _keep_numbers(evidence: Evidence, finding: Finding) -> Shown | None:
    running, held = evidence.scene.running, finding.about[0]
    if held.keys & running.of_libraries or _is_trained(evidence, held):
        return None  # nobody edits a library, and what goes backward must keep its graph
    if not finding.grew:  # one tensor that an earlier cell has computed
        is_one = held.count == 1 and held.plain and len(held.variables) <= 1
        code = f"{held.name} = {held.name}.detach()"
        made = Shown({"name": held.name}, held.graph_bytes, measured=True, type_this=code)
        return made._replace(title="one", note="note_one", kind="snippet") if is_one else None
    change = UNCHANGED
    if held.plain and held.name.isidentifier():
        change = edited(evidence, in_first_cell(evidence, kept_without_graph(held.name)))
    example = f"{held.name}.append(value.detach())"
    if of_evaluation(held):
        example = _EVALUATION
    elif not held.keys.isdisjoint(running.adding):
        example = f"{held.name} = {held.name}.detach()  # in each round"
    made = Shown({"name": held.name}, held.bytes, measured=True, edited=change)
    return made if change.diffs else made._replace(example=example)


@suggestion(
    "to-host",
    "kept-tensors",
    "growing-cache",
    title="Keep what `{name}` collects on the host",
    note=(
        "`.cpu()` copies each value to the host; the GPU keeps none of them. It waits for the GPU "
        "each time."
    ),
)
def _to_host(evidence: Evidence, finding: Finding) -> Shown | None:
    running, held = evidence.scene.running, next(iter(finding.about), None)
    gathered = running.gathering
    if held is not None and not held.keys & running.of_libraries:
        name, example = held.name, _host_example(evidence, held)
    elif held is None and gathered is not None and not running.gathered_at:
        name = gathered.name or gathered.text
        example = f"{gathered.name or 'values'} = {gathered.on_host}"
    else:
        return None
    return Shown({"name": name}, finding.bytes, measured=held is not None, example=example)


def _host_example(evidence: Evidence, held: Group) -> str:
    name, bound = held.name, bound_of(evidence, held)
    if of_evaluation(held):
        return _EVALUATION
    if not held.keyed and is_cache(held):
        return f"{name}.append(value.cpu())\n\n{name}[n].cuda()  # where it is read"
    if held.keyed:
        return f"{name}[key] = value.cpu()\n\n{name}[key].cuda()  # where it is read"
    fewer = f"\n\ndeque(maxlen={held.count // 2})  # or" if bound and bound.is_own else ""
    return f"{name}.append(value.cpu()){fewer}"


def _is_trained(evidence: Evidence, held: Group) -> bool:
    """Return whether a sum that grows goes backward itself."""
    if held.keys.isdisjoint(evidence.scene.running.adding):
        return False
    trees = [parse_cell(source) for source in _sources(evidence)]
    back = [expression for tree in trees if tree is not None for expression in backwards(tree)]
    return any(mentions(each, {held.name}) for each in back if called(each) != "grad")


@suggestion(
    "no-grad",
    "evaluation-with-gradients",
    title="Run it under `{torch}.no_grad()`",
    note="Nothing can be trained through its results any more.",
)
def _no_grad(evidence: Evidence, finding: Finding) -> Shown | None:
    scene, torch = evidence.scene, torch_name(evidence)
    if finding.model is None or scene.inputs_require_grad:
        return None
    kept = evidence.pass_bytes if scene.running.trains else evidence.kinds.get("activations", 0)
    # What the running operation reads stays, and is about as large as what it was to write.
    reads = {each.bytes for each in scene.operation.operands} if scene.operation else set()
    stays = max(evidence.requested_bytes or 0, sum(reads))
    parts = _call_in_parts.when(evidence, finding) if stays > kept / 2 else None
    change = UNCHANGED if torch is None or parts else _without_gradients(evidence, torch)
    inside = (parts and parts.example) or "..."
    example = f"with {torch or 'torch'}.no_grad():\n{indent(inside, '    ')}"
    shown = Shown({"torch": torch or "torch"}, max(0, kept - stays), edited=change)
    return shown if change.diffs else shown._replace(example=example)


def _without_gradients(evidence: Evidence, torch: str) -> Edited:
    """Return the edit where nothing trains on the way, and no library stands in between."""
    scene = evidence.scene
    own = next(iter(scene.places), None)
    if own is None or own[0].key != evidence.failure.cell.key or _is_of_library(evidence):
        return UNCHANGED
    if scene.running.trains or scene.in_backward:
        return UNCHANGED
    cell, line = own
    rewrite = without_gradients(Anchor.of(cell.source, line), torch, evidence.live.foreign)
    change = edited(evidence, CellChange(cell, line, rewrite))
    return change if change.fix is not None else UNCHANGED


def _is_of_library(evidence: Evidence) -> bool:
    """Return whether a library's function called the model: what it does with it is its secret."""
    functions, own = list(evidence.scene.running.functions), evidence.scene.running.own
    first = functions.index(own[0]) if own else 0
    until = next((n for n, each in enumerate(functions) if each in CALLS_MODEL), 0)
    return not set(functions[first:until]) <= {*own, "decorate_context"}


@suggestion(
    "map-location",
    "kept-copies",
    title="Keep the copy in `{name}` on the host",
    note='`map_location="cpu"` when it is loaded, `.cpu()` when it is made.',
    load="Load the checkpoint on the host first",
    note_load='`map_location="cpu"`: `load_state_dict` copies it from there to the GPU.',
)
def _map_location(evidence: Evidence, finding: Finding) -> Shown | None:
    if finding.is_remade or finding.is_left:
        return None
    name, torch, live = finding.about[0].name, torch_name(evidence) or "torch", evidence.live
    size = sum(group.bytes for group in finding.about)
    rewrite = loaded_to_host(torch, live.loads, live.entries)
    change = edited(evidence, in_first_cell(evidence, rewrite))
    if change.fix is not None:
        return Shown(bytes=size, measured=True, edited=change, title="load", note="note_load")
    example = f"{name} = {{k: v.cpu() for k, v in model.state_dict().items()}}"
    if any(f"{name} = {torch}.load(" in source for source in _sources(evidence)):
        example = f'{name} = {torch}.load(..., map_location="cpu")'
    return Shown({"name": name}, size, measured=True, example=example)


@suggestion(
    "checkpointing",
    "activations",
    title="Gradient checkpointing",
    note="A step takes about a third longer.",
    note_by_hand="A step takes about a third longer. What a pass counts is counted twice.",
    rank=2,
)
def _checkpointing(evidence: Evidence, _: Finding) -> Shown | None:
    kept = evidence.kinds.get("activations", 0)
    if not evidence.scene.running.trains:
        return None
    blocks = max([model.blocks for model in evidence.models], default=0)
    lists = [model for model in evidence.models if model.type_name == "Sequential"]
    change = _flag_of_library(evidence)
    left = (_BETWEEN if lists else _BESIDE) + 1 / max(blocks, _FEWEST)
    if not evidence.peak.fits(kept, left) or not (blocks or lists or change.diffs):
        return None
    if change.diffs:
        return Shown(edited=change)
    example = _BLOCKS
    if lists:
        segments = max(lists[0].blocks, _FEWEST + 1)
        example = _SEQUENTIAL.format(name=lists[0].name, segments=segments)
    return Shown(example=example, note="note_by_hand")


def _flag_of_library(evidence: Evidence) -> Edited:
    """Return the edit that turns on checkpointing as a library has it, of the model that ran."""
    live, running = evidence.live, {module.key for module in evidence.scene.modules}
    rewrites = [trainer_checkpointed(live.trainer)] if live.trainer else []
    for model in evidence.models:
        facts = live.models.get(model.name)
        if facts is not None and facts.checkpoints and (not running or model.key in running):
            rewrites.append(checkpointed(model.name, facts.checkpoints))
    return edited(evidence, in_first_cell(evidence, *rewrites))


@suggestion(
    "backward-each",
    "retained-graph",
    title="Go backward with each part of `{name}` as it is made",
    note="The graph of a part is freed before the next is made, where they share none.",
)
def _backward_each(evidence: Evidence, finding: Finding) -> Shown | None:
    held = finding.about[0] if finding.about else None
    if held is None or held.keys.isdisjoint(evidence.scene.running.adding):
        return None
    name = held.name
    if not _has(evidence, rf"\b{re.escape(name)}\b.*\.backward\(|\.backward\({re.escape(name)}\b"):
        return None
    example = f"part = ...  # in place of {name} += ...\npart.backward()\n{name} += part.detach()"
    return Shown({"name": name}, held.bytes, measured=True, example=example)


@suggestion(
    "eval-mode",
    "evaluation-in-training-mode",
    title="`{model}.eval()` before the evaluation",
    note="Dropout and batch norm stand still then; `{model}.train()` before training goes on.",
)
def _eval_mode(evidence: Evidence, finding: Finding) -> Shown | None:
    model = finding.model
    if model is None or not evidence.scene.running.asks_mode:
        return None
    return Shown({"model": model.name}, example=f"{model.name}.eval()")


@suggestion(
    "delete-leftovers",
    "loop-leftovers",
    "kept-copies",
    title="Delete `{names}` where they are not needed any more",
    note="A name that is deleted, or given another value, frees what it held.",
)
def _delete_leftovers(evidence: Evidence, finding: Finding) -> Shown | None:
    if finding.is_remade:
        (old,) = finding.about
        named = [group for group in evidence.groups if group.origin == "names"]
        state = [group for group in evidence.groups if group.kinds.get("optimizer_state")]
        own = [old.root] if is_replaced(evidence, old) else old.variables
        names = [*own, *[group.name for group in state if group in named]]
        size = finding.bytes
    elif finding.rule == "loop-leftovers" or finding.is_left:
        names = [name for group in finding.about for name in group.variables]
        size = sum(group.bytes for group in finding.about)
    else:
        return None
    code = f"del {', '.join(names)}"
    # Nobody can type the names of a function.
    is_typed = not finding.about[0].function and all(name.isidentifier() for name in names)
    return Shown(
        {"names": ", ".join(names)},
        size,
        measured=True,
        example=None if is_typed else code,
        type_this=code if is_typed else None,
    )


@suggestion(
    "collect-garbage",
    "reference-cycles",
    title="`gc.collect()` before the next is made",
    note="Python does that only now and then. What a library keeps stays.",
)
def _collect_garbage(evidence: Evidence, finding: Finding) -> Shown | None:
    size = finding.bytes
    if not size or not evidence.peak.is_enough(size):
        return None
    return Shown(bytes=size, example="import gc\ngc.collect()")


@suggestion(
    "end-in-semicolon",
    "displayed-values",
    title="End the line that displays it in `;`",
    note="What is kept by now can be freed in the panel, under *Can be freed*.",
)
def _end_in_semicolon(evidence: Evidence, finding: Finding) -> Shown | None:
    if not finding.about:
        return None
    size = sum(group.bytes for group in finding.about)
    counts = {int(m[0]) for group in finding.about if (m := _NUMBER.search(group.root))}
    ran = [run for run in evidence.failure.cells if run.execution_count in counts]
    last = ran[-1].source.rstrip().split("\n")[-1].strip() if ran else ""
    example = f"{last};" if last and not last.endswith(";") and len(last) < 100 else None  # noqa: PLR2004
    return Shown(bytes=size, measured=True, example=example)


@suggestion(
    "move-per-batch",
    "data-on-card",
    "huge-request",
    "kept-tensors",
    title="Keep the data on the host and move each batch",
    note="Moving takes time: `pin_memory=True` and `non_blocking=True` hide most of it.",
    option="`{option}` keeps `{name}` on the host",
    note_option="A part at a time is then on the GPU. Moving takes time.",
)
def _move_per_batch(evidence: Evidence, finding: Finding) -> Shown | None:
    names, call = [group.name for group in finding.about], evidence.scene.call
    operation = evidence.scene.operation
    copied = [each.name for each in operation.operands] if operation and operation.copied else []
    held = [name for group in finding.about for name in group.variables[-1:]] or copied
    if call is not None and call.option and not call.streams and held:
        name, _, value = call.option.partition("=")
        example = re.sub(rf"\b{name}=(?!{value}\b)\w+", call.option, call.text)
        if call.option not in example:
            example = f"{example.removesuffix(')')}, {call.option})".replace("(, ", "(")
        shown = {"option": call.option, "name": held[0]}
        return Shown(shown, finding.bytes, example=example, title="option", note="note_option")
    if finding.rule != "data-on-card":
        return None
    size = sum(group.bytes for group in finding.about) or evidence.temporary_bytes
    name, whole = names[0] if names else "data", moved_whole(evidence)
    example = f"{name} = {name}.cpu()\n\nbatch = {name}[i : i + n].to(device)  # in the loop"
    if call is not None and whole is not None and finding.about and finding.about[0].function:
        longest = whole.shape.index(max(whole.shape))
        text = re.sub(rf"\b{whole.name}\b", "part", call.text)
        example = f"for part in {whole.name}.split(n, dim={longest}):\n    result = {text}"
    return Shown(bytes=size or None, measured=bool(names), example=example)


@suggestion(
    "one-at-a-time",
    "several-tasks",
    title="Run the tasks one after the other",
    note="It may take longer; where there is room for two, let two run.",
)
def _one_at_a_time(evidence: Evidence, _: Finding) -> Shown | None:
    running = evidence.scene.running
    if not running.at_once:
        return None
    function = next((each for each in running.own if not each.startswith("<")), "task")
    example = f"results = [await {function}(each) for each in inputs]"
    if _has(evidence, r"ThreadPoolExecutor"):
        example = "ThreadPoolExecutor(max_workers=1)"
    return Shown(example=example)


@suggestion(
    "narrower-dtype",
    "wide-dtype",
    title="`float32` instead of `float64`",
    note="Half as many bytes, with seven digits instead of sixteen.",
    half="Weights in half precision",
    note_half="Results differ in the third digit; inputs have to be in half precision, too.",
    cast="Leave out `{call}`",
    note_cast="The weights stay as they are, half as many bytes.",
)
def _narrower_dtype(evidence: Evidence, finding: Finding) -> Shown | None:
    about, kinds, torch = finding.about, evidence.kinds, torch_name(evidence) or "torch"
    first = about[0]
    if first.share_of_dtype("float32") == 0:
        size = sum(group.bytes for group in about)
        if any(group.kind == "parameters" for group in about):  # all that follows them is as wide
            size += kinds.get("optimizer_state", 0) + kinds.get("activations", 0)
        example = f"{first.name} = {first.name}.float()"
        return Shown(bytes=evidence.peak.saved_bytes(size, 0.5), example=example)
    call, operation = evidence.scene.call, evidence.scene.operation
    cast = operation.operands if operation and operation.name in _CASTS else ()
    if call and any(first.share_of_dtype(each.dtype) for each in cast if each.dtype != "float32"):
        return Shown({"call": call.text}, finding.bytes, title="cast", note="note_cast")
    size = sum(group.kinds.get("parameters", 0) for group in about) + evidence.being_made_bytes
    name = first.name if first.name.isidentifier() and not first.function else "model"
    example = f"{name} = {name}.half()"
    if first.function and call is not None:
        example = re.sub(r"(\.(?:to|cuda)\([^()]*\))$", r".half()\1", call.text)
    if evidence.scene.running.trains or evidence.kinds.get("optimizer_state"):
        # Adapters beside the weights are trained: these stay as they are.
        example = (
            f"for each in {name}.parameters():\n"
            "    if not each.requires_grad:\n        each.data = each.data.half()"
        )
    if _has(evidence, r"\.from_pretrained\("):
        example = f"{name} = ....from_pretrained(..., torch_dtype={torch}.float16)"
    return Shown(bytes=size // 2, example=example, title="half", note="note_half")


@suggestion(
    "same-shape",
    "huge-request",
    title="`{column}` in the shape of `{row}`: `{column}.squeeze(-1)`",
    note="All pairs of {rows} rows are hardly meant: each row then goes with its own value.",
)
def _same_shape(evidence: Evidence, _: Finding) -> Shown | None:
    pair = _column_and_row(evidence.scene.operation)
    if pair is None:
        return None
    column, row = pair
    return Shown(
        {"column": column.name, "row": row.name, "rows": row.shape[0]},
        evidence.requested_bytes,
        example=f"{column.name}.squeeze(-1)",
    )


@suggestion(
    "raise-fraction",
    "memory-fraction",
    title="Let PyTorch use the whole GPU",
    note="Other programs on this GPU may run out of memory.",
)
def _raise_fraction(evidence: Evidence, finding: Finding) -> Shown | None:
    torch = torch_name(evidence) or "torch"
    example = f"{torch}.cuda.set_per_process_memory_fraction(1.0)"
    return Shown(bytes=finding.bytes, example=example)


@suggestion(
    "clear-gradients",
    "activations",
    "model-too-large",
    title="Clear the gradients before the forward pass",
    note="Those of the step before are then gone. Check that nothing reads them there.",
    alone=True,
)
def _clear_gradients(evidence: Evidence, _: Finding) -> Shown | None:
    size = evidence.kinds.get("gradients", 0)
    forward = not (evidence.scene.in_backward or evidence.in_step)
    if not (size and forward and evidence.scene.running.trains and evidence.peak.is_enough(size)):
        return None
    if evidence.live.accumulates or not _has(evidence, r"\.zero_grad\("):
        return None
    return Shown(
        bytes=size, example=f"{_optimizer(evidence)}.zero_grad()  # before the forward pass"
    )


@suggestion(
    "freeze-backbone",
    "activations",
    title="Freeze what no optimizer trains of `{name}`",
    note="Its parameters get no gradients.",
    alone=True,
)
def _freeze_backbone(evidence: Evidence, _: Finding) -> Shown | None:
    size = evidence.pass_bytes
    trains = evidence.scene.running.trains and not evidence.scene.in_backward
    reached = {group.name for group in evidence.groups if group.progress}
    running = {module.key for module in evidence.scene.modules}
    models = [model.name for model in evidence.models if model.key in running]
    if not trains or len(models) != 1 or reached != set(models):
        return None
    (name,) = models
    facts = evidence.live.models.get(name)
    if facts is None or not facts.is_idle or not evidence.peak.fits(size, _LEFT_FROZEN):
        return None
    heads = [f"{name}.{part}.requires_grad_(True)" for part in facts.trained]
    example = "\n".join([f"{name}.requires_grad_(False)", *heads])
    return Shown({"name": name}, size, example=example)


@suggestion(
    "smaller-input",
    "activations",
    "huge-request",
    title="`{name} = {old}` → `{new}` (line {line})",
    note="What is longer is cut; layers of a fixed size and targets may have to follow.",
    note_image="Details are lost; layers of a fixed size and targets may have to follow.",
    rank=2,
    alone=True,
)
def _smaller_input(evidence: Evidence, _: Finding) -> Shown | None:
    size = evidence.input_size
    if size is None:
        return None
    power = 2 if size.role == "image" else 1
    value = estimated(evidence, size.value, evidence.input_bytes, power=power)
    if value is None or value < size.value // _MOST_HALVED:
        return None
    diff = CellChange(size.cell, size.line, set_number(size, value)).diff()
    if diff is None:
        return None
    return Shown(
        {"name": size.name, "old": size.value, "new": value, "line": size.line},
        evidence.peak.saved_bytes(evidence.input_bytes, (value / size.value) ** power),
        note="note_image" if size.role == "image" else "note",
        edited=Edited((diff,)),
    )


@suggestion(
    "accumulate",
    "activations",
    title="Batches of {new}, and a step after every {steps} of them",
    note="Gradients add up to those of {old} where the loss is a mean. Check schedules, logs.",
    note_known="{steps} times as many make a step of as many samples. Check schedules, logs.",
    rank=2,
    alone=True,
)
def _accumulate(evidence: Evidence, _: Finding) -> Shown | None:
    batch, running = evidence.batch, evidence.scene.running
    value = None if batch is None or not running.trains else fitting(evidence)
    if batch is None or value is None:
        return None
    steps, optimizer = batch.value // value, _optimizer(evidence)
    known = next(iter(evidence.live.accumulates.items()), None)
    example = (
        f"(loss / {steps}).backward()\nif step % {steps} == 0:\n"
        f"    {optimizer}.step()\n    {optimizer}.zero_grad()"
    )
    if known is not None:
        example = f"{known[0]} = {known[1] * steps}"
    elif trainer := _trainer(evidence):
        example = f"{trainer}(..., gradient_accumulation_steps={steps})"
    return Shown(
        {"new": value, "steps": steps, "old": batch.value},
        evidence.peak.saved_bytes(evidence.batch_bytes, value / batch.value),
        example=example,
        note="note" if known is None else "note_known",
    )


@suggestion(
    "autocast",
    "activations",
    title="Mixed precision in `{dtype}` for the forward pass",
    note="Most activations take half the bytes; the weights stay as they are. Check the loss.",
    note_scaled="A `GradScaler` keeps small gradients from becoming 0. Check the loss.",
    rank=2,
)
def _autocast(evidence: Evidence, _: Finding) -> Shown | None:
    kept, size = evidence.kinds.get("activations", 0), evidence.halves_bytes
    if not evidence.scene.running.trains or not kept or size < _LEAST_SHARE * kept:
        return None
    if any(map(_HALF.search, _sources(evidence))):
        return None
    if not evidence.peak.fits(kept, 1 - _CERTAIN * size / kept, kept_only=True):
        return None
    cuda = imported("torch.cuda")
    is_old = (
        cuda is not None
        and cuda.is_initialized()
        and cuda.get_device_properties(evidence.device_index).major < _AMPERE
    )
    dtype, short = ("float16", "fp16") if is_old else ("bfloat16", "bf16")
    torch = torch_name(evidence)
    if trainer := _trainer(evidence):
        example = f"{trainer}(..., {short}=True)"
    elif _has(evidence, r"\bAccelerator\("):
        example = f'Accelerator(mixed_precision="{short}")'
    elif _has(evidence, r"\bkeras\b"):
        example = f'keras.mixed_precision.set_global_policy("mixed_{dtype}")'
    elif _has(evidence, r"\b(?:pl|L|lightning)\.Trainer\("):
        example = f'Trainer(..., precision="{short.replace("fp16", "16")}-mixed")'
    elif torch is not None:
        example = (
            f'with {torch}.autocast("cuda", dtype={torch}.{dtype}):\n    loss = ...  # forward'
        )
    else:
        return None
    note = "note_scaled" if is_old else "note"
    saved = evidence.peak.saved_bytes(kept, 1 - size / kept)
    return Shown({"dtype": dtype}, saved, example=example, note=note)


@suggestion(
    "lighter-optimizer",
    "model-too-large",
    title="An optimizer with less state",
    note="The state takes {optimizer_bytes}; `Adafactor` keeps next to none. Training changes.",
    one_by_one="One parameter after the other: `foreach=False`",
    note_one_by_one="All at once takes as much as the model again. A step takes longer.",
    rank=2,
)
def _lighter_optimizer(evidence: Evidence, _: Finding) -> Shown | None:
    state, running = evidence.kinds.get("optimizer_state", 0), evidence.scene.running
    if evidence.share(state) < _OF_STATE:
        return None
    if any(function.startswith("_multi_tensor") for function in running.functions):
        example = f"{_optimizer(evidence)} = torch.optim.AdamW(..., foreach=False)"
        return Shown(example=example, title="one_by_one", note="note_one_by_one")
    size = state + (evidence.requested_bytes or 0) * evidence.in_step
    example = f"{_optimizer(evidence)} = torch.optim.Adafactor(model.parameters())"
    if trainer := _trainer(evidence):
        example = f'{trainer}(..., optim="adafactor")'
    return Shown({"optimizer_bytes": state}, size, example=example)


@suggestion(
    "split-request",
    "huge-request",
    "unnamed-values",
    title="Make the tensor in pieces",
    note="Work through the input in chunks, or keep the large tensor on the CPU.",
    parts="In parts: {rows} of {all_rows} rows at a time",
    note_parts="Keep sums or the largest of each: all parts joined are as large again.",
)
def _split_request(evidence: Evidence, _: Finding) -> Shown | None:
    operation, requested = evidence.scene.operation, evidence.requested_bytes
    has_batch = evidence.batch is not None and operation is not None
    if operation is None or (has_batch and (operation.copied or not operation.is_own)):
        return None if operation is not None else Shown()  # its parts are smaller batches
    if operation.copied and evidence.scene.call and evidence.scene.call.option:
        return None  # `move-per-batch`
    headroom = evidence.memory.headroom_bytes
    fits = _ROOM * headroom / requested if requested and headroom else 0.0
    first = next((each for each in operation.operands if each.shape), None)
    shape = first.shape if first is not None else operation.shape or ()
    # Of a batch of matrices one alone may be too large: then its rows.
    sizes = [(size, n) for n, size in enumerate(shape[:2]) if 0 < int(size * fits) < size]
    if not sizes or requested is None:
        return Shown()
    size, dimension = sizes[0]
    rows = 1 << int(size * fits).bit_length() - 1
    if first is None:
        example = f"for start in range(0, {size}, {rows}):\n    ...  # {rows} rows of it"
    else:
        text = re.sub(rf"\b{first.name}\b", "part", operation.text, count=1)
        split = f"{first.name}.split({rows}{f', dim={dimension}' if dimension else ''})"
        example = f"for part in {split}:\n    result = {text}"
    saved = int(requested * (1 - rows / size))
    shown = Shown({"rows": rows, "all_rows": size}, saved, title="parts", note="note_parts")
    return shown._replace(example=example if operation.is_own else None)  # no library is edited


def _edges(evidence: Evidence) -> int:
    """Return how many edges a graph on the GPU has, as a tensor of [2, edges]; 0: there is none."""
    shapes = [
        shape for group in evidence.groups for shape, dtype, _ in group.shapes if "int" in dtype
    ]
    edges = [shape[1] for shape in shapes if len(shape) == _ALL_PAIRS == shape[0]]
    return max([each for each in edges if each >= _MANY_EDGES], default=0)


@suggestion(
    "sample-neighbors",
    "activations",
    title="Train on some nodes and samples of their neighbors at a time",
    note="The whole graph, of {edges} edges, goes through the model at once: it is the batch.",
)
def _sample_neighbors(evidence: Evidence, _: Finding) -> Shown | None:
    edges = _edges(evidence)
    example = (
        "from torch_geometric.loader import NeighborLoader\n\n"
        "loader = NeighborLoader(data, num_neighbors=[10, 10], batch_size=1024)"
    )
    return Shown({"edges": edges}, example=example) if edges and not evidence.batch else None


@suggestion(
    "call-in-parts",
    "activations",
    "data-on-card",
    title="`{call}` in parts of {rows}",
    note="All of `{name}`, {shape}, goes through at once; what a part makes is freed.",
    note_backward="Each part goes backward before the next: gradients add up, its graph is freed.",
    rounds="Fewer than {rounds} steps before the backward pass",
    note_rounds="Their graphs are there until it runs, unless they are of first order.",
)
def _call_in_parts(evidence: Evidence, _: Finding) -> Shown | None:
    scene, call, known = evidence.scene, evidence.scene.call, evidence.at_once
    given = next((each for each in call.operands if each.shape[:1] > (1,)), None) if call else None
    if call is None or given is None or evidence.batch is not None or _edges(evidence):
        return None
    if scene.running.rounds is not None and scene.running.rounds_done is not None:
        return Shown({"rounds": scene.running.rounds[1]}, title="rounds", note="note_rounds")
    name, count = given.name, given.shape[0]
    scaling = scaling_bytes(evidence)
    rows = estimated(evidence, count, scaling)
    if rows is None or f"{name}[" in call.text or (known and known.attribute):
        return None
    saved = evidence.peak.saved_bytes(scaling, rows / count)
    if saved < (evidence.missing_bytes or 0):
        return None
    goes_back = scene.running.trains or scene.inputs_require_grad
    follows = "and all up to the backward pass of its part" if goes_back else "keep it on the host"
    alike = "|".join(each.name for each in call.operands if each.shape[:1] == (count,))
    text = re.sub(rf"\b({alike})\b", rf"\1[n : n + {rows}]", call.text)
    return Shown(
        {"call": call.text, "rows": rows, "name": name, "shape": str(list(given.shape))},
        saved,
        example=f"for n in range(0, {count}, {rows}):\n    result = {text}  # {follows}",
        note="note_backward" if goes_back else "note",
    )


@suggestion(
    "shorter-batch",
    "activations",
    "huge-request",
    title="Cut the longest samples, or sort by length",
    note="The longest sample sets the length: {now} here, {before} in the round before.",
)
def _shorter_batch(evidence: Evidence, _: Finding) -> Shown | None:
    if evidence.longer is None or not evidence.scene.running.loops:
        return None
    now, before = evidence.longer[:2]
    limit = max(before, now // 2)
    example = f"sample = sample[:{limit}]  # where it is loaded"
    if imported("transformers") is not None:
        example = f"tokenizer(..., truncation=True, max_length={limit})"
    saved = int(evidence.kinds.get("activations", 0) * (1 - limit / now))
    return Shown({"now": now, "before": before}, saved, example=example)


@suggestion(
    "one-result-at-a-time",
    "kept-tensors",
    title="Take one result at a time",
    note="What is kept of a result can be on the host: `.cpu()`.",
)
def _one_result_at_a_time(evidence: Evidence, finding: Finding) -> Shown | None:
    running, call = evidence.scene.running, evidence.scene.call
    fills = any(group.keys & running.of_libraries for group in finding.about)
    if not fills and (finding.about or not running.gathered_at):
        return None
    if call is not None and call.option and not call.streams:
        return None  # `move-per-batch`
    example = None
    listed = next((each.name for each in call.operands if each.dtype == "list"), "") if call else ""
    if call is not None and call.streams and call.text.endswith(")"):
        example = f"for result in {call.text[:-1]}, {call.option}):\n    ..."
    elif call is not None and listed:
        text = re.sub(rf"\b{listed}\b", "[each]", call.text, count=1)
        example = f"for each in {listed}:\n    result = {text}"
    return Shown(bytes=finding.bytes, example=example)


@suggestion(
    "expandable-segments",
    "fragmentation",
    title="Let the allocator grow its segments",
    note="Set it before the first GPU tensor: the kernel must be restarted.",
)
def _expandable_segments(evidence: Evidence, _: Finding) -> Shown | None:
    capture = evidence.failure.capture
    if capture is not None and capture.segments_expand:
        return None
    return Shown(bytes=evidence.memory.unallocated_bytes, example=_SEGMENTS)


@suggestion(
    "less-preallocation",
    "preallocation",
    title="Let {framework} take memory as it needs it",
    note="It has to be set before it starts: the kernel must be restarted.",
)
def _less_preallocation(_: Evidence, finding: Finding) -> Shown | None:
    framework = finding.framework
    if framework is None:
        return None
    grows = framework.name == "tensorflow"
    return Shown(
        {"framework": str(finding.claim["params"]["framework"])},
        framework.cached_bytes,
        example=_GROWTH if grows else SETTINGS[framework.name],
    )


@suggestion(
    "close-other-programs",
    "other-programs",
    title="Free the GPU from other programs",
    note="`nvidia-smi` lists all programs.",
    notebooks="Shut down other notebooks on this GPU",
    note_notebooks="Their variables are lost. `nvidia-smi` lists all programs.",
    hidden="See which programs use the GPU",
    note_hidden="Task Manager lists them: *Details*, column *Dedicated GPU memory*.",
    started="End the processes that this notebook started",
    note_started="Close the pool, or start fewer workers. `nvidia-smi` lists all programs.",
)
def _close_other_programs(evidence: Evidence, finding: Finding) -> Shown | None:
    if finding.bytes is None:
        return None
    whose = evidence.others.whose(finding.bytes)
    title, note = ("", "note") if whose == "programs" else (whose, f"note_{whose}")
    command = None if whose == "hidden" else "!nvidia-smi"
    return Shown(bytes=finding.bytes, type_this=command, title=title, note=note)


@suggestion(
    "lighter-model",
    "model-too-large",
    title="Train a small part of the model: LoRA",
    note="Gradients and optimizer state are then small. The result is another.",
    few_bits="Weights of 8 or 4 bits, or partly on the host",
    note_few_bits="`quantization_config` or `device_map='auto'` of `from_pretrained`.",
    rank=2,
)
def _lighter_model(evidence: Evidence, _: Finding) -> Shown | None:
    kinds, trains = evidence.kinds, evidence.scene.running.trains
    size = kinds.get("gradients", 0) + kinds.get("optimizer_state", 0)
    if not trains:
        size = int(_FEWER * (kinds.get("parameters", 0) + evidence.being_made_bytes))
    if evidence.share(size) < _OF_MODEL:
        return None
    return Shown(bytes=size) if trains else Shown({}, size, title="few_bits", note="note_few_bits")


@suggestion(
    "other-gpu",
    "other-programs",
    "model-too-large",
    "activations",
    "huge-request",
    "data-on-card",
    "unnamed-values",
    title="GPU {index} has {free_bytes} free",
    note="{needed_bytes} were needed on GPU {failed}. Write `cuda:{index}` for `cuda`.",
    hidden="A hidden GPU of this machine has {free_bytes} free",
    note_hidden="Set `CUDA_VISIBLE_DEVICES` to {index} in a restarted kernel, if you may use it.",
    note_half="About {half_bytes} would be needed on either, with half of each batch.",
    note_part="`{name}` ({held_bytes}) fits there. Move back only the part that is computed with.",
    rank=2,
    alone=True,
)
def _other_gpu(evidence: Evidence, _: Finding) -> Shown | None:
    needed = evidence.failed_at_bytes
    if needed is None:
        return None
    if evidence.scene.running.trains:
        needed = evidence.peak.step_bytes
    failure, failed = evidence.failure, evidence.device_index
    rooms = [(device.free_bytes or 0, device.index) for device in failure.other_devices]
    free, index = max(rooms, default=(0, 0))
    params = {"index": index, "free_bytes": free, "needed_bytes": needed, "failed": failed}
    if free >= needed:
        return Shown(params, example=f'model.to("cuda:{index}")')
    there, number = max(failure.hidden_devices, default=(0, 0))
    if there >= needed:
        code = f'import os; os.environ["CUDA_VISIBLE_DEVICES"] = "{number}"'
        shown = {"index": number, "free_bytes": there}
        return Shown(shown, example=code, title="hidden", note="note_hidden")
    memory, kinds, missing = evidence.memory, evidence.kinds, evidence.missing_bytes or 0
    if evidence.scene.running.trains:
        state = sum(kinds.get(each, 0) for each in ("parameters", "gradients", "optimizer_state"))
        half = int((1 + _SPARE) * (state + (needed - state) / 2))
        room = min(free, (memory.capacity_bytes or 0) - (memory.outside_bytes or 0))
        name = evidence.models[0].name if len(evidence.models) == 1 else "model"
        shown = {**params, "half_bytes": half}
        code = f"{name} = torch.nn.DataParallel({name})"
        fits = state < needed / 2 and half <= room
        return Shown(shown, example=code, note="note_half") if fits else None
    named = [each for each in evidence.groups if each.origin == "names" and each.path == each.root]
    data = max(named, key=lambda each: each.bytes, default=None)
    if data is None or data.kinds.get("parameters") or not 0 < missing <= data.bytes <= free:
        return None
    held: dict[str, str | int] = {**params, "name": data.path, "held_bytes": data.bytes}
    return Shown(held, example=f'{data.path} = {data.path}.to("cuda:{index}")', note="note_part")


@suggestion(
    "larger-gpu",
    "model-too-large",
    "activations",
    "huge-request",
    title="A GPU with {gigabytes} GB or more",
    note="The cell needs {needed_bytes}: it failed at its last step.",
    rank=3,
)
def _larger_gpu(evidence: Evidence, _: Finding) -> Shown | None:
    memory, needed = evidence.memory, evidence.failed_at_bytes
    if needed is None or not evidence.scene.is_last:
        return None  # how much more is not known
    needed += memory.outside_bytes or 0
    size = next((each for each in _SIZES if each * _USABLE * GIB >= needed), None)
    if size is None or needed <= (memory.capacity_bytes or needed):
        return None
    return Shown({"gigabytes": size, "needed_bytes": needed})


@suggestion(
    "save-training",
    title="Save model and optimizer state",
    note="A file of about {file_bytes} with `{names}`, without counters and random numbers.",
    note_in_step=(
        "A file of about {file_bytes} with `{names}`, without counters and random numbers. "
        "The optimizer failed in the middle of a step: some weights may be ahead."
    ),
    alone=True,
)
def _save_training(evidence: Evidence, _: Finding) -> Shown | None:
    training, cell = evidence.training, evidence.failure.cell
    if training is None:
        return None
    stem = file_stem(cell.execution_count, evidence.failure.time_s)
    states = ", ".join(f"{name!r}: {name}.state_dict()" for name in training.names)
    return Shown(
        {"file_bytes": training.bytes, "names": ", ".join(training.names)},
        type_this=f"import torch; torch.save({{{states}}}, open('{stem}.pt', 'xb'))",
        note="note_in_step" if evidence.scene.running.in_optimizer else "note",
        kind="save",
    )


SUGGESTIONS = tuple([each for each in globals().values() if isinstance(each, Suggestion)])
"""All of them, in the order in which they are shown."""
