"""The clean-up cell: visible code that frees the same, right as it stands, without the helper."""

from __future__ import annotations

import re
from textwrap import indent
from typing import TYPE_CHECKING

from ..format import format_bytes
from ..holders.survey import survey
from .items import SAFE, measured

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from .freeable import Freeable
    from .situation import Situation

_FUNCTION = '''\
def _free_gpu_memory():
    """Free what was chosen in GPU Headroom; this code needs nothing of it."""
{body}

'''
_CALL = "_free_gpu_memory()\ndel _free_gpu_memory\n"
_NEEDS = {"gc": "import gc\n", "sys": "import sys\n", "shell": "\nshell = get_ipython()\n"}
_COLLECT = "gc.collect()\n"
_MOST_SUGGESTED = 3


def cleanup_code(situation: Situation, wanted: Collection[str] | None = None) -> str:
    """Return the code of a clean-up cell that frees the `wanted` items of a plan, and no other.

    It leaves no name behind. `None` is the safe set; then the largest variables follow as `del`
    lines to uncomment.
    """
    items = measured(situation, SAFE if wanted is None else wanted)
    body = "".join(_statements(items))
    needs = "".join(line for name, line in _NEEDS.items() if _uses(name, body))
    function = indent(f"{needs}{body}" or "pass\n", "    ")
    lines = _suggestions(situation) if wanted is None else _deletions(items)
    return _FUNCTION.format(body=function) + "".join(lines) + _CALL


def _statements(items: list[Freeable]) -> Iterator[str]:
    """Yield what the function does, in the order of freeing.

    What is let go hangs in cycles, so garbage goes before the cache. Where a variable is deleted
    altogether, there is nothing else to do about it.
    """
    deleted = {name for each in items for name in each.names}
    others = [each for each in items if each.kind != "cache"]
    set_up = {""}
    for each in others:
        if not each.names and each.id.partition(":")[2] not in deleted:
            if each.setup not in set_up:
                set_up.add(each.setup)
                yield each.setup
            yield _code(each)
    if others and others[-1].kind != "garbage":
        yield _COLLECT
    yield from (_code(each) for each in items if each.kind == "cache")


def _uses(name: str, code: str) -> bool:
    return re.search(rf"\b{name}\b", code) is not None


def _deletions(items: list[Freeable]) -> Iterator[str]:
    return (_code(each) for each in items if each.names)


def _code(item: Freeable) -> str:
    title = item.title["text"]
    if item.blocked is not None:
        return f"# Left out: {title}. {item.blocked['text']}\n"
    return f"{item.code.strip()}\n" if item.code else f"# Left out: {title}. Code cannot do it.\n"


def _suggestions(situation: Situation) -> Iterator[str]:
    """Yield lines that delete the largest variables, commented out: that is the user's choice."""
    found = survey(situation.shell, elsewhere=False)
    held = found.ledger.largest(0, "names", count=_MOST_SUGGESTED) if found else []
    if held:
        yield "# Your own variables that hold most; take the # away to delete one.\n"
    for holder in held:
        yield f"# del {holder['name']}  # {format_bytes(holder['bytes'])}\n"
