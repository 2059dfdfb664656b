"""User-visible sentences, by id, as English templates.

`catalogue.py` has those of the core; a rule, remedy or console has its own in `TEXTS`.

The template is gettext's msgid: JupyterLab looks it up in the user's language and fills in
`params` (`src/text/fill.ts`); consoles and static forms show `text`, the same in English.
`make translations` collects the templates. A placeholder ending in `_bytes` is a size;
`code` in backticks and **strong** in double asterisks are the only markup.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from .catalogue import SENTENCES
from .format import format_bytes

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..protocol.generated.wire import Message

    Param = str | float | bool | None

_PLACEHOLDER = re.compile(r"\{(\w+)\}")


def message(message_id: str, texts: Mapping[str, str] | None = None, /, **params: Param) -> Message:
    """Return the sentence `message_id` filled with `params`: one of `texts`, else the catalogue's.

    Raises `KeyError` for an unknown id or placeholder: both are programming errors.
    """
    template = (texts or SENTENCES)[message_id]
    clean = {key: _clean(value) for key, value in params.items()}
    text = _PLACEHOLDER.sub(lambda match: _shown(match[1], clean), template)
    return {"id": message_id, "template": template, "params": clean, "text": text}


def say(message_id: str, texts: Mapping[str, str] | None = None, /, **params: Param) -> str:
    """Return the sentence `message_id` in English, as consoles and static forms do."""
    return message(message_id, texts, **params)["text"]


def _clean(value: Param) -> Param:
    """Replace backticks, which would end the `code` around a value."""
    return value.replace("`", "'") if isinstance(value, str) else value


def _shown(key: str, params: dict[str, Param]) -> str:
    value = params[key]
    if key.endswith("_bytes") and isinstance(value, int):
        return format_bytes(value)
    return str(value)
