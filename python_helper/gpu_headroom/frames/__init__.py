"""Live outputs where no extension of ours is: a frame of the page talks to this kernel by itself.

In the wheel only: a kernel that a page brings its helper into has the extension.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .frames import Frames, _Answering, _Cells


def open_frames(life: _Answering, cells: _Cells, page: str | None = None) -> Frames | None:
    """Return the frames of a life, listening, where the kernel's shell is one of such a page's.

    `page` is its name where a person says it; raises `ValueError` where it is none that is known.
    """
    from . import colab

    if page not in {None, colab.NAME}:
        raise ValueError(
            f'There is no frontend {page!r}: it may be "{colab.NAME}", or be left out.'
        )
    if page is None and not colab.is_colab(life.shell):
        return None
    from .frames import Frames

    frames = Frames(life, cells)
    frames.open()
    return frames
