"""The HTML of a live output: its static reading, its ids, and a script."""

from __future__ import annotations

import json
from functools import cache
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..protocol.generated.wire import FrameOutput, FrameScript

_FOLDER = Path(__file__).parent


def live_html(static: str, output: FrameOutput) -> str:
    """Return a static reading followed by its script.

    A gauge is saved with its whole script, since it is live while its own cell runs. A report has a
    small one that requests the rest (`report_script`). Neither defines a global name, and neither
    changes anything unless the front end can connect it to the kernel that made this very output.
    """
    try:
        if output["kind"] == "gauge":
            code = f"<style>{_asset('gauge.css')}</style><script>{_asset('gauge.js')}</script>"
        else:
            code = f"<script>{_asset('loader.js')}</script>"
    except FileNotFoundError:  # a source tree that was not built
        return static
    attribute = escape(json.dumps(output))
    return f'<div class="gpu-headroom-frame" data-gpu-headroom="{attribute}">{static}</div>{code}'


def report_script() -> FrameScript:
    """Return the script and style of a report's output."""
    return {"script": _asset("report.js"), "style": _asset("report.css")}


@cache
def _asset(name: str) -> str:
    """Return a file that `scripts/frame.mjs` generates; it contains no `</`."""
    return (_FOLDER / name).read_text(encoding="utf-8")
