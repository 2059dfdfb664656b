"""What a cell does besides computing, and would do again with each run: files, messages, bars.

Read off the code alone: what a library writes by itself is not seen.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ..text.messages import message
from .find import words
from .notebook import Notebook
from .parsing import LONGEST, magics
from .scopes import Function

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from collections.abc import Set as AbstractSet

    from ..protocol.wire import Message

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
    "finish": {"wandb"},
    "init": {"wandb"},
    "log": {"wandb", "run", "experiment"},
    "remove": {"os"},
    "replace": {"os"},
    "system": {"os"},
    "run": {"subprocess"},
    "call": {"subprocess"},
    "check_call": {"subprocess"},
    "check_output": {"subprocess"},
    "Popen": {"subprocess"},
    "copy": {"shutil"},
    "copy2": {"shutil"},
    "move": {"shutil"},
    **dict.fromkeys(("post", "put", "patch", "delete"), _WEB),
}
_ASKS = {"input", "getpass"}
_BARS = words("tqdm trange track ProgressBar Progbar")
_COMMANDS = ("%%bash", "%%sh", "%%script", "%%writefile", "%pip", "%conda", "%run", "%sx", "!")
_SHOWN = 3


def caution(run: Iterable[str], sources: Mapping[str, str]) -> Message | None:
    """Say what running these cells again would repeat; `None` where nothing of the kind is seen.

    Functions of other cells that they call are looked through as well.
    """
    texts = dict.fromkeys(sources[each] for each in run if each in sources)
    notebook = _read((*texts, *sources.values()))
    roots: list[ast.AST] = []
    commands = []
    for cell in notebook.cells[: len(texts)]:
        if cell.tree is None:
            return message("fix.caution_unread")
        roots.append(cell.tree)
        commands += [magic.split()[0] for magic in magics(cell.source) if _is_command(magic)]
    calls = list(calls_from(roots, _functions(notebook)))
    effects = [*commands, *(name for name, node in calls if _acts(name, node))]
    bars = [name for name, node in calls if _draws(name, node)]
    if not effects and not bars:
        return None
    shown = list(dict.fromkeys(each.lstrip(".") for each in effects or bars))[:_SHOWN]
    return message("fix.caution" if effects else "fix.caution_progress", calls=", ".join(shown))


def functions_of(sources: Iterable[str]) -> dict[str, list[ast.AST]]:
    """Return the functions and methods that cells define, by name."""
    return _functions(_read(sources))


def _read(sources: Iterable[str]) -> Notebook:
    """Read cells, in all no more than may be of one."""
    return Notebook.of([(source, source) for source in sources], most=LONGEST)


def _functions(notebook: Notebook) -> dict[str, list[ast.AST]]:
    return {name: [function for _, function in made] for name, made in notebook.functions.items()}


def calls_from(
    roots: Iterable[ast.AST], functions: Mapping[str, list[ast.AST]]
) -> Iterator[tuple[str, ast.Call]]:
    """Yield what code calls, by dotted name, and what the functions call that it reaches.

    What a cell only defines is no call of the cell.
    """
    waiting, seen = list(roots), set(map(id, roots))
    while waiting:
        for node in _run_by(waiting.pop()):
            if not isinstance(node, ast.Call):
                continue
            name = _dotted(node.func)
            if name:
                yield name, node
            for function in functions.get(name.rpartition(".")[2], ()):
                if id(function) not in seen:
                    seen.add(id(function))
                    waiting.append(function)


def _run_by(root: ast.AST) -> Iterator[ast.AST]:
    """Walk through what runs when this does: not through the functions inside."""
    waiting = list(ast.iter_child_nodes(root))[::-1]
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, Function):
            waiting += list(ast.iter_child_nodes(node))[::-1]


def _dotted(node: ast.expr) -> str:
    """Return `a.b.c`; of a call or an index only what is asked of it: `.c`."""
    names: list[str] = []
    while isinstance(node, ast.Attribute):
        names.insert(0, node.attr)
        node = node.value
    names.insert(0, node.id if isinstance(node, ast.Name) else "")
    return ".".join(names)


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
    """Whether a mode stands there that writes: of `open` the second, of a path's the first."""
    given = [*call.args, *(keyword.value for keyword in call.keywords if keyword.arg == "mode")]
    first = 1 if isinstance(call.func, ast.Name) else 0
    modes = [
        expression.value for expression in given[first:] if isinstance(expression, ast.Constant)
    ]
    return any(isinstance(mode, str) and set(mode) & set("wax+") for mode in modes[:1])


def _draws(name: str, call: ast.Call) -> bool:
    """Whether it draws a progress bar, as trainers do unless told otherwise."""
    owner, _, last = name.rpartition(".")
    if last == "train" and "trainer" in owner.lower():
        return True
    is_silent = any(
        keyword.arg == "verbose"
        and isinstance(keyword.value, ast.Constant)
        and not keyword.value.value
        for keyword in call.keywords
    )
    return last in _BARS or (last == "fit" and "." in name and not is_silent)


def _is_command(magic: str) -> bool:
    return magic.startswith(_COMMANDS)
