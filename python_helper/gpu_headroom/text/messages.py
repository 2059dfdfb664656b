"""Every sentence a person may read, by id, as an English template.

Here stands what the first pack says; all others stand in `catalogue.py`, or beside what says them.

The template is gettext's msgid: JupyterLab looks it up in the person's language and fills in
`params` (`src/frame/fill.ts`); consoles and static forms show `text`, the same in English.
`make translations` collects the templates. A placeholder ending in `_bytes` stands for a size;
`code` in backticks and **strong** in double asterisks are the only markup.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from .format import format_bytes

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..protocol.wire import Message

    Param = str | float | bool | None

FIRST_SENTENCES = {
    # The first line of a card.
    "card.title": "Out of GPU memory",
    "card.title_simulated": "Out of simulated GPU memory",
    "card.needed": "needed {requested} more, {available} was available",
    "card.needed_only": "needed {requested} more, what was available is not known",
    "card.size_unknown": "the size of the request is not known",
    "card.failed": "GPU Headroom could not say more: {error}.",
    # Requests that cannot be answered, and failures of the helper itself.
    "refused.malformed": "The request cannot be read: `{key}` is missing or has a wrong type.",
    "refused.unknown": "The helper in this kernel does not know the request `{name}`.",
    "refused.protocol": (
        "The helper in this kernel speaks protocol {helper}, this page speaks {page}: "
        "restart the kernel to use the page's."
    ),
    "refused.no_reading": "The GPU could not be read; the reason is in the log.",
    "refused.not_now": "Not measured now: a part of the kernel stands still, as at a breakpoint.",
    "refused.full": "Too much waits for the running cell already: ask again when it has ended.",
    "refused.failed": "The helper could not answer: {error}.",
    "error.part": "GPU Headroom: {part} failed: {error}.",
}

_PLACEHOLDER = re.compile(r"\{(\w+)\}")


def message(message_id: str, texts: Mapping[str, str] | None = None, /, **params: Param) -> Message:
    """Return the sentence `message_id` filled with `params`: one of `texts`, else the catalogue's.

    Raises `KeyError` for an id or a placeholder that is not known: both are programming errors.
    """
    template = texts[message_id] if texts else _template(message_id)
    clean = {key: _clean(value) for key, value in params.items()}
    text = _PLACEHOLDER.sub(lambda found: _shown(found[1], clean), template)
    return {"id": message_id, "template": template, "params": clean, "text": text}


def say(message_id: str, /, **params: Param) -> str:
    """Return the catalogue's sentence `message_id` in English, as consoles and static forms do."""
    return message(message_id, **params)["text"]


def _template(message_id: str) -> str:
    if message_id in FIRST_SENTENCES:
        return FIRST_SENTENCES[message_id]
    from .catalogue import SENTENCES

    return SENTENCES[message_id]


def _clean(value: Param) -> Param:
    """Keep a user's own text from closing the `code` it stands in."""
    return value.replace("`", "'") if isinstance(value, str) else value


def _shown(key: str, params: dict[str, Param]) -> str:
    value = params[key]
    if key.endswith("_bytes") and isinstance(value, int):
        return format_bytes(value)
    return str(value)
