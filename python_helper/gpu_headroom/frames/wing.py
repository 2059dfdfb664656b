"""The wing of outputs that live where no extension of ours is, and of the gauge in an output."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..concurrency.threads import Lock
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
        self._opening = Lock(limit_s=10.0)  # a cell may need them while the sampler opens them

    def prepare(self) -> None:
        """Listen where the shell is Colab's."""
        self.here()

    def here(self) -> Frames | None:
        """Return the frames where the shell is Colab's, listening."""
        if self.host.channel is not None and colab.is_colab(self.host.shell):
            self.listen()
        return self.frames

    def listen(self) -> Frames:
        """Listen, whosever the shell is; returns the frames."""
        from .frames import Frames

        with self._opening:
            if self.frames is None:
                frames = Frames(self.host)
                frames.open()
                self.frames = frames
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
