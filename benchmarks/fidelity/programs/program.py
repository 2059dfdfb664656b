"""A program whose memory is compared."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(frozen=True)
class Program:
    """A program as people write it, and the GPUs that it runs on.

    `function` is run once, in a process of its own. It neither asks nor knows which side it is on,
    and no branch of it may depend on a value: there are none on either side.
    """

    name: str
    title: str
    function: Callable[[], object]
    gpus: tuple[str, ...]
    """The size of each GPU."""
    libraries: tuple[str, ...]
    """What has to be imported beside PyTorch."""


class Collection:
    """The programs of one module, in their order, under a heading."""

    def __init__(self, title: str, *libraries: str) -> None:
        self.title = title
        self.programs: list[Program] = []
        self._libraries = libraries

    def add(
        self,
        name: str,
        title: str,
        function: Callable[[], object],
        *,
        gpus: tuple[str, ...] = ("16GiB",),
    ) -> None:
        """Add a program under a name and a title of its own."""
        self.programs.append(Program(name, title, function, gpus, self._libraries))

    def program(
        self, *, gpus: tuple[str, ...] = ("16GiB",)
    ) -> Callable[[Callable[[], None]], Callable[[], None]]:
        """Decorate a function: its name is the program's, the line of its docstring the title."""

        def enter(function: Callable[[], None]) -> Callable[[], None]:
            title = (function.__doc__ or "").splitlines()[0].removesuffix(".")
            self.add(function.__name__, title, function, gpus=gpus)
            return function

        return enter
