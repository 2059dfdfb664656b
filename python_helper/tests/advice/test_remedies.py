"""Each remedy: offered where the numbers support it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from gpu_headroom.advice.registry import REMEDIES, diagnose
from gpu_headroom.advice.rules import holding
from gpu_headroom.code.facts import Live, ModelFacts
from gpu_headroom.code.literals import literals_in
from gpu_headroom.code.rounds import Gathering
from gpu_headroom.concurrency.turns import TimeLimitError
from gpu_headroom.holders.graphs import Longer
from gpu_headroom.holders.modules import Model
from gpu_headroom.holders.training import Training
from gpu_headroom.oom.operation import FailedOperation, Operand
from gpu_headroom.oom.running import Running
from gpu_headroom.oom.scene import RunningModule, Scene
from gpu_headroom.text.format import GIB, MIB
from tests.advice.cases import cell, device, evidence, group, offers, smaller_batch

if TYPE_CHECKING:
    from gpu_headroom.oom.evidence import Evidence

DOCS = Path(__file__).parents[3] / "docs" / "rules"
LONG = "max_length = 4096\ntrain(max_length)"
STEP = """
import torch
for x, y in loader:
    optimizer.zero_grad()
    loss = criterion(model(x), y)
    loss.backward()
    optimizer.step()
