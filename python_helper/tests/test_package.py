"""The package as a person imports it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from typing import TYPE_CHECKING

import gpu_headroom
from tests.live import SOURCES

if TYPE_CHECKING:
    from pathlib import Path


def python(code: str) -> subprocess.CompletedProcess[str]:
    """Run code in a fresh interpreter that can import the package."""
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        cwd=SOURCES,
        capture_output=True,
        text=True,
        check=False,
    )


def test_exports_are_sorted_and_there() -> None:
    """`__all__` is honest."""
    assert gpu_headroom.__all__ == sorted(gpu_headroom.__all__, key=str.lower)
    assert all(hasattr(gpu_headroom, name) for name in gpu_headroom.__all__)


def test_importing_starts_nothing() -> None:
    """No thread, no framework, no IPython, no output."""
    result = python(
        "import sys, threading, gpu_headroom\n"
        "assert threading.active_count() == 1\n"
        "assert not {'torch', 'IPython', 'gpu_headroom.session'} & set(sys.modules)"
    )
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")


def test_simulates_by_the_name_people_know() -> None:
    """Before and after an import of the module of the function's name."""
    result = python(
        "import sys, gpu_headroom\n"
        "assert 'gpu_simulator' not in sys.modules\n"
        "assert gpu_headroom.simulate.active() is None\n"
        "import gpu_headroom.simulate\n"
        "from gpu_headroom.simulate import active, simulate\n"
        "assert gpu_headroom.simulate is simulate\n"
        "with gpu_headroom.simulate('1 GiB') as started:\n"
        "    assert gpu_headroom.simulate.active() is active() is started\n"
    )
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")


def test_a_function_and_a_folder_share_a_name() -> None:
    """What people call stays the function, whatever is imported of the folder."""
    assert gpu_headroom.holders.__module__ == "gpu_headroom"
    result = python(
        "import gpu_headroom, gpu_headroom.holders.names\n"
        "from gpu_headroom.holders import walk\n"
        "print(gpu_headroom.holders())"
    )
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout == "Not measured: no GPU framework is live.\n"


def test_outside_ipython_it_says_so() -> None:
    """Starting in a plain Python is one clear sentence."""
    result = python("import gpu_headroom; gpu_headroom.start()")
    assert result.stderr.splitlines()[-1] == (
        "RuntimeError: GPU Headroom works inside IPython or Jupyter; this Python runs neither."
    )


def test_a_terminal_gets_its_report_as_text(tmp_path: Path) -> None:
    """In terminal IPython a failing cell is explained in words, below its traceback."""
    lines = (
        "%load_ext gpu_headroom",
        "%gpu_headroom simulate 1GiB",
        "import torch",
        "x = torch.empty(2 ** 30, device='cuda')",
        "1 / 0",
        "from gpu_headroom.session import current",
        "print('waiting:', len(current().mainloop._jobs))",
        "%gpu_headroom free",
        "kept = torch.zeros(2**25, device='cuda')",
        "%gpu_headroom",
        "%gpu_headroom holders",
        "%gpu_headroom plan",
        "%gpu_headroom snapshot",
        "%gpu_headroom snapshot no/such/folder/x.pickle",
        "%gpu_headroom whatever",
        "%unload_ext gpu_headroom",
    )
    result = subprocess.run(
        [
            *(sys.executable, "-m", "IPython", "--simple-prompt", "--no-banner"),
            *("--no-confirm-exit", "--colors=nocolor"),
        ],
        input="\n".join(lines),
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "IPYTHONDIR": str(tmp_path), "PYTHONPATH": str(SOURCES)},
    )
    output = result.stdout
    assert output.index("torch.empty(2 ** 30") < output.index("Out of simulated GPU memory")
    assert "What you can do" in output
    assert "One request of 4.0 GiB on a GPU of 1.0 GiB" in output
    assert "waiting: 0" in output
    assert "Nothing was freed." in output
    assert re.search(r"^GPU +Name +Used +Headroom +In use +Cached +Outside", output, re.MULTILINE)
    assert re.search(r"^0 +Simulated GPU +0\.5 GiB +0\.5 GiB +0\.1 GiB", output, re.MULTILINE)
    assert "0.1 GiB in use = 0.1 GiB named" in output
    assert re.search(r"^0\.1 GiB +tensor +kept$", output, re.MULTILINE)
    assert re.search(r"^garbage +not measured +Nothing is lost\.$", output, re.MULTILINE)
    assert f"to `{tmp_path}/gpu-headroom-snapshot-" in output
    assert "The snapshot could not be written: No such file or directory." in output
    assert "%gpu_headroom holders          who holds what" in output
    assert result.stderr == ""
