"""What a stranger reads first."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
LINES = README.splitlines()
LINK = re.compile(r"\]\((?!https?:|#)([^)#\s]+)")
MOST_LINES = 80
PICTURE_BY, COMMANDS_BY = 12, 20
MOST_BYTES = 3_000_000


def line_of(pattern: str) -> int:
    """Return the number of the first line that has it."""
    return next(number for number, line in enumerate(LINES, 1) if re.search(pattern, line))


def test_the_readme_shows_and_tells_at_once() -> None:
    """A picture and two commands, without scrolling."""
    assert len(LINES) <= MOST_LINES
    assert line_of(r"^!\[.+\]\(docs/images/story\.webp\)$") <= PICTURE_BY
    assert line_of("^make demo") <= COMMANDS_BY
    assert line_of("^make test") <= COMMANDS_BY


def test_the_animated_picture_is_light() -> None:
    """It is fetched by everybody who looks at the page."""
    picture = ROOT / "docs" / "images" / "story.webp"
    assert picture.stat().st_size < MOST_BYTES


def test_what_the_readme_links_to_is_there() -> None:
    """Of the documentation Sphinx says it."""
    missing = [link for link in LINK.findall(README) if not (ROOT / link).exists()]
    assert missing == []


def test_each_picture_is_shown_somewhere() -> None:
    """A picture that no page has is carried by every clone for nothing."""
    pages = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
    text = "".join(page.read_text(encoding="utf-8") for page in pages)
    pictures = [picture.name for picture in (ROOT / "docs" / "images").iterdir()]
    light = [picture for picture in pictures if not picture.endswith("-dark.png")]
    assert [picture for picture in light if picture not in text] == []
