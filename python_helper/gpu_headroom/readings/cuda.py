"""Whether CUDA still answers in this process, and the door to PyTorch that asks first.

After an error that stops CUDA for good nothing of ours touches the GPU: not even to read, since
a call may wait for ever. Should CUDA answer after all, everything goes back to normal.
"""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..frameworks.imported import imported
from ..frameworks.torch.private import driver_bytes
from ..text.messages import message
from .sources import Reading

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..protocol.generated.wire import Message
    from .snapshot import DeviceSnapshot
    from .sources import Sources

_UNKNOWN: dict[str, Any] = dict.fromkeys(("free_bytes", "outside_bytes", "others_bytes"))


class Cuda:
    """CUDA as this process finds it; `stopped` says that it has failed for good, and since when.

    `latest` returns the last reading: it is all there is to see from then on.
    """

    def __init__(self, sources: Sources, latest: Callable[[], DeviceSnapshot | None]) -> None:
        self.stopped: Message | None = None
        self._sources = sources
        self._latest = latest
        self._taken_before: dict[int, int] = {}

    def torch(self) -> Any:
        """Return PyTorch where it is up and CUDA answers, else `None`."""
        if self.stopped is not None or self._sources.torch.state() != "live":
            return None
        return imported("torch")

    def is_up(self) -> bool:
        """Whether a framework of this process uses CUDA, told from what is known already."""
        latest = self._latest()
        return self._sources.torch.state() == "live" or (
            latest is not None and latest.state == "live"
        )

    def stop(self) -> None:
        """Leave the GPU alone from now on, where that is not so already."""
        if self.stopped is not None:
            return
        self.stopped = message("sticky_error.sentence", since_s=time.time())
        latest = self._latest()
        devices = () if latest is None else latest.devices
        self._sources.frozen = Reading(
            "live" if latest is None else latest.state,
            tuple([replace(device, **_UNKNOWN, notes=(self.stopped,)) for device in devices]),
            None if latest is None else latest.host,
        )
        self._taken_before = {
            device.index: driver_bytes(device.index) or 0
            for device in devices
            if any(one.name == "torch" for one in device.frameworks)
        }

    def answers_again(self) -> bool:
        """Go back to normal if CUDA has answered since it was said to have stopped; whether it has.

        Proof is that PyTorch got memory from the driver on each device that it had used, by what
        the allocator counts, which is no call of CUDA's.
        """
        for index, before in list(self._taken_before.items()):
            taken = driver_bytes(index)
            if taken is None:
                return False
            self._taken_before[index] = min(before, taken)  # the counters may have been reset
            if taken > before:
                del self._taken_before[index]
                if not self._taken_before:
                    self.stopped = self._sources.frozen = None
                    return True
        return False
