"""Prints the helper's templates as JSON, with notes for translators: `make translations` asks."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "python_helper"))

from gpu_headroom.advice.registry import TEXTS
from gpu_headroom.text.catalogue import SENTENCES

CONSOLE = "summary."  # what consoles print stays English
PLACE = re.compile(r"\{(\w+)\}")


def note(name: str, template: str) -> list[str]:
    """Say what a sentence is for, and what stands in its places: the keys say that themselves."""
    sizes = [each for each in PLACE.findall(template) if each.endswith("_bytes")]
    shown = ", ".join(f"{{{each}}}" for each in dict.fromkeys(sizes))
    return [name, *([f"A size, such as 1.2 GiB: {shown}"] if shown else [])]


json.dump(
    [
        {"text": template, "comments": note(name, template)}
        for name, template in {**SENTENCES, **TEXTS}.items()
        if not name.startswith(CONSOLE)
    ],
    sys.stdout,
)