"""
LATE = STEP.replace("    optimizer.zero_grad()\n", "").replace(
    "    loss.backward()", "    optimizer.zero_grad()\n    loss.backward()"
)
HEAD = "net = make()\nopt = Adam(net.fc.parameters())\nnet(x)"
SEQUENTIAL = Model("model", training=True, type_name="Sequential")
TRAINED: dict[str, Any] = {
    "kinds": {"activations": 10 * GIB},
    "running": Running(trains=True, loops=True),
    "halves_bytes": 5 * GIB,
    "in_backward": True,
}
OFFERED: dict[str, dict[str, Any]] = {
    "free-traceback": {"traceback_bytes": 9 * GIB},
    "keep-numbers": {"groups": (group("losses", 8 * GIB, "activations", count=10, graphs=10),)},
    "to-host": {
        "groups": (group("seen", 8 * GIB, count=10),),
        "running": Running(growing=frozenset({"seen"})),
    },
    "backward-each": {
        "groups": (group("loss", 8 * GIB, "activations", graphs=1),),
        "running": Running(adding=frozenset({"loss"})),
        "source": "for x in parts:\n    loss += f(x)\nloss.backward()",
    },
    "one-at-a-time": {
        "running": Running(at_once=True, own=("answer",)),
        "source": "found = await asyncio.gather(*(answer(n) for n in range(12)))",
    },
    "collect-garbage": {
        "groups": (group("", 9 * GIB, "parameters", origin="garbage"),),
    },
    "shut-down": {
        "groups": (group("_WORLD", 9 * GIB, origin="modules", root="vllm.state._WORLD"),),
    },
    "sample-neighbors": {
        "groups": (group("data", MIB, shape=(2, 100_000), dtype="int64"),),
        "kinds": {"activations": 10 * GIB},
    },
    "call-in-parts": {
        "kinds": {"activations": 10 * GIB},
        "scene": Scene(
            running=Running(trains=True),
            call=FailedOperation(
                "net(X)", "net", (Operand("X", (4096, 64), "float32", MIB),), None
            ),
        ),
    },
    "shorter-batch": {
        "kinds": {"activations": 10 * GIB},
        "longer": Longer(512, 64, (32, 512, 768)),
        "running": Running(trains=True, loops=True),
    },
    "one-result-at-a-time": {
        "temporary_bytes": 10 * GIB,
        "running": Running(
            gathering=Gathering("", "list(results)", "[each.cpu() for each in results]"),
            gathered_at="fastdetect.py, line 29",
        ),
    },
    "end-in-semicolon": {
        "groups": (group("Out[7]", 9 * GIB, origin="outputs"),),
        "source": "model(x)",
    },
    "no-grad": {
        "kinds": {"activations": 10 * GIB},
        "models": (Model("model", training=False),),
    },
    "eval-mode": {
        "models": (Model("model", training=True, type_name="Net", key=1),),
        "modules": (RunningModule(1, "Net", "forward"),),
        "running": Running(asks_mode=True),
        "kinds": {"tensor": 9 * GIB},
    },
    "delete-leftovers": {
        "groups": (group("output", 5 * GIB, "activations"),),
        "running": Running(trains=True, loops=True, previous=frozenset({"output"})),
    },
    "keep-on-host": {
        "groups": (group("X_train", 5 * GIB),),
        "call": FailedOperation("load(n)", "load", (), None, "keep_on_gpu=False"),
    },
    "move-per-batch": {"groups": (group("X_train", 5 * GIB),)},
    "map-location": {
        "groups": (
            group("model", 3 * GIB, "parameters", count=4, shape=(4096, 4096)),
            group("best", 6 * GIB, count=8, shape=(4096, 4096)),
        ),
        "models": (Model("model", training=True),),
    },
    "narrower-dtype": {"groups": (group("model", 9 * GIB, "parameters", dtype="float64"),)},
    "autocast": {"source": STEP, **TRAINED},
    "checkpointing": {"source": STEP, **TRAINED, "models": (SEQUENTIAL,)},
    "clear-gradients": {
        "source": LATE,
        "kinds": {"gradients": 4 * GIB, "parameters": 4 * GIB, "activations": GIB},
        "running": Running(trains=True),
    },
    "freeze-backbone": {
        "live": Live(models={"net": ModelFacts(frozenset(), is_idle=True, trained=("fc",))}),
        "source": HEAD,
        "kinds": {"activations": 10 * GIB},
        "running": Running(trains=True),
        "models": (Model("net", training=True, type_name="Net", key=1),),
        "modules": (RunningModule(1, "Net", "forward"),),
        "groups": (
            group("net", GIB, "parameters", progress=0.9),
            group("x in forward", 9 * GIB, "activations", origin="traceback"),
        ),
    },
    "same-shape": {
        "source": "loss = criterion(pred, y)",
        "line": 1,
        "requested": 20 * GIB,
        "operation": FailedOperation(
            "criterion(pred, y)",
            "criterion",
            (Operand("pred", (70_000, 1), "float32", MIB), Operand("y", (70_000,), "float32", MIB)),
            (70_000, 70_000),
        ),
    },
    "raise-fraction": {"usable": 0, "free": 8 * GIB},
    "less-preallocation": {"device": device("torch", "jax")},
    "smaller-input": {
        "kinds": {"activations": 10 * GIB},
        "running": Running(trains=True),
        "source": LONG,
        "input_size": literals_in(cell(LONG), LONG, "length")[0],
        "input_bytes": 10 * GIB,
    },
    "expandable-segments": {"cached": 4 * GIB, "largest_block": 64 * MIB},
    "close-other-programs": {"outside": 6 * GIB},
    "lighter-model": {"kinds": {"parameters": 11 * GIB}, "running": Running()},
    "larger-gpu": {"requested": 20 * GIB, "is_last": True},
    "other-gpu": {
        "requested": 20 * GIB,
        "other_devices": (replace(device("torch"), index=1, free_bytes=40 * GIB),),
    },
    "lighter-optimizer": {"kinds": {"parameters": 4 * GIB, "optimizer_state": 8 * GIB}},
    "split-request": {"requested": 20 * GIB},
    "save-training": {"training": Training(("model", "optimizer"), GIB)},
}


# Where one is offered so may be the other: both hold.
BESIDE = {
    "autocast": ("checkpointing",),
    "split-request": ("same-shape", "larger-gpu", "other-gpu"),
    "lighter-model": ("lighter-optimizer",),
}


def test_every_remedy_is_in_the_registry() -> None:
    """With sentences under its id, and a case that it is offered in."""
    for remedy_id, remedy in REMEDIES.items():
        ids = [text_id for text_id in remedy.texts if text_id.startswith("remedy.")]
        assert {text_id.split(".")[1] for text_id in ids} == {remedy_id}
    assert {*OFFERED, "smaller-batch", "accumulate"} == set(REMEDIES)


@pytest.mark.parametrize(
    ("name", "rule"),
    [(name, rule) for name, row in REMEDIES.items() for rule in row.treats],
)
def test_every_remedy_is_a_section_of_its_causes_pages(name: str, rule: str) -> None:
    """It says when the remedy is offered, what it is expected to do, and what it costs."""
    assert f"\n### `{name}`: " in (DOCS / f"{rule}.md").read_text("utf-8")


def test_every_end_of_a_suggestions_sentences_is_named() -> None:
    """A condition says which title and note are shown."""
    for row in REMEDIES.values():
        conditions = [row.when, *([row.edit.made] if row.edit else [])]
        code = "".join(Path(each.__code__.co_filename).read_text("utf-8") for each in conditions)
        ends = {each.removeprefix(f"remedy.{row.id}").lstrip(".") for each in row.texts}
        for end in ends - {"", "note", "notebooks", "started"}:
            assert f'"{end}"' in code or end.removeprefix("note_") in (
                "hidden",
                "notebooks",
                "started",
            ), end


@pytest.mark.parametrize("remedy", OFFERED)
def test_offers_what_the_evidence_supports(remedy: str) -> None:
    """A remedy is there with its effect, and without a placeholder left open."""
    remedies = {offer.remedy["id"]: offer.remedy for offer in offers(evidence(**OFFERED[remedy]))}
    assert remedy in remedies
    assert "None" not in remedies[remedy]["title"]["text"] + remedies[remedy]["note"]["text"]


@pytest.mark.parametrize("remedy", OFFERED)
def test_offers_nothing_else(remedy: str) -> None:
    """Without evidence of its own no remedy appears."""
    beside = BESIDE.get(remedy, ())
    names = [name for name in OFFERED if name != remedy and name not in beside]
    for name in names:
        ids = {offer.remedy["id"] for offer in offers(evidence(**OFFERED[name]))}
        assert remedy not in ids


def test_offers_nothing_without_evidence() -> None:
    """An empty list is an answer."""
    assert offers(evidence()) == []


def test_segments_that_grow_are_not_told_to() -> None:
    """A setting that is there already is no remedy."""
    changes = OFFERED["expandable-segments"]
    assert offers(evidence(**changes, segments_expand=True)) == []


def test_offers_all_that_holds_in_order() -> None:
    """What helps the failing line comes first; the report folds what comes after the fourth."""
    everything: dict[str, Any] = {}
    for changes in OFFERED.values():
        everything.update(changes)
    choices = offers(evidence(**{**everything, "requested": 2 * GIB}))
    assert 4 <= len(choices) <= 10
    assert choices[0].remedy["id"] == "free-traceback"


def test_of_a_gpu_that_pytorch_does_not_use_nothing_is_known() -> None:
    """Mixed precision is then in `bfloat16`."""
    choices = offers(evidence(**OFFERED["autocast"]))
    (offer,) = [choice.remedy for choice in choices if choice.id == "autocast"]
    assert offer["title"]["params"] == {"dtype": "bfloat16"}
    assert offer["note"]["id"] == "remedy.autocast.note"


def test_to_save_cures_nothing_and_comes_last() -> None:
    """Whatever else is offered; where a step was cut off in its middle, the note says so."""
    for changes in OFFERED.values():
        *_, last = offers(evidence(**{**changes, **OFFERED["save-training"]}))
        assert last.remedy["kind"] == "save"
    running = Running(trains=True, in_optimizer=True)
    (offer,) = offers(evidence(**OFFERED["save-training"], running=running))
    assert "in the middle of a step" in offer.remedy["note"]["text"]


def test_says_that_freeing_alone_is_not_enough() -> None:
    """Where the same cell would fail again, the note says so; where not, it does not."""
    for fits, words in ((False, "will not make"), (None, "may not be enough"), (True, "")):
        (offer,) = offers(evidence(traceback_bytes=9 * GIB, fits_after_free=fits))
        note = offer.remedy["note"]["text"]
        assert f"That alone {words}" in note if words else "That alone" not in note


def test_calls_an_incomplete_survey_an_estimate() -> None:
    """Measured is said of what was measured to the end."""
    (offer,) = offers(evidence(traceback_bytes=9 * GIB, complete=False))
    assert offer.remedy["effect_quality"] == "estimated"


def test_halves_the_batch_until_the_estimate_fits() -> None:
    """In the forward pass as much again may follow, so half of the room is left free."""
    # 9 GiB and 2 GiB of request at 1024 rows; room for the batch is 10.5 GiB: half of it is 5.25.
    offer = smaller_batch()
    assert offer.remedy["title"]["params"]["new"] == 256
    assert offer.remedy["effect_bytes"] == (9 + 2) * GIB * 3 // 4  # with the request
    assert offer.remedy["effect_quality"] == "estimated"
    assert smaller_batch(in_backward=True).remedy["title"]["params"]["new"] == 512


def test_a_second_try_has_its_report_where_there_was_no_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What the first try has left is said without its names then."""

    def is_late(_: Evidence) -> None:
        raise TimeLimitError

    monkeypatch.setattr(holding, "loop_leftovers", is_late)
    causes = diagnose(evidence(advised=evidence(kinds={"activations": 9 * GIB}))).causes
    assert [cause["rule"] for cause in causes] == ["activations", "earlier-traceback"]


