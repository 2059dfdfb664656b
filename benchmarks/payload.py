"""What travels: into a kernel without helper, and into the browser."""

from __future__ import annotations

import gzip
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

from tests.live import Packs

from benchmarks.measure import Row

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[1]


def packs() -> Packs:
    """Return the helper as the extension carries it, packed from the sources as they are."""
    subprocess.run(["node", str(ROOT / "scripts" / "pack.mjs"), "--quiet"], check=True)
    return Packs.read(ROOT / "src" / "kernel" / "packs.ts")


def rows() -> Iterator[Row]:
    """Measure the two packs and the labextension."""
    carried = packs()
    core, whole = len(carried.core), len(carried.core) + len(carried.more)
    yield Row("core pack, as injected", "", f"{core / 1000:.1f} kB")
    yield Row("both packs", "≤ 220 kB", f"{whole / 1000:.1f} kB", whole <= 220_000)
    scripts = [each.read_bytes() for each in (ROOT / "labextension" / "static").glob("*.js")]
    # Loaded only where a kernel has no helper.
    with_packs = [each for each in scripts if carried.core.encode() in each]
    own = sum(_compressed(each) for each in scripts if each not in with_packs)
    packed = sum(_compressed(each) for each in with_packs)
    own_size = f"{own / 1000:.1f} kB"
    yield Row("labextension without the packs, gzip", "≤ 60 kB", own_size, own <= 60_000)
    yield Row("the packs in it, loaded on first need, gzip", "", f"{packed / 1000:.1f} kB")


def _compressed(script: bytes) -> int:
    return len(gzip.compress(script, 9))
