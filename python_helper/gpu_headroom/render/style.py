"""The look of the static report, with colours of its own on its own root."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

# A ground of its own, too: the page may be light where the system prefers dark, as on Colab.
_LIGHT = (
    "--gh-ground:#fff;--gh-text:#212121;--gh-muted:#616161;--gh-edge:#bdbdbd;--gh-code:#f2f2f2;"
    "--gh-bar:#1976d2"
)
_DARK = (
    "--gh-ground:#1e1e1e;--gh-text:#e0e0e0;--gh-muted:#a6a6a6;--gh-edge:#5c5c5c;--gh-code:#2b2b2b;"
    "--gh-bar:#64b5f6"
)
_ROOT = ".gpu-headroom-report"

_STYLE = (
    "<style>"
    f"{_ROOT}{{{_LIGHT};background:var(--gh-ground);color:var(--gh-text);"
    "border:1px solid var(--gh-edge);padding:4px 12px;"
    "font:13px/1.5 system-ui,sans-serif;font-variant-numeric:tabular-nums}"
    f"@media (prefers-color-scheme:dark){{{_ROOT}{{{_DARK}}}}}"
    f"html[theme=dark] {_ROOT}{{{_DARK}}}"
    f"{_ROOT} h3{{font-size:15px;margin:8px 0}}"
    f"{_ROOT} h4{{font-size:13px;margin:12px 0 4px;color:var(--gh-muted)}}"
    f"{_ROOT} p{{margin:4px 0}}"
    f"{_ROOT} table{{border-collapse:collapse;margin:8px 0;font:inherit;color:inherit}}"
    f"{_ROOT} :is(th,td){{border:1px solid var(--gh-edge);padding:2px 8px;text-align:left;"
    "font-weight:normal}"
    f"{_ROOT} td:nth-child(2){{text-align:right}}"
    f"{_ROOT} td[aria-hidden]{{color:var(--gh-bar);white-space:nowrap;line-height:1}}"
    f"{_ROOT} :is(pre,code){{background:var(--gh-code);color:inherit;padding:1px 4px}}"
    f"{_ROOT} small,{_ROOT} summary{{color:var(--gh-muted)}}"
    "</style>"
)


def region(name: str, body: Iterable[str]) -> str:
    """Return static HTML with its style, as a landmark by which a screen reader finds it."""
    opening = f'<div class="gpu-headroom-report" role="region" aria-label="{escape(name)}">'
    return f"{opening}{_STYLE}{''.join(body)}</div>"
