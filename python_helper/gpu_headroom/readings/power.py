"""Whether the NVIDIA GPUs are suspended, as in laptops, where a driver call would wake them.

Linux reports it without touching the device (kernel documentation, "Runtime Power Management").
"""

from __future__ import annotations

from pathlib import Path

from .host import text_of

_DEVICES = Path("/sys/bus/pci/devices")
_NVIDIA = "0x10de"
_DISPLAY = "0x03"


class Power:
    """The power state of the NVIDIA GPUs of a machine."""

    def __init__(self, devices: Path = _DEVICES) -> None:
        generator = devices.glob("*/vendor")
        gpus = (path.parent for path in generator if text_of(path) == _NVIDIA)
        self._states = [
            gpu / "power/runtime_status"
            for gpu in gpus
            if text_of(gpu / "class").startswith(_DISPLAY)
        ]

    def asleep(self, *, any_of_them: bool = False) -> bool:
        """Whether all GPUs are suspended, so that no program uses one; or whether any is."""
        suspended = [text_of(path) == "suspended" for path in self._states]
        return any(suspended) if any_of_them else bool(suspended) and all(suspended)
