"""Actors of Ray that are followed by name: the helper goes there as a call, in its turn."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any

from ..frameworks.imported import imported
from ..text.format import format_error
from ..text.messages import message
from .ray_side import plain, sent
from .travel import by_value, pack
from .words import TEXTS

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..protocol.generated.wire import Message

SENT = "workers/cards.py", "workers/arriving.py", "workers/ray_box.py"


class Actors:
    """Those that are followed; each is kept until its call is sent, as Ray ends what nobody has."""

    def __init__(self) -> None:
        self._job: str | None = None
        self._there: dict[str, Callable[[], Any]] = {}
        self._sent: dict[str, Any] = {}  # what comes of the call, until it has come
        self._error: str | None = None

    def __len__(self) -> int:
        return len(self._there)

    def of(self, job: str | None) -> Actors:
        """Return those of a job: of one that has ended nobody is there any more."""
        if job != self._job:
            self._job, self._there, self._sent, self._error = job, {}, {}, None
        return self

    def add(self, actor: Any) -> None:
        """Have one followed; nothing is sent yet."""
        key = str(actor._actor_id.hex())  # noqa: SLF001  nothing else tells
        self._sent.pop(key, None)
        self._there[key] = lambda: actor
        self._error = None

    def are_new(self) -> bool:
        """Whether the helper is on its way to one of them, or is to be sent."""
        return any(self._sent.get(key, self) is not None for key in list(self._there))

    def forget(self) -> None:
        """Forget that the helper was sent: there is another box."""
        self._sent = {}

    def send(self, box: str) -> None:
        """Have the helper go to those that are new, and hear what came of it from the others."""
        for key, there in list(self._there.items()):
            try:
                if key not in self._sent:
                    self._send(key, there(), box)
                elif self._sent[key] is not None:
                    self._hear(key)
            except Exception as error:  # noqa: BLE001  Ray's own, or the actor is gone
                self._there.pop(key, None)
                self._error = format_error(error).partition("\n")[0]

    def said(self) -> Message | None:
        """Return what there is to say of them."""
        if self._error is not None:
            return message("worker.not_taken", TEXTS, error=self._error)
        behind = sum(self._sent.get(key) is not None for key in list(self._there))
        return message("worker.behind", TEXTS, count=behind) if behind else None

    def _send(self, key: str, actor: Any, box: str) -> None:
        if actor is None:
            del self._there[key]
            return
        call = by_value(*SENT)["gpu_headroom"]
        self._sent[key] = sent(actor.__ray_call__, call, pack(), box)
        self._there[key] = weakref.ref(actor)

    def _hear(self, key: str) -> None:
        ray, letter = imported("ray"), self._sent[key]
        ready, _ = plain(ray.wait)([letter], timeout=0)
        if ready:
            self._sent[key] = None
            self._error = plain(ray.get)(letter, timeout=1) or None
