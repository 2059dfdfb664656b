"""Arrays of JAX, TensorFlow and CuPy: identity, size, and that looking starts nothing.

The real frameworks run on the CPU, in environments of their own, where the walk takes the CPU
for a GPU; CuPy, which needs a GPU, is a stand-in.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from gpu_headroom.concurrency.turns import Turn
from gpu_headroom.frameworks.cupy import arrays as cupy_arrays
from gpu_headroom.holders.inspector import Inspector
from gpu_headroom.holders.place import Place
from gpu_headroom.holders.walk import Walk
from tests.conftest import interpreter

HELPER = Path(__file__).parents[2]
WALK = """
import json, sys
from gpu_headroom.frameworks.jax import arrays as jax_arrays
from gpu_headroom.frameworks.tensorflow import arrays as tf_arrays
from gpu_headroom.holders import arrays
from gpu_headroom.holders.inspector import Inspector
from gpu_headroom.holders.place import Place
from gpu_headroom.holders.survey import survey
from gpu_headroom.holders.walk import Walk
from gpu_headroom.concurrency.turns import Turn
from types import SimpleNamespace

def roots(**values):
    return [(value, Place("names", name)) for name, value in values.items()]

def walked(**values):
    turn = Turn(30)
    with turn.walking():
        walk = Walk(Inspector(turn))
        walk.run(roots(**values))
    assert not walk.truncated
    return {each.path: each.storage.bytes for each in walk.ledger}

def shell(**names):
    history = SimpleNamespace(output_hist={})
    hook = SimpleNamespace(_=None, __=None, ___=None)
    return SimpleNamespace(user_ns=names, user_ns_hidden={}, history_manager=history,
                           displayhook=hook, compile=None, last_execution_result=None)
said = {}
"""
JAX = """
assert arrays.loaded() == []
import jax, jax.numpy as jnp
from jax._src import xla_bridge
said["before"] = [len(arrays.loaded()), len(xla_bridge._backends)]
survey(shell(x=1), Turn(30))
said["after a survey"] = len(xla_bridge._backends)
x = jnp.ones((1024, 256))
said["loaded"] = len(arrays.loaded())
said["on the CPU"] = walked(x=x)
jax_arrays._GPUS = frozenset({"cpu"})
half = x.astype(jnp.float16)
gone = x + 1
gone.delete()
said["walked"] = walked(x=x, y=[x], half={"a": half}, gone=gone)
from jax.sharding import Mesh, NamedSharding, PartitionSpec
mesh = Mesh(jax.devices(), ("rows",))
sharded = jax.device_put(x + 2, NamedSharding(mesh, PartitionSpec("rows")))
walk = Walk(Inspector(Turn(30)))
walk.run(roots(sharded=sharded))
said["sharded"] = sorted((s.storage.device_index, s.storage.bytes) for s in walk.ledger)
hidden = x + 3
found = survey(shell(x=x, half=half, sharded=sharded), Turn(30), unreached=True)
said["hidden"] = [h.storage.bytes for h in found.ledger if h.root == "__main__.hidden"]
(held,) = (h for h in found.ledger if h.root == "half")
said["described"] = [held.storage.dtype, held.storage.shape, held.storage.framework]
def trace(a):
    said["traced"] = walked(a=a)
    return a
jax.jit(trace)(x)
"""
TENSORFLOW = """
assert arrays.loaded() == []
import tensorflow as tf
from tensorflow.python.eager import context
survey(shell(x=1), Turn(30))
said["started by us"] = bool(context._context is not None and context._context._initialized)
x = tf.ones((1024, 256))
said["on the CPU"] = walked(x=x)
tf_arrays._DEVICE = "CPU"
variable = tf.Variable(tf.ones((1024, 128), tf.float16))
class Module(tf.Module):
    def __init__(self):
        self.weight = variable
text = tf.constant(["a", "b"])
said["walked"] = walked(x=x, y=[x], module=Module(), text=text)
walk = Walk(Inspector(Turn(30)))
walk.run(roots(variable=variable))
(held,) = walk.ledger
said["described"] = [held.storage.dtype, held.storage.shape, held.storage.framework]
"""


def output(framework: str, script: str, **environment: str) -> dict[str, Any]:
    """Run a script in the environment of a framework, and return what it said."""
    code = f"{WALK}{script}\nprint(json.dumps(said))"
    process = subprocess.run(
        [interpreter(framework), "-c", code],
        env={**os.environ, "PYTHONPATH": str(HELPER), "TF_CPP_MIN_LOG_LEVEL": "3", **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert process.returncode == 0, process.stderr[-3000:]
    values: dict[str, Any] = json.loads(process.stdout.splitlines()[-1])
    return values


@pytest.mark.kernel
def test_counts_jax_arrays_once_and_starts_no_backend() -> None:
    """Each buffer of each device, told by its address; deleted and traced arrays hold nothing."""
    flags = "--xla_force_host_platform_device_count=4"
    values = output("jax", JAX, JAX_PLATFORMS="cpu", XLA_FLAGS=flags)
    assert values["before"] == [0, 0]
    assert values["after a survey"] == 0
    assert values["loaded"] == 1
    assert values["on the CPU"] == {}
    assert values["walked"] == {"x": 1024 * 256 * 4, "half['a']": 1024 * 256 * 2}
    assert (
        values["sharded"] == [[0, 256 * 1024]] * 4
        or [row[1] for row in values["sharded"]] == [256 * 1024] * 4
    )
    assert values["hidden"] == [1024 * 256 * 4]
    assert values["described"] == ["float16", [1024, 256], "jax"]
    assert values["traced"] == {}


@pytest.mark.kernel
def test_counts_tensorflow_tensors_and_variables_and_starts_no_context() -> None:
    """Variables have the size of their shape: their value is not read."""
    values = output("tensorflow", TENSORFLOW)
    assert values["started by us"] is False
    assert values["on the CPU"] == {}
    assert values["walked"] == {"x": 1024 * 256 * 4, "module.weight": 1024 * 128 * 2}
    assert values["described"] == ["float16", [1024, 128], "tensorflow"]


class StandIn:
    """What the walk reads of a CuPy array."""

    def __init__(self, address: int, size: int) -> None:
        memory = SimpleNamespace(ptr=address, size=size, device_id=1)
        self._data = SimpleNamespace(mem=memory)

    data = property(lambda self: self._data)
    shape = property(lambda _: (3, 4))
    dtype = property(lambda _: "float64")


def test_counts_a_block_of_cupy_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Views of one block have one storage, rounded as CuPy's pool rounds."""
    core: Any = ModuleType("cupy._core.core")
    core._ndarray_base = StandIn
    assert cupy_arrays.arrays() is None
    monkeypatch.setitem(sys.modules, "cupy._core.core", core)
    walk = Walk(Inspector(Turn(30)))
    walk.run(
        [(StandIn(4096, 1000), Place("names", "x")), (StandIn(4096, 1000), Place("names", "y"))]
    )
    (entry,) = walk.ledger
    assert (entry.path, entry.storage.bytes, entry.storage.device_index) == ("x", 1024, 1)
    assert entry.storage.framework == "cupy"
    assert [place.root for place in entry.also] == ["y"]
