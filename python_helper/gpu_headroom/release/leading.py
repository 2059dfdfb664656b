"""The starts that lead to each object of a graph, for all starts at once.

A walk for each start would visit a linked structure as often as it has names.
"""

from __future__ import annotations

from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from ..concurrency.turns import Turn

    Follow = Callable[[int], Iterable[int]]

    T = TypeVar("T")


_CHECK_EVERY = 256


def checked(numbers: Iterable[T], turn: Turn) -> Iterator[T]:
    """Go through what may be long, and yield to others meanwhile. Raises `TimeLimitError`."""
    for place, number in enumerate(numbers):
        if place % _CHECK_EVERY == 0:
            turn.check()
        yield number


def leading(starts: Mapping[int, int], follow: Follow, turn: Turn) -> dict[int, int]:
    """Return for each object that is come to the bits of all starts that lead to it.

    `starts` has the bits that each begins with. Raises `TimeLimitError` if the turn is over.
    """
    bits = dict(starts)
    components = [*_components(starts, follow, turn)]

    def spread() -> Iterator[tuple[int, int]]:
        for component in reversed(components):
            # All of one component lead to each other.
            own = reduce(or_, (bits.get(number, 0) for number in component))
            yield from ((number, own) for number in component)

    for number, own in checked(spread(), turn):
        bits[number] = own
        for other in follow(number):
            mask = bits.get(other, 0)
            if mask | own != mask:
                bits[other] = mask | own
    return bits


def _components(starts: Iterable[int], follow: Follow, turn: Turn) -> Iterator[list[int]]:
    """Yield the strongly connected components, each after those that it leads to.

    Gabow, Path-based depth-first search for strong and biconnected components (2000): a stack of
    what has no component yet, and one of the places where those found so far may begin.
    """
    order: dict[int, int] = {}
    done = set[int]()
    open_, begins = list[int](), list[int]()
    for start in starts:
        # A sentinel below the first node: its only successor is `start`.
        path = [] if start in order else [(start, iter((start,)))]
        while path:
            node, rest = path[-1]
            for other in rest:
                if other not in order:
                    if len(order) % _CHECK_EVERY == 0:
                        turn.check()
                    order[other] = len(order)
                    open_.append(other)
                    begins.append(other)
                    path.append((other, iter(follow(other))))
                    break
                while other not in done and order[begins[-1]] > order[other]:
                    begins.pop()
            else:
                path.pop()
                if path and begins[-1] == node:
                    begins.pop()
                    component = [open_.pop()]
                    while component[-1] != node:
                        component.append(open_.pop())
                    done.update(component)
                    yield component
