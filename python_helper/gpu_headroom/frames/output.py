"""The HTML of an output that comes to live: its static reading, and a script that knows its ids."""

from __future__ import annotations

import json
from functools import cache
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..protocol.generated.wire import FrameOutput

_FOLDER = Path(__file__).parent


def live_html(static: str, output: FrameOutput) -> str:
    """Return a static reading with the script over it.

    The script is one function without names outside it; it touches nothing unless the page lets
    it talk to the kernel that made this very output.
    """
    try:
        style, script = _asset(f"{output['kind']}.css"), _asset(f"{output['kind']}.js")
    except FileNotFoundError:  # sources of which nothing was built
        return static
    known = escape(json.dumps(output))
    return (
        f'<div class="gpu-headroom-frame" data-gpu-headroom="{known}">{static}</div>'
        f"<style>{style}</style><script>{script}</script>"
    )


@cache
def _asset(name: str) -> str:
    """Read what `scripts/frame.mjs` generates; it has no `</` in it."""
    return (_FOLDER / name).read_text(encoding="utf-8")
