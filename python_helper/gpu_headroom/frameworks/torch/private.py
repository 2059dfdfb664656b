"""All private names of PyTorch that the helper uses; no other file has any.

No public name does the same without initializing CUDA, without running overrides of a tensor's
class or a mode, or cheaply enough for ten readings a second. Each has a function that works without
it; what is lost then is listed in `tests/frameworks/test_private_names.py`, which removes each.
"""

# ruff: noqa: SLF001 -- see above

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Literal

from ..imported import imported

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from contextlib import AbstractContextManager

    Backend = Literal["cuda", "xpu"]

DEFAULT_POOL = (0, 0)
"""The pool of allocator segments that can serve every request."""

LIMIT = "set_per_process_memory_fraction()"
"""The call that sets the limit read by `memory_fraction`."""

CLEAR_WORKSPACES = "_torch._C._cuda_clearCublasWorkspaces()"
"""The statement of a clean-up cell for `workspaces_clearer`."""


def _calls() -> Any:
    return getattr(sys.modules.get("torch"), "_C", None)


def has_statistics(backend: Backend = "cuda") -> bool:
    """Whether this build of PyTorch has allocator statistics for such GPUs."""
    return hasattr(_calls(), f"_{backend}_memoryStats")


def statistics(index: int, backend: Backend = "cuda") -> Mapping[str, Any]:
    """Return the allocator's nested statistics, sizes in bytes.

    The one call behind `memory_stats`, which flattens and sorts some hundred keys in Python.
    Raises `AttributeError` where `has_statistics` is false.
    """
    stats: Mapping[str, Any] = getattr(_calls(), f"_{backend}_memoryStats")(index)
    return stats


def device_count() -> int:
    """Return the number of CUDA devices; call only once CUDA is initialized."""
    count = getattr(_calls(), "_cuda_getDeviceCount", None) or imported("torch.cuda").device_count
    return int(count())


def has_context(index: int) -> bool:
    """Whether this process has a context on the device; queries of others would create one."""
    has = getattr(_calls(), "_cuda_hasPrimaryContext", None)  # since PyTorch 2.4
    if has is not None:
        return bool(has(index))
    reserved = statistics(index).get("reserved_bytes", {})
    return bool(reserved.get("all", {}).get("peak"))


def memory_fraction(index: int) -> float | None:
    """Return the share of the device that PyTorch may take; the public getter initializes CUDA.

    `None` where it can only be set (up to 2.5): there it is read from a failure
    (`observer.Capture`).
    """
    getter = getattr(_calls(), "_cuda_getMemoryFraction", None)
    return None if getter is None else float(getter(index))


def driver_bytes(index: int) -> int | None:
    """Return all bytes that the allocator ever received from the driver, without a CUDA call.

    `None` where that is unknown: backends other than PyTorch's own need a CUDA call.
    """
    try:
        if _calls()._cuda_getAllocatorBackend() != "native":
            return None
        taken: int = statistics(index)["reserved_bytes"]["all"]["allocated"]
    except (AttributeError, KeyError, RuntimeError):
        return None
    return taken


def at_start(call: Callable[[], None]) -> None:
    """Have PyTorch call `call` once, when it initializes CUDA, on the initializing thread.

    Uses PyTorch's queue of calls deferred until then, such as seeding. Never called where there is
    no such queue.
    """
    waiting = getattr(sys.modules.get("torch.cuda"), "_queued_calls", None)
    if type(waiting) is list and all(entry[0] is not call for entry in waiting):
        waiting.append((call, []))


def observer_registry() -> Callable[[Callable[[int, int, int, int], None]], None] | None:
    """Return the function that registers an observer of failed allocations, for good.

    `None` where there is none or where it would do harm. Call only once CUDA is initialized.
    """
    function: Any = getattr(_calls(), "_cuda_attach_out_of_memory_observer", None)
    return function if has_statistics() and not _loses_observers() else None


