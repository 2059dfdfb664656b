"""Detection of a model being built or loaded, whose memory growth is not a trend."""

from __future__ import annotations

import sys
import threading

# Loading functions, with the ends of their files' paths. Keyed by name, as every frame of the stack
# is checked at each reading and few have one of these names.
_LOADERS = {
    **dict.fromkeys(
        ("__init__", "_apply", "load_state_dict", "reset_parameters"), ("torch/nn/modules/",)
    ),
    "load": ("torch/serialization.py",),
    "from_pretrained": (
        "transformers/modeling_utils.py",
        "diffusers/pipelines/pipeline_utils.py",
    ),
    "dispatch_model": ("accelerate/big_modeling.py",),
    "load_checkpoint_and_dispatch": ("accelerate/big_modeling.py",),
    "load_file": ("safetensors/torch.py",),
    "load_model": ("safetensors/torch.py",),
}


def loads_model() -> bool:
    """Whether the main thread is in a loading function; reads code names, keeps no frame."""
    # Not kept in a variable: this frame is among them, and a cycle would keep the user's alive.
    frame = sys._current_frames().get(threading.main_thread().ident or 0)  # noqa: SLF001  documented, in spite of its name
    while frame is not None:
        parts = _LOADERS.get(frame.f_code.co_name, ())
        if any(part in frame.f_code.co_filename.replace("\\", "/") for part in parts):
            return True
        frame = frame.f_back
    return False
