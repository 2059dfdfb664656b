"""Running out of memory and freeing it, again and again: nothing adds up."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.cycles import growth

if TYPE_CHECKING:
    from tests.conftest import Start
    from tests.live import Pack

CYCLES = 50
# IPython itself keeps about three objects for each of the two cells of a cycle.
OBJECTS_OF_IPYTHON = 10
# Five minutes of readings, one a second, are remembered: on a slow machine they are still filling.
OBJECTS_OF_HISTORY = 700


@pytest.mark.timeout(600)  # half a minute where nothing else runs
def test_nothing_grows_over_many_failures(start_newest: Start, pack: Pack) -> None:
    """GPU memory, tensors and errors are what they were, objects what IPython itself adds."""
    kernel = start_newest(installed=True, GPU_HEADROOM_SIMULATE="4GiB")
    kernel.inject(pack)
    kernel.attach()
    grown = growth(kernel, CYCLES)
    assert (grown.in_use_bytes, grown.tensors, grown.errors) == (0, 0, 0)
    assert grown.objects < OBJECTS_OF_IPYTHON * CYCLES + OBJECTS_OF_HISTORY
    assert grown.rss_bytes < 32 * 2**20
