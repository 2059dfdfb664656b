"""The guards and figures on a real CUDA GPU, each in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any

import pytest
import torch
from tests.live import SOURCES

pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA GPU"),
]

SETUP = """
import json
import torch
from gpu_headroom.readings import nvml
from gpu_headroom.readings.sources import Sources
from gpu_headroom.frameworks.cupy.reading import contexts
failures = []
sources = Sources(lambda part, error: failures.append(f"{part}: {error}"))
def look():
    sources.prepare()
    return sources.read()
def say(**said):
    print(json.dumps({**said, "failures": failures}))
"""


def run(code: str) -> dict[str, Any]:
    """Run code after the setup, and return what it says."""
    result = subprocess.run(
        [sys.executable, "-c", SETUP + code],
        check=True,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(SOURCES)},
    )
    values: dict[str, Any] = json.loads(result.stdout)
    assert values["failures"] == []
    return values


def test_looking_makes_no_context() -> None:
    """The driver's totals are there, and this process is on no GPU."""
    values = run(
        "reading = look()\n"
        "say(state=reading.state, devices=len(reading.devices), contexts=sorted(contexts()),\n"
        "    initialised=torch.cuda.is_initialized(),\n"
        "    free=[each.free_bytes for each in reading.devices])"
    )
    assert values["state"] == "not_initialised"
    assert values["devices"] >= 1
    assert None not in values["free"]
    assert (values["contexts"], values["initialised"]) == ([], False)


def test_a_device_that_is_not_used_stays_without_a_context() -> None:
    """Of several GPUs only the one in use has a context, however often we look."""
    if torch.cuda.device_count() < 2:
        pytest.skip("one CUDA GPU only")
    values = run(
        "kept = torch.ones(2**20, device='cuda:1')\n"
        "for _ in range(5): look()\n"
        "say(contexts=sorted(contexts()), torch=[bool(torch._C._cuda_hasPrimaryContext(each))\n"
        "    for each in range(2)])"
    )
    assert (values["contexts"], values["torch"]) == ([1], [False, True])


def test_the_driver_and_pytorch_mean_the_same_gpu() -> None:
    """Matched by UUID: as many devices as PyTorch counts, the used one with its own numbers."""
    values = run(
        "kept = torch.empty(2**28, dtype=torch.uint8, device='cuda:0')\n"
        "reading = look()\n"
        "device = reading.devices[0]\n"
        "say(devices=len(reading.devices), count=torch.cuda.device_count(), uuid=device.uuid,\n"
        "    own=str(getattr(torch.cuda.get_device_properties(0), 'uuid', device.uuid)),\n"
        "    in_use=device.in_use_bytes)"
    )
    assert values["devices"] == values["count"]
    assert values["uuid"] == values["own"]
    assert values["in_use"] == 2**28


def test_outside_is_what_the_gpu_uses_beyond_pytorch() -> None:
    """The parts make up the capacity, and free is what CUDA itself says, give or take others."""
    values = run(
        "kept = torch.empty(2**28, dtype=torch.uint8, device='cuda:0')\n"
        "device = look().devices[0]\n"
        "say(device=device.as_wire(), cuda=torch.cuda.mem_get_info(0))"
    )
    device = values["device"]
    parts = ("outside_bytes", "in_use_bytes", "cached_bytes", "free_bytes")
    assert sum(device[part] for part in parts) == device["capacity_bytes"]
    assert device["capacity_bytes"] == values["cuda"][1]
    assert device["free_bytes"] == pytest.approx(values["cuda"][0], abs=64 * 2**20)
    assert device["outside_bytes"] > 0


def test_this_process_is_not_among_the_others() -> None:
    """Where the driver lists processes and knows this one, it is left out."""
    values = run(
        "import os\n"
        "kept = torch.ones(1, device='cuda:0')\n"
        "listed = nvml.processes(look().devices[0])\n"
        "say(own=os.getpid(), others=None if listed is None else [each['pid'] for each in listed])"
    )
    assert values["others"] is None or values["own"] not in values["others"]
