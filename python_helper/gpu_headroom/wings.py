"""The wings of the helper, one in a line: without its line and its folder, a wing is gone."""

from __future__ import annotations

from functools import cache
from typing import Any, Literal, NamedTuple

from .own import bring


class Listed(NamedTuple):
    """A wing: `module` has its class `WING`; the others are imported when they are first needed.

    `remedies` has rows as in `advice/remedies/`, `items` the `KINDS` of what can be freed.
    """

    module: str
    remedies: str = ""
    items: str = ""


WINGS: tuple[Listed, ...] = (
    Listed(".trends.monitor"),
    Listed(".frames.wing"),
    Listed(".workers.wing"),
    Listed(".edits.wing", remedies=".edits.remedies"),
    Listed(".rerun.wing", items=".rerun.overwritten"),
    Listed(".rescue.wing", items=".rescue.offload"),
    Listed("gpu_dry_run.wing"),
)


@cache
def added(part: Literal["remedies", "items"]) -> tuple[Any, ...]:
    """Return the modules with what wings add to this part of the core."""
    names = [getattr(wing, part) for wing in WINGS]
    return tuple([module for name in names if name and (module := bring(name)) is not None])
