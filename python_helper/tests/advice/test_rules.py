"""Each rule: where it speaks, where it does not, and where it keeps silent for want of numbers."""

from __future__ import annotations

import threading
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import gpu_simulator
import pytest
from gpu_headroom.advice.registry import RULES, TEXTS, diagnose
from gpu_headroom.code.rounds import Gathering
from gpu_headroom.holders.modules import Model
from gpu_headroom.holders.place import Step
from gpu_headroom.holders.suspended import LOCAL, RESULT
from gpu_headroom.oom.failure_memory import FailureMemory
from gpu_headroom.oom.operation import FailedOperation, Operand
from gpu_headroom.oom.others import Others
from gpu_headroom.oom.running import Running
from gpu_headroom.oom.scene import RunningModule
from gpu_headroom.text.format import GIB, MIB
from tests.advice.cases import CAPACITY, cell, device, evidence, group

if TYPE_CHECKING:
    from gpu_headroom.oom.evidence import Evidence
    from gpu_headroom.protocol.generated.wire import Cause

DOCS = Path(__file__).parents[3] / "docs" / "rules"
# What only other workers tell, `workers/beside.py`.
BESIDE = ("shared-gpu", "uneven-ranks")
MODEL = {"parameters": GIB, "gradients": GIB, "optimizer_state": 2 * GIB}
EVALUATED = (Model("model", training=False),)
TRAINED = (Model("model", training=True, type_name="Net", key=1),)
LOOP = Running(loops=True)
TRAINS = Running(trains=True, loops=True)
PAIRS = FailedOperation(
    "pred - y",
    "-",
    (Operand("pred", (60_000, 1), "float32", MIB), Operand("y", (60_000,), "float32", MIB)),
    (60_000, 60_000),
)

