"""Ranks that `multiprocessing` forks from this kernel: what one fails with is measured in itself.

Such a process is a copy of the kernel, helper and notebook included. Nothing of ours runs there
until it ends by an error: its frames still stand then, as after a cell that failed, and a card is
made of them in the same way. It is left in a file, as the rank has gone when its error comes here.
"""

from __future__ import annotations

import faulthandler
import glob
import json
import os
import shutil
import stat
import sys
import tempfile
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from ..frameworks.imported import imported

if TYPE_CHECKING:
    from collections.abc import Callable

    Explain = Callable[[BaseException], dict[str, Any] | None]

_MEMORY = "/dev/shm"  # noqa: S108  a folder of ours in it is private, and its name nobody's guess
_FIRST = 10**6  # before what multiprocessing and others do at the end
_LONGEST = 2**16  # bytes of a file
_PATIENCE_S = 15.0  # then the process ends, as it was about to
_OLD_S = 3600.0  # a kernel takes what is left within seconds
_AS_IT_IS = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)


class Ranks:
    """Has forked ranks explain their failure, by `explain`, and reads what they left.

    `begin` is called in each as it begins. The workers of a pool or a DataLoader, which are
    daemons, are left alone; so are processes that are not forked by `multiprocessing`.
    """

    def __init__(self, name: str, begin: Callable[[], None], explain: Explain) -> None:
        where = _MEMORY if os.access(_MEMORY, os.W_OK) else tempfile.gettempdir()
        self._folder = f"{where}/gpu-headroom-ranks-{name}"
        self._begin, self._explain = begin, explain
        self._is_open = False

    def open(self) -> None:
        """Follow what is forked from now on, once `multiprocessing` is there.

        It forgets this with the object; a second call does nothing.
        """
        util = imported("multiprocessing.util")
        if util is not None and hasattr(os, "fork") and not self._is_open:
            self._is_open = True
            util.register_after_fork(self, Ranks.begin)

    def close(self) -> None:
        """Follow no more, and leave no file."""
        if self._is_open:
            self._is_open = False
            self._clean()

    def begin(self) -> None:
        """Be there for the end of a rank, in which this is called."""
        multiprocessing, util = imported("multiprocessing"), imported("multiprocessing.util")
        if self._is_open and not multiprocessing.current_process().daemon:
            with suppress(Exception):
                self._begin()
                util.Finalize(None, self._end, exitpriority=_FIRST)

    def _end(self) -> None:
        error = sys.exc_info()[1]  # what the process ends by, if it does
        if error is None:
            return
        with suppress(Exception), open(os.devnull, "w") as nowhere:  # noqa: PTH123
            # A lock may have been copied while held: this thread is not the one to wait for it.
            faulthandler.dump_traceback_later(_PATIENCE_S, exit=True, file=nowhere)
            try:
                found = self._explain(error)
                if found is not None:
                    self._leave(json.dumps(found).encode())
            finally:
                faulthandler.cancel_dump_traceback_later()

    def _leave(self, data: bytes) -> None:
        with suppress(FileExistsError):
            os.mkdir(self._folder, 0o700)  # noqa: PTH102  what it takes is a text, as its name is
        with open(self._path(os.getpid()), "xb") as file:  # noqa: PTH123
            file.write(data)

    def take(self, pid: int) -> dict[str, Any]:
        """Return what a rank has left, empty where that is nothing of use, and `others` that left.

        The launcher that brings the error has ended them all: what they left goes.
        """
        found, others = None, 0
        if not self._is_open:
            return {}
        with suppress(OSError, ValueError):
            others = sum(name != f"{pid}.json" for name in os.listdir(self._folder))  # noqa: PTH208
            with os.fdopen(os.open(self._path(pid), _AS_IT_IS), "rb") as file:
                status = os.fstat(file.fileno())
                if stat.S_ISREG(status.st_mode) and status.st_uid == os.getuid():
                    found = json.loads(file.read(_LONGEST + 1))  # one that is longer is cut
        self._clean()
        return {**(found if type(found) is dict else {}), "others": others}

    def _clean(self) -> None:
        """Remove what ranks of this kernel have left, and what kernels that were killed forgot."""
        for folder in (self._folder, *glob.glob(f"{self._folder.rpartition('-')[0]}-*")):  # noqa: PTH207
            with suppress(OSError):
                status = os.lstat(folder)
                is_old = time.time() - status.st_mtime > _OLD_S
                if status.st_uid == os.getuid() and (is_old or folder == self._folder):
                    shutil.rmtree(folder, ignore_errors=True)

    def _path(self, pid: int) -> str:
        return f"{self._folder}/{pid}.json"
