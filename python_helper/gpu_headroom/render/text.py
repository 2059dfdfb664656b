"""The report as plain text: for terminals, diffs, mail and screen readers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..text.messages import say
from . import words

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..protocol.generated.wire import Remedy, Report

_BAR = 30


def text(report: Report) -> str:
    """Return the report as text: a line per part, with a bar of 30 characters for the largest."""
    return "\n".join([*lines(report), "", words.recorded(report)])


def lines(report: Report) -> Iterator[str]:
    """Yield the lines of the report, but for the one that says when it was recorded."""
    name, needed = words.title(report)
    yield f"{name}: {needed}"
    yield words.subtitle(report)
    yield ""
    if report["parts"]:
        for label, size, bar in words.bars(report, _BAR):
            yield f"  {label:<18}{size:>10}  {bar}".rstrip()
        yield ""
    held = words.traceback(report)
    if held:
        yield from (_plain(held), "")
    yield from _cause(report)
    if report["remedies"]:
        yield from ("", say("report.remedies"))
    for number, remedy in enumerate(report["remedies"], start=1):
        yield from _remedy(report, number, remedy)
    if report["versions"]:
        yield from ("", words.versions(report))


def _cause(report: Report) -> Iterator[str]:
    cause = report["cause"]
    if cause:
        yield f"{say('report.cause')}: {_plain(cause['claim']['text'])}"
        yield _plain(cause["evidence"]["text"])
    else:
        yield say("report.no_cause")
    if report["further_causes"]:
        yield say("report.also") + ":"
    for further_cause in report["further_causes"]:
        yield f"  - {_plain(words.also(further_cause))}"
    if report["looking"]:
        yield say("report.looking")


def _remedy(report: Report, number: int, remedy: Remedy) -> Iterator[str]:
    yield f"  {number}. {words.titled(remedy, _plain(remedy['title']['text']))}"
    yield f"     {_plain(remedy['note']['text'])}"
    code = remedy["type_this"]
    if code and remedy["kind"] == "snippet":
        yield f"     {say('report.snippet')}"
        yield from (f"         {line}" for line in code.splitlines())
    elif code:
        yield f"     {_plain(say('report.type_this', code=code))}"
    for name, diff in words.named_diffs(report, remedy):
        if name:
            yield f"     {name}"
        for row in diff["rows"]:
            yield f"     {row['line']:>4} {row['sign']} {row['text']}"
    if remedy["example"] is not None:
        yield from (f"         {line}" for line in remedy["example"].splitlines())


def _plain(marked: str) -> str:
    return words.MARKUP.sub(lambda match: _plain(match[1]) if match[1] else match[2], marked)
