"""Leases: who wants events, until when."""

from __future__ import annotations

from typing import Any

import pytest
from gpu_headroom.protocol.leases import EDGES_LEASE_S, LEASE_S, Leases
from tests.live import OPTIONS


class Clock:
    """A clock that a test turns."""

    def __init__(self) -> None:
        self.now_s = 100.0

    def __call__(self) -> float:
        """Tell the time."""
        return self.now_s


def attach(leases: Leases, client_id: str, **options: Any) -> None:
    """Take a lease as a page does, with settings of its own."""
    wishes: Any = {**OPTIONS, **options}
    leases.renew(client_id, visible=True, rate_hz=2, options=wishes)


def test_no_page_looks_at_first() -> None:
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


def test_a_lease_of_a_page_that_does_not_look_lasts_longer() -> None:
    """Such a page is told when cells start and end, and need not ask often."""
    clock = Clock()
    leases = Leases(clock)
    assert leases.renew("looks", visible=True, rate_hz=2) == LEASE_S == 30
    assert leases.renew("does not", visible=False, rate_hz=2) == EDGES_LEASE_S == 90
    clock.now_s += 60
    assert leases.wanted_hz() is None
    assert leases.any()
    clock.now_s += 31
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


def test_without_a_page_options_are_the_defaults() -> None:
    """A helper that no page has attached to asks before it frees, and records nothing."""
    assert Leases().options() == OPTIONS


@pytest.mark.parametrize(
    ("option", "bold", "cautious"),
    [
        ("mark_cells", True, False),
        ("keep_reports", True, False),
        ("name_others", True, False),
        ("record_allocations", True, False),
        ("after_oom", "free", "ask"),
        ("after_oom", "free", "never"),
        ("after_oom", "ask", "never"),
        ("measure_workers", "ask", "asked"),
        ("measure_workers", "asked", "never"),
    ],
)
def test_the_cautious_wish_holds_for_everybody(option: str, bold: object, cautious: object) -> None:
    """Whoever attached last: a page does not undo what another one wants to be left alone."""
    leases = Leases(Clock())
    attach(leases, "bold", **{option: bold})
    assert dict(leases.options())[option] == bold
    attach(leases, "cautious", **{option: cautious})
    assert dict(leases.options())[option] == cautious
    attach(leases, "bold", **{option: bold})
    assert dict(leases.options())[option] == cautious
    leases.end("cautious")
    assert dict(leases.options())[option] == bold


def test_options_go_with_their_lease() -> None:
    """A page that went away without a word counts until its lease ends."""
    clock = Clock()
    leases = Leases(clock)
    attach(leases, "gone", after_oom="never")
    clock.now_s += LEASE_S / 2
    attach(leases, "stays", after_oom="free")
    assert leases.options()["after_oom"] == "never"
    clock.now_s += LEASE_S / 2
    assert leases.options()["after_oom"] == "free"


@pytest.mark.parametrize("leave", ["closed", "vanished"])
def test_the_wishes_of_the_last_one_hold_on(leave: str) -> None:
    """A cell that goes on after its page was closed ends as that page wanted."""
    clock = Clock()
    leases = Leases(clock)
    attach(leases, "first", after_oom="free")
    clock.now_s += 1
    attach(leases, "last", after_oom="never")
    if leave == "closed":
        leases.end("first")
        leases.end("last")
    clock.now_s += 3600
    assert not leases.any()
    assert leases.options()["after_oom"] == "never"
    attach(leases, "another", after_oom="ask")
    assert leases.options()["after_oom"] == "ask"


def test_a_poll_renews_the_options() -> None:
    """A page that polls is there with its settings; one that is not known has no say."""
    clock = Clock()
    leases = Leases(clock)
    attach(leases, "polls", mark_cells=False)
    clock.now_s += LEASE_S / 2
    leases.touch("polls", 2)
    clock.now_s += LEASE_S - 1
    leases.touch("unknown", 2)
    assert leases.options()["mark_cells"] is False
    attach(leases, "polls", mark_cells=True)
    assert leases.options()["mark_cells"] is True
