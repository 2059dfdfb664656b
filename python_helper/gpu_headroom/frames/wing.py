"""The wing of outputs that live where no extension of ours is, and of the gauge in an output."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..session.wing import Wing
from . import colab

if TYPE_CHECKING:
    from ..protocol.generated import wire
    from ..session.wing import Host
    from .frames import Frames


class LiveOutputs(Wing):
    """Listens to frames where the kernel's shell is of a page that has them."""

    def __init__(self, host: Host) -> None:
        super().__init__(host)
        self.frames: Frames | None = None

    def prepare(self) -> None:
        """Listen where the shell is Colab's."""
        if self.host.channel is not None and colab.is_colab(self.host.shell):
            self.listen()

    def listen(self) -> Frames:
        """Listen, whosever the shell is; returns the frames."""
        from .frames import Frames

        if self.frames is None:
            self.frames = Frames(self.host)
            self.frames.open()
        return self.frames

    def close(self) -> None:
        """Forget all frames."""
        if self.frames is not None:
            self.frames.close()

    def wanted_hz(self) -> float | None:
        """Return how often a frame needs readings."""
        return None if self.frames is None else self.frames.wanted_hz()

    def on_event(self, event: wire.Event) -> None:
        """Tell the frames."""
        if self.frames is not None:
            self.frames.hear(event)

    def report_html(self, html: str, report_id: str) -> str:
        """Return the HTML of a report that comes to live in a frame."""
        return html if self.frames is None else self.frames.live(html, report_id=report_id)


WING = LiveOutputs
