"""A report on what a module on disk keeps: the cause, and a call that frees it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.programs import START

if TYPE_CHECKING:
    from tests.live import LiveKernel
    from tests.programs import Programs

MODULE = """%%writefile {name}.py
import functools, threading, torch

def tensor(mib):
    return torch.empty(mib * 2**20, dtype=torch.uint8, device="cuda")

{body}
"""
# By a name: a module, how a cell uses it, what keeps 600 MiB then, and the call that frees it.
CASES = {
    "groups": (
        (
            "_GROUPS = {}\nclass LLM:\n    def __init__(self):\n"
            "        self.kv_cache = [tensor(50) for _ in range(12)]\n"
            "        _GROUPS.setdefault('tp', []).append(self)\n"
            "def destroy_model_parallel():\n    _GROUPS.clear()"
        ),
        "llm = {0}.LLM()",
        "{0}._GROUPS['tp'][0].kv_cache",
        "{0}.destroy_model_parallel()",
    ),
    "world": (
        (
            "class Group:\n    def __init__(self):\n        self.buffers = [tensor(600)]\n"
            "_WORLD = None\ndef init():\n    global _WORLD\n    _WORLD = Group()\n"
            "def destroy():\n    global _WORLD\n    _WORLD = None"
        ),
        "llm = {0}.init()",
        "{0}._WORLD.buffers",
        "{0}.destroy()",
    ),
    "singleton": (
        (
            "class Engine:\n    def __init__(self): self.pool = {}\n"
            "    def shutdown(self): self.pool.clear()\nENGINE = Engine()"
        ),
        "llm = {0}.ENGINE\nllm.pool['x'] = {0}.tensor(600)",
        "{0}.ENGINE.pool",
        "{0}.ENGINE.shutdown()",
    ),
    "class attribute": (
        "class Engine:\n    cache = {}\n    def __init__(self): self.cache['x'] = tensor(600)",
        "llm = {0}.Engine()",
        "{0}.Engine.cache",
        "{0}.Engine.cache.clear()",
    ),
    "lru_cache": (
        "@functools.lru_cache\ndef load(name): return tensor(600)",
        "llm = {0}.load('a')",
        "{0}.load's cache",
        "{0}.load.cache_clear()",
    ),
    "closure": (
        (
            "CALLBACKS = []\ndef register():\n    seen = tensor(600)\n"
            "    CALLBACKS.append(lambda: seen)"
        ),
        "llm = {0}.register()",
        "{0}.CALLBACKS",
        "{0}.CALLBACKS.clear()",
    ),
    "thread-local": (
        "LOCAL = threading.local()",
        "{0}.LOCAL.buffers = [{0}.tensor(600)]\nllm = None",
        "{0}.LOCAL.buffers",
        "{0}.LOCAL = None",
    ),
}
CARD = "1GiB"
FILL = "again = torch.empty(600 * 2**20, dtype=torch.uint8, device='cuda')"


@pytest.mark.parametrize("case", CASES)
def test_names_what_a_module_keeps(programs: Programs, simulated: LiveKernel, case: str) -> None:
    """After `del` and `gc.collect()`; no promise about garbage, and the call shown frees it."""
    name = f"engine_{case.replace(' ', '_').replace('-', '_')}"
    body, use, held, call = (each.replace("{0}", name) for each in CASES[case])
    write = MODULE.replace("{name}", name).replace("{body}", body)
    card = programs.fail(
        write, f"{START}import {name}\n{use}", "import gc\ndel llm\ngc.collect()", FILL
    )
    cause: dict[str, Any] = card.report["cause"]
    print(cause["claim"]["text"], cause["evidence"]["text"])
    assert cause["rule"] == "kept-in-module"
    assert held in cause["claim"]["text"]
    remedies = {each["id"] for each in card.report["remedies"]}
    assert "collect-garbage" not in remedies
    remedy = card.remedy("shut-down")
    print(remedy["title"]["text"], remedy["example"])
    assert remedy["example"] == f"import {name}\n{call}"
    simulated.run(remedy["example"])
    assert simulated.value("torch.cuda.memory_allocated()") < 2**20
