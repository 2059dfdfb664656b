"""Data sets of torchvision that are known by their class, made up in the shapes that they have."""

from __future__ import annotations

import inspect
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable


class _Images(NamedTuple):
    """One image, how many there are by the name of their part, and of how many classes."""

    shape: tuple[int, ...]
    counts: dict[Any, int]
    classes: int
    names: str = ""  # which a class of its own does not have, as its files do


_NOISY = 100  # enough for a mean and a deviation; what is black takes no memory
_MNIST = _Images((28, 28), {True: 60_000, False: 10_000}, 10)
_CIFAR = _Images(
    (32, 32, 3),
    {True: 50_000, False: 10_000},
    10,
    "airplane automobile bird cat deer dog frog horse ship truck",
)
# Those that are one array, as on the pages of torchvision's documentation.
_IMAGES = {
    ("mnist", "MNIST"): _MNIST,  # FashionMNIST, KMNIST and EMNIST are of it
    ("cifar", "CIFAR10"): _CIFAR,
    ("cifar", "CIFAR100"): _CIFAR._replace(classes=100, names=""),
    ("svhn", "SVHN"): _Images((3, 32, 32), {"train": 73_257, "test": 26_032, "extra": 531_131}, 10),
}
# Those that are a file each, of the usual size, and counted on the page that their class names.
_FILES = {
    ("celeba", "CelebA"): _Images(
        (218, 178, 3), {"train": 162_770, "valid": 19_867, "test": 19_962, "all": 202_599}, 40
    ),
    ("eurosat", "EuroSAT"): _Images((64, 64, 3), {None: 27_000}, 10),
    ("imagenet", "ImageNet"): _Images((375, 500, 3), {"train": 1_281_167, "val": 50_000}, 1_000),
    ("oxford_iiit_pet", "OxfordIIITPet"): _Images(
        (375, 500, 3), {"trainval": 3_680, "test": 3_669}, 37
    ),
    ("stl10", "STL10"): _Images(
        (96, 96, 3),
        {"train": 5_000, "test": 8_000, "unlabeled": 100_000, "train+unlabeled": 105_000},
        10,
        "airplane bird car cat deer dog horse monkey ship truck",
    ),
    ("usps", "USPS"): _Images((16, 16), {True: 7_291, False: 2_007}, 10),
    ("voc", "VOCSegmentation"): _Images(
        (375, 500, 3), {"train": 1_464, "val": 1_449, "trainval": 2_913}, 21
    ),
}
_MASKS = ("segmentation", "VOCSegmentation")


def change_images() -> dict[str, list[Callable[[Any], None]]]:
    """Return what modules are to be changed by, once they were imported."""
    waiting: dict[str, list[Callable[[Any], None]]] = {}
    for data_sets, change in ((_IMAGES, _begin), (_FILES, _read)):
        for (module, name), images in data_sets.items():
            changes = waiting.setdefault(f"torchvision.datasets.{module}", [])
            changes.append(partial(change, name=name, images=images))
    return waiting


def _begin(module: Any, name: str, images: _Images) -> None:
    """Replace a data set's constructor: it gets images of its shape, most of them black."""
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
        base_init = module.VisionDataset.__init__
        base_init(self, root, transform=transform, target_transform=target_transform)
        part = named.get("split", train)
        count = images.counts[part]
        numbers, pixels = np.arange(count) % images.classes, np.zeros((count, *images.shape), "u1")
        pixels[:_NOISY] = np.random.default_rng(0).integers(0, 256, pixels[:_NOISY].shape)
        if name == "SVHN":
            self.split, self.data, self.labels = part, pixels, numbers
        elif name == "MNIST":
            self.train, self.data = part, torch.from_numpy(pixels)
            self.targets = torch.from_numpy(numbers)
        else:
            self.train, self.data, self.targets = part, pixels, [*numbers]
        _name_classes(self, images)

    getattr(module, name).__init__ = begin


def _read(module: Any, name: str, images: _Images) -> None:
    """Make a data set return the same image for each index, as from a file of the usual size."""
    import numpy as np
    import torch

    base = import_module("torchvision.datasets.vision").VisionDataset
    from_array = import_module("PIL.Image").fromarray
    picture, mask = (
        np.random.default_rng(0).integers(0, size, images.shape[:count], "u1")
        for size, count in ((256, 3), (2, 2))
    )

    cls = getattr(module, name)
    signature = inspect.signature(cls.__init__)

    def begin(self: Any, *given: Any, **named: Any) -> None:
        bound = signature.bind(self, *given, **named)
        bound.apply_defaults()
        arguments = {**bound.arguments, **bound.arguments.get("kwargs", {})}
        changes = {key: arguments[key] for key in arguments if "transform" in key}
        base.__init__(self, arguments["root"], **changes)
        parts = [arguments[key] for key in ("split", "image_set", "train") if key in arguments]
        self.count = images.counts[parts[0] if parts else None]
        self.has_masks = name in _MASKS or arguments.get("target_types") in _MASKS
        self.targets = [index % images.classes for index in range(self.count)]
        _name_classes(self, images)

    def item(self: Any, index: int) -> tuple[Any, Any]:
        image, target = from_array(picture), self.targets[index]
        if self.has_masks:
            target = from_array(mask)
        elif name == "CelebA":  # attributes
            target = torch.zeros(images.classes, dtype=torch.int64)
        return (image, target) if self.transforms is None else self.transforms(image, target)

    cls.__init__, cls.__len__, cls.__getitem__ = begin, lambda self: self.count, item


def _name_classes(data: Any, images: _Images) -> None:
    if not hasattr(data, "classes"):
        data.classes = images.names.split() or [str(number) for number in range(images.classes)]
        data.class_to_idx = {name: number for number, name in enumerate(data.classes)}
