"""A Python that has imported what a kernel imports, and forks a kernel whenever it is asked to.

Run by each environment's own Python: `python nursery.py ADDRESS`. A fresh kernel then takes a
third of a second in place of the seconds that PyTorch's import takes, and is as fresh: the fork
happens before the kernel application, the simulation and CUDA begin.

Who asks sends one line of JSON with the folder, the environment variables and the kernel's
arguments, and with it the files that become its stdout and stderr. The kernel lives as long as
the connection.
"""

from __future__ import annotations

import json
import os
import selectors
import signal
import socket
import sys
from typing import NoReturn

_MESSAGE_BYTES = 2**20


def main(address: str) -> None:
    """Import, then fork until the standard input is closed."""
    import ipykernel.kernelapp
    import IPython
    import torch  # noqa: F401 — imported to be there after the fork

    if "GPU_HEADROOM_RECOVERY_REAL" not in os.environ:
        import gpu_headroom.simulate.simulation  # noqa: F401
    print("ready", ipykernel.__version__, IPython.__version__, flush=True)
    kernels: dict[socket.socket, int] = {}
    with socket.socket(socket.AF_UNIX) as server, selectors.DefaultSelector() as selector:
        server.bind(address)
        server.listen()
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
                    selector.unregister(key.fileobj)
                    connection = key.fileobj
                    connection.close()
                    _end(kernels.pop(connection))


def _fork(connection: socket.socket, *inherited: socket.socket) -> int:
    message, files, _, _ = socket.recv_fds(connection, _MESSAGE_BYTES, 2)
    pid = os.fork()
    if pid == 0:
        for each in (connection, *inherited):
            each.close()
        _become_kernel(json.loads(message), files)
    for each in files:
        os.close(each)
    return pid


def _become_kernel(wish: dict[str, object], files: list[int]) -> NoReturn:
    os.setsid()
    for target, file in zip((1, 2), files, strict=True):
        os.dup2(file, target)
        os.close(file)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.chdir(str(wish["folder"]))
    os.environ.clear()
    os.environ.update(wish["environment"])
    sys.argv = ["ipykernel_launcher", *wish["arguments"]]
    sys.path[:] = ["", *(each for each in sys.path if each)]
    from ipykernel.kernelapp import launch_new_instance

    launch_new_instance()
    os._exit(0)


def _end(pid: int) -> None:
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)


if __name__ == "__main__":
    main(sys.argv[1])
