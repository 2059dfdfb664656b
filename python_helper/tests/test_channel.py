"""Leases: who wants events, until when."""

from __future__ import annotations

from gpu_headroom.channel import LEASE_S, Leases


class Clock:
    """A clock that a test turns."""

    def __init__(self) -> None:
        self.now_s = 100.0

    def __call__(self) -> float:
        """Tell the time."""
        return self.now_s


def test_nobody_looks_at_first() -> None:
    """Without a lease nothing is wanted."""
    leases = Leases()
    assert leases.wanted_hz() is None
    assert not leases.any()


def test_the_highest_rate_of_a_visible_client_counts() -> None:
    """A hidden page keeps its lease and wants nothing."""
    leases = Leases(Clock())
    leases.renew("a", visible=True, rate_hz=2)
    leases.renew("b", visible=True, rate_hz=5)
    leases.renew("c", visible=False, rate_hz=10)
    assert leases.wanted_hz() == 5
    leases.end("b")
    assert leases.wanted_hz() == 2
    leases.end("a")
    assert leases.wanted_hz() is None
    assert leases.any()


def test_rates_are_kept_within_reason() -> None:
    """However little or much a page asks, the rate is between 0.2 and 10 Hz."""
    leases = Leases(Clock())
    leases.renew("a", visible=True, rate_hz=0)
    assert leases.wanted_hz() == 0.2
    leases.renew("a", visible=True, rate_hz=1e9)
    assert leases.wanted_hz() == 10


def test_a_lease_ends_by_itself() -> None:
    """A page that went away without a word is forgotten; one that polls is not."""
    clock = Clock()
    leases = Leases(clock)
    leases.renew("gone", visible=True, rate_hz=10)
    leases.renew("polls", visible=True, rate_hz=3)
    clock.now_s += LEASE_S / 2
    leases.touch("polls", 2)
    clock.now_s += LEASE_S / 2
    assert leases.wanted_hz() == 3
    clock.now_s += LEASE_S
    assert not leases.any()


def test_asking_is_looking() -> None:
    """A poll of a page whose lease has ended begins one at the default rate."""
    leases = Leases(Clock())
    leases.touch("new", 2)
    assert leases.wanted_hz() == 2


def test_clients_without_number_do_not_fill_the_memory() -> None:
    """The oldest lease makes room."""
    leases = Leases(Clock())
    for number in range(1000):
        leases.renew(f"page {number}", visible=True, rate_hz=1)
    assert len(leases._leases) == 64
