"""Whether this process already uses a CUDA device: known without starting anything.

Asks the driver API itself, and only if a framework has loaded it: `cuDevicePrimaryCtxGetState`
makes no context, and refuses until somebody else has initialised the API (CUDA driver API
reference, "Primary Context Management").
"""

from __future__ import annotations

import ctypes
import os
from ctypes import byref, c_int, c_uint
from typing import Any


def contexts() -> frozenset[int]:
    """Return the devices on which this process has a primary context, as CUDA counts them."""
    library = _loaded()
    found: set[int] = set()
    index = 0
    while library is not None:
        flags, active = c_uint(), c_int()
        if library.cuDevicePrimaryCtxGetState(c_int(index), byref(flags), byref(active)) != 0:
            break
        found |= {index} if active.value else set()
        index += 1
    return frozenset(found)


def _loaded() -> Any:
    """Return the driver API if it is in this process; never bring it in."""
    mode = getattr(os, "RTLD_NOLOAD", None)  # Windows has no such question
    if mode is None:
        return None
    try:
        return ctypes.CDLL("libcuda.so.1", mode=mode)
    except OSError:
        return None
