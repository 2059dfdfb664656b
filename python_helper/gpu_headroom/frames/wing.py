"""Wing of the outputs that are live without the JupyterLab extension."""

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
    """Connects to frames where the shell is of a front end that has them."""

    def __init__(self, host: Host) -> None:
        super().__init__(host)
        self.frames: Frames | None = None
        self._opening = Lock(limit_s=10.0)  # a cell may need them while the sampler opens them

    def prepare(self) -> None:
        """Start receiving messages of frames if the shell is Colab's."""
        self.here()

    def here(self) -> Frames | None:
        """Return the frames, receiving messages if the shell is Colab's; `None` without frames."""
        if self.host.channel is not None and colab.is_colab(self.host.shell):
            self.listen()
        return self.frames

    def listen(self) -> Frames:
        """Start receiving messages of frames, in any shell; return the frames."""
        from .frames import Frames

        with self._opening:
            if self.frames is None:
                frames = Frames(self.host)
                frames.open()
                self.frames = frames
            return self.frames

    def close(self) -> None:
        """Remove all frames."""
        if self.frames is not None:
            self.frames.close()

    def wanted_hz(self) -> float | None:
        """Return the rate of readings that frames need; `None` without frames."""
        return None if self.frames is None else self.frames.wanted_hz()

    def on_event(self, event: wire.Event) -> None:
        """Send an event to the frames."""
        if self.frames is not None:
            self.frames.hear(event)

    def report_html(self, html: str, report_id: str) -> str:
        """Return the HTML of a report, live where there are frames."""
        return html if self.frames is None else self.frames.live(html, report_id=report_id)


WING = LiveOutputs
