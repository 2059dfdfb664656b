"""Data of no content in place of other people's, in the shapes that they declare.

It lies beside the notebook of each recipe, whose first cell puts it where the data is read. Items
are made when they are asked for, and of their transforms only the size is kept: they cost nothing.
"""

from __future__ import annotations

import copy
import os
import sys
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import torch
from torch.utils.data import Dataset

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from typing_extensions import Self


class Images(Dataset[Any]):
    """Images of one shape with the number of a class, as data sets of torchvision have them."""

    def __init__(self, *shape: int, classes: int = 10, length: int = 60_000) -> None:
        self.shape, self.length = shape, length
        self.classes = [f"class {n}" for n in range(classes)]
        self.class_to_idx = {name: n for n, name in enumerate(self.classes)}
        self.targets = torch.arange(length) % classes

    @property
    def data(self) -> torch.Tensor:
        """All of them as bytes, which are made when they are read as a whole."""
        return torch.zeros(self.length, *self.shape[1:], dtype=torch.uint8)

    def __len__(self) -> int:
        return self.length

    def __getitem__(self, index: int) -> tuple[torch.Tensor, int]:
        if index >= self.length:
            raise IndexError(index)
        return torch.zeros(self.shape), int(index) % len(self.classes)

    def __call__(self, *_: object, transform: object = None, **__: object) -> Images:
        """Stand for the class of a data set as well, in the size that it resizes to."""
        sizes = [
            step.size for step in getattr(transform, "transforms", ()) if hasattr(step, "size")
        ]
        images = copy.copy(self)
        if sizes and isinstance(sizes[-1], int):
            images.shape = (*self.shape[:-2], sizes[-1], sizes[-1])
        return images


class Items(Dataset[Any]):
    """As many items as asked for, each made by the function."""

    def __init__(self, make: Callable[[], Any], length: int = 10_000) -> None:
        self.make, self.length = make, length

    def __len__(self) -> int:
        return self.length

    def __getitem__(self, index: int) -> Any:
        if index >= self.length:
            raise IndexError(index)
        return self.make()

    def __call__(self, *_: object, **__: object) -> Items:
        """Stand for the class of a data set as well."""
        return self


class Anything:
    """Takes every call and attribute: a logger, a plot, a progress bar that draws."""

    def __getattr__(self, name: str) -> Anything:
        if name.startswith("__"):
            raise AttributeError(name)
        return self

    def __call__(self, *_: object, **__: object) -> Anything:
        """Stand for a function too."""
        return self

    def __getitem__(self, key: object) -> Anything:
        return self

    def __setitem__(self, key: object, value: object) -> None:
        pass

    def __iter__(self) -> Any:
        return iter((self, self))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass


_BEGIN = """
import gpu_simulator.on_import

gpu_simulator.on_import.install_on_import({card!r})
import torch

try:
    import torchvision
except RuntimeError:  # a wheel for CUDA, beside a PyTorch for processors
    torch._operators = torch.library.Library("torchvision", "FRAGMENT")
    for name in ("nms", "qnms"):
        torch._operators.define(f"{{name}}(Tensor dets, Tensor scores, float limit) -> Tensor")
except ImportError:
    pass
{lines}
"""


def give_processes(gpu: str, lines: str) -> None:
    """Have each Python process that is started from here begin with a GPU and these lines."""
    import gpu_headroom

    Path("sitecustomize.py").write_text(_BEGIN.format(card=gpu, lines=lines), encoding="utf-8")
    paths = [Path.cwd(), Path(gpu_headroom.__file__).parents[1]]
    os.environ["PYTHONPATH"] = os.pathsep.join(map(str, paths))


def absent(*names: str, **contents: Mapping[str, object]) -> None:
    """Have modules that are not installed, with these contents or with anything."""
    for name in (*names, *contents):
        module = ModuleType(name)
        module.__spec__ = ModuleSpec(name, None)
        module.__dict__.update(contents.get(name, {"__getattr__": _anything}))
        module.__dict__.setdefault("__path__", [])
        sys.modules[name] = module
        owner, _, last = name.rpartition(".")
        if owner in sys.modules:
            setattr(sys.modules[owner], last, module)


def _anything(name: str) -> Anything:
    if name.startswith("__"):
        raise AttributeError(name)
    return Anything()
