"""Two hosts on this machine: a network each, joined by one link, and names of their own."""

from __future__ import annotations

import os
import shlex
import subprocess
from contextlib import contextmanager
from itertools import count
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_numbers = count()


class Hosts:
    """`near` and `far`: their addresses, the link between them, and what runs there."""

    addresses: dict[str, str] = {"near": "10.77.0.1", "far": "10.77.0.2"}  # noqa: RUF012  constant

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._running: list[subprocess.Popen[bytes]] = []
        unique = f"{os.getpid() % 10**5}-{next(_numbers)}"  # an interface's name has 15 characters
        self._network = {host: f"hr-{unique}-{host}" for host in self.addresses}
        self._link = {host: f"{host}{unique}" for host in self.addresses}

    def begin(self) -> None:
        """Make both; raises `CalledProcessError` where this system does not allow it."""
        for network in self._network.values():
            _ip("netns", "add", network)
        (near, near_link), (far, far_link) = zip(
            self._network.values(), self._link.values(), strict=True
        )
        _ip("link", "add", near_link, "netns", near, "type", "veth",
            "peer", "name", far_link, "netns", far)  # fmt: skip
        for host, address in self.addresses.items():
            self._set(host, "address", "add", f"{address}/24", "dev", self._link[host])
            self._set(host, "link", "set", "lo", "up")
        self.link(is_up=True)
        subprocess.run(self._on("far", "true"), check=True, capture_output=True, text=True)

    def end(self) -> None:
        """Leave nothing."""
        for process in reversed(self._running):
            process.terminate()
        for process in reversed(self._running):
            process.wait()
        for network in self._network.values():
            subprocess.run(["ip", "netns", "delete", network], check=False, capture_output=True)

    def link(self, *, is_up: bool) -> None:
        """Take the link down, or up again: packets are lost without a notice."""
        for host, link in self._link.items():
            self._set(host, "link", "set", link, "up" if is_up else "down")

    def start(self, host: str, *command: str, **variables: str) -> None:
        """Have something run on a host, to the end; what it prints is in the folder."""
        inherited = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
        with (self.folder / f"{host}-{len(self._running)}.log").open("w") as log:
            self._running.append(
                subprocess.Popen(
                    self._on(host, *command),
                    cwd=self.folder,
                    env={**inherited, **variables},
                    stdout=log,
                    stderr=log,
                )
            )

    def program(self, host: str, program: Path) -> Path:
        """Return a program that is another on a host."""
        script = self.folder / f"{program.name}-{host}"
        script.write_text(f'#!/bin/sh\nexec {shlex.join(self._on(host, str(program)))} "$@"\n')
        script.chmod(0o755)
        return script

    def _on(self, host: str, *command: str) -> list[str]:
        script = f'hostname {host} && exec "$@"'
        within = ["unshare", "--uts", "sh", "-c", script, "sh", *command]
        return ["ip", "netns", "exec", self._network[host], *within]

    def _set(self, host: str, *words: str) -> None:
        _ip("-netns", self._network[host], *words)


def _ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True, capture_output=True, text=True)


@contextmanager
def two_hosts(folder: Path) -> Iterator[Hosts]:
    """Two hosts; a test that asks for them is skipped where the system does not allow them."""
    hosts = Hosts(folder)
    try:
        hosts.begin()
    except (OSError, subprocess.CalledProcessError) as error:
        hosts.end()
        reason = getattr(error, "stderr", None) or error
        pytest.skip(f"This system allows no networks of a test's own: {reason}")
    try:
        yield hosts
    finally:
        hosts.end()