SPEAKS: dict[str, list[dict[str, Any]]] = {
    "elsewhere": [{"in_other_process": True}, {"in_other_process": True, "requested": 20 * GIB}],
    "huge-request": [
        {"requested": 20 * GIB},
        {"requested": 20 * GIB, "line": 3},
        {"requested": 9 * GIB, "free": 7 * GIB, "cached": 0},
        {"requested": 5 * GIB, "operation": PAIRS},
    ],
    "earlier-traceback": [
        {"earlier_traceback_bytes": 4 * GIB},
        # What is free would have been enough, in one piece.
        {
            "earlier_traceback_bytes": 4 * GIB,
            "requested": 16 * MIB,
            "cached": 28 * MIB,
            "free": 10 * MIB,
        },
    ],
    "fragmentation": [
        {"cached": 4 * GIB, "largest_block": 64 * MIB},
        {"requested": 3 * GIB, "cached": 4 * GIB, "free": 2 * GIB, "largest_block": 512 * MIB},
    ],
    "other-programs": [
        {"outside": 6 * GIB},
        {"outside": 6 * GIB, "others": Others((), 5 * GIB, 0)},
        {"outside": 6 * GIB, "others": Others((), 0, 5 * GIB)},
        {"outside": 6 * GIB, "others": Others(hidden=True)},
    ],
    "retained-graph": [
        {"groups": (group("losses", 8 * GIB, "activations", count=10, graphs=10),)},
        {
            "groups": (group("total", 8 * GIB, "activations", graphs=1),),
            "running": Running(adding=frozenset({"total"})),
        },
        {
            "groups": (group("maps", 8 * GIB, "activations", count=5),),
            "running": Running(growing=frozenset({"maps"})),
        },
    ],
    "kept-tensors": [
        {
            "groups": (group("self.preds", 4 * GIB, count=50),),
            "running": Running(growing=frozenset({".preds"})),
        },
        {
            "groups": (group("all_logits", 4 * GIB),),
            "running": Running(adding=frozenset({"all_logits"})),
        },
    ],
    "kept-copies": [
        {
            "groups": (
                group("model", 3 * GIB, "parameters", count=4, shape=(4096, 4096)),
                group("best", 6 * GIB, count=8, shape=(4096, 4096)),
            ),
            "models": TRAINED,
        },
        {
            "groups": (group("model", 6 * GIB, "parameters"),),
            "models": TRAINED,
            "running": Running(assigning=frozenset({"model"})),
        },
    ],
    "growing-cache": [
        {"groups": (group("kv_cache", 9 * GIB, count=24),)},
        {
            "groups": (group("chat.sessions", 9 * GIB, count=24, keyed=True),),
            "running": Running(growing=frozenset({".sessions"})),
        },
    ],
    "displayed-values": [{"groups": (group("Out[3]", 5 * GIB, origin="outputs"),)}],
    "suspended": [
        {"groups": (group("gen", 5 * GIB, suspended=Step("batches", LOCAL)),)},
        {"groups": (group("futures", 5 * GIB, suspended=Step("Future", RESULT)),)},
    ],
    "reference-cycles": [{"groups": (group("", 5 * GIB, origin="garbage"),)}],
    "kept-in-module": [{"groups": (group("engine._GROUPS", 5 * GIB, origin="modules"),)}],
    "loop-leftovers": [
        {
            "groups": (group("output", 5 * GIB, "activations"),),
            "running": Running(trains=True, loops=True, previous=frozenset({"output"})),
        },
    ],
    "data-on-gpu": [
        {"groups": (group("X_train", 5 * GIB),)},
        {
            "temporary_bytes": 10 * GIB,
            "operation": FailedOperation("torch.randn(n, 1024).cuda()", "cuda", (), None),
            "running": Running(own=("<module>", "__init__")),
        },
        {
            "temporary_bytes": 10 * GIB,
            "operation": FailedOperation("load(path).to(device)", "to", (), None),
            "running": Running(own=("<module>", "__init__", "<listcomp>")),
        },
    ],
    "wide-dtype": [
        {"groups": (group("model", 9 * GIB, "parameters", dtype="float64"),)},
        {
            "kinds": {"parameters": 13 * GIB},
            "groups": (group("model", 13 * GIB, "parameters"),),
        },
    ],
    "memory-fraction": [{"usable": 0, "free": 8 * GIB}],
    "preallocation": [{"device": device("torch", "jax")}],
    "pinned-memory": [
        {"requested": None, "running": Running(functions=("<module>", "pin_memory"))},
    ],
    "several-tasks": [{"running": Running(at_once=True, own=("<module>", "answer"))}],
    "evaluation-in-training-mode": [
        {
            "models": TRAINED,
            "modules": (RunningModule(1, "Net", "forward"),),
            "running": Running(asks_mode=True),
            "traceback_bytes": 9 * GIB,
        },
    ],
    "evaluation-with-gradients": [
        {"kinds": {"activations": 10 * GIB}, "models": EVALUATED},
        {"kinds": {"activations": 10 * GIB}, "models": TRAINED, "running": LOOP},
        {
            "kinds": {"activations": 10 * GIB},
            "models": TRAINED,
            "running": Running(own=("<module>", "validate")),
        },
    ],
    "activations": [
        {"kinds": {**MODEL, "activations": 9 * GIB}},
        {"kinds": {"activations": 10 * GIB}, "models": EVALUATED, "running": TRAINS},
        {"kinds": {"activations": 10 * GIB}, "models": EVALUATED, "in_backward": True},
        {"kinds": {"activations": 10 * GIB}, "models": TRAINED},
    ],
    "model-too-large": [{"kinds": {"parameters": 4 * GIB, "optimizer_state": 8 * GIB}}],
    "unnamed-values": [{"temporary_bytes": 10 * GIB}],
}

