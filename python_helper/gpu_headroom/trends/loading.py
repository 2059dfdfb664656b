"""Whether a model is being made or loaded: what it takes then is no trend."""

from __future__ import annotations

import sys
import threading

# Where each library does it: part of a file's path, and functions in it.
_LOADERS = (
    ("torch/nn/modules/", {"__init__", "_apply", "load_state_dict", "reset_parameters"}),
    ("torch/serialization.py", {"load"}),
    ("transformers/modeling_utils.py", {"from_pretrained"}),
    ("diffusers/pipelines/pipeline_utils.py", {"from_pretrained"}),
    ("accelerate/big_modeling.py", {"dispatch_model", "load_checkpoint_and_dispatch"}),
    ("safetensors/torch.py", {"load_file", "load_model"}),
)


def loads_model() -> bool:
    """Whether the main thread is in such a function; reads names of code only, keeps no frame."""
    # Not kept in a variable: this frame is among them, and a cycle would keep the user's alive.
    frame = sys._current_frames().get(threading.main_thread().ident or 0)  # noqa: SLF001  documented, in spite of its name
    while frame is not None:
        name, file = frame.f_code.co_name, frame.f_code.co_filename.replace("\\", "/")
        if any(name in names and part in file for part, names in _LOADERS):
            return True
        frame = frame.f_back
    return False
