"""TensorFlow's allocator on GPUs. Declared, not run on a GPU; its guards ran on the CPU build.

Memory functions of `tf.config` start TensorFlow's runtime. So its context is looked up where
TensorFlow keeps it, and read only if it is initialized.
"""

# ruff: noqa: SLF001 -- only the private context shows what TensorFlow has started

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from ...text.messages import message
from ..imported import imported
from ..view import FrameworkReading, View
from . import TITLE

if TYPE_CHECKING:
    from ...protocol.generated import wire

_CONTEXT = "tensorflow.python.eager.context"
_CALLS = "tensorflow.python.pywrap_tfe"
_LIMITS = "tensorflow.python.client.pywrap_tf_session"


class TensorFlow:
    """Source for TensorFlow, one device for each of its logical GPUs."""

    def __init__(self) -> None:
        self._limits: dict[str, int] | None = None

    def state(self) -> wire.State:
        """Return whether TensorFlow's runtime is initialized and has a GPU."""
        module = imported(_CONTEXT)
        if imported("tensorflow") is None or module is None:
            return "no_framework"
        context = getattr(module, "_context", None)
        if not getattr(context, "_initialized", False):
            return "not_initialised"
        return "live" if _gpus(context) else "no_gpu"

    def read(self) -> tuple[View, ...]:
        """Read each logical GPU of the initialized context."""
        context = imported(_CONTEXT)._context
        if self._limits is None:
            self._limits = _limits(context)
        return tuple(
            [self._view(context, index, name) for index, name in enumerate(_gpus(context))]
        )

    def caches(self) -> tuple[()]:
        """Return nothing: TensorFlow keeps its memory until the process ends."""
        return ()

    def _view(self, context: Any, index: int, name: str) -> View:
        stats = imported(_CALLS).TFE_GetMemoryInfo(context._context_handle, f"GPU:{index}")
        in_use, peak = stats["current"], stats.get("peak")
        limit = (self._limits or {}).get(name)
        # The pool is taken as a whole with the first tensor, unless it may grow.
        preallocated = bool(peak) and not _grows(context)
        cached: int | None = None
        notes: tuple[wire.Message, ...] = ()
        if preallocated and limit is not None:
            cached = max(0, limit - in_use)
            notes = (message("note.preallocated", framework=TITLE, pool_bytes=limit),)
        elif not peak:
            cached = 0
        return View(
            index=index,
            backend="rocm" if _is_rocm() else "cuda",
            limit_bytes=limit,
            limit_source="TF_DeviceListMemoryBytes",
            framework=FrameworkReading(
                name="tensorflow",
                in_use_bytes=in_use,
                cached_bytes=cached,
                peak_in_use_bytes=peak,
                preallocated=preallocated,
                source="get_memory_info()",
            ),
            notes=notes,
        )


SOURCE = TensorFlow


def _gpus(context: Any) -> list[str]:
    devices = context._logical_devices or []
    return [device.name for device in devices if device.device_type == "GPU"]


def _grows(context: Any) -> bool:
    """Whether the pool grows on need ("Limiting GPU memory growth", TensorFlow's GPU guide)."""
    if os.environ.get("TF_FORCE_GPU_ALLOW_GROWTH", "").lower() in ("true", "1"):
        return True
    if os.environ.get("TF_GPU_ALLOCATOR"):
        return True
    return any((context._memory_growth_map or {}).values())


def _limits(context: Any) -> dict[str, int]:
    """Return the most bytes that each device may take, by the device's name."""
    calls, sessions = imported(_CALLS), imported(_LIMITS)
    if sessions is None or not hasattr(sessions, "TF_DeviceListMemoryBytes"):
        return {}
    devices = calls.TFE_ContextListDevices(context._context_handle)
    try:
        return {
            _short(calls.TF_DeviceListName(devices, index)): sessions.TF_DeviceListMemoryBytes(
                devices, index
            )
            for index in range(calls.TF_DeviceListCount(devices))
        }
    finally:
        calls.TF_DeleteDeviceList(devices)


def _short(name: str) -> str:
    """Return a device's name without the job that it belongs to."""
    return name[name.index("/device:") :] if "/device:" in name else name


def _is_rocm() -> bool:
    info = imported("tensorflow.python.platform.build_info")
    return bool(getattr(info, "build_info", {}).get("is_rocm_build", False))
