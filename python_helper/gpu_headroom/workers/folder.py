"""Private folder in which worker processes write one file each, for the kernel to read."""

from __future__ import annotations

import glob
import json
import os
import shutil
import stat
import tempfile
import time
from contextlib import suppress
from typing import Any, NamedTuple

from .. import system

_MEMORY = "/dev/shm"  # noqa: S108  the folder is private (0o700), and its name cannot be guessed
PREFIX = "gpu-headroom-ranks-"
_LONGEST = 2**16  # bytes of a file
_OLD_S = 3600.0  # a live kernel reads what is left within seconds
_AS_TEXT = json.JSONEncoder(separators=(",", ":")).encode
_TO_READ = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
_TO_WRITE = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_NOFOLLOW", 0)


class Left(NamedTuple):
    """Content of a file, and its age in seconds."""

    said: dict[str, Any]
    age_s: float


class Folder:
    """The folder of one helper; the first writer creates it, and a removed one is not re-created.

    A file that is too long, truncated, of another user, a link or not a regular file is treated as
    missing.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self._was_there = False

    @classmethod
    def of(cls, name: str) -> Folder:
        """Return the folder for a `helper_id`."""
        directory = _MEMORY if os.access(_MEMORY, os.W_OK) else tempfile.gettempdir()
        return cls(f"{directory}/{PREFIX}{name}")

    def names(self) -> list[str]:
        """Return the names of the files."""
        try:
            return [name for name in os.listdir(self.path) if name[0] != "."]  # noqa: PTH208  a tenth of the time
        except OSError:
            return []

    def write(self, name: str, said: dict[str, Any]) -> None:
        """Write or replace a file atomically.

        Raises `OSError`: `FileNotFoundError` where the folder was removed, `NotADirectoryError`
        where the path is not a folder of this user's.
        """
        if not self._was_there:
            with suppress(FileExistsError):
                os.mkdir(self.path, 0o700)  # noqa: PTH102  the path is a string
            self._check()
            self._was_there = True  # no other user can replace it
        hidden = f"{self.path}/.{name}"
        file = os.open(hidden, _TO_WRITE, 0o600)  # a third of the time of a file object
        try:
            os.write(file, _AS_TEXT(said).encode())
        finally:
            os.close(file)
        os.replace(hidden, f"{self.path}/{name}")  # noqa: PTH105

    def read(self, name: str) -> Left | None:
        """Return the content of a file; `None` where it is missing or invalid."""
        from ..text.untrusted import parse_json  # on first need: most kernels have no ranks

        with suppress(OSError):
            file = os.open(f"{self.path}/{name}", _TO_READ)
            try:
                status = os.fstat(file)
                if stat.S_ISREG(status.st_mode) and status.st_uid == system.user_id():
                    content = parse_json(os.read(file, _LONGEST + 1), dict, _LONGEST)
                    if content is not None:
                        return Left(content, max(0.0, time.time() - status.st_mtime))
            finally:
                os.close(file)
        return None

    def remove(self, name: str) -> None:
        """Remove a file."""
        with suppress(OSError):
            os.remove(f"{self.path}/{name}")  # noqa: PTH107

    def leave(self, name: str) -> None:
        """Remove a file, and the folder with the last one: the kernel may have exited before."""
        with suppress(OSError):
            self._check()
            for candidate in (f".{name}", name):
                self.remove(candidate)
            os.rmdir(self.path)  # noqa: PTH106

    def clean(self, *, own: bool) -> None:
        """Remove the folders of killed kernels, after an hour, and with `own` this one."""
        for folder in (self.path, *glob.glob(f"{self.path.rpartition('-')[0]}-*")):  # noqa: PTH207
            with suppress(OSError):
                status = os.lstat(folder)
                goes = own if folder == self.path else time.time() - status.st_mtime > _OLD_S
                if goes and status.st_uid == system.user_id():
                    shutil.rmtree(folder, ignore_errors=True)

    def _check(self) -> None:
        status = os.lstat(self.path)
        if not stat.S_ISDIR(status.st_mode) or status.st_uid != system.user_id():
            raise NotADirectoryError(self.path)
