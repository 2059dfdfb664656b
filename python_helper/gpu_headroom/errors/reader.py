"""Texts of errors, shortened to the parts that frameworks write.

A message may carry a log of megabytes. A framework's own text is at its head, or at its tail if
another error wraps it; in the middle of a log it is found by a few words.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..inspection.kinds import args_of, is_kind

if TYPE_CHECKING:
    from collections.abc import Iterator

_WORDS = (
    "to allocate|ut of memory|OOM when|OUT_OF_|ALLOC_FAILED|OutOfMemory|MemoryAllocation|"
    "bad_alloc|GPU memory|KV cache|cache blocks|Dst tensor|Invalid buffer|xecutable batch|"
    "in-use chunks|STATUS_NOT_INIT|CUresult error|ailed with error|llocation on device|"
    "get_temporary_buffer|GPU RAM|mem-fraction-static|prefill tokens|NOT_INITIALIZED when|"
    "uda error(2)|cudaSuccess|Attempting to alloc|of memory on device|evice memory|"
    "dispatched on|VRAM|lower resolution|resource allocation failed|ALLOCATION_FAILURE|"
    "Allocation Failure|ut of the|ot enough|nsufficient|sn't enough|overflow|llocation failed|"
    "AllocFailed|memory_error|to alloc|ot alloc|an't alloc|CUDA calloc|ALLOCAT|sharing the GPU"
)
SIGNS = tuple(_WORDS.split("|"))
"""Words of what frameworks say, as they spell them, less a first letter that may be a capital."""

_READ = 2**16  # characters of all errors of a chain together
_LEAST = 2**10  # of each, however many there are
_SEARCHED = 2**20  # characters at either end of a text in which signs are looked for
_BEFORE, _AFTER = 300, 1000  # what is read around a sign
_MOST_ARGS = 16


class Reader:
    """Reads the errors of one chain or group: long texts in part, and all within a budget."""

    def __init__(self) -> None:
        self._left, self._reach = _READ, _SEARCHED

    def text_of(self, error: BaseException) -> str:
        """Return what an error says, without asking it for its `str`."""
        args = args_of(error)[:_MOST_ARGS]
        return " ".join([self.read(arg) for arg in args if is_kind(arg, str)])

    def read(self, text: str) -> str:
        """Return a short text whole, else its head, its tail and the surroundings of signs."""
        most = max(_LEAST, self._left // 4)
        # `str`'s own methods: a subclass may override them.
        if str.__len__(text) > most:
            text = "".join(_pieces(_ends(text, max(self._reach, most)), most))
            self._reach //= 4
        excerpt = str.__getitem__(text, slice(None))
        self._left -= min(self._left, len(excerpt))
        return excerpt


def _ends(text: str, reach: int) -> str:
    """Return the first and the last characters of a text, as far as `reach`."""
    if str.__len__(text) <= 2 * reach:
        return str.__getitem__(text, slice(None))
    head, tail = slice(reach), slice(-reach, None)
    return f"{str.__getitem__(text, head)}\n{str.__getitem__(text, tail)}"


def _pieces(text: str, most: int) -> Iterator[str]:
    """Yield about `most` characters: half of them from the two ends, half from around signs."""
    end = most // 4
    spans = [(0, end), (len(text) - end, len(text))]
    for sign in SIGNS:
        first = text.find(sign)
        # The last one first: a wrapped text comes after the words of its wrapper.
        places = (text.rfind(sign), first) if first >= 0 else ()
        spans += [(place - _BEFORE, place + _AFTER) for place in places]
    done = 0
    for start, stop in sorted(spans[: 2 + most // 2 // (_BEFORE + _AFTER)]):
        yield ("\n" if start > done else "") + text[max(start, done) : stop]
        done = max(done, stop)
