"""A process by itself: namespaces of Linux keep its files, processes, devices and network apart.

See namespaces(7). It is also read as a program of its own, by `sandbox.py`.
"""

from __future__ import annotations

import ctypes
import os
import signal
import struct
import sys
from pathlib import Path

assert sys.platform == "linux"  # noqa: S101  for types: who imports it has asked
_NEW_MOUNTS, _NEW_IPC, _NEW_USER = 0x0002_0000, 0x0800_0000, 0x1000_0000
_NEW_PIDS, _NEW_NETWORK = 0x2000_0000, 0x4000_0000
_BIND, _MOVE, _RECURSIVE, _PRIVATE = 0x1000, 0x2000, 0x4000, 0x4_0000
_MOUNT_SETATTR, _BELOW, _READ_ONLY = 442, 0x8000, 1  # since Linux 5.12
_DIES_WITH_PARENT = 1
# What programs need of devices, and nothing by which a GPU could be reached.
_DEVICES = ("null", "zero", "full", "random", "urandom")
_SET_FLAGS, _IS_UP = 0x8914, 1  # netdevice(7)


def enter(scratch: str, *, network: bool) -> None:
    """Go on in a process that reaches nothing outside; only `scratch` can be written to there.

    All that this starts ends with it, and this process then. With `network` the network stays as
    it is. Raises `OSError` where the system does not allow it.
    """
    _isolate(network=network)
    first = os.fork()
    if first == 0:
        _libc().prctl(_DIES_WITH_PARENT, signal.SIGKILL)
        _mount(scratch, network=network)
        if not network:
            _call_itself()
        pid = os.fork()
        if pid == 0:
            os.setpgid(0, 0)
            return
        # The first of a namespace cannot end itself by a signal, as a run may; all ends with it.
        while os.wait()[0] != pid:
            pass
        os._exit(0)
    os.waitpid(first, 0)
    os._exit(0)


def probe(scratch: str, *, network: bool) -> None:
    """End this process: with 0 where the system allows it."""
    try:
        _isolate(network=network)
        inner = os.fork()
        if inner:
            os._exit(1 if os.waitpid(inner, 0)[1] else 0)
        _mount(scratch, network=network)
        os._exit(0)
    except OSError:
        os._exit(1)


def _isolate(*, network: bool) -> None:
    user, group = os.getuid(), os.getgid()
    kinds = _NEW_USER | _NEW_IPC | _NEW_PIDS | (0 if network else _NEW_NETWORK)
    _checked(_libc().unshare(kinds))
    Path("/proc/self/setgroups").write_text("deny", "ascii")
    Path("/proc/self/uid_map").write_text(f"{user} {user} 1", "ascii")
    Path("/proc/self/gid_map").write_text(f"{group} {group} 1", "ascii")


def _mount(scratch: str, *, network: bool) -> None:
    """Leave nothing to write to but `scratch`, and no devices and processes but its own."""
    # Only here, so that who waits can still remove `scratch`.
    _checked(_libc().unshare(_NEW_MOUNTS))
    _bind("none", "/", _RECURSIVE | _PRIVATE)
    _bind(scratch, scratch, _BIND)
    _set_attributes("/", _READ_ONLY, 0, _BELOW)
    _set_attributes(scratch, 0, _READ_ONLY, 0)
    _bind("proc", "/proc", kind="proc")
    if not network:
        _bind("tmpfs", "/run", kind="tmpfs")  # sockets of whatever serves this machine
    devices = Path(scratch, ".dev")
    devices.mkdir(exist_ok=True)
    _bind("tmpfs", str(devices), kind="tmpfs")
    for name in _DEVICES:
        (devices / name).touch()
        _bind(f"/dev/{name}", str(devices / name), _BIND)
    for name in ("shm", "pts"):
        (devices / name).mkdir()
    _bind("devpts", str(devices / "pts"), kind="devpts", data=b"newinstance,ptmxmode=0666")
    (devices / "ptmx").symlink_to("pts/ptmx")
    (devices / "fd").symlink_to("/proc/self/fd")
    _bind(str(devices), "/dev", _MOVE)


def _call_itself() -> None:
    """Start the loopback interface of a new network, for processes that connect to each other."""
    import fcntl
    import socket

    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        fcntl.ioctl(any_socket, _SET_FLAGS, struct.pack("16sh14x", b"lo", _IS_UP))


def _bind(
    what: str, where: str, flags: int = 0, kind: str | None = None, data: bytes | None = None
) -> None:
    names = [text and text.encode() for text in (what, where, kind)]
    _checked(_libc().mount(*names, ctypes.c_ulong(flags), data))


def _set_attributes(where: str, added: int, removed: int, flags: int) -> None:
    attributes = (ctypes.c_uint64 * 4)(added, removed, 0, 0)
    at, size = ctypes.byref(attributes), ctypes.c_size_t(ctypes.sizeof(attributes))
    _checked(_libc().syscall(_MOUNT_SETATTR, -1, where.encode(), flags, at, size))


def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def _checked(result: int) -> None:
    if result:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
