"""The parts of pages that programs write, between two marks."""

from __future__ import annotations


def renewed(page: str, begin: str, end: str, content: str) -> str:
    """Return a page with `content`, which ends its last line, between its marks.

    Raises `ValueError` where a mark is missing, or the first one is there twice.
    """
    before, rest = page.split(begin)
    _, after = rest.split(end, 1)
    return f"{before}{begin}\n{content}\n{end}{after}"
