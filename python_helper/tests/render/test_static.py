"""The static forms of a report: complete, escaped, without script or button."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import TYPE_CHECKING, Any

import pytest
from gpu_headroom import testing
from gpu_headroom.advice.registry import TEXTS
from gpu_headroom.render.bundle import MIME_TYPE, bundle
from gpu_headroom.render.html import html
from gpu_headroom.render.text import text
from gpu_headroom.text.format import GIB
from gpu_headroom.text.messages import message

if TYPE_CHECKING:
    from gpu_headroom.protocol.generated.wire import Report


def gib(size: float) -> int:
    """Return GiB as bytes."""
    return int(size * GIB)


def report(**changes: Any) -> Report:
    """Make a report with the numbers of the mock-up."""
    sample: Any = {
        "version": "1.0",
        "report_id": "r",
        "helper_id": "l",
        "time_s": 1747058520.0,
        "simulated": False,
        "sticky_error": False,
        "framework": "torch",
        "error_name": "OutOfMemoryError",
        "cell_id": "c",
        "execution_count": 7,
        "line": 19,
        "device_index": 0,
        "device_name": "Tesla T4",
        "capacity_bytes": gib(14.74),
        "requested_bytes": gib(2),
        "available_bytes": gib(0.71),
        "in_use_bytes": gib(12.2),
        "cached_bytes": gib(1.1),
        "outside_bytes": gib(0.7),
        "parts": [
            {"kind": "outside", "bytes": gib(0.7)},
            {"kind": "parameters", "bytes": gib(0.6)},
            {"kind": "activations", "bytes": gib(9.8)},
            {"kind": "cached", "bytes": gib(1.1)},
            {"kind": "free", "bytes": 0},
        ],
        "traceback_bytes": gib(12),
        "traceback_variables": [{"name": "hidden", "kind": "activations", "bytes": gib(9)}],
        "holders": [],
        "cause": {
            "rule": "activations",
            "claim": message(
                "cause.activations", TEXTS, held_bytes=gib(9.8), in_use_bytes=gib(12.2)
            ),
            "evidence": message(
                "cause.activations.evidence_batch",
                TEXTS,
                name="batch_size",
                value=1024,
                place="line 2",
            ),
            "bytes": gib(9.8),
        },
        "further_causes": [],
        "fits_after_free": False,
        "remedies": [
            {
                "id": "free-traceback",
                "kind": "release",
                "title": message("remedy.free-traceback", TEXTS, traceback_bytes=gib(12)),
                "note": message("remedy.free-traceback.note_not_enough", TEXTS),
                "effect_bytes": gib(12),
                "effect_quality": "measured",
                "type_this": "import gpu_headroom; gpu_headroom.free_traceback()",
                "diffs": [],
                "example": None,
            },
            {
                "id": "smaller-batch",
                "kind": "edit",
                "title": message(
                    "remedy.smaller-batch",
                    TEXTS,
                    name="batch_size",
                    old=1024,
                    new=512,
                    place="line 12",
                ),
                "note": message("remedy.smaller-batch.note", TEXTS, changes="More steps."),
                "effect_bytes": gib(4.9),
                "effect_quality": "estimated",
                "type_this": None,
                "diffs": [
                    {
                        "cell_id": "c",
                        "file": None,
                        "execution_count": 7,
                        "rows": [
                            {"sign": "-", "line": 12, "text": "batch_size = 1024"},
                            {"sign": "+", "line": 12, "text": "batch_size = 512"},
                        ],
                        "sets": "batch_size = 512",
                    },
                ],
                "example": None,
            },
        ],
        "details": [
            {
                "label": message("detail.requested"),
                "bytes": gib(2),
                "source": message("source.error"),
            },
            {
                "label": message("detail.largest_block"),
                "bytes": None,
                "source": message("source.none"),
            },
        ],
        "versions": [{"name": "PyTorch", "version": "2.9.1"}],
        "looking": False,
        "worker": None,
        "origin": None,
        "also_failed": 0,
        "measured": "kernel",
    }
    sample.update(changes)
    return sample  # type: ignore[no-any-return]  # a dictionary of that shape, checked below


def test_the_mock_up_is_a_report() -> None:
    """The report of these tests fits the schema."""
    testing.check(report(), "report")


class Seen(HTMLParser):
    """Collects elements and text, and checks that each element is closed."""

    def __init__(self, source: str) -> None:
        super().__init__()
        self.elements: list[str] = []
        self.words: list[str] = []
        self.open: list[str] = []
        self.feed(source)

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        """Note an element."""
        self.elements.append(tag)
        assert not [name for name, _ in attrs if name.startswith("on")]
        if tag != "br":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        """Check that the innermost element is the one that ends."""
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        """Note visible text."""
        if not self.open or self.open[-1] != "style":
            self.words.append(data)


def test_html_has_every_part() -> None:
    """Title, table, cause, ordered remedies and details are there where styles are stripped."""
    page = Seen(html(report()))
    assert page.open == []
    assert page.elements.count("li") == 2
    assert {"h3", "h4", "table", "ol", "details", "code", "strong", "pre"} <= set(page.elements)
    words = "".join(page.words)
    for line in (
        "Out of GPU memory — needed 2.00 GiB more, 0.71 GiB was available",
        "GPU 0, Tesla T4, 14.7 GiB. In [7], line 19.",
        "activations9.8 GiB",
        "keeps 12.0 GiB in use: hidden",
        "Activations: 9.8 GiB of the 12.2 GiB in tensors.",
        "12.0 GiB measured",
        "about \N{MINUS SIGN}4.9 GiB estimated",
        "12 - batch_size = 1024",
        "gpu_headroom.free_traceback()",
        "Largest free block in the cachenot measured",
        "Recorded by GPU Headroom on 12 May 2025, 14:02 UTC. Numbers are from that run.",
    ):
        assert line in words


def test_static_forms_show_the_example_of_a_suggestion() -> None:
    """As code of its own, below the note, and escaped."""
    example = "for part in batch.split(256):\n    model(part)  # <b>"
    suggestion = {**report()["remedies"][0], "kind": "suggestion", "type_this": None}
    sample = report(remedies=[{**suggestion, "example": example}])
    assert "\n         for part in batch.split(256):\n             model(part)  # <b>\n" in text(
        sample
    )
    assert "<pre>for part in batch.split(256):\n    model(part)  # &lt;b&gt;</pre>" in html(sample)


def test_html_colours_stay_on_its_own_root() -> None:
    """No rule of the report's style reaches anything outside of it, and dark is provided for."""
    style = html(report()).split("<style>")[1].split("</style>")[0]
    rules = [
        rule
        for rule in style.replace("@media (prefers-color-scheme:dark){", "").split("}")
        if "{" in rule
    ]
    assert all(".gpu-headroom-report" in rule.split("{")[0] for rule in rules)
    assert "html[theme=dark]" in style
    assert "prefers-color-scheme:dark" in style