def test_says_both_of_two_that_are_as_likely_and_changes_neither() -> None:
    """Only the person knows which of them it is."""
    source = "batch_size = 1024\nn = 1024\ntrain(n)"
    batch, twin = literals_in(cell(source), source), literals_in(cell(source), source, "unnamed")
    offer = smaller_batch(source, batch_twin=twin[0])
    title = "`batch_size = 1024` (line 1) or `n = 1024` (line 2) → `256`"
    assert offer.remedy["title"]["text"] == title
    assert (offer.remedy["kind"], offer.remedy["diffs"]) == ("suggestion", [])
    alike: dict[str, Any] = {"kinds": {"activations": 9 * GIB}, "batch": batch[0]}
    (cause,) = diagnose(evidence(source=source, batch_twin=twin[0], **alike)).causes
    assert "(`batch_size`, line 1, or n, line 2)" in cause["evidence"]["text"]


def test_keeps_silent_where_no_batch_would_fit() -> None:
    """What does not shrink with the batch fills the GPU by itself."""
    kinds = {"parameters": 4 * GIB, "activations": GIB}
    assert smaller_batch(free=MIB, cached=0, batch_bytes=MIB, kinds=kinds) is None


def test_is_unsure_far_from_what_was_seen() -> None:
    """An estimate for a small fraction of the batch, or of an unknown request, says so."""
    assert smaller_batch(requested=None).remedy["note"]["id"].endswith("note_unsure")
    assert smaller_batch(requested=60 * GIB).remedy["note"]["id"].endswith("note_unsure")
    assert smaller_batch().remedy["note"]["id"].endswith("note_evaluated")
    trains = smaller_batch(running=Running(trains=True)).remedy["note"]
    assert trains["id"] == "remedy.smaller-batch.note"


