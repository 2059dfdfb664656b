"""The corners of PyTorch that have no public name, in one place, and this thread's state."""

from __future__ import annotations

import threading
from functools import partial
from typing import TYPE_CHECKING, Any

import torch

if TYPE_CHECKING:
    from collections.abc import Callable

    Arguments = tuple[Any, ...]
    Keywords = dict[str, Any]

without_torch_function = torch._C.DisableTorchFunction  # noqa: SLF001 -- no public name
"""Context in which no function mode sees a call: ours would meet its own questions."""

is_meta: Callable[[torch.Tensor], bool] = torch._C.TensorBase.is_meta.__get__  # type: ignore[attr-defined]  # noqa: SLF001 -- a slot, which the stubs call a bool
"""Whether PyTorch's C++ side calls the tensor `meta`, whatever Python is shown."""

real_device: Callable[[torch.Tensor], torch.device] = torch._C.TensorBase.device.__get__  # noqa: SLF001 -- as above
"""The device that PyTorch's C++ side knows, whatever Python is shown."""

META = torch.device("meta")
CPU = torch.device("cpu")


class _ThreadState(threading.local):
    in_kernel = False
    plain_meta = False

    def reset(self) -> None:
        """Be as outside of every context: an interruption may have come before the end of one."""
        self.in_kernel = self.plain_meta = False


thread_state = _ThreadState()
"""`in_kernel`: a kernel runs, and Python code of PyTorch must get real devices.
`plain_meta`: the user requested device "meta" by name, which is not a GPU."""


class _Setting:
    """A context in which one flag of this thread is set; a class, for it is entered often."""

    __slots__ = ("_before", "_name")

    def __init__(self, name: str) -> None:
        self._name = name
        self._before = False

    def __enter__(self) -> None:
        self._before = getattr(thread_state, self._name)
        setattr(thread_state, self._name, True)

    def __exit__(self, *_: object) -> None:
        setattr(thread_state, self._name, self._before)


in_kernel = partial(_Setting, "in_kernel")
"""Makes a context in which tensors show their real devices."""

plain_meta = partial(_Setting, "plain_meta")
"""Makes a context in which device "meta" means itself."""


def is_gpu_device(device: object) -> bool:
    """Whether `device`, as a person may write it, names a GPU."""
    if isinstance(device, torch.device):
        return device.type == "cuda"
    if isinstance(device, str):
        return device.partition(":")[0] == "cuda"
    return isinstance(device, int) and not isinstance(device, bool)


def is_plain_meta_device(device: object) -> bool:
    """Whether `device`, as a person may write it, is PyTorch's own "meta"."""
    return (isinstance(device, torch.device) and device.type == "meta") or device == "meta"


def device_index(device: Any) -> int | None:
    """Return the index of `device`; "cuda" has none, which the stubs do not know."""
    return torch.device(device).index


def tensors_in(values: Any, found: list[torch.Tensor]) -> list[torch.Tensor]:
    """Append the tensors in `values`, an iterable with nested lists and tuples, to `found`."""
    for value in values:
        if isinstance(value, torch.Tensor):
            found.append(value)
        elif isinstance(value, (list, tuple)):
            tensors_in(value, found)
    return found


def map_tensors(change: Callable[[torch.Tensor], Any], value: Any) -> Any:
    """Return `value` with `change` applied to the tensors in it, through lists and tuples."""
    if isinstance(value, torch.Tensor):
        return change(value)
    if isinstance(value, (list, tuple)) and not isinstance(value, torch.Size):
        if not tensors_in(value, []):
            return value
        return type(value)([map_tensors(change, item) for item in value])
    return value
