"""`gpu_headroom.show()`: the gauge as the output of a cell."""

from __future__ import annotations

from .. import session as sessions
from ..terminal.summary import summarise
from . import colab
from .gauge import static_gauge


def show(*, compact: bool = False, frontend: str | None = None) -> None:
    """Display the gauge; see `gpu_headroom.show`."""
    if frontend not in {None, colab.NAME}:
        raise ValueError(
            f'There is no frontend {frontend!r}: it may be "{colab.NAME}", or be left out.'
        )
    session = sessions.start()
    wing = session.wings.named("frames")
    frames = wing.here() if frontend is None else wing.listen()
    session.sources.include_all()
    snapshot = session.sampler.measure()
    text = summarise(snapshot)
    html = static_gauge(snapshot, text, compact=compact)
    if frames is not None:
        html = frames.live(html, compact=compact)
    session.shell.display_pub.publish({"text/html": html, "text/plain": text})