def _loses_observers() -> bool:
    """Whether this PyTorch loses an observer for all GPUs but the first.

    In PyTorch 2.1 to 2.3 `attachOutOfMemoryObserver` (c10/cuda/CUDACachingAllocator.cpp) moves it
    into the first GPU's allocator, and gives the others an empty one: out of memory becomes
    `RuntimeError: bad_function_call` there.
    """
    version = str(getattr(sys.modules.get("torch"), "__version__", ""))
    if not version.startswith(("2.1.", "2.2.", "2.3.")):
        return False
    count = getattr(_calls(), "_cuda_getDeviceCount", None)
    return count is None or count() > 1


def block_snapshot() -> Mapping[str, Any] | None:
    """Return the allocator's segments and blocks; `None` where PyTorch has no snapshot.

    Without traces where that is possible, which are nearly all of the cost.
    """
    take = getattr(_calls(), "_cuda_memorySnapshot", None)
    for args in (((*DEFAULT_POOL, False),), (None,), ()):
        try:
            snapshot: Mapping[str, Any] | None = take(*args) if take else None
        except (TypeError, RuntimeError, ValueError):
            continue
        return snapshot
    return None


def in_backward() -> bool:
    """Whether this thread is within a backward pass; also true where that is unknown.

    A node of the graph holds its own lock while it computes, and reading its saved tensors waits
    for that lock (torch/csrc/autograd/function.h).
    """
    task_id = getattr(_calls(), "_current_graph_task_id", None)
    return task_id is None or task_id() != -1


def is_capturing() -> bool:
    """Whether a CUDA graph is being captured, by the call that `torch.cuda.graphs` uses."""
    asks = getattr(_calls(), "_cuda_isCurrentStreamCapturing", None)
    return bool(asks()) if asks is not None else False


def workspaces_clearer() -> Callable[[], None] | None:
    """Return the function that frees the workspaces of cuBLAS; `None` without one."""
    clearer: Callable[[], None] | None = getattr(_calls(), "_cuda_clearCublasWorkspaces", None)
    return clearer


def no_overrides() -> Callable[[], AbstractContextManager[object]] | None:
    """Return a context in which no override of a tensor's class or a mode is called.

    `None` where there is none: then reading a tensor would run user code.
    """
    context: Callable[[], AbstractContextManager[object]] | None
    context = getattr(_calls(), "DisableTorchFunction", None)
    return context


def is_opaque() -> bool:
    """Whether PyTorch is imported and its tensors must not be read."""
    return imported("torch") is not None and no_overrides() is None


def storage_identity(storage: Any) -> int:
    """Return an id of a storage, unique across devices, also for one without memory."""
    identity: int | None = getattr(storage, "_cdata", None)
    return int(storage.data_ptr()) if identity is None else identity


def storage_uses(storage: Any) -> int | None:
    """Return the number of C++ references to a storage: tensors, and this Python object.

    `None` where PyTorch has no such count (2.0).
    """
    count = getattr(_calls(), "_storage_Use_Count", None)
    return None if count is None else int(count(storage._cdata))


def shows_saved() -> bool:
    """Whether graphs show saved tensors without unpacking them (since PyTorch 2.10)."""
    saved = getattr(getattr(_calls(), "_autograd", None), "SavedTensor", None)
    return getattr(saved, "data", None) is not None


def shapes_made(node: Any) -> list[tuple[int, ...]]:
    """Return the shapes of the outputs of an autograd graph's node (since PyTorch 2.1)."""
    try:
        return [tuple(metadata.shape) for metadata in getattr(node, "_input_metadata", ())]
    except (RuntimeError, TypeError):
        return []  # a nested tensor has none


def take_back(tensor: Any) -> None:
    """Make Python the owner of a tensor again, as `torch.utils.weak` does after each access.

    PyTorch up to 2.9 hands a tensor without Python references to C++, which from then on refers to
    its Python object. It does so again as soon as Python's reference is released.
    """
    take = getattr(getattr(sys.modules.get("torch"), "Tensor", None), "_fix_weakref", None)
    if take is not None:
        take(tensor)


def has_mps() -> bool:
    """Whether this build of PyTorch can use Apple's GPUs."""
    return bool(getattr(_calls(), "_has_mps", False))


def has_used_accelerator() -> bool:
    """Whether the accelerator's allocator is initialized; false before PyTorch 2.9."""
    used = getattr(_calls(), "_accelerator_isAllocatorInitialized", None)
    return used is not None and bool(used())
