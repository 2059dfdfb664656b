"""The clean-up cell: code in the notebook that frees the same memory, without the helper.

The cell stays in the notebook, so it has to be correct in any session and however often it runs.
It touches only what it names, and of displayed values only those that are on a GPU at that time.
Variables that the user chose are released only in the session in which they were chosen: in
another one the same names may be those of a model that has trained since.
"""

from __future__ import annotations

import uuid
from textwrap import indent
from typing import TYPE_CHECKING, Any

from ..frameworks.registry import TITLES
from ..holders.survey import survey
from ..text.format import MIB, format_bytes
from .items import SAFE, kinds, measured

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from .freeable import Freeable
    from .situation import Situation

_BEGIN = """\
def _free_gpu_memory():  # needs nothing of GPU Headroom; may be run again, in any session
    import gc, re, sys
    shell, cuda = get_ipython(), getattr(sys.modules.get("torch"), "cuda", None)
    in_use = lambda: sum(map(cuda.memory_allocated, range(cuda.device_count()))) if cuda else 0
    before, result = in_use(), getattr(shell.last_execution_result, "__dict__", {})
"""
_TRACEBACK = """\
    [vars(sys).pop(x, None) for x in ("last_exc", "last_value", "last_traceback", "last_type")]
    shell.InteractiveTB.tb = shell.InteractiveTB.pdb = shell.SyntaxTB.last_syntax_error = None
    result.update(error_in_exec=None, error_before_exec=None)  # `%debug` is lost with them
"""
_DISPLAYED = """\
    outputs, hook = shell.history_manager.output_hist, vars(shell.displayhook)
    of = lambda x: str([each.__module__ for each in type(x).__mro__])  # whose an object is
    at = lambda x: getattr(x, "device", "") if re.search("'({frameworks})", of(x)) else ""
    on = lambda v: str([at(x) for x in (v if type(v) in (list, tuple) else [v])])
    spaces = (outputs, shell.user_ns, shell.user_ns_hidden, hook)  # displayed; dropped if on a GPU
    for space, key in [(result, "result"), *((x, key) for key in {keys} for x in spaces)]:
        if re.search("cuda|gpu|xpu|mps", on(space.get(key)).lower()): space[key] = None
"""
_CHOSEN = """\
    if shell.user_ns_hidden.get("{mark}") == "{session}":  # gone with a restart or `%reset`
        _let_go()
    else:
        print("Chosen in an earlier session, and so left alone:", {names!r})
"""
_COLLECT = """\
    gc.collect()
"""
_CACHE = """\
    cuda and cuda.empty_cache()
"""
_END = """\
    print(f"Freed {max(0, before - in_use()) / 2**20:,.1f} MiB of GPU memory.")
_free_gpu_memory(); """
_MOST_SUGGESTED = 3
_MARK = "_gpu_memory_session"


def cleanup_code(situation: Situation, wanted: Collection[str] | None = None) -> str:
    """Return the code of a clean-up cell that frees the `wanted` items of a plan, and no other.

    It leaves no name behind and says how much came back. `None` is the safe set; then a comment
    names the largest variables: to delete one is the person's choice.
    """
    items = measured(situation, SAFE if wanted is None else wanted)
    offered = [item for item in items if item.blocked is None]
    offered_kinds = {item.kind for item in offered}
    chosen = "".join(_chosen(offered))
    body = [_BEGIN]
    if "traceback" in offered_kinds:
        body.append(_TRACEBACK)
    keys = _keys(offered)
    if keys:
        body.append(_DISPLAYED.format(keys=keys, frameworks="|".join(TITLES)))
    if chosen:
        body.insert(0, f"def _let_go():\n{indent(chosen, '    ')}\n")
        names = ", ".join(dict.fromkeys(name for item in offered for name in _names(item)))
        session = _session(situation.shell)
        body.append(_CHOSEN.format(mark=_MARK, session=session, names=names))
    if offered_kinds - {"cache"}:
        body.append(_COLLECT)
    if "cache" in offered_kinds:
        body.append(_CACHE)
    suggested = _suggestions(situation) if wanted is None else ()
    functions = "_let_go, _free_gpu_memory" if chosen else "_free_gpu_memory"
    return "".join([*_left_out(items), *suggested, *body, _END, f"del {functions}\n"])


def _keys(items: list[Freeable]) -> tuple[int | str, ...]:
    """Return under what keys IPython keeps the displayed values: `Out[5]`, `_5`, `_` and others."""
    names = dict.fromkeys(name for item in items for name in item.displayed)
    if not names:
        return ()
    numbers = [int(name[1:]) for name in names if name[1:].isdigit()]
    return (*numbers, *names)


def _chosen(items: list[Freeable]) -> Iterator[str]:
    """Yield code for unsafe items, without that for variables which are deleted anyway."""
    deleted = {name for freeable in items for name in freeable.names}
    for item in items:
        if item.names:
            yield f"for _name in {item.names!r}:\n    globals().pop(_name, None)\n"
        elif item.code and item.id.partition(":")[2] not in deleted:
            yield f"{item.code.strip()}\n"


def _names(item: Freeable) -> tuple[str, ...]:
    """Return the user's names for the variables of an unsafe item."""
    return tuple(item.names) or ((item.id.partition(":")[2],) if item.code else ())


def _session(shell: Any) -> str:
    """Return what a session is known by without the helper: made once, and gone with its names."""
    token: str = shell.user_ns_hidden.setdefault(_MARK, uuid.uuid4().hex[:12])
    return token


def _left_out(items: list[Freeable]) -> Iterator[str]:
    for item in items:
        title = item.title["text"]
        if item.blocked is not None:
            yield f"# Left out: {title}. {item.blocked['text']}\n"
        elif not (kinds()[item.kind].whole or item.names or item.displayed or item.code):
            yield f"# Left out: {title}. Release it in the panel.\n"


def _suggestions(situation: Situation) -> Iterator[str]:
    census = survey(situation.shell, situation.turn, unreached=False)
    largest = census.ledger.largest(0, "names", count=_MOST_SUGGESTED) if census else []
    held = [holder for holder in largest if holder["bytes"] >= MIB]
    if held:
        shown = ", ".join(f"{holder['name']} ({format_bytes(holder['bytes'])})" for holder in held)
        yield f"# Your own variables that hold most, to delete if you wish: {shown}\n"
