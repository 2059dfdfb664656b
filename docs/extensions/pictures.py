"""A picture `…-light.png` is shown in light pages, and its sibling `…-dark.png` in dark ones."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from docutils import nodes
from sphinx.transforms import SphinxTransform

if TYPE_CHECKING:
    from sphinx.application import Sphinx

_LIGHT = "-light.png"


class Pictures(SphinxTransform):
    """Adds the dark picture to the light one, with the theme's class for each."""

    # Before Sphinx collects the files of pictures.
    default_priority = 200

    def apply(self, **_: Any) -> None:
        """See the class."""
        folder = Path(self.env.doc2path(self.env.docname)).parent
        for image in list(self.document.findall(nodes.image)):
            uri = image["uri"]
            dark = uri.removesuffix(_LIGHT) + "-dark.png"
            if not uri.endswith(_LIGHT) or not (folder / dark).is_file():
                continue
            twin = image.copy()
            twin["uri"] = dark
            image["classes"] = [*image.get("classes", ()), "only-light"]
            twin["classes"] = [*twin.get("classes", ()), "only-dark"]
            image.parent.insert(image.parent.index(image) + 1, twin)


def setup(app: Sphinx) -> dict[str, Any]:
    """Register this with Sphinx."""
    app.add_transform(Pictures)
    return {"parallel_read_safe": True}
