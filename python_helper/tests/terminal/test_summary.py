"""The text interface: the numbers of the wire in plain tables, in scripts and terminals."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
import torch
from gpu_headroom.__main__ import main
from gpu_headroom.concurrency.turns import Turn
from gpu_headroom.frameworks.view import FrameworkReading
from gpu_headroom.holders.account import take
from gpu_headroom.readings.snapshot import DeviceReading, DeviceSnapshot, HostReading
from gpu_headroom.release import items as freeable_items
from gpu_headroom.session.session import Session
from gpu_headroom.terminal import magics, script
from gpu_headroom.terminal.summary import (
    list_holders,
    list_items,
    summarise,
)
from gpu_headroom.testing import RecordingChannel
from gpu_headroom.text.format import format_bytes
from gpu_simulator import simulate
from tests.live import SOURCES
from tests.notebook import Notebook, open_notebook

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


MIB, GIB = 2**20, 2**30
MAKE = "import torch\nbatch = [torch.empty({mib} * 2**20, dtype=torch.uint8, device='cuda')]"


@pytest.fixture
def notebook() -> Iterator[Notebook]:
    """A notebook on a simulated GPU with 600 MiB in a list."""
    with simulate("4 GiB"), open_notebook() as notebook:
        assert notebook.run(MAKE.format(mib=600)).success
        yield notebook


def reading(index: int, **changes: Any) -> DeviceReading:
    """Return a device with 3 GiB in use by PyTorch of 16."""
    torch_reading = FrameworkReading("torch", 3 * GIB, GIB, None, None, None)
    values: dict[str, Any] = {
        "index": index,
        "backend": "cuda",
        "name": "A card",
        "uuid": None,
        "simulated": False,
        "capacity_bytes": 16 * GIB,
        "capacity_limited": False,
        "shared_with_host": False,
        "free_bytes": 10 * GIB,
        "outside_bytes": 2 * GIB,
        "others_bytes": None,
        "frameworks": (torch_reading,),
    }
    return DeviceReading(**{**values, **changes})


def test_says_the_numbers_of_each_device() -> None:
    """One row per device with used, headroom, in use, cached, outside, free and capacity."""
    unknown = reading(1, free_bytes=None, outside_bytes=None, frameworks=())
    host = HostReading(GIB, 20 * GIB, None)
    lines = summarise(DeviceSnapshot(1, 0.0, "live", (reading(0), unknown), host)).splitlines()
    columns = [re.split(r"  +", line) for line in lines[:3]]
    assert columns[1] == [
        *("0", "A card", "5.0 GiB", "11.0 GiB", "3.0 GiB"),
        *("1.0 GiB", "2.0 GiB", "10.0 GiB", "16.0 GiB"),
    ]
    assert columns[2][2:] == [
        *("not measured", "not measured", "0 MiB", "0 MiB"),
        *("not measured", "not measured", "16.0 GiB"),
    ]
    assert lines[3] == ("Host memory: 1.0 GiB in this process, 20.0 GiB available of not measured")


@pytest.mark.parametrize(
    ("snapshot", "says"),
    [
        (None, "The GPU could not be read."),
        (DeviceSnapshot(1, 0.0, "no_framework", ()), "No GPU framework is loaded yet."),
        (DeviceSnapshot(1, 0.0, "not_initialised", ()), "PyTorch has not used the GPU yet."),
        (DeviceSnapshot(1, 0.0, "no_gpu", ()), "This PyTorch has no GPU."),
        (DeviceSnapshot(1, 0.0, "live", ()), "No GPU is in use yet."),
    ],
)
def test_says_why_there_is_no_device(snapshot: DeviceSnapshot | None, says: str) -> None:
    """Without a device there is one sentence."""
    assert summarise(snapshot) == says


def test_says_the_numbers_of_the_wire(notebook: Notebook) -> None:
    """Every number of an account stands in the text as it stands in the event."""
    account = take(notebook.shell, notebook.read(), Turn(30.0))
    event = account.as_wire("helper", None)
    text = list_holders(event)
    (device,) = event["devices"]
    assert text.splitlines()[0] == event["message"]["text"]
    assert f"GPU 0: {format_bytes(device['in_use_bytes'])} in use = " in text
    row = next(entry for entry in device["rows"] if entry["name"] == "batch")
    assert row["bytes"] == 600 * MIB
    assert re.search(r"^0\.6 GiB +tensor +batch$", text, re.MULTILINE)
    assert "Made in" not in text


def test_lists_items_with_their_price(notebook: Notebook) -> None:
    """What is not measured before it is freed says so; what is lost comes after what is not."""
    lines = list_items(freeable_items.plan(notebook.situation())).splitlines()
    apart = lines.index("Only with --confirm:")
    garbage, variable = (
        next(at for at, line in enumerate(lines) if line.startswith(item))
        for item in ("garbage ", "variable:batch ")
    )
    assert re.split("  +", lines[garbage]) == ["garbage", "not measured", "Nothing is lost."]
    assert garbage < apart < variable
    assert re.split("  +", lines[variable])[1:] == [
        "0.6 GiB",
        "Cells that use it will fail until it is created again.",
    ]


def magic(notebook: Notebook, line: str) -> str:
    """Type a line of the magic, with a helper of this notebook's own."""
    session = Session(notebook.shell, RecordingChannel())
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(vars(notebook.shell), "_gpu_headroom", session)
        magics.register(notebook.shell)
        notebook.run(f"%gpu_headroom {line}")
    session.sampler.stop()
    return notebook.printed.strip()


