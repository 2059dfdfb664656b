"""Side effects of a cell, which it would have again with each run.

They are found in the code alone: a statement whose value is discarded has one, unless it is known
to be harmless, or changes only a value that the same cells make again.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ..code.calls import dotted_of, functions_of, run_by, together
from ..code.find import root_name, words
from ..code.parsing import magics
from ..code.reading import walk
from ..code.scopes import Function, arguments
from ..text.messages import message

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping
    from collections.abc import Set as AbstractSet

    from ..protocol.generated.wire import Message

TEXTS = {
    "fix.caution": "Running it again repeats what it does besides computing: `{calls}`.",
    "fix.caution_unread": "The code is too long to say what else running it again would repeat.",
}
# They act wherever they stand, whatever becomes of their value.
_WRITES = words(
    """add_figure add_histogram add_image add_scalar add_scalars add_text copyfile copytree
    create_repo download_file imsave imwrite log_artifact log_metric log_metrics log_model
    makedirs mkdir push_to_hub rename rmtree save save_checkpoint save_file save_model
    save_pretrained save_state save_weights savefig savetxt savez savez_compressed sendmail
    symlink to_csv to_excel to_feather to_hdf to_json to_parquet to_pickle to_sql tofile touch
    unlink upload_file upload_folder urlretrieve write write_bytes write_html write_image
    write_text write_video writelines"""
)
_WEB = words("requests httpx session client")
# Their names are common ones: only as functions of these modules.
_OF_MODULES: dict[str, AbstractSet[str]] = {
    "dump": words("json pickle joblib yaml dill cloudpickle toml"),
    "system": {"os"},
    "replace": {"os"},
    **dict.fromkeys(
        ("run", "call", "check_call", "check_output", "Popen"), frozenset(["subprocess"])
    ),
    **dict.fromkeys(("copy", "copy2", "move"), frozenset(["shutil"])),
    **dict.fromkeys(("init", "finish", "log"), words("wandb run experiment")),
    **dict.fromkeys(("post", "put", "patch", "delete"), _WEB),
}
_ASKS = {"input", "getpass"}
# What shows something, or sets something to the same value again.
_HARMLESS = words(
    """print display pprint show head info describe summary print_trainable_parameters tqdm trange
    set_postfix set_postfix_str set_description set_description_str debug warning exception
    simplefilter filterwarnings manual_seed manual_seed_all seed set_seed seed_everything collect
    empty_cache synchronize ipc_collect reset_peak_memory_stats reset_accumulated_memory_stats sleep
    flush read readline readlines close super warn set_float32_matmul_precision set_printoptions
    set_style set_theme set_option set_device set_default_device set_default_dtype set_num_threads
    set_start_method init_process_group destroy_process_group barrier"""
)
_SHOWS = ("plot", "show", "print", "display", "draw", "imshow")
_OF_SCREEN = words("plt ax axs axes fig figure sns px go logging logger log LOGGER LOG _logger")
# Steps of a training; whether cells train again is asked for by itself.
_TRAINS = words(
    """zero_grad backward manual_backward step optimizer_step clip_grad_norm_ clip_grad_value_
    unscale_ update train eval fit train_on_batch retain_grad requires_grad_ to cuda cpu half float
    double bfloat16 gradient_checkpointing_enable enable_gradient_checkpointing
    set_grad_checkpointing freeze unfreeze load_state_dict load_weights compile register_buffer
    register_parameter add_module apply init_weights set_detect_anomaly __init__"""
)
# They run a function that they are given, in other processes: what that does counts.
_LAUNCHES = words("debug_launcher notebook_launcher spawn start_processes")
# What changes a value in memory alone: harmless where the same cells make that value again.
_OF_VALUES = words(
    """add append appendleft clear discard extend extendleft insert pop popitem popleft put remove
    reverse rotate setdefault shuffle sort subtract update"""
)
_SETS = ("add_", "set_", "register_")
_UPDATES = words("scaler bar pbar progress")  # whose `update` is harmless
_COMMANDS = ("%%bash", "%%sh", "%%script", "%%writefile", "%pip", "%conda", "%run", "%sx", "!")
_MOST_NAMED = 12
_LONGEST_NAME = 60


def caution(
    run: Iterable[str], sources: Mapping[str, str], models: Collection[str] = ()
) -> Message | None:
    """Return what running these cells again would repeat; `None` where nothing is seen.

    Functions of other cells that they call are looked through as well. `models` are names of live
    models.
    """
    texts = dict.fromkeys(sources[key] for key in run if key in sources)
    notebook = together((*texts, *sources.values()))
    cells = notebook.cells[: len(texts)]
    if any(cell.tree is None for cell in cells):
        return message("fix.caution_unread", TEXTS)
    roots = [cell.tree for cell in cells if cell.tree is not None]
    commands = [
        magic.split()[0]
        for cell in cells
        for magic in magics(cell.source)
        if magic.startswith(_COMMANDS)
    ]
    effects = [*commands, *_Effects(roots, functions_of(notebook), models).names()]
    if not effects:
        return None
    named = list(dict.fromkeys(effect.lstrip(".") for effect in effects))
    shown = named if len(named) <= _MOST_NAMED else [*named[:_MOST_NAMED], "…"]
    return message("fix.caution", TEXTS, calls=", ".join(shown))


class _Effects:
    """The statements of cells, and of the functions that they call, that do more than compute.

    `models` are names whose calls only compute.
    """

    def __init__(
        self,
        roots: list[ast.Module],
        functions: Mapping[str, list[ast.AST]],
        models: Collection[str],
    ) -> None:
        self._roots, self._functions, self._models = roots, functions, models
        self._new = {name for root in roots for name in _made_in(root)}

    def names(self) -> Iterator[str]:
        """Yield what they do, as it is written."""
        waiting: list[tuple[ast.AST, set[str]]] = [(root, self._new) for root in self._roots]
        seen = set[int]()
        for root, new in waiting:  # it grows meanwhile
            for node in run_by(root):
                yield from self._of(node, new)
                if not isinstance(node, ast.Call):
                    continue
                called = dotted_of(node.func).rpartition(".")[2]
                calls = {called: node}
                if called in _LAUNCHES:
                    calls |= {
                        root_name(argument): ast.Call(argument, [], []) for argument in node.args
                    }
                for name, call in calls.items():
                    for function in self._functions.get(name, ()):
                        if id(function) not in seen:
                            seen.add(id(function))
                            waiting.append((function, _new_inside(function, call, new)))

    def _of(self, node: ast.AST, new: set[str]) -> Iterator[str]:
        if isinstance(node, ast.Call):
            name = dotted_of(node.func)
            if name and _acts(name, node):
                yield name
        elif isinstance(node, ast.Expr):
            value = node.value.value if isinstance(node.value, ast.Await) else node.value
            name = dotted_of(value.func) if isinstance(value, ast.Call) else ""
            if isinstance(value, ast.Call) and not self._is_harmless(name, value, new):
                yield name or ast.unparse(value.func)[:_LONGEST_NAME]
        elif isinstance(node, ast.AugAssign) and root_name(node.target) not in new:
            yield ast.unparse(node.target)[:_LONGEST_NAME]

    def _is_harmless(self, name: str, call: ast.Call, new: set[str]) -> bool:
        owner, _, last = name.rpartition(".")
        if _acts(name, call):
            return True  # it is named by itself
        if name.partition(".")[0] in _OF_SCREEN or last.startswith(_SHOWS):
            return True
        if last in self._functions or name in self._models:
            return True
        changes = last in _OF_VALUES or last.startswith(_SETS) or last.endswith("_")
        if changes and root_name(call.func) in new:
            return True
        if last == "update":
            return owner.rpartition(".")[2].lower() in _UPDATES
        return last in _HARMLESS | _TRAINS | _LAUNCHES or (last == "write" and "." in name)


def _made_in(root: ast.AST) -> set[str]:
    """Return the names that code gives something new as it runs."""
    nodes = list(run_by(root))
    added = {id(node.target) for node in nodes if isinstance(node, ast.AugAssign)}
    names = {
        node.id
        for node in nodes
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and id(node) not in added
    }
    return names | {node.name for node in nodes if isinstance(node, (*Function, ast.ClassDef))}


def _new_inside(function: ast.AST, call: ast.Call, new: Collection[str]) -> set[str]:
    """Return the names of a function's own, and of what a call gives it that is new."""
    shared = {
        name
        for node in walk(function)
        if isinstance(node, (ast.Global, ast.Nonlocal))
        for name in node.names
    }
    names = _made_in(function) - shared
    given = (
        [argument.arg for argument in arguments(function)] if isinstance(function, Function) else []
    )
    values = [root_name(expression) for expression in call.args]
    if given[:1] in (["self"], ["cls"]):
        values.insert(0, root_name(call.func))
    names |= {name for name, root in zip(given, values, strict=False) if root in new}
    return names | {k.arg for k in call.keywords if k.arg in given and root_name(k.value) in new}


def _acts(name: str, call: ast.Call) -> bool:
    owner, _, last = name.rpartition(".")
    if last == "open":
        return _opens_to_write(call)
    if last in _ASKS:
        return True
    if last in _OF_MODULES:
        return owner.rpartition(".")[2] in _OF_MODULES[last]
    # Of a stream on the screen it is no more than `print`.
    return "." in name and last in _WRITES and not owner.endswith(("stdout", "stderr", "tqdm"))


def _opens_to_write(call: ast.Call) -> bool:
    """Return whether the mode writes: the second argument of `open`, the first of a path's."""
    given = [*call.args, *(keyword.value for keyword in call.keywords if keyword.arg == "mode")]
    first = 1 if isinstance(call.func, ast.Name) else 0
    modes = [
        expression.value for expression in given[first:] if isinstance(expression, ast.Constant)
    ]
    return any(isinstance(mode, str) and set(mode) & set("wax+") for mode in modes[:1])
