"""Whether CUDA still works in this process; access to PyTorch only while it does.

After an error that stops CUDA for good, the helper no longer touches the GPU, not even to read,
since a call may block forever. If CUDA turns out to work after all, all is enabled again.
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
    """State of CUDA in this process; `stopped` is set once it has failed for good, with the time.

    `latest` returns the last reading, the only one available from then on.
    """

    def __init__(self, sources: Sources, latest: Callable[[], DeviceSnapshot | None]) -> None:
        self.stopped: Message | None = None
        self._sources = sources
        self._latest = latest
        self._taken_before: dict[int, int] = {}

    def torch(self) -> Any:
        """Return PyTorch if it has initialized CUDA and CUDA works, else `None`."""
        if self.stopped is not None or self._sources.torch.state() != "live":
            return None
        return imported("torch")

    def is_up(self) -> bool:
        """Whether a framework of this process uses CUDA, by its last known state."""
        latest = self._latest()
        return self._sources.torch.state() == "live" or (
            latest is not None and latest.state == "live"
        )

    def stop(self) -> None:
        """Leave the GPU alone from now on, and keep the last reading; repeated calls are safe."""
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
        """Return whether CUDA has worked since it was marked as stopped; if so, enable all again.

        The evidence is that PyTorch received memory from the driver on each device that it had
        used, by the allocator's counters, which are read without a CUDA call.
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
