"""All results are equal and nothing meets on two devices: values are kept on the host."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from gpu_headroom.advice.remedies.keep_numbers import ways

from benchmarks.edits.compare import differences
from benchmarks.edits.kinds.keep_numbers import first_of, names_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gpu_headroom.code.facts import Live
    from gpu_headroom.edits.rewrite import Rewrite

    from benchmarks.edits.program import Program
    from benchmarks.edits.trial import Outcome

_WHERE = re.compile(r", device='cuda:\d+'")


def edit(program: Program, live: Live) -> Mapping[str, Rewrite]:
    """Return what the remedy would do."""
    about = program.about
    found = ways(
        names_of(about["name"]),
        of_graphs=False,
        keyed=True,
        is_cache=about.get("way") == "cache",
        beside=about.get("beside", ()),
    )
    return first_of(program, live, found)


def same(before: Outcome, after: Outcome) -> list[str]:
    """Return what differs, but for the device of what is kept, which print tells, too."""
    one, other = (replace(each, printed=_WHERE.sub("", each.printed)) for each in (before, after))
    return differences(one, other, devices=False)
