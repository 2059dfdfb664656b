"""TensorFlow: its allocator, its tensors and variables."""

from __future__ import annotations

NAME = "tensorflow"
TITLE = "TensorFlow"
PACKAGES: tuple[str, ...] = ("tensorflow", "keras", "tf_keras")
SOURCES = {"tensorflow": "reading"}
ERROR = "ResourceExhaustedError"
SETTING = 'import os; os.environ["TF_FORCE_GPU_ALLOW_GROWTH"] = "true"'
