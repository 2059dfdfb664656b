"""What several engines say of their cards, as one answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .cards import MOST, Answer, share

if TYPE_CHECKING:
    from collections.abc import Sequence


def joined(answers: Sequence[Answer]) -> Answer:
    """Return the answers of several engines as one; a card that two of them tell of stands once."""
    cards = {card["id"]: card for found in answers for card in found.cards}
    fullest_first = sorted(cards.values(), key=lambda card: -share(card))
    fullest = [found.fullest for found in answers if found.fullest]
    return Answer(
        sum(found.in_use_bytes for found in answers),
        max(fullest, key=share, default=None),
        [host for found in answers for host in found.hosts][:MOST],
        sum(found.more_hosts for found in answers),
        fullest_first[:MOST],
        sum(found.more_cards for found in answers) + max(0, len(cards) - MOST),
    )
