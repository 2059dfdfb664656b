"""The two modes that watch PyTorch, on every thread for as long as the simulation lasts."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import torch
from torch.overrides import _pop_mode as pop_function_mode
from torch.overrides import _push_mode as push_function_mode
from torch.utils._python_dispatch import _pop_mode as pop_dispatch_mode
from torch.utils._python_dispatch import _push_mode as push_dispatch_mode

from .autocast import Autocast
from .calls import CallMode
from .execution import GpuMode

if TYPE_CHECKING:
    from .machine import Machine
    from .patches import Patches


class Modes:
    """Enters the modes on the thread that starts the simulation and on all that begin later."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self._autocast = Autocast(machine.memory)
        self._entered: tuple[CallMode, GpuMode] | None = None

    def start(self, patches: Patches) -> None:
        """Enter the modes here, and see to it that new threads do the same."""
        patches.put(torch, "clear_autocast_cache", self._autocast.clear_cache)
        run_thread = threading.Thread._bootstrap_inner  # type: ignore[attr-defined]  # noqa: SLF001 -- not in typeshed; runs before `run`, which users override

        def run_with_modes(thread: threading.Thread) -> None:
            calls, gpu = self._new()
            with calls:
                # Entering would set PyTorch's flags of the whole process as well, and leaving would
                # set them back to what they were here: for ever, in a thread that outlives us.
                push_dispatch_mode(gpu)
                try:
                    run_thread(thread)
                finally:
                    pop_dispatch_mode()

        patches.put(threading.Thread, "_bootstrap_inner", run_with_modes)
        self._entered = self._new()
        for mode in self._entered:
            mode.__enter__()  # type: ignore[no-untyped-call]  # PyTorch does not annotate it

    def stop(self) -> None:
        """Leave the modes, also where others were entered above ours and stay."""
        if self._entered is not None:
            calls, gpu = self._entered
            self._entered = None
            _remove_function_mode(calls)
            _remove_dispatch_mode(gpu)

    def _new(self) -> tuple[CallMode, GpuMode]:
        return CallMode(self._machine, self._autocast), GpuMode(self._machine)


def _remove_function_mode(mode: CallMode) -> None:
    above: list[Any] = []
    while torch._C._len_torch_function_stack():  # noqa: SLF001 -- no public name
        popped = pop_function_mode()
        if popped is mode:
            break
        above.append(popped)
    for other in reversed(above):
        push_function_mode(other)


def _remove_dispatch_mode(mode: GpuMode) -> None:
    from torch.utils._python_dispatch import _get_current_dispatch_mode_stack

    above = []
    for other in reversed(_get_current_dispatch_mode_stack()):
        if other is mode:
            break
        above.append(other)
    for other in above:
        other.__exit__(None, None, None)
    mode.__exit__(None, None, None)  # type: ignore[no-untyped-call]  # PyTorch does not annotate it
    for other in reversed(above):
        other.__enter__()
