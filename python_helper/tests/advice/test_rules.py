"""Each rule: where it speaks, where it does not, and where it keeps silent for want of numbers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from gpu_headroom.advice import rules
from gpu_headroom.advice.registry import RULES, likeliest_cause
from gpu_headroom.holders.ledger import Retained
from gpu_headroom.holders.modules import Model
from gpu_headroom.text.format import GIB, MIB
from tests.advice.cases import CAPACITY, evidence

DOCS = Path(__file__).parents[3] / "docs" / "rules"
FOLDER = Path(rules.__path__[0])
MODEL = {"parameters": GIB, "gradients": GIB, "optimizer_state": 2 * GIB}
EVALUATED = (Model("model", training=False),)

SPEAKS: dict[str, list[dict[str, Any]]] = {
    "elsewhere": [{"elsewhere": True}, {"elsewhere": True, "requested": 20 * GIB}],
    "huge-request": [
        {"requested": 20 * GIB},
        {"requested": 20 * GIB, "line": 3},
        {"requested": 9 * GIB, "free": 7 * GIB, "cached": 0},
    ],
    "earlier-traceback": [{"earlier_traceback_bytes": 4 * GIB}],
    "fragmentation": [
        {"cached": 4 * GIB, "largest_block": 64 * MIB},
        {"cached": 4 * GIB},
        {"cached": 2 * GIB, "free": GIB, "largest_block": 512 * MIB},
    ],
    "other-programs": [{"outside": 6 * GIB}],
    "retained-graph": [{"retained": (Retained("losses", 10, 8 * GIB),)}],
    "evaluation-with-gradients": [{"kinds": {"activations": 10 * GIB}, "models": EVALUATED}],
    "activations": [
        {"kinds": {**MODEL, "activations": 9 * GIB}},
        {"kinds": {"activations": 10 * GIB}, "models": EVALUATED, "source": "loss.backward()"},
        {"kinds": {"activations": 10 * GIB}, "models": EVALUATED, "in_backward": True},
    ],
    "model-too-large": [{"kinds": {"parameters": 4 * GIB, "optimizer_state": 8 * GIB}}],
    "unnamed-values": [{"let_go_bytes": 10 * GIB}],
}

SILENT: list[dict[str, Any]] = [
    {},
    {"requested": None},
    {"requested": None, "kinds": {"tensor": 10 * GIB}},
    {"earlier_traceback_bytes": 128 * MIB},  # would not have made it fit
    {"earlier_traceback_bytes": 0},
    {"cached": GIB, "free": GIB // 4, "largest_block": 64 * MIB},  # too little even in one piece
    {"cached": GIB, "free": GIB, "requested": 3 * GIB // 2, "largest_block": 0},  # some gaps
    {"outside": GIB},  # this kernel's own context
    {"outside": 6 * GIB, "requested": 7 * GIB},  # would not fit anyway
    {"retained": (Retained("losses", 10, GIB),)},  # little
    {"retained": (Retained("losses", 1, 8 * GIB),)},  # one graph is what training needs
    {"kinds": {"activations": 3 * GIB}},
    {"kinds": {"parameters": 4 * GIB, "activations": 3 * GIB}},
    {"models": EVALUATED, "kinds": {"activations": GIB}},
    {"let_go_bytes": 5 * GIB},  # less than half
    {"let_go_bytes": 10 * GIB, "in_backward": True},
    {"let_go_bytes": 10 * GIB, "requested": None},
]


@pytest.mark.parametrize(
    ("rule", "changes"), [(rule, each) for rule, cases in SPEAKS.items() for each in cases]
)
def test_names_the_cause(rule: str, changes: dict[str, Any]) -> None:
    """The first rule that speaks is the one the evidence was made for."""
    cause = likeliest_cause(evidence(**changes))
    assert cause is not None
    assert cause["rule"] == rule
    assert cause["claim"]["id"].startswith(f"cause.{rule}")
    assert cause["evidence"]["id"].startswith(f"cause.{rule}.evidence")
    assert "None" not in cause["claim"]["text"] + cause["evidence"]["text"]


@pytest.mark.parametrize("changes", SILENT)
def test_keeps_silent_without_evidence(changes: dict[str, Any]) -> None:
    """No single cause stands out: that is better than a guess."""
    assert likeliest_cause(evidence(**changes)) is None


def test_does_not_blame_others_for_a_request_beyond_the_card() -> None:
    """A request that fits no card is the cause, however full it is."""
    cause = likeliest_cause(evidence(requested=CAPACITY + 1, outside=8 * GIB))
    assert cause is not None
    assert cause["rule"] == "huge-request"


def test_every_rule_is_in_the_registry() -> None:
    """With an id that is its file's name, and sentences of its own."""
    files = {path.stem for path in FOLDER.glob("*.py")} - {"__init__"}
    assert {name.replace("-", "_") for name in RULES} == files
    for name, rule in RULES.items():
        assert all(f"{each}.".startswith(f"cause.{name}.") for each in rule.TEXTS)


def test_every_rule_has_a_page_and_cases() -> None:
    """A rule's page explains what it looks at; there is none of a rule that is gone."""
    assert {page.stem for page in DOCS.glob("*.md")} - {"README"} == RULES.keys() == SPEAKS.keys()


@pytest.mark.parametrize("rule", RULES)
def test_pages_say_when_a_rule_keeps_silent(rule: str) -> None:
    """Each page has the same three parts."""
    text = (DOCS / f"{rule}.md").read_text(encoding="utf-8")
    assert text.startswith(f"# {rule}\n")
    for part in ("## What it says", "## When it speaks", "## What helps"):
        assert part in text