def test_is_readable_on_a_page_of_either_kind() -> None:
    """Text has a ground of the report's own, 4.5 : 1 at least (WCAG 1.4.3), in both themes."""
    style = html(report()).split("<style>")[1].split("</style>")[0]
    assert "background:var(--gh-ground);color:var(--gh-text)" in style
    themes = [dict(pairs) for rule in style.split("}") if (pairs := COLOUR.findall(rule))]
    assert len(themes) == 3
    for colours in themes:
        for ink, ground in (("text", "ground"), ("muted", "ground"), ("text", "code")):
            assert contrast(colours[ink], colours[ground]) >= 4.5


COLOUR = re.compile(r"--gh-(\w+):#(\w+)")


def contrast(first: str, second: str) -> float:
    """Return the contrast of two colours as WCAG 2 defines it."""
    light, dark = sorted((luminance(first), luminance(second)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def luminance(colour: str) -> float:
    """Return the relative luminance of `fff` or `1e1e1e`."""
    digits = colour if len(colour) == 6 else "".join(2 * part for part in colour)
    parts = [int(digits[at : at + 2], 16) / 255 for at in (0, 2, 4)]
    red, green, blue = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    ]
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def test_simulated_numbers_are_called_simulated() -> None:
    """Both forms say so in their title and explain it."""
    sample = report(simulated=True)
    for form in (html(sample), text(sample)):
        assert "Out of simulated GPU memory" in form
        assert "Simulated GPU" in form


def test_says_what_is_not_known() -> None:
    """Unknown is said, never shown as 0."""
    sample = report(
        requested_bytes=None,
        available_bytes=None,
        capacity_bytes=None,
        device_name=None,
        line=None,
        traceback_bytes=None,
        parts=[],
        cause=None,
        remedies=[],
        details=[],
    )
    for form in (html(sample), text(sample)):
        assert "the size of the request is not known" in form
        assert "No single cause stands out." in form
        assert "None" not in form
        assert "0 MiB" not in form


def test_bundle_carries_all_three_forms() -> None:
    """JSON for the extension, HTML and text for other front ends."""
    forms = bundle(report(), keep=True)
    assert set(forms) == {MIME_TYPE, "text/html", "text/plain"}
    assert forms[MIME_TYPE] == report()


def test_bundle_keeps_nothing_where_reports_are_not_kept() -> None:
    """A stub names the report; no number of it is saved."""
    forms = bundle(report(), keep=False)
    assert forms[MIME_TYPE] == {"version": "1.0", "report_id": "r", "helper_id": "l"}
    assert set(forms) == {MIME_TYPE, "text/plain"}
    assert "GiB" not in str(forms)


def test_a_cuda_that_has_stopped_has_one_remedy_and_no_numbers() -> None:
    """What stopped it, and that only a restart helps: nothing was measured."""
    restart: Any = {
        "id": "restart",
        "kind": "restart",
        "title": message("remedy.restart"),
        "note": message("remedy.restart.note"),
        "effect_bytes": None,
        "effect_quality": "not_measured",
        "type_this": None,
        "diffs": [],
        "example": None,
    }
    cause = {
        "rule": "sticky-error",
        "claim": message("sticky_error.assert", said="device-side assert triggered"),
        "evidence": message("sticky_error.evidence"),
        "bytes": None,
    }
    numbers = dict.fromkeys(key for key in report() if key.endswith("_bytes"))
    sample = report(
        sticky_error=True, parts=[], details=[], cause=cause, remedies=[restart], **numbers
    )
    assert text(sample).startswith("CUDA has stopped in this kernel: only a restart helps\n")
    for form in (html(sample), text(sample)):
        assert "device-side assert triggered" in form
        assert "Restart the kernel" in form
        assert "not measured" not in form
        assert "request" not in form
    stub = bundle(sample, keep=False)["text/plain"]
    assert "Out of GPU memory" not in str(stub)


def test_static_forms_have_all_causes_and_remedies() -> None:
    """What a live report folds away stands in them as well, the bytes beside it."""
    cause: Any = {**report()["cause"], "bytes": gib(1.5)}  # type: ignore[dict-item]  # there is one
    remedy = report()["remedies"][0]
    remedies = [{**remedy, "id": f"r{number}"} for number in range(7)]
    sample = report(further_causes=[cause, {**cause, "bytes": None}], remedies=remedies)
    source, plain = html(sample), text(sample)
    assert source.count("<li>") == 2 + 7
    assert '<ol start="5">' in source
    assert plain.count("(1.5 GiB)") == source.count("(1.5 GiB)") == 1
    assert "  7. Free" in plain
    assert "PyTorch 2.9.1" in source
    assert "PyTorch 2.9.1" in plain


def test_static_forms_name_the_cells_of_an_edit_and_show_all_of_it() -> None:
    """Where it is not of the failed cell alone."""
    remedy = report()["remedies"][1]
    (diff,) = remedy["diffs"]
    rows = [{"sign": " ", "line": line, "text": f"row {line}"} for line in range(20)]
    other_diff = {**diff, "cell_id": "b", "execution_count": 2, "rows": rows}
    sample = report(remedies=[{**remedy, "diffs": [other_diff, diff]}])
    for form in (html(sample), text(sample)):
        assert form.index("In [2]:") < form.index("row 19") < form.index("In [7]:")
        assert "batch_size = 512" in form
    assert "In [7]:" not in text(report())


def test_a_report_that_was_not_complete_says_so() -> None:
    """It may have been saved before the measurement came to its end."""
    sentence = "The measurement was not finished."
    for form in (html, text):
        assert sentence in form(report(looking=True))
        assert sentence not in form(report())


@pytest.mark.parametrize(
    ("worker", "also_failed", "lines"),
    [
        (("rank", 1, 1190, "node7"), 1, ["on rank 1", "Process 1190 on node7.", "with it: 1."]),
        (("dask", 3, None, None), 0, ["on Dask worker 3"]),
        (("ray", None, 727, None), 0, ["on a Ray worker", "Process 727."]),
        (("ipyparallel", 0, None, None), 0, ["on engine 0"]),
    ],
)
def test_static_forms_name_the_worker(worker: Any, also_failed: int, lines: list[str]) -> None:
    """By its rank or number, its process and its host, and the line of the cell that failed."""
    engine, rank, pid, host = worker
    sample = report(
        worker={"engine": engine, "rank": rank, "pid": pid, "host": host},
        origin={"cell_id": "c", "execution_count": 4, "line": 6, "function": "train"},
        also_failed=also_failed,
        measured="worker",
    )
    testing.check(sample, "report")
    for form in (html(sample), text(sample)):
        for line in (*lines, "It failed in train, In [4], line 6."):
            assert line in form
        assert ("Process" in form, "Others" in form) == (pid is not None, also_failed > 0)
