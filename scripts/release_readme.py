"""The README as PyPI shows it: what it links to beside itself is in the repository, at the tag.

hatchling asks for this while it builds; sdist and wheel then say the same.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

LINK = re.compile(r"(!?)\[([^\[\]]*)\]\((?![a-z]+:|#)([^()\s]+)\)")


def absolute(text: str, home: str, version: str) -> str:
    """Markdown whose links lead to the repository's pages, its pictures to their files."""

    def link(match: re.Match[str]) -> str:
        picture, words, path = match.groups()
        return f"{picture}[{words}]({home}/{'raw' if picture else 'blob'}/v{version}/{path})"

    return LINK.sub(link, text)


class ReadmeHook(MetadataHookInterface):
    """Gives the project's metadata the text of README.md with whole addresses."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Called by hatchling."""
        root = Path(self.root)
        package = json.loads((root / "package.json").read_text(encoding="utf-8"))
        text = (root / "README.md").read_text(encoding="utf-8")
        metadata["readme"] = {
            "content-type": "text/markdown",
            "text": absolute(text, package["homepage"], package["version"]),
        }
