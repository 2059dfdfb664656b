"""Reports with whatever the schema allows in them, as static HTML and text: text stays text."""

from __future__ import annotations

import json
from html.parser import HTMLParser
from typing import Any, cast

from gpu_headroom.render.bundle import MIME_TYPE, bundle
from tests.fuzz.mutate import TEXTS, Maker, how_many

MARKUP = (
    *TEXTS,
    "<img src=x onerror=alert(1)>",
    "`</code><script>alert(1)</script>`",
    "**</strong><iframe src=javascript:alert(1)>**",
    "\"><svg onload=alert(1)>'",
    "<!-- ",
    "]]></style><style>*{}",
    "&lt;script&gt;",
)
ALLOWED = {
    *("div", "style", "h3", "h4", "p", "ol", "ul", "li", "br", "strong", "code", "pre", "small"),
    *("table", "thead", "tbody", "tr", "th", "td", "details", "summary"),
}
ATTRIBUTES = {"class", "scope", "colspan", "aria-hidden", "role", "aria-label"}


class Elements(HTMLParser):
    """Collects what a browser would make of a text."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.names: list[str | None] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note an element."""
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        self.names += [value for name, value in attrs if name == "aria-label"]

    def handle_comment(self, data: str) -> None:
        """Fail: there are no comments in a report."""
        raise AssertionError(data)


def test_no_text_of_a_report_becomes_markup() -> None:
    """Every form is made of every report, and the HTML has the elements of a report only."""
    make = Maker("reports", MARKUP)
    for _ in range(how_many(1_000)):
        report: Any = make.valid("report")
        forms = cast("dict[str, Any]", bundle(report, keep=True))
        assert forms[MIME_TYPE] == report
        assert isinstance(forms["text/plain"], str)
        elements = Elements()
        elements.feed(forms["text/html"])
        elements.close()
        assert elements.tags <= ALLOWED, elements.tags - ALLOWED
        assert elements.attributes <= ATTRIBUTES, elements.attributes - ATTRIBUTES
        assert len(elements.names) == 1, "the report is one landmark, named by its title"
        json.dumps(forms, allow_nan=False)
