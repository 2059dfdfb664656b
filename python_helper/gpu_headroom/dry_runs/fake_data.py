"""Data sets and weights that are not on this machine, made up in the shapes that they have.

Nothing is downloaded. Images are those of torchvision that are known by their class; weights are
those that a model has been made with, for torchvision, timm and `torch.hub`. What is not known by
its class alone (folders, tables, texts) is left to fail with its own error.
"""

from __future__ import annotations

import builtins
import sys
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable


class _Images(NamedTuple):
    """One image, how many there are by the name of their part, and of how many classes.

    As on the pages of torchvision's documentation.
    """

    shape: tuple[int, ...]
    counts: dict[Any, int]
    classes: int


_MNIST = _Images((28, 28), {True: 60_000, False: 10_000}, 10)
_CIFAR = _Images((32, 32, 3), {True: 50_000, False: 10_000}, 10)
_IMAGES = {
    ("torchvision.datasets.mnist", "MNIST"): _MNIST,  # FashionMNIST, KMNIST and EMNIST are of it
    ("torchvision.datasets.cifar", "CIFAR10"): _CIFAR,
    ("torchvision.datasets.cifar", "CIFAR100"): _CIFAR._replace(classes=100),
    ("torchvision.datasets.svhn", "SVHN"): _Images(
        (3, 32, 32), {"train": 73_257, "test": 26_032, "extra": 531_131}, 10
    ),
}


class NoWeights(dict[str, Any]):
    """Stands for weights that were not downloaded: a model that loads them stays as it is."""


def fake_data() -> None:
    """Have data sets and weights made up from now on, by whichever module is imported."""
    import torch

    load = torch.nn.Module.load_state_dict

    def load_state_dict(self: Any, state_dict: Any, *given: Any, **named: Any) -> Any:
        own = self.state_dict() if isinstance(state_dict, NoWeights) else state_dict
        return load(self, own, *given, **named)

    vars(torch.hub)["load_state_dict_from_url"] = lambda *_, **__: NoWeights()
    torch.nn.Module.load_state_dict = load_state_dict  # type: ignore[method-assign]  # for a run
    waiting: dict[str, list[Callable[[Any], None]]] = {"timm.models._builder": [_load_nothing]}
    for (module, name), images in _IMAGES.items():
        waiting.setdefault(module, []).append(partial(_begin, name=name, images=images))
    _after_import(waiting)


def _after_import(waiting: dict[str, list[Callable[[Any], None]]]) -> None:
    """Change modules once they have been imported, by whom ever."""
    do_import = builtins.__import__

    def importing(*given: Any, **named: Any) -> Any:
        found = do_import(*given, **named)
        for name in [*(waiting.keys() & sys.modules.keys())]:
            if not getattr(sys.modules[name].__spec__, "_initializing", False):
                for change in waiting.pop(name):
                    change(sys.modules[name])
        return found

    builtins.__import__ = importing


def _load_nothing(builder: Any) -> None:
    builder.load_pretrained = lambda *_, **__: None


def _begin(module: Any, name: str, images: _Images) -> None:
    """Have a data set of torchvision begin with images of its shape, all black."""
    import numpy as np
    import torch

    def begin(
        self: Any,
        root: Any = "",
        train: Any = True,  # or the name of a part, as it is there
        transform: Any = None,
        target_transform: Any = None,
        *_: Any,
        **named: Any,
    ) -> None:
        whole = module.VisionDataset.__init__
        whole(self, root, transform=transform, target_transform=target_transform)
        part = named.get("split", train)
        count = images.counts[part]
        numbers, shape = np.arange(count) % images.classes, (count, *images.shape)
        if name == "SVHN":
            self.split, self.data, self.labels = part, np.zeros(shape, np.uint8), numbers
        elif name == "MNIST":
            self.train, self.data = part, torch.zeros(shape, dtype=torch.uint8)
            self.targets = torch.from_numpy(numbers)
        else:
            self.train, self.data, self.targets = part, np.zeros(shape, np.uint8), [*numbers]
        if not hasattr(self, "classes"):
            self.classes = [str(number) for number in range(images.classes)]
            self.class_to_idx = {each: number for number, each in enumerate(self.classes)}

    getattr(module, name).__init__ = begin
