"""The comms that the kernel opens for an output that it cannot hear yet."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpu_headroom.frames.beacon import Beacon

if TYPE_CHECKING:
    from collections.abc import Mapping

PARENT = {"header": {"msg_id": "the cell"}}


class Wire:
    """What a beacon has sent, and the time by which it goes."""

    def __init__(self) -> None:
        self.sent: list[tuple[str, dict[str, Any]]] = []
        self.now_s = 100.0
        self.beacon = Beacon("target/output", self._publish, lambda: self.now_s)

    def _publish(self, kind: str, content: dict[str, Any], parent: Mapping[str, Any]) -> None:
        assert parent is PARENT
        self.sent.append((kind, content))

    def kinds(self) -> list[str]:
        """The kinds of what was sent since this was asked."""
        kinds = [kind for kind, _ in self.sent]
        self.sent.clear()
        return kinds


def test_twenty_comms_reach_twenty_minutes() -> None:
    """A second apart at first, for a frame that loads; then ever more seldom."""
    wire = Wire()
    times = []
    for second in range(3600):
        wire.now_s = 100.0 + second
        if wire.beacon.is_due:
            wire.beacon.open({}, PARENT)
            times.append(second)
    assert times[:6] == [0, 1, 2, 3, 4, 5]
    assert times[19] >= 20 * 60
    assert len(times) == 22


def test_a_closed_one_is_silent() -> None:
    """Closed once, and nothing after it."""
    wire = Wire()
    wire.beacon.close(PARENT)
    wire.beacon.open({}, PARENT)
    wire.beacon.close(PARENT)
    wire.beacon.close(PARENT)
    wire.beacon.send({}, PARENT)
    assert wire.kinds() == ["comm_open", "comm_close"]
