"""The report as complete static HTML: readable where styles are stripped, without script or button.

Styles stand in one `<style>` of a scope of its own, with neutral colours defined on the
report's root: GitHub drops them and shows headings, table and list.
"""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from ..text.format import format_bytes
from ..text.messages import say
from . import words
from .style import region

if TYPE_CHECKING:
    import re
    from collections.abc import Iterator

    from ..protocol.generated.wire import Diff, Remedy, Report

_BAR = 20
# JupyterLab's table of contents would list the headings of an output, and number them.
_IN_REPORT = ' class="jp-toc-ignore"'


def html(report: Report) -> str:
    """Return the report as HTML. Every text of the report is escaped."""
    name, needed = words.title(report)
    return region(
        name,
        [
            f"<h3{_IN_REPORT}>{escape(name)} — {escape(needed)}</h3>",
            f"<p>{escape(words.subtitle(report))}</p>",
            *_parts(report),
            *_cause(report),
            *_remedies(report),
            *_details(report),
            f"<p><small>{escape(words.recorded(report))}</small></p>",
        ],
    )


def _parts(report: Report) -> Iterator[str]:
    if not report["parts"]:
        return
    moment = escape(say("report.moment"))
    yield f'<table><thead><tr><th scope="col" colspan="3">{moment}</th></tr></thead><tbody>'
    for label, size, bar in words.bars(report, _BAR):
        yield f'<tr><th scope="row">{escape(label)}</th><td>{escape(size)}</td>'
        yield f'<td aria-hidden="true">{bar}</td></tr>'
    yield "</tbody></table>"
    held = words.traceback(report)
    if held:
        yield f"<p>{_marked(held)}</p>"


def _cause(report: Report) -> Iterator[str]:
    cause = report["cause"]
    if cause is None:
        yield f"<p>{escape(say('report.no_cause'))}</p>"
    else:
        claim, evidence = _marked(cause["claim"]["text"]), _marked(cause["evidence"]["text"])
        yield f"<h4{_IN_REPORT}>{escape(say('report.cause'))}</h4><p>{claim} {evidence}</p>"
    if report["further_causes"]:
        yield f"<details><summary>{escape(say('report.also'))}</summary><ul>"
        for further_cause in report["further_causes"]:
            yield f"<li>{_marked(words.also(further_cause))}</li>"
        yield "</ul></details>"
    if report["looking"]:
        yield f"<p>{escape(say('report.looking'))}</p>"


def _remedies(report: Report) -> Iterator[str]:
    remedies = report["remedies"]
    if not remedies:
        return
    yield f"<h4{_IN_REPORT}>{escape(say('report.remedies'))}</h4>"
    yield from _list(report, remedies[: words.REMEDIES_SHOWN], 1)
    rest = remedies[words.REMEDIES_SHOWN :]
    if rest:
        yield f"<details><summary>{escape(say('report.more'))}</summary>"
        yield from _list(report, rest, words.REMEDIES_SHOWN + 1)
        yield "</details>"


def _list(report: Report, remedies: list[Remedy], start: int) -> Iterator[str]:
    yield f'<ol start="{start}">' if start > 1 else "<ol>"
    for remedy in remedies:
        yield "<li>" + "".join(_remedy(report, remedy)) + "</li>"
    yield "</ol>"


def _remedy(report: Report, remedy: Remedy) -> Iterator[str]:
    yield words.titled(remedy, f"<strong>{_marked(remedy['title']['text'])}</strong>")
    yield f"<br>{_marked(remedy['note']['text'])}"
    code = remedy["type_this"]
    if code and remedy["kind"] == "snippet":
        yield f"<br>{escape(say('report.snippet'))}<pre>{escape(code)}</pre>"
    elif code:
        yield f"<br>{_marked(say('report.type_this', code=code))}"
    for name, diff in words.named_diffs(report, remedy):
        yield f"<br>{escape(name)}" if name else ""
        yield _diff(diff)
    if remedy["example"] is not None:
        yield f"<pre>{escape(remedy['example'])}</pre>"


def _diff(diff: Diff) -> str:
    rows = [f"{row['line']:>4} {row['sign']} {escape(row['text'])}" for row in diff["rows"]]
    return "<pre>" + "\n".join(rows) + "</pre>"


def _details(report: Report) -> Iterator[str]:
    if not report["details"]:
        return
    yield f"<details><summary>{escape(say('report.details'))}</summary><table><thead><tr>"
    yield f'<th scope="col" colspan="2">{escape(say("report.moment"))}</th>'
    yield f'<th scope="col">{escape(say("report.source"))}</th>'
    yield "</tr></thead><tbody>"
    for row in report["details"]:
        size = say("report.not_measured") if row["bytes"] is None else format_bytes(row["bytes"])
        label = escape(row["label"]["text"])
        yield f'<tr><th scope="row">{label}</th><td>{escape(size)}</td>'
        yield f"<td>{escape(row['source']['text'])}</td></tr>"
    yield "</tbody></table>"
    if report["versions"]:
        yield f"<p>{escape(words.versions(report))}</p>"
    yield "</details>"


def _marked(text: str) -> str:
    """Escape a sentence and turn its two kinds of mark into elements."""
    return words.MARKUP.sub(_element, escape(text))


def _element(found: re.Match[str]) -> str:
    if found[1] is None:
        return f"<code>{found[2]}</code>"
    return f"<strong>{words.MARKUP.sub(_element, found[1])}</strong>"
