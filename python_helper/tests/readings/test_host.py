"""Host memory, from files as Linux writes them."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
from gpu_headroom.readings import host
from gpu_headroom.readings.snapshot import HostReading

if TYPE_CHECKING:
    from pathlib import Path

GIB = 2**30


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A machine of 64 GiB with 48 available, without control groups."""
    write(tmp_path, "proc/meminfo", "MemTotal: 67108864 kB\nMemAvailable: 50331648 kB\n")
    write(tmp_path, "proc/self/statm", "9999 1000 10 1 0 500 0\n")
    return tmp_path


def write(root: Path, name: str, text: str) -> None:
    """Write one file of the machine."""
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def test_without_a_container(root: Path) -> None:
    """The machine's own numbers, and the pages that this process keeps resident."""
    resident = 1000 * os.sysconf("SC_PAGE_SIZE")
    machine = 48 * GIB, 64 * GIB
    assert host.read(root) == HostReading(resident, *machine, None, *machine)


def test_in_a_container_of_cgroup_2(root: Path) -> None:
    """The limit counts as the total; pages of files that can be given up count as available."""
    write(root, "proc/self/cgroup", "0::/\n")
    write(root, "sys/fs/cgroup/memory.max", f"{8 * GIB}\n")
    write(root, "sys/fs/cgroup/memory.current", f"{6 * GIB}\n")
    write(root, "sys/fs/cgroup/memory.stat", f"anon 1\ninactive_file {GIB}\n")
    reading = host.read(root)
    assert (reading.available_bytes, reading.total_bytes) == (3 * GIB, 8 * GIB)
    assert reading.machine_available_bytes == 48 * GIB
    assert reading.machine_total_bytes == 64 * GIB


def test_the_tightest_of_nested_groups_counts(root: Path) -> None:
    """A group without a limit is bound by the groups above it."""
    write(root, "proc/self/cgroup", "0::/user/notebook\n")
    write(root, "sys/fs/cgroup/user/notebook/memory.max", "max\n")
    write(root, "sys/fs/cgroup/user/notebook/memory.current", "5\n")
    write(root, "sys/fs/cgroup/user/memory.max", f"{4 * GIB}\n")
    write(root, "sys/fs/cgroup/user/memory.current", f"{GIB}\n")
    reading = host.read(root)
    assert (reading.available_bytes, reading.total_bytes) == (3 * GIB, 4 * GIB)


def test_in_a_container_of_cgroup_1(root: Path) -> None:
    """The older hierarchy has other names, and a huge number where there is no limit."""
    write(root, "proc/self/cgroup", "12:cpu,cpuacct:/\n9:memory:/docker/abc\n")
    write(root, "sys/fs/cgroup/memory/memory.limit_in_bytes", f"{2 * GIB}\n")
    write(root, "sys/fs/cgroup/memory/memory.usage_in_bytes", f"{GIB}\n")
    write(root, "sys/fs/cgroup/memory/docker/abc/memory.limit_in_bytes", "9223372036854771712\n")
    write(root, "sys/fs/cgroup/memory/docker/abc/memory.usage_in_bytes", "1\n")
    reading = host.read(root)
    assert (reading.available_bytes, reading.total_bytes) == (GIB, 2 * GIB)


@pytest.mark.parametrize(
    ("group", "file", "text"),
    [
        ("0::/user/notebook\n", "user/notebook/memory.events", "oom 9\noom_kill 2\n"),
        ("0::/of/the/host\n", "memory.events", "oom 9\noom_kill 2\noom_group_kill 7\n"),
        (
            "9:memory:/docker/abc\n0::/\n",
            "memory/docker/abc/memory.oom_control",
            "oom_kill_disable 0\nunder_oom 0\noom_kill 2\n",
        ),
    ],
)
def test_counts_whom_the_system_has_ended(root: Path, group: str, file: str, text: str) -> None:
    """By the nearest control group that counts, or else on the whole machine."""
    write(root, "proc/vmstat", "pgfault 4\noom_kill 11\n")
    write(root, "proc/self/cgroup", group)
    assert host.read(root).oom_kills == 11
    write(root, f"sys/fs/cgroup/{file}", text)
    assert host.read(root).oom_kills == 2


def test_elsewhere_it_is_not_measured(tmp_path: Path) -> None:
    """Without /proc nothing is guessed."""
    assert host.read(tmp_path) == HostReading(None, None, None)


def test_on_this_machine() -> None:
    """Real files agree with each other: resident is part of what is not available."""
    reading = host.read()
    assert reading.rss_bytes is not None
    assert reading.available_bytes is not None
    assert reading.total_bytes is not None
    assert 2**20 < reading.rss_bytes < reading.total_bytes
    assert reading.available_bytes < reading.total_bytes