def test_the_magic_asks_before_it_deletes(notebook: Notebook) -> None:
    """A bare name is the variable; without `--confirm` its price is told and nothing happens."""
    before = notebook.in_use()
    text = magic(notebook, "free batch")
    assert "`variable:batch` loses something" in text
    assert "Delete `batch`?" in text
    assert text.endswith("Add --confirm to free it all the same.")
    assert notebook.in_use() == before
    text = magic(notebook, "free batch --confirm")
    assert text.startswith("Freed 0.6 GiB")
    assert before - notebook.in_use() == 600 * MIB
    assert "batch" not in notebook.shell.user_ns


def test_the_magic_frees_what_is_safe(notebook: Notebook) -> None:
    """Without a name it is the safe set, and the plan lists it first."""
    notebook.run("def work():\n    x = torch.empty(2**28, device='cuda')\n    1 / 0\nwork()")
    assert re.search(r"^traceback +1\.0 GiB", magic(notebook, "plan"), re.MULTILINE)
    assert magic(notebook, "free").startswith("Freed 1.0 GiB")
    assert notebook.shell.user_ns["batch"]


# --- Scripts and terminals ------------------------------------------------------


def python(*arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run a fresh interpreter that can import the package."""
    return subprocess.run(
        [sys.executable, "-W", "error", *arguments],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(SOURCES), **variables},
    )


SCRIPT = """
import gpu_headroom
gpu_headroom.simulate("4 GiB")
import torch
weights = torch.ones(2**28, device="cuda")
print(gpu_headroom.status())
print(gpu_headroom.holders())
print(gpu_headroom.holders())
"""


def test_works_in_a_plain_script(tmp_path: Path) -> None:
    """Without IPython the names are those of the script, however often one asks."""
    file = tmp_path / "train.py"
    file.write_text(SCRIPT)
    result = python(str(file))
    assert result.stderr == ""
    assert re.search(r"^0 +Simulated GPU +1\.4 GiB", result.stdout, re.MULTILINE)
    assert len(re.findall(r"^1\.0 GiB +tensor +weights$", result.stdout, re.MULTILINE)) == 2


def test_a_terminal_without_a_gpu_gets_a_sentence() -> None:
    """`python -m gpu_headroom status` fails with code 1 and one sentence, starting nothing."""
    result = python("-m", "gpu_headroom", "status", LD_LIBRARY_PATH="")
    if result.returncode == 0:
        pytest.skip("this machine has a GPU")
    assert (result.returncode, result.stdout) == (1, "")
    assert result.stderr == "No GPU could be read: no NVIDIA driver answers on this machine.\n"


@pytest.mark.parametrize("arguments", [[], ["explode"], ["status", "more"]])
def test_a_wrong_command_gets_the_usage(arguments: list[str]) -> None:
    """A command that there is not ends with code 2 and the usage."""
    result = python("-m", "gpu_headroom", *arguments)
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr.startswith("usage: python -m gpu_headroom")


def test_a_terminal_gets_totals_and_processes(capsys: pytest.CaptureFixture[str]) -> None:
    """What the driver says of each GPU, with the processes on it; no framework is started."""
    with simulate("4 GiB", outside="1 GiB"):
        assert main(["status"]) == 0
        assert not torch.cuda.is_initialized()
        (device,) = script.read().devices
    text = capsys.readouterr().out
    assert text.splitlines()[1].split()[:3] == ["0", "Simulated", "GPU"]
    assert format_bytes(device.free_bytes or 0) in text
