"""A kernel that the system ends: what the next one tells of it."""

from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING

from tests.live import LiveKernel

if TYPE_CHECKING:
    from pathlib import Path

    from tests.live import Pack

# A stand-in for the files in which Linux counts whom it has ended for want of memory.
PATCH = """
import os
opens = os.open
def opened(path, *args, **kwargs):
    counts = ("memory.oom_control", "memory.events", "vmstat")
    return opens({counts!r} if os.fspath(path).endswith(counts) else path, *args, **kwargs)
os.open = opened
"""


def test_the_next_life_counts_one_more(newest_python: Path, pack: Pack, tmp_path: Path) -> None:
    """The counter of the last reading before SIGKILL, and that of the first one after it."""
    counts = tmp_path / "counts"
    patch = PATCH.format(counts=str(counts))
    kills = []
    with LiveKernel(newest_python, tmp_path) as kernel:
        for count in (4, 5):
            counts.write_text(f"oom_kill_disable 0\nunder_oom 0\noom_kill {count}\n")
            kernel.run(patch)
            kernel.inject(pack)
            kernel.attach()
            kernel.until(lambda: kernel.sample()["host"] is not None)
            kills.append(kernel.sample()["host"]["oom_kills"])
            if count == 4:
                os.kill(kernel.value("__import__('os').getpid()"), signal.SIGKILL)
                kernel.restart()
    assert kills == [4, 5]
