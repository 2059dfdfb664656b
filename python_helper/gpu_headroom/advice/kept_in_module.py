"""What a global of an imported module keeps, and the call that its library has to free it."""

from __future__ import annotations

import re
import sys
from collections import Counter, deque
from functools import lru_cache
from types import FunctionType, ModuleType
from typing import TYPE_CHECKING, Any

from ..inspection.classes import namespace_of
from ..inspection.kinds import is_kind, mro
from ..inspection.tables import items_of
from ..text.messages import message
from .finding import A_LINE, Finding, claim

if TYPE_CHECKING:
    from ..holders.groups import Group
    from ..oom.evidence import Evidence

TEXTS = {
    "cause.kept-in-module": "**`{name}` keeps {held_bytes}** of the {in_use_bytes} in tensors.",
    "cause.kept-in-module.evidence": (
        "It is a global of a module: deleting variables of the notebook and `gc.collect()` free "
        "none of it."
    ),
}
_SHARE = 0.2
_ENGINES = {
    "vllm": "vllm.distributed.parallel_state.cleanup_dist_env_and_memory()",
    "sglang": "engine.shutdown()",
    "tensorrt_llm": "llm.shutdown()",
    "llama_cpp": "llm.close()",
}
_SHUTS = re.compile(
    "shut_?down|destroy|close|clear|reset|release|free|unload|clean_?up|dispose|tear_?down"
)
_CONTAINERS = (dict, list, set, deque)


def kept_in_module(evidence: Evidence) -> Finding | None:
    """Speak where one global of an imported module leads to a good part of what is in use."""
    sizes = Counter[str]()
    for group in evidence.groups:
        if group.origin == "modules":
            sizes[group.root] += group.bytes
    root, size = max(sizes.items(), key=lambda each: each[1], default=("", 0))
    if not size or evidence.share(size) < _SHARE:
        return None
    about = tuple([group for group in evidence.groups if group.root == root])
    name = about[0].name if len(about) == 1 else root
    return Finding(
        claim(evidence, "cause.kept-in-module", TEXTS, name=name, held_bytes=size),
        message("cause.kept-in-module.evidence", TEXTS),
        bytes=size,
        price=A_LINE,
        about=about,
    )


def call_that_frees(held: Group) -> str:
    """Return code that frees a global: a known engine's, a function that names it, or a method."""
    if engine := _ENGINES.get(held.root.partition(".")[0]):
        return engine
    module, _, name = held.root.rpartition(".")
    found = sys.modules.get(module)
    table: dict[str, Any] = dict(items_of(vars(found))) if type(found) is ModuleType else {}
    for key, function in table.items():
        if type(function) is FunctionType and _SHUTS.match(key):
            code = function.__code__
            if name in code.co_names and code.co_argcount == len(function.__defaults__ or ()):
                return f"{module}.{key}()"
    path, value = held.root, table.get(name)
    if is_kind(value, type):
        attribute = held.path[len(path) :].lstrip(".").partition("[")[0].partition(".")[0]
        path, value = f"{path}.{attribute}", namespace_of(value).get(attribute)
    if type(value) in _CONTAINERS:
        return f"{path}.clear()"
    if type(value) is type(lru_cache(len)):
        return f"{path}.cache_clear()"
    methods = [key for base in mro(type(value)) for key, _ in items_of(namespace_of(base))]
    method = next((key for key in methods if _SHUTS.match(key)), None)
    return f"{path}.{method}()" if method else f"{path} = None"
