"""Errors that code keeps: what they hold is found, named and freed; they themselves stay."""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING

import pytest
from gpu_headroom.release import errors
from gpu_headroom.release.items import SAFE
from gpu_headroom.text.format import MIB
from tests.release.conftest import found

if TYPE_CHECKING:
    from tests.notebook import Notebook

WORK = """
def work():
    x = tensor(128)
    fail()
def caught():
    big = tensor(64)
    try:
        work()
    except RuntimeError as error:
        return error
"""
HOLDERS = {
    "a list": ("kept = [caught()]", "kept", 192),
    "an attribute": (
        "class Trainer: pass\ntrainer = Trainer()\ntrainer.last_error = caught()",
        "trainer",
        192,
    ),
    "the caller of who caught it": (
        "def over():\n    o = tensor(32)\n    return caught()\nkept = [over()]",
        "kept",
        224,
    ),
    "a chain": (
        (
            "try:\n    try:\n        work()\n    except RuntimeError as first:\n"
            "        raise ValueError('wrapped') from first\n"
            "except ValueError as error:\n    kept = error"
        ),
        "kept",
        128,
    ),
    "an error that cannot be changed": (
        (
            "import dataclasses\n@dataclasses.dataclass(frozen=True)\nclass Frozen(Exception):\n"
            "    code: int\ndef fails():\n    x = tensor(128)\n    raise Frozen(1)\n"
            "try:\n    fails()\nexcept Frozen as error:\n    kept = error"
        ),
        "kept",
        128,
    ),
    "a closure of the failed function": (
        (
            "def make():\n    x = tensor(128)\n    def step():\n        y = x[:1]\n        fail()\n"
            "    return step\ntry:\n    make()()\nexcept RuntimeError as error:\n    kept = error"
        ),
        "kept",
        128,
    ),
    "a future of a thread": (
        (
            "from concurrent.futures import ThreadPoolExecutor\n"
            "with ThreadPoolExecutor(1) as pool:\n    future = pool.submit(work)\ndel pool"
        ),
        "future",
        128,
    ),
    "a task": (
        (
            "import asyncio\nasync def job():\n    work()\n"
            "task = asyncio.ensure_future(job())\nawait asyncio.wait([task])\n"
            "seen = task.exception()\ndel seen"
        ),
        "task",
        128,
    ),
    "a buffer of a log": (
        (
            "import logging.handlers\n"
            "handler = logging.handlers.MemoryHandler(10**6, logging.CRITICAL)\n"
            "log = logging.Logger('own')\nlog.addHandler(handler)\n"
            "try:\n    work()\nexcept RuntimeError:\n    log.exception('failed')\ndel log"
        ),
        "handler",
        128,
    ),
    "a traceback alone": (
        "import sys\ntry:\n    work()\nexcept RuntimeError:\n    kept = sys.exc_info()[2]",
        "kept",
        128,
    ),
}


@pytest.mark.parametrize("holder", HOLDERS)
def test_frees_what_a_kept_error_holds(notebook: Notebook, holder: str) -> None:
    """The plan says what comes back, to the byte; the holder and its error stay."""
    source, name, size = HOLDERS[holder]
    before = notebook.in_use()
    assert notebook.run(WORK + source).success, notebook.printed
    assert notebook.in_use() - before == size * MIB
    (item,) = found(notebook, errors.items).values()
    assert (item.id, item.expected_bytes) == (f"error:{name}", size * MIB)
    assert item.confirm is not None
    assert item.kind not in SAFE
    del item
    outcome = notebook.free(f"error:{name}")
    assert outcome.freed_bytes == size * MIB
    assert notebook.in_use() == before
    assert name in notebook.shell.user_ns
    assert found(notebook, errors.items) == {}


def test_errors_that_no_variable_leads_to_go_by_their_class(notebook: Notebook) -> None:
    """A library keeps them in a module of its own."""
    before = notebook.in_use()
    notebook.run(f"{WORK}import json\njson._errors = [caught(), caught()]")
    (item,) = found(notebook, errors.items).values()
    assert item.id == "error:class OutOfMemoryError"
    assert item.title["params"] == {"count": 2, "type_name": "OutOfMemoryError"}
    assert item.expected_bytes == 2 * 192 * MIB
    del item
    notebook.free("error:class OutOfMemoryError")
    assert notebook.in_use() == before
    notebook.run("del json._errors")


def test_leaves_to_the_failed_cell_what_is_its_own(notebook: Notebook) -> None:
    """An error that only IPython remembers goes with the tracebacks of failed cells."""
    notebook.run(f"{WORK}try:\n    work()\nexcept RuntimeError as error:\n    raise")
    assert found(notebook, errors.items) == {}


def test_says_nothing_of_small_errors(notebook: Notebook) -> None:
    """An error that keeps no GPU memory is not listed."""
    notebook.run("try:\n    1 / 0\nexcept ZeroDivisionError as error:\n    kept = error")
    assert found(notebook, errors.items) == {}


@pytest.mark.parametrize("frozen", [False, True])
def test_leaves_a_suspended_generator_alone(notebook: Notebook, frozen: bool) -> None:
    """A generator whose consumer failed goes on afterwards, and so does one that caught an error.

    `gc.freeze` hides them from the gc.
    """
    notebook.run(
        "kept = []\n"
        "def count():\n    buffer = tensor(16)\n    try: fail()\n"
        "    except RuntimeError as error: kept.append(error)\n"
        "    for n in range(3):\n        yield n\n"
        "numbers = count()\nfirst = next(numbers)\nstarted = kept.pop()"
    )
    if frozen:
        gc.freeze()
    notebook.run(
        "def consume():\n    x = tensor(64)\n    for n in numbers:\n        fail()\n"
        "try:\n    consume()\nexcept RuntimeError as error:\n    kept += [error, started]"
    )
    outcome = notebook.free("error:kept")
    assert outcome.freed_bytes == 64 * MIB
    assert notebook.run("rest = list(numbers)").success
    assert notebook.shell.user_ns["rest"] == [2]