@pytest.mark.parametrize(
    ("requested", "gigabytes"), [(2 * GIB, 24), (20 * GIB, 40), (58 * GIB, 80), (500 * GIB, None)]
)
@pytest.mark.parametrize("is_last", [True, False])
def test_the_smallest_common_gpu_that_holds_it(
    requested: int, gigabytes: int | None, is_last: bool
) -> None:
    """What was in use, asked for and of others, where nothing follows the step that failed."""
    choices = offers(evidence(kinds={"parameters": 13 * GIB}, requested=requested, is_last=is_last))
    larger = [row.remedy for row in choices if row.id == "larger-gpu"]
    sizes = [row["title"]["params"]["gigabytes"] for row in larger]
    assert sizes == [gigabytes] * bool(gigabytes and is_last)
    assert all(row["effect_quality"] == "not_measured" for row in larger)


def test_another_cause_needs_no_larger_gpu() -> None:
    """A leak fills any GPU."""
    leak = group("losses", 9 * GIB, "activations", count=40, graphs=40)
    choices = offers(evidence(kinds={"activations": 10 * GIB}, groups=(leak,), is_last=True))
    assert "larger-gpu" not in [choice.id for choice in choices]


@pytest.mark.parametrize(("names", "quality"), [("a", "estimated"), ("ab", "at_least")])
def test_saves_at_least_that_where_more_follows(names: str, quality: str) -> None:
    """Another model is trained in the same step: what it keeps shrinks as well."""
    models = tuple(Model(name, training=True) for name in names)
    offer = smaller_batch(models=models, running=Running(trains=True), in_backward=True)
    assert offer.remedy["effect_quality"] == quality
