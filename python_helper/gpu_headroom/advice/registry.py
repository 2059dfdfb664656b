"""All rules and remedies: the causes a report may name, and the changes it may offer."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from ..code.reading import check_time
from ..concurrency.turns import TimeLimitError
from ..wings import added
from . import kept_in_module
from .remedies import freeing, gpus, keeping, parts, smaller_batch, training
from .remedy import Editing, Suggestion
from .rules import copies, holding, outside, running

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ..oom.evidence import Evidence
    from ..protocol.generated.wire import Cause
    from .finding import Finding
    from .remedy import Offer


_RULES = (
    outside.elsewhere,
    outside.pinned_memory,
    running.huge_request,
    outside.earlier_traceback,
    outside.memory_fraction,
    outside.preallocation,
    outside.fragmentation,
    outside.other_programs,
    kept_in_module.kept_in_module,
    holding.growing_cache,
    holding.retained_graph,
    copies.kept_copies,
    holding.kept_tensors,
    holding.displayed_values,
    holding.suspended,
    holding.reference_cycles,
    running.evaluation_with_gradients,
    holding.loop_leftovers,
    copies.data_on_gpu,
    running.wide_dtype,
    running.several_tasks,
    running.activations,
    running.model_too_large,
    running.unnamed_values,
    running.evaluation_in_training_mode,
)
RULES: Mapping[str, Callable[[Evidence], Finding | None]] = {
    rule.__name__.replace("_", "-"): rule for rule in _RULES
}
"""Possible causes, by id; `docs/rules/<id>.md` says what each looks at. Silence beats a guess.

Of causes that weigh the same the first comes first.
"""
_ROWS = [
    var
    for theme in (smaller_batch, freeing, keeping, parts, training, gpus, *added("remedies"))
    for var in vars(theme).values()
]
_EDITS = {row.id: row for row in _ROWS if isinstance(row, Editing)}
REMEDIES: Mapping[str, Suggestion] = {
    row.id: row.edited_by(_EDITS.get(row.id)) for row in _ROWS if isinstance(row, Suggestion)
}
"""Remedies by id; of those with the same rank and effect the first comes first."""
# What they say, for translators.
TEXTS = {
    name: text
    for texts in (
        *[module.TEXTS for module in (copies, holding, kept_in_module, outside, running)],
        *[remedy.texts for remedy in REMEDIES.values()],
        smaller_batch.TEXTS,
    )
    for name, text in texts.items()
}
_MOST_OFFERS = 10  # renderers show four, and fold the rest away
_MOST_CAUSES = 4
_TRADED = (("activations",), ("model-too-large",), REMEDIES["larger-gpu"].treats)
# Without gradients there is nothing that could be kept.
_AS_WELL = ("evaluation-with-gradients",)


class Diagnosis(NamedTuple):
    """The causes that hold, likeliest first, and the remedies that the numbers support."""

    causes: list[Cause]
    offers: list[Offer]


def diagnose(evidence: Evidence) -> Diagnosis:
    """Return the causes, none if no single one is clear, and at most ten remedies.

    Remedies that free memory come first, then those of the causes, in their order. If memory grows
    with each iteration, remedies that only delay the failure are left out. If another process's GPU
    was full, only remedies for that are offered: changes in this kernel have no effect on it.
    """
    best = evidence.advised or evidence
    findings = _findings(best)
    causes = [_cause(finding) for finding in findings.values()]
    offers = _offers(best, findings)
    if evidence.advised is not None:
        leftovers, offer = None, None
        with suppress(TimeLimitError):
            leftovers = holding.loop_leftovers(evidence)
            offer = leftovers and REMEDIES["delete-leftovers"].offer(evidence, leftovers)
        causes.insert(1, _cause(outside.left_by_first_try(evidence, leftovers)))
        if offer is not None and all(earlier.id != "delete-leftovers" for earlier in offers):
            offers.insert(1, offer)
    return Diagnosis(causes, offers[:_MOST_OFFERS])


def _cause(found: Finding) -> Cause:
    rule, claim, evidence, size = found[:4]
    return {"rule": rule, "claim": claim, "evidence": evidence, "bytes": size}


def _offers(evidence: Evidence, findings: Mapping[str, Finding]) -> list[Offer]:
    order = {name: n for n, name in enumerate(findings)}
    first = next(iter(findings.values()), None)
    if first is not None and first.grew:
        order = {
            name: order[name]
            for name, finding in findings.items()
            if finding.grew or name in _AS_WELL
        }
    candidates: list[tuple[int, Offer]] = []
    for remedy in REMEDIES.values():
        treated = sorted(
            [treat for treat in remedy.treats if treat in order], key=order.__getitem__
        )
        if not treated and (evidence.failure.in_other_process or (remedy.treats and findings)):
            continue
        if remedy.treats in _TRADED and treated and order[treated[0]]:
            continue  # something is given for it, and there is another cause to act on first
        for name in treated or (None,):
            offer = None
            with suppress(TimeLimitError):
                offer = remedy.offer(evidence, None if name is None else findings[name])
            if offer is not None and _helps(offer, evidence):
                candidates.append((-1 if name is None else order[name], offer))
                break
    candidates.sort(key=_order)
    replaced = {replace for _, offer in candidates for replace in REMEDIES[offer.id].replaces}
    return [offer for _, offer in candidates if offer.id not in replaced][:_MOST_OFFERS]


def _helps(offer: Offer, evidence: Evidence) -> bool:
    """Whether an edit may be enough by its own numbers: another that fails is of no use."""
    missing, size = evidence.missing_bytes, offer.shown.bytes
    if offer.shown.fix is None or size is None or missing is None:
        return True
    return size >= missing


def _order(found: tuple[int, Offer]) -> tuple[int, int, int, int]:
    """Return a sort key: remedies that free memory come first, those without effect last."""
    place, offer = found
    first = 2 if offer.shown.kind == "save" else min(offer.rank, 1)
    return first, place, offer.rank, -(offer.shown.bytes or 0)


def _findings(evidence: Evidence) -> dict[str, Finding]:
    """Return the findings of all rules, cheapest first among those that let the cell pass.

    Memory that grew with each iteration is enough for that: earlier iterations have passed.
    """
    findings: list[Finding] = []
    for rule in RULES.values():
        with suppress(TimeLimitError):  # `reports/model.py` says that there was no time for all
            check_time(every=1)
            finding = rule(evidence)
            findings += [finding] if finding is not None else []
    findings.sort(key=lambda finding: _rank(finding, evidence))
    certain = [finding for finding in findings if finding.certain]
    return {finding.rule: finding for finding in (certain or findings)[:_MOST_CAUSES]}


def _rank(found: Finding, evidence: Evidence) -> tuple[bool, bool, bool, int, int]:
    if found.certain:
        return False, False, False, 0, 0
    size = found.bytes or 0
    enough = found.grew or evidence.peak.is_enough(size)
    hardly = found.bytes is None or not enough
    return True, hardly, not found.grew, found.price, -size
