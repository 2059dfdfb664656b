"""Restrictions by the Linux kernel on a process and all it starts: landlock(7), seccomp(2).

Files can be changed in one folder only; devices and the network cannot be used. C code can still
delete files in `/dev/shm`, connect to programs of this machine through their files, and, before
Linux 6.12, end processes.
"""

from __future__ import annotations

import ctypes
import os
import platform
import struct

_CREATE, _ADD, _RESTRICT = 444, 445, 446  # system calls, on all kinds of machines
_WRITE = 0b10  # the only one of these that a device knows
_WRITES = 0b1_1111_1111_0010  # all of version 1 but execute, read file and read directory
_SCOPES, _KNOWS_SCOPES = 0b11, 6  # sockets and signals of others, since version 6
# Of devices what programs write to.
DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/tty", "/dev/ptmx")
_NO_NEW_PRIVILEGES, _SET_SECCOMP, _FILTER = 38, 22, 2
# By machine its number in <linux/audit.h> and that of its call `socket`.
_MACHINES = {"x86_64": (0xC000_003E, 41), "aarch64": (0xC000_00B7, 198)}
_OTHER_CALLS, _IO_URING = 0x4000_0000, 425  # of x32; makes sockets as well
_UNIX, _NETLINK = 1, 16
_LOAD, _IS, _IS_LEAST, _RETURN = 0x20, 0x15, 0x35, 0x06  # of BPF
_CALL_AT, _MACHINE_AT, _FAMILY_AT = 0, 4, 16  # in `struct seccomp_data`
_REFUSED, _ALLOWED = 0x0005_000D, 0x7FFF_0000  # with EACCES


def is_there() -> bool:
    """Whether this system has both."""
    is_known = platform.machine() in _MACHINES and os.path.exists("/proc/sys/kernel/seccomp")  # noqa: PTH110  a text
    return is_known and _version(ctypes.CDLL(None)) > 0


def restrict(root: str, *, network: bool) -> None:
    """Make the kernel refuse changes outside of `root`; this cannot be undone."""
    libc = ctypes.CDLL(None, use_errno=True)
    version = _version(libc)
    has_scopes = version >= _KNOWS_SCOPES
    handled = (ctypes.c_uint64 * 3)(_WRITES, 0, _SCOPES if has_scopes else 0)
    size = ctypes.c_size_t(24 if has_scopes else 8)
    rules = libc.syscall(_CREATE, ctypes.byref(handled), size, 0)
    if rules < 0:
        return
    for path in (root, "/dev/shm", "/dev/pts", *DEVICES):  # noqa: S108  as C shares memory
        try:
            file = os.open(path, getattr(os, "O_PATH", 0))
        except OSError:
            continue  # a container may lack it
        rule = (ctypes.c_uint32 * 3)()
        rule[0] = _WRITE if path in DEVICES else _WRITES
        rule[2] = file
        libc.syscall(_ADD, rules, 1, rule, 0)
        os.close(file)
    libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    libc.syscall(_RESTRICT, rules, 0)
    os.close(rules)
    if not network and platform.machine() in _MACHINES:
        _refuse_sockets(libc)


def _refuse_sockets(libc: ctypes.CDLL) -> None:
    """Refuse each socket but those of this machine, also to C code, by a program of seccomp(2)."""
    machine, socket = _MACHINES[platform.machine()]
    steps = [
        (_LOAD, 0, 0, _MACHINE_AT),
        (_IS, 0, 7, machine),  # so many steps are passed over if it is, else so many
        (_LOAD, 0, 0, _CALL_AT),
        (_IS_LEAST, 5, 0, _OTHER_CALLS),
        (_IS, 4, 0, _IO_URING),
        (_IS, 0, 4, socket),
        (_LOAD, 0, 0, _FAMILY_AT),
        (_IS, 2, 0, _UNIX),
        (_IS, 1, 0, _NETLINK),
        (_RETURN, 0, 0, _REFUSED),
        (_RETURN, 0, 0, _ALLOWED),
    ]
    code = ctypes.create_string_buffer(b"".join(struct.pack("=HBBI", *step) for step in steps))
    program = ctypes.create_string_buffer(struct.pack("@HP", len(steps), ctypes.addressof(code)))
    libc.prctl(_SET_SECCOMP, _FILTER, program)


def _version(libc: ctypes.CDLL) -> int:
    version: int = libc.syscall(_CREATE, None, ctypes.c_size_t(0), 1)
    return version
