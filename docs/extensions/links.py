"""Links from `docs/` to other files of the repository."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sphinx.util import logging

if TYPE_CHECKING:
    from sphinx.application import Sphinx

ROOT = Path(__file__).parents[2]
# `](../demo/colab.ipynb)`, with or without an anchor.
_LINK = re.compile(r"\]\((?P<path>(?!\w+:)[^)#\s]+)(?P<anchor>#[^)\s]*)?\)")
_LOG = logging.getLogger(__name__)


def _lead_out(app: Sphinx, text: str, folder: Path, docname: str) -> str:
    """Return the text with links out of the site pointing to the repository."""

    def target(match: re.Match[str]) -> str:
        file = (folder / match["path"]).resolve()
        if file.is_relative_to(app.srcdir):
            return match[0]
        if not file.exists():
            _LOG.warning("no such file: %s", match["path"], location=docname)
        kind = "tree" if file.is_dir() else "blob"
        where = file.relative_to(ROOT).as_posix()
        return f"]({app.config.repository_url}/{kind}/main/{where}{match['anchor'] or ''})"

    return _LINK.sub(target, text)


def _on_page(app: Sphinx, docname: str, source: list[str]) -> None:
    source[0] = _lead_out(app, source[0], Path(app.env.doc2path(docname)).parent, docname)


def _on_included(app: Sphinx, path: Path, docname: str, content: list[str]) -> None:
    folder = (Path(app.srcdir) / path).resolve().parent
    content[0] = _lead_out(app, content[0], folder, docname)


def setup(app: Sphinx) -> dict[str, Any]:
    """Register this with Sphinx."""
    package = json.loads((ROOT / "package.json").read_text(encoding="utf-8"))
    app.add_config_value("repository_url", package["homepage"], "env")
    app.connect("source-read", _on_page)
    app.connect("include-read", _on_included)
    return {"parallel_read_safe": True}
