"""Prints the helper's templates as JSON, with notes for translators: `make translations` asks."""

from __future__ import annotations

import json
import re
import sys
from importlib import import_module
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "python_helper"))

from gpu_headroom.holders.place import Edge
from gpu_headroom.text.catalogue import SENTENCES

HELPER = Path(__file__).resolve().parents[1] / "python_helper"
CONSOLE = "summary."  # what consoles print stays English
CONSOLES = ("terminal/", "console.py")
HAS_SOME = re.compile(r"^TEXTS\b|^\w+ = Edge\(", re.MULTILINE)
PLACE = re.compile(r"\{(\w+)\}")


def note(name: str, template: str) -> list[str]:
    """Say what a sentence is for, and what stands in its places: the keys say that themselves."""
    sizes = [place for place in PLACE.findall(template) if place.endswith("_bytes")]
    places = ", ".join(f"{{{place}}}" for place in dict.fromkeys(sizes))
    return [name, *([f"A size, such as 1.2 GiB: {places}"] if places else [])]


def templates(*, of_consoles: bool = False) -> dict[str, str]:
    """Return the sentences of the catalogue and of each module that has some of its own, by id."""
    texts = dict(SENTENCES)
    for package in ("gpu_headroom", "gpu_dry_run"):
        for path in sorted((HELPER / package).rglob("*.py")):
            name = path.relative_to(HELPER).as_posix()
            is_shown = of_consoles or not any(each in name for each in CONSOLES)
            if is_shown and HAS_SOME.search(path.read_text(encoding="utf-8")):
                module = import_module(name.removesuffix(".py").replace("/", "."))
                texts |= getattr(module, "TEXTS", {})
                kinds = [each for each in vars(module).values() if isinstance(each, Edge)]
                texts |= {f"path.{kind.name}": kind.sentence for kind in kinds}
    return texts


if __name__ == "__main__":
    json.dump(
        [
            {"text": template, "comments": note(name, template)}
            for name, template in templates().items()
            if not name.startswith(CONSOLE)
        ],
        sys.stdout,
    )
