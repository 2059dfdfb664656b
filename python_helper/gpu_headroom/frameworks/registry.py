"""The supported frameworks, each in a folder, in the order in which they are read."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol

from . import cupy, jax, tensorflow, torch

if TYPE_CHECKING:

    class FrameworkFolder(Protocol):
        """Constants of a framework's folder; all else is in the files of that folder.

        `SOURCES` has the file of each source of readings, with a class `SOURCE`, by the module that
        has to be imported for it. `arrays.py` (`tensors.py` of PyTorch) is what the walks read;
        `errors.py` has the `FORMATS` of the framework's messages that the GPU is full.
        """

        __name__: str
        NAME: str
        """Name on the wire, and of the folder."""
        TITLE: str
        """Name on screen."""
        PACKAGES: tuple[str, ...]
        """Top-level packages; a thread inside one may be writing the memory that is read."""
        SOURCES: dict[str, str]
        ERROR: str
        """Error class for a full GPU; empty without one."""
        SETTING: str
        """Statement that keeps the framework from taking most of the GPU at start, if any."""


FRAMEWORKS: tuple[FrameworkFolder, ...] = (torch, jax, tensorflow, cupy)
BESIDE_TORCH = FRAMEWORKS[1:]
TITLES = {folder.NAME: folder.TITLE for folder in FRAMEWORKS}
SETTINGS = {folder.NAME: folder.SETTING for folder in FRAMEWORKS if folder.SETTING}


def part(framework: FrameworkFolder, file: str) -> Any:
    """Import a file of a framework's folder."""
    return import_module(f"{framework.__name__}.{file}")
