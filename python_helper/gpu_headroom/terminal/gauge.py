"""`gpu_headroom.show()`: the gauge as the output of a cell."""

from __future__ import annotations

from .. import session as lives
from .summary import summarise


def show(*, compact: bool = False, frontend: str | None = None) -> None:
    """Display the gauge; see `gpu_headroom.show`."""
    from ..frames.gauge import name_workers, static_gauge

    session = lives.start()
    session.open_frames(frontend)
    session.sources.include_all()
    snapshot = session.sampler.measure()
    said = summarise(snapshot)
    followed = session.workers.short(() if snapshot is None else snapshot.devices)
    workers = name_workers(followed, snapshot)
    html = static_gauge(snapshot, said, workers, compact=compact)
    if session.frames is not None:
        html = session.frames.live(html, compact=compact)
    text = "\n".join(filter(None, (said, workers)))
    session.shell.display_pub.publish({"text/html": html, "text/plain": text})
