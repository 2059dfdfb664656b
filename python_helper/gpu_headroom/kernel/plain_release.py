# What the front end executes to free memory in a kernel that has no helper.
#
# `scripts/pack.mjs` puts this file's text into the extension as `PLAIN_RELEASE`. It is
# executed with `silent: true, store_history: false, stop_on_error: false`, and with
# `__gpu_headroom_release()` as a user expression, whose value is
# `[allocated before, allocated after, reserved before, reserved after]` in bytes, or
# `[]` where PyTorch has no device. It frees unreachable objects and the unused cache, and
# no variable of the notebook. It removes its own name.
#
# These are comments because a docstring would replace the user's `__doc__`. Nothing
# relies on a builtin name: a notebook may have its own `list` or `getattr`.
# ruff: noqa: D100


def __gpu_headroom_release():  # type: ignore[no-untyped-def]  # noqa: ANN202  annotations are evaluated in the kernel; see above
    import builtins
    import gc
    import sys

    builtins.globals().pop("__gpu_headroom_release", None)
    cuda = builtins.getattr(sys.modules.get("torch"), "cuda", None)
    if cuda is None or not cuda.is_initialized():
        gc.collect()
        return []
    allocated, reserved = cuda.memory_allocated(), cuda.memory_reserved()
    gc.collect()
    cuda.empty_cache()
    return [allocated, cuda.memory_allocated(), reserved, cuda.memory_reserved()]
