"""`docs/edits.md`, made from the results."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from benchmarks.edits.judge import Verdict
    from benchmarks.edits.results import OfKind, Results

FILE = Path(__file__).parents[2] / "docs" / "edits.md"
SENTENCES = Path(__file__).with_name("sentences.md")
_OF_PROGRAMS = ("equal", "refused", "held back", "wrong")
_OF_GENERATED = ("equal", "refused", "wrong")
_HEAD = ("kind", "programs", *_OF_PROGRAMS, "generated", *_OF_GENERATED)

TEXT = """# What each edit keeps

An edit of your code has a button only where it is proven that it does to your results what is said
here. Each kind is tried on programs, and what these compute is compared: how often it held stands
below.

## What each kind promises

{promises}

## How that was tried

Made by `make edits`; do not edit. {date}, {versions}.

Each program runs twice on the CPU, with real values and fixed seeds: as it is, and as the edit
leaves it. Then everything that it left is compared: every name, the weights, buffers and mode of
each model, the state of optimizers and schedulers, random states, what was printed. Numbers may
differ by rounding only. The first columns are programs as people write them, in
`benchmarks/edits/programs/`, in half of which the edit must not be offered; then those that
`benchmarks/edits/generate.py` makes at random.

{table}

* **equal**: offered, and the results are what the kind promises. **refused**: not offered, or shown
  as advice without a button.
* **held back**: not offered although it would have been right.
* **wrong**: offered, and a result differs, or the edited program fails; or offered where it must
  not be.

## What was a button once, and is a sentence now

{sentences}

## Programs

{programs}
"""


def write(results: Results) -> None:
    """Write the page."""
    kinds = dict(sorted(results.kinds.items()))
    FILE.write_text(
        TEXT.format(
            date=results.date,
            versions=", ".join(f"{name} {each}" for name, each in results.versions.items()),
            table=summary(kinds),
            sentences=SENTENCES.read_text(encoding="utf-8").strip(),
            promises="\n".join(f"* `{kind}`: {each.promise}" for kind, each in kinds.items()),
            programs=_table(
                ("program", "may be offered", "verdict"),
                [_row(each) for kind in kinds.values() for each in kind.programs],
            ),
        ),
        encoding="utf-8",
    )


def summary(kinds: Mapping[str, OfKind]) -> str:
    """Return the numbers of these kinds as a table, with a sum."""
    rows = [(f"`{kind}`", each.programs, each.generated) for kind, each in kinds.items()]
    programs = [each for kind in kinds.values() for each in kind.programs]
    generated = Counter[str]()
    for each in kinds.values():
        generated.update(each.generated)
    rows.append(("**all**", programs, generated))
    return _table(_HEAD, [(kind, *_numbers(own, made)) for kind, own, made in rows])


def _numbers(programs: Iterable[Verdict], generated: Mapping[str, int]) -> Iterator[str]:
    of_programs = Counter(each.verdict for each in programs)
    for verdicts, shown in ((of_programs, _OF_PROGRAMS), (generated, _OF_GENERATED)):
        yield str(sum(verdicts.values()))
        for each in shown:
            count = verdicts.get(each, 0)
            yield f"**{count}**" if each == "wrong" and count else str(count)


def _row(verdict: Verdict) -> Sequence[str]:
    may = {True: "yes", False: "no", None: ""}[verdict.offered]
    is_plain = verdict.verdict in ("equal", "refused")
    said = verdict.verdict if is_plain else f"**{verdict.verdict}**: {'; '.join(verdict.why)}"
    return f"`{verdict.kind}/{verdict.program}`", may, said.replace("|", "\\|")


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [head, ("---",) * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)
