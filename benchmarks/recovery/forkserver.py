"""A Python that has imported what a kernel imports, and forks a kernel on each request.

Run by each environment's own Python: `python forkserver.py ADDRESS`. A fresh kernel then need not
wait for PyTorch's import, and is as fresh: the fork happens before the kernel application, the
simulation and CUDA begin.

A client sends one line of JSON with the folder, the environment variables and the kernel's
arguments, and with it the files that become its stdout and stderr. The kernel lives as long as
the connection.
"""

from __future__ import annotations

import json
import os
import platform
import selectors
import signal
import socket
import sys
from contextlib import suppress
from importlib import import_module
from importlib.metadata import version
from typing import NoReturn, TypedDict, cast

_MESSAGE_BYTES = 2**20
# What IPython imports for the first traceback of a kernel: it takes as long as all the rest.
_FOR_TRACEBACKS = (
    "stack_data",
    "pygments.formatters.html",
    "pygments.formatters.terminal256",
    "pygments.lexers.python",
)


class Wish(TypedDict):
    """The kernel that is requested."""

    folder: str
    environment: dict[str, str]
    arguments: list[str]


def main(address: str) -> None:
    """Import, then fork until the standard input is closed."""
    for module in ("ipykernel.kernelapp", "torch", "probe"):
        import_module(module)
    for module in _FOR_TRACEBACKS:
        with suppress(ImportError):  # IPython 7 does without some
            import_module(module)
    if "GPU_HEADROOM_RECOVERY_REAL" not in os.environ:
        import_module("gpu_simulator.simulation")
    versions = {
        "Python": platform.python_version(),
        **{title: version(title.lower()) for title in ("ipykernel", "IPython", "torch")},
    }
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(address)
        server.listen()
        print("ready", json.dumps(versions), flush=True)
        _serve(server)


def _serve(server: socket.socket) -> None:
    kernels: dict[socket.socket, int] = {}
    with selectors.DefaultSelector() as selector:
        selector.register(server, selectors.EVENT_READ)
        selector.register(sys.stdin, selectors.EVENT_READ)
        while True:
            for key, _ in selector.select():
                if key.fileobj is sys.stdin:
                    for pid in kernels.values():
                        _end(pid)
                    return
                if key.fileobj is server:
                    connection, _ = server.accept()
                    kernels[connection] = _fork(connection, server, *kernels)
                    selector.register(connection, selectors.EVENT_READ)
                else:
                    connection = cast("socket.socket", key.fileobj)
                    selector.unregister(connection)
                    connection.close()
                    _end(kernels.pop(connection))


def _fork(connection: socket.socket, *inherited: socket.socket) -> int:
    message, files, _, _ = socket.recv_fds(connection, _MESSAGE_BYTES, 2)
    pid = os.fork()
    if pid == 0:
        for sock in (connection, *inherited):
            sock.close()
        _become_kernel(json.loads(message), files)
    for descriptor in files:
        os.close(descriptor)
    return pid


def _become_kernel(wish: Wish, files: list[int]) -> NoReturn:
    os.setsid()
    for target, descriptor in zip((1, 2), files, strict=True):
        os.dup2(descriptor, target)
        os.close(descriptor)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.chdir(wish["folder"])
    os.environ.clear()
    os.environ.update(wish["environment"])
    sys.argv = ["ipykernel_launcher", *wish["arguments"]]
    sys.path[0] = ""  # the folder of this script until now
    from ipykernel.kernelapp import launch_new_instance

    launch_new_instance()
    os._exit(0)


def _end(pid: int) -> None:
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)


if __name__ == "__main__":
    main(sys.argv[1])
