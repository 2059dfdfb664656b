"""The simulated GPU, by the name that people call it by: a package of its own, found by name."""

from __future__ import annotations

import os
from importlib import import_module
from typing import Any

from .own import SIMULATOR


def simulate(*args: Any, **kwargs: Any) -> Any:
    """Simulate a GPU for PyTorch: `simulate("16 GiB")`; see `gpu_simulator.simulate`.

    Raises `RuntimeError` where the helper was brought by the extension: the simulator
    is in the installed package only.
    """
    return _simulator().simulate(*args, **kwargs)


def active() -> Any:
    """Return the simulation that is in use, or `None`."""
    return _simulator().active()


simulate.active = active  # type: ignore[attr-defined]  # the function hides this module


def simulate_as_asked() -> None:
    """Simulate a GPU where the environment asks for one; raises what keeps it from that."""
    wish = os.environ.get("GPU_HEADROOM_SIMULATE")
    if wish and (simulator := import_module(SIMULATOR)).active() is None:
        simulator.install_on_import(wish)


def _simulator() -> Any:
    try:
        return import_module(SIMULATOR)
    except ModuleNotFoundError as error:
        if error.name != SIMULATOR:
            raise
        raise RuntimeError(
            "The simulated GPU is not part of the helper that the extension brings: "
            "`pip install gpu-headroom` in this kernel's environment and restart the kernel."
        ) from None
