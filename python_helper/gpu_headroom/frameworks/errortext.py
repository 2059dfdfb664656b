"""One way to say that the GPU ran out of memory, and how the numbers are read from it.

A format is told by its `sign`; each number is then read by a clause of its own, because every
clause may be missing, wrapped or followed by advice. Sizes are powers of 1024 whatever the
spelling (PyTorch's MPS backend and Paddle print "GB" and divide by 1024).

Patterns stand as frameworks write, and are compiled in lower case, for texts in lower case with
single blanks. Each repetition has a limit: what a message repeats must not be looked through again
from each of its places.
"""

from __future__ import annotations

import re

SIZE = r"((?<!\d)(?<!\d[.,])\d[\d.,]{0,30} ?(?:bytes|[KMGT]i?B\b|[KMGT]\b|B\b))"
COUNT = r"((?<!\d)(?<!\d,)\d[\d,]{0,30})"
INDEX = r"(\d{1,4})(?!\d)"


class Format:
    """One way to say it: a sign, and clauses with a number each.

    Looked for only after the refusals: a short text, or one that other faults share.
    """

    certain = True
    structured = False

    def __init__(self, framework: str, sign: str, **clauses: str) -> None:
        self.framework, self.sign = framework, compiled(sign)
        self.clauses = {key: compiled(value) for key, value in clauses.items()}


def compiled(pattern: str) -> re.Pattern[str]:
    """Compile a pattern as frameworks write it, for texts in lower case."""
    if re.search(r"\\[A-Z]", pattern):
        raise ValueError(f"in lower case an escape of {pattern!r} means its opposite")
    return re.compile(pattern.lower())


class Structured(Format):
    """A text whose structure leaves no doubt; read before anything is refused."""

    structured = True


class Doubtful(Format):
    """A text that also means something else."""

    certain = False
