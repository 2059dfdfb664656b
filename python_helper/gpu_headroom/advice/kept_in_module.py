"""Memory retained by globals of imported modules, and the library calls that free it."""

from __future__ import annotations

import re
import sys
from collections import Counter, deque
from functools import lru_cache
from types import FunctionType, ModuleType
from typing import TYPE_CHECKING, Any

from ..inspection.classes import namespace_of
from ..inspection.kinds import is_kind, module_of, mro, top_of
from ..inspection.tables import items_of
from .finding import A_LINE, cause

if TYPE_CHECKING:
    from ..holders.groups import Group
    from ..oom.evidence import Evidence
    from .finding import Finding

TEXTS = {
    "cause.kept-in-module": "**`{name}` keeps {held_bytes}** of the {in_use_bytes} in tensors.",
    "cause.kept-in-module.evidence": (
        "A module, a class or a cached function keeps it: deleting variables of the notebook and "
        "`gc.collect()` free none of it."
    ),
}
_SHARE = 0.2
ENGINES = {
    "vllm": "vllm.distributed.parallel_state.cleanup_dist_env_and_memory()",
    "sglang": "engine.shutdown()",
    "tensorrt_llm": "llm.shutdown()",
    "llama_cpp": "llm.close()",
}
_SHUTS = re.compile(
    "shut_?down|destroy|close|clear|reset|release|free|unload|clean_?up|dispose|tear_?down"
)
_CACHED = "'s cache"  # what `lru_cache` keeps
_CONTAINERS = (dict, list, set, deque)


def kept_in_module(evidence: Evidence) -> Finding | None:
    """Find a cause where a global of a module, a class or a cache retains much of the memory."""
    sizes = Counter[str]()
    for group in evidence.groups:
        if group.origin == "modules" or _is_of_code(group):
            sizes[group.root] += group.bytes
    root, size = max(sizes.items(), key=lambda item: item[1], default=("", 0))
    if not size or evidence.share(size) < _SHARE:
        return None
    about = tuple([group for group in evidence.groups if group.root == root])
    params = {"name": about[0].name if len(about) == 1 else root, "held_bytes": size}
    return cause(evidence, TEXTS, "kept-in-module", "evidence", params, price=A_LINE, about=about)


def _is_of_code(group: Group) -> bool:
    """Whether a class or a cached function of the notebook's keeps what no other name leads to."""
    keeps = _CACHED in group.path or (group.type_name == "type" and group.keyed)
    return group.origin == "names" and keeps and not group.others


def call_that_frees(held: Group) -> str:
    """Return code that frees a global: a known engine's, a function that names it, or a method."""
    module, _, name = held.root.rpartition(".")
    owner = sys.modules.get(module or "__main__")
    table: dict[str, Any] = dict(items_of(vars(owner))) if type(owner) is ModuleType else {}
    path, value = held.root, table.get(name)
    for top in (path.partition(".")[0], top_of(module_of(type(value)))):
        if engine := ENGINES.get(top):
            return engine
    for key, function in table.items():
        if type(function) is FunctionType and _SHUTS.match(key):
            code = function.__code__
            if name in code.co_names and code.co_argcount == len(function.__defaults__ or ()):
                return f"{module}.{key}()"
    if is_kind(value, type):
        attribute = re.split(r"\W", held.path[len(path) + 1 :])[0]
        path, value = f"{path}.{attribute}", namespace_of(value).get(attribute)
    if type(value) in _CONTAINERS:
        return f"{path}.clear()"
    if type(value) is type(lru_cache(len)):
        return f"{path}.cache_clear()"
    methods = [key for base in mro(type(value)) for key, _ in items_of(namespace_of(base))]
    method = next((key for key in methods if _SHUTS.match(key)), None)
    return f"{path}.{method}()" if method else f"{path} = None"
