"""The frameworks that the helper knows, each by its folder, in the order of asking."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol

from . import cupy, jax, tensorflow, torch

if TYPE_CHECKING:

    class FrameworkFolder(Protocol):
        """What the folder of a framework says of it; all else is in the files of that folder.

        Each of its `SOURCES` of readings, by the module that has to be imported for it, is a file
        with a class `SOURCE`. In `arrays.py` is what the walks read, of PyTorch in `tensors.py`;
        in `errors.py` are the texts, `FORMATS`, by which it says that the GPU is full.
        """

        __name__: str
        NAME: str
        """What it is called on the wire, and the name of its folder."""
        TITLE: str
        """What people call it."""
        PACKAGES: tuple[str, ...]
        """The packages that are it: a thread in one may be writing what we read."""
        SOURCES: dict[str, str]
        ERROR: str
        """Its class of errors that say that the GPU is full; empty where none does."""
        SETTING: str
        """A statement that keeps it from taking most of the card when it starts, where it does."""


FRAMEWORKS: tuple[FrameworkFolder, ...] = (torch, jax, tensorflow, cupy)
BESIDE_TORCH = FRAMEWORKS[1:]
TITLES = {folder.NAME: folder.TITLE for folder in FRAMEWORKS}
SETTINGS = {folder.NAME: folder.SETTING for folder in FRAMEWORKS if folder.SETTING}


def part(framework: FrameworkFolder, file: str) -> Any:
    """Import a file of a framework's folder."""
    return import_module(f"{framework.__name__}.{file}")
