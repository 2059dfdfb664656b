"""One format of a message that the GPU ran out of memory, and the reading of its numbers.

A format is recognized by its `sign`; each number is then read by a clause of its own, because every
clause may be missing, wrapped or followed by advice. Sizes are powers of 1024 whatever the spelling
(PyTorch's MPS backend and Paddle print "GB" and divide by 1024).

Patterns are spelled as in the frameworks, and compiled in lower case, for texts in lower case with
single blanks. Each repetition has a limit, so that a repetitive message cannot make matching start
over at each of its positions.
"""

from __future__ import annotations

import re

SIZE = r"((?<!\d)(?<!\d[.,])\d[\d.,]{0,30} ?(?:bytes|[KMGT]i?B\b|[KMGT]\b|B\b))"
COUNT = r"((?<!\d)(?<!\d,)\d[\d,]{0,30})"
INDEX = r"(\d{1,4})(?!\d)"


class Format:
    """One message format: a sign, and clauses with a number each.

    Tried only after the refusals, as the text is short or shared with other errors.
    """

    certain = True
    structured = False

    def __init__(self, framework: str, sign: str, **clauses: str) -> None:
        self.framework, self.sign = framework, compiled(sign)
        self.clauses = {key: compiled(value) for key, value in clauses.items()}


def compiled(pattern: str) -> re.Pattern[str]:
    """Compile a pattern, spelled as in the framework, for texts in lower case."""
    if re.search(r"\\[A-Z]", pattern):
        raise ValueError(f"in lower case an escape of {pattern!r} means its opposite")
    return re.compile(pattern.lower())


class Structured(Format):
    """Message with an unmistakable structure; read before any refusals."""

    structured = True


class Doubtful(Format):
    """Message that also has another meaning."""

    certain = False