SILENT: list[dict[str, Any]] = [
    {},
    {"requested": None},
    {"requested": None, "kinds": {"tensor": 10 * GIB}},
    {"earlier_traceback_bytes": 128 * MIB},  # would not have made it fit
    {"earlier_traceback_bytes": 0},
    {"earlier_traceback_bytes": 8 * MIB, "requested": 16 * MIB, "cached": 28 * MIB},
    {"cached": GIB, "free": GIB // 4, "largest_block": 64 * MIB},  # too little even in one piece
    {"cached": GIB, "free": GIB, "requested": 3 * GIB // 2, "largest_block": 0},  # some gaps
    {"outside": GIB},  # this kernel's own context
    {"outside": 6 * GIB, "requested": 7 * GIB},  # would not fit anyway
    # The host's memory, which this kernel and the page cache use as well.
    {"outside": 6 * GIB, "device": replace(device("torch"), shared_with_host=True)},
    {"cached": 4 * GIB},  # without the map of the blocks nothing tells of gaps
    {"groups": (group("losses", GIB, "activations", count=10, graphs=10),)},  # little
    {"groups": (group("loss", 8 * GIB, "activations", graphs=1),)},  # what training needs
    {"groups": (group("losses", 2 * GIB, count=3),)},  # nothing tells that it grows
    {"groups": (group("x in Net.forward", 9 * GIB, origin="traceback"),)},  # the pass itself
    {"groups": (group("", 2 * GIB, origin="elsewhere"),)},
    {"groups": (group("model", 9 * GIB, "parameters"),), "models": TRAINED},
    {"running": Running(trains=True, own=("<module>", "train"))},
    {"models": TRAINED, "running": Running(asks_mode=True)},  # nothing of it was running
    {"kinds": {"activations": 3 * GIB}},
    {"kinds": {"parameters": 4 * GIB, "activations": 3 * GIB}},
    {"models": EVALUATED, "kinds": {"activations": GIB}},
    {"temporary_bytes": 5 * GIB},  # less than half
    {"temporary_bytes": 10 * GIB, "in_backward": True},
    {"temporary_bytes": 10 * GIB, "requested": None},
]


def likeliest(facts: Evidence) -> Cause | None:
    """Return the cause that comes first."""
    return next(iter(diagnose(facts).causes), None)


def test_growth_comes_before_what_a_smaller_batch_would_only_put_off() -> None:
    """Several causes hold: first the one whose removal is enough at the least price."""
    causes = diagnose(
        evidence(
            kinds={**MODEL, "activations": 9 * GIB},
            groups=(
                group("losses", 6 * GIB, "activations", count=40, graphs=40),
                group("X", 3 * GIB),
            ),
            running=TRAINS,
        )
    ).causes
    assert [cause["rule"] for cause in causes] == ["retained-graph", "data-on-gpu", "activations"]
    assert [cause["bytes"] for cause in causes] == [6 * GIB, 3 * GIB, 9 * GIB]


@pytest.mark.parametrize(
    ("rule", "changes"), [(rule, case) for rule, cases in SPEAKS.items() for case in cases]
)
def test_names_the_cause(rule: str, changes: dict[str, Any]) -> None:
    """The first rule that speaks is the one the evidence was made for."""
    cause = likeliest(evidence(**changes))
    assert cause is not None
    assert cause["rule"] == rule
    assert cause["claim"]["id"].startswith(f"cause.{rule}")
    assert cause["evidence"]["id"].startswith(f"cause.{rule}.evidence")
    assert "None" not in cause["claim"]["text"] + cause["evidence"]["text"]


@pytest.mark.parametrize("changes", SILENT)
def test_keeps_silent_without_evidence(changes: dict[str, Any]) -> None:
    """No single cause stands out: that is better than a guess."""
    assert likeliest(evidence(**changes)) is None


OF_LOADER = "for x in loader:\n    out = model(x)\n    loss = out.sum()\n    loss.backward()"


@pytest.mark.parametrize(
    ("source", "blamed"), [(OF_LOADER, False), ("big = make(4)", True), ("y = out + 1", False)]
)
def test_what_a_cell_uses_no_loop_has_left_there(source: str, *, blamed: bool) -> None:
    """The loop that failed has its own names in hand; those of an earlier cell's are left over."""
    before = cell(OF_LOADER, "earlier", 1)
    facts = evidence(
        source=source,
        cells=(before,),
        kinds={**MODEL, "activations": 9 * GIB},
        groups=(group("out", 8 * GIB, "activations"),),
        running=TRAINS,
    )
    rules = [cause["rule"] for cause in diagnose(facts).causes]
    assert ("loop-leftovers" in rules) is blamed


def test_does_not_blame_others_for_a_request_beyond_the_gpu() -> None:
    """A request that fits no GPU is the cause, however full it is."""
    cause = likeliest(evidence(requested=CAPACITY + 1, outside=8 * GIB))
    assert cause is not None
    assert cause["rule"] == "huge-request"


def test_a_memory_fraction_makes_no_gpu_smaller() -> None:
    """A request beyond the limit, and not beyond the GPU, is no impossible one."""
    memory = FailureMemory(
        capacity_bytes=4 * GIB,
        free_bytes=15 * GIB,
        usable_bytes=4 * GIB,
        in_use_bytes=0,
        cached_bytes=0,
        outside_bytes=GIB,
        source="memory_stats()",
    )
    rules = [
        [cause["rule"] for cause in diagnose(evidence(requested=size, memory=memory)).causes]
        for size in (8 * GIB, 16 * GIB)
    ]
    assert rules[0][0] == "memory-fraction"
    assert rules[1] == ["huge-request"]


@pytest.mark.parametrize(
    "running", [Running(growing=frozenset({"layers"})), Running(adding=frozenset({"layers"}))]
)
def test_a_model_that_is_being_filled_is_no_old_one(running: Running) -> None:
    """`layers.append(nn.Linear(…))` in a loop: what is being made becomes a part of it."""
    changes: dict[str, Any] = {
        "kinds": {"parameters": 13 * GIB},
        "groups": (group("layers", 13 * GIB, "parameters", count=50),),
        "models": (Model("layers", training=True, type_name="ModuleList"),),
        "modules": (RunningModule(1, "Linear", "__init__"),),
    }
    anew = likeliest(evidence(**changes))
    filled = likeliest(evidence(**changes, running=running))
    assert anew is not None
    assert anew["rule"] == "kept-copies"
    assert filled is not None
    assert filled["rule"] != "kept-copies"


def test_every_rule_is_in_the_registry() -> None:
    """With an id that is its name, and sentences of its own, which no other has."""
    names = {key.split(".")[1] for key in TEXTS if key.startswith("cause.")}
    assert set(RULES) == names


def test_every_rule_has_a_page_and_cases() -> None:
    """A rule's page explains what it looks at; there is none of a rule that is gone."""
    pages = {page.stem for page in DOCS.glob("*.md")} - {"README"}
    assert pages == RULES.keys() | {*BESIDE}
    assert RULES.keys() == SPEAKS.keys()


@pytest.mark.parametrize("rule", [*RULES, *BESIDE])
def test_pages_say_when_a_rule_keeps_silent(rule: str) -> None:
    """Each page has a title for people, the rule's id and the same three parts."""
    text = (DOCS / f"{rule}.md").read_text(encoding="utf-8")
    title, _, by_id, *_ = text.splitlines()
    assert title.startswith("# ")
    assert by_id == f"The rule `{rule}`."
    assert f"\n{title.removeprefix('# ')} <{rule}>\n" in (DOCS / "README.md").read_text("utf-8")
    for part in ("## What it says", "## When it applies", "## What helps"):
        assert part in text


@pytest.mark.parametrize(("begins", "speaks"), [("data/_utils/pin_memory.py", False), ("", True)])
def test_a_thread_that_pins_batches_is_no_task(begins: str, *, speaks: bool) -> None:
    """Nor where it is on its way through a simulated GPU, under which each thread begins."""
    ours = Path(gpu_simulator.__path__[0])
    torch = "/site-packages/torch/"
    computes = (f"{torch}_ops.py", 1, "__call__")
    own = (
        ("/home/someone/train.py", 1, "train") if not begins else (f"{torch}utils/{begins}", 1, "x")
    )
    inner = (str(ours / "calls.py"), 1, "_call")
    outer = (str(ours / "modes.py"), 1, "run_with_modes"), (threading.__file__, 1, "_bootstrap")
    threads = (
        ("MainThread", (computes, ("<cell>", 1, "f"))),
        ("Thread-4", (computes, inner, own, *outer)),
    )
    facts = evidence()
    assert facts.failure.capture is not None
    capture = replace(facts.failure.capture, threads=threads)
    cause = RULES["several-tasks"](replace(facts, failure=replace(facts.failure, capture=capture)))
    assert (cause is not None) is speaks


@pytest.mark.parametrize("at_once", [False, True])
def test_what_tasks_have_made_is_not_gathered(*, at_once: bool) -> None:
    """`list(pool.map(train, widths))` waits for four trainings: what they hold is their own."""
    gathered = Gathering("", "list(results)", "[each.cpu() for each in results]")
    running = Running(gathering=gathered, at_once=at_once, own=("<module>", "train"))
    facts = evidence(temporary_bytes=10 * GIB, running=running)
    assert (RULES["kept-tensors"](facts) is None) is at_once
    assert (RULES["several-tasks"](facts) is not None) is at_once
