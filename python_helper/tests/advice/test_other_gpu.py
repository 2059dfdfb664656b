"""Another GPU of the machine has room: what is moved there, by what fits."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from gpu_headroom.advice.registry import diagnose
from gpu_headroom.oom.running import Running
from gpu_headroom.text.format import GIB
from tests.advice.cases import device, evidence, group

if TYPE_CHECKING:
    from gpu_headroom.oom.evidence import Evidence
    from gpu_headroom.protocol.generated.wire import Remedy

DATA: dict[str, Any] = {"groups": (group("X", 10 * GIB),), "requested": 5 * GIB}
STEP: dict[str, Any] = {
    "kinds": {"activations": 10 * GIB, "parameters": GIB},
    "running": Running(trains=True),
    "requested": 2 * GIB,
}


def proposal(facts: Evidence, free: int, hidden: tuple[tuple[int, int], ...] = ()) -> Remedy | None:
    """Return what is said of a second GPU with so much free."""
    devices = (replace(device(), index=1, free_bytes=free),)
    failure = replace(facts.failure, other_devices=devices, hidden_devices=hidden)
    offers = diagnose(replace(facts, failure=failure)).offers
    return next((offer.remedy for offer in offers if offer.id == "other-gpu"), None)


@pytest.mark.parametrize(
    ("changes", "free", "example"),
    [
        (DATA, 30 * GIB, 'model.to("cuda:1")'),
        (DATA, 12 * GIB, 'X = X.to("cuda:1")'),
        (DATA, 9 * GIB, None),
        (STEP, 40 * GIB, 'model.to("cuda:1")'),
        (STEP, 15 * GIB, "model = torch.nn.DataParallel(model)"),
        (STEP, 8 * GIB, None),
        ({**STEP, "kinds": {"activations": GIB, "parameters": 12 * GIB}}, 15 * GIB, None),
    ],
)
def test_moves_what_fits(changes: dict[str, Any], free: int, example: str | None) -> None:
    """All of it, the data alone, or half of each batch; else nothing is said."""
    remedy = proposal(evidence(**changes), free)
    assert (remedy and remedy["example"]) == example
    assert remedy is None or "None" not in remedy["title"]["text"] + remedy["note"]["text"]


def test_says_what_hides_a_gpu_that_is_empty() -> None:
    """Only where the one that is shown is full as well."""
    facts = evidence(**DATA)
    remedy = proposal(facts, GIB, ((40 * GIB, 3),))
    assert remedy is not None
    assert remedy["title"]["text"] == "A hidden GPU of this machine has 40.0 GiB free"
    assert "to 3 in a restarted kernel" in remedy["note"]["text"]
    second = proposal(facts, 30 * GIB, ((40 * GIB, 3),))
    assert second is not None
    assert second["title"]["text"] == "GPU 1 has 30.0 GiB free"


def test_is_said_where_no_cause_was_found() -> None:
    """An empty GPU helps whatever fills the other."""
    facts = evidence()
    assert not diagnose(facts).causes
    assert proposal(facts, 30 * GIB) is not None
