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
_OF_PROGRAMS = ("equal", "refused", "held back", "wrong")
_OF_GENERATED = ("equal", "refused", "wrong")
_HEAD = ("kind", "programs", *_OF_PROGRAMS, "generated", *_OF_GENERATED)

TEXT = """# What edits do to results

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

## What each kind promises

{promises}

## What was a button once, and is a sentence now

An edit that cannot be proven is shown as a diff without a button, with the reason. These had a
button before results were compared:

| kind | no button any more for | since |
| --- | --- | --- |
{sentences}

## Programs

{programs}
"""
SENTENCES = {
    "accumulate": (
        "flags of a trainer; dropout, BatchNorm, contrastive losses; sums; logs and schedules of "
        "each batch; loops that `break`, skip, or do not know their length",
        "the gradients of the parts are those of the batch only where the loss is a mean over "
        "samples that do not look at each other, and all that counts batches is to count as before",
    ),
    "autocast": (
        "trainers, Keras, models that choose types, values that go into NumPy or typed buffers",
        "what is `bfloat16` then is handed to code that nobody can see, or that cannot take it",
    ),
    "checkpointing": (
        "BatchNorm, hooks, anything that counts or draws otherwise the second time",
        "the forward pass is run twice: running statistics would be updated twice",
    ),
    "delete-leftovers": (
        "names that another cell, a closure, `finally`, a `while` test or `global` may read",
        "the program would fail, or take another value",
    ),
    "eval-mode, no-grad": (
        "functions that training calls as well, modes that are mixed or meant",
        "the training would go on in evaluation mode, or without gradients",
    ),
    "keep-numbers": (
        "lists that are handed on, summed and gone backward through elsewhere, a hidden state that "
        "training goes back through; `.item()` has become `.detach()`",
        "what trains would be cut off; a number is no tensor for what reads it",
    ),
    "lighter-model": (
        "a model that the line does not load, and adapters that an optimizer trains",
        "weights of 16 bits under Adam become infinite at the second step",
    ),
    "move-per-batch": (
        "data as lists, dicts or names of files",
        "what a batch of them is cannot be told",
    ),
    "narrower-dtype": (
        'texts such as `"float64"` that are keys, defaults or chosen columns',
        "they do not make the array",
    ),
    "smaller-batch": (
        "a number of another loader, one that stands twice, one that something of a fixed size has",
        "the loop that failed would go on as it was, or the rest would not follow",
    ),
    "smaller-input": (
        "all of them",
        "layers of a fixed size, targets and the transforms of other data may have to follow: of "
        "the programs that were tried too few passed, so there is no edit of this kind to prove",
    ),
    "split-request": (
        "models of a person's own or of a library, sums and softmax over what is split, outputs "
        "that are no tensors",
        "the parts together are not the whole",
    ),
}


def write(results: Results) -> None:
    """Write the page."""
    kinds = dict(sorted(results.kinds.items()))
    FILE.write_text(
        TEXT.format(
            date=results.date,
            versions=", ".join(f"{name} {each}" for name, each in results.versions.items()),
            table=summary(kinds),
            sentences="\n".join(
                f"| {kind} | {what} | {why} |" for kind, (what, why) in SENTENCES.items()
            ),
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
