"""The rules, most specific first: the first that speaks names the cause."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .activations import ACTIVATIONS
from .earlier_traceback import EARLIER_TRACEBACK
from .evaluation_with_gradients import EVALUATION_WITH_GRADIENTS
from .fragmentation import FRAGMENTATION
from .huge_request import HUGE_REQUEST
from .model_too_large import MODEL_TOO_LARGE
from .other_programs import OTHER_PROGRAMS
from .retained_graph import RETAINED_GRAPH
from .unnamed_values import UNNAMED_VALUES

if TYPE_CHECKING:
    from ...oom.evidence import Evidence
    from ...protocol.wire import Cause

RULES = (
    HUGE_REQUEST,
    EARLIER_TRACEBACK,
    FRAGMENTATION,
    OTHER_PROGRAMS,
    RETAINED_GRAPH,
    EVALUATION_WITH_GRADIENTS,
    ACTIVATIONS,
    MODEL_TOO_LARGE,
    UNNAMED_VALUES,
)


def likeliest_cause(evidence: Evidence) -> Cause | None:
    """Return the cause that the first fitting rule names; `None`: no single one stands out."""
    causes = (rule.cause(evidence) for rule in RULES)
    return next((cause for cause in causes if cause is not None), None)
