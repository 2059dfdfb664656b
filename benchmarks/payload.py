"""What travels: into a kernel without helper, and into the browser."""

from __future__ import annotations

import gzip
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

from tests.live import Pack

from benchmarks.measure import Row

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[1]


def pack() -> Pack:
    """Return the helper as the extension carries it, packed from the sources as they are."""
    subprocess.run(["node", str(ROOT / "scripts" / "pack.mjs"), "--quiet"], check=True)
    return Pack.read(ROOT / "src" / "kernel" / "pack.ts")


def rows() -> Iterator[Row]:
    """Measure the pack and the labextension."""
    helper = pack()
    size = len(helper.sources)
    yield Row("the pack, as injected", "≤ 180 kB", f"{size / 1000:.1f} kB", size <= 180_000)
    scripts = [script.read_bytes() for script in (ROOT / "labextension" / "static").glob("*.js")]
    # Loaded only where a kernel has no helper.
    with_pack = [script for script in scripts if helper.sources.encode() in script]
    own = sum(_compressed(script) for script in scripts if script not in with_pack)
    packed = sum(_compressed(script) for script in with_pack)
    yield Row("labextension without the pack, gzip", "", f"{own / 1000:.1f} kB")
    yield Row("the pack in it, loaded on first need, gzip", "", f"{packed / 1000:.1f} kB")


def _compressed(script: bytes) -> int:
    return len(gzip.compress(script, 9))
