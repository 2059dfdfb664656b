"""All rules and remedies: what a card may name as the cause, and what it may offer."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple, Protocol

from ..edits import reasons
from . import again, code_fix, editing
from .remedies import (
    accumulate,
    autocast,
    backward_each,
    checkpointing,
    clear_gradients,
    close_other_programs,
    collect_garbage,
    delete_leftovers,
    end_in_semicolon,
    eval_mode,
    expandable_segments,
    free_traceback,
    freeze_backbone,
    keep_numbers,
    larger_gpu,
    less_preallocation,
    lighter_model,
    lighter_optimizer,
    map_location,
    move_per_batch,
    narrower_dtype,
    no_grad,
    one_at_a_time,
    other_gpu,
    raise_fraction,
    same_shape,
    save_training,
    smaller_batch,
    smaller_input,
    split_request,
)
from .rules import (
    activations,
    data_on_card,
    displayed_values,
    earlier_traceback,
    elsewhere,
    evaluation_in_training_mode,
    evaluation_with_gradients,
    fragmentation,
    growing_cache,
    huge_request,
    kept_copies,
    kept_tensors,
    loop_leftovers,
    memory_fraction,
    model_too_large,
    other_programs,
    pinned_memory,
    preallocation,
    reference_cycles,
    retained_graph,
    several_tasks,
    suspended,
    unnamed_values,
    wide_dtype,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..oom.evidence import Evidence
    from ..protocol.wire import Cause
    from .finding import Finding
    from .remedy import Offer

    class _Speaking(Protocol):
        """A module with sentences of its own, by id."""

        __name__: str
        TEXTS: dict[str, str]

    class _Rule(_Speaking, Protocol):
        """One possible cause; `docs/rules/<id>.md` says what it looks at. Silence beats a guess."""

        def check(self, evidence: Evidence, /) -> Finding | None:
            """Return what was found, where the numbers speak for it."""

    class _Remedy(_Speaking, Protocol):
        """Something that helps, offered only where the numbers support it."""

        TREATS: tuple[str, ...]
        """The rules whose causes it removes; empty: whatever the cause."""

        def offer(self, evidence: Evidence, finding: Finding | None, /) -> Offer | None:
            """Return it for what was found by one of these rules, if anything was."""


# By id, which is the module's name; of causes that weigh the same the first comes first.
_RULES: Sequence[_Rule] = (
    elsewhere,
    pinned_memory,
    huge_request,
    earlier_traceback,
    memory_fraction,
    preallocation,
    fragmentation,
    other_programs,
    growing_cache,
    retained_graph,
    kept_copies,
    kept_tensors,
    displayed_values,
    suspended,
    reference_cycles,
    evaluation_with_gradients,
    loop_leftovers,
    data_on_card,
    wide_dtype,
    several_tasks,
    activations,
    model_too_large,
    unnamed_values,
    evaluation_in_training_mode,
)
_REMEDIES: Sequence[_Remedy] = (
    free_traceback,
    keep_numbers,
    backward_each,
    no_grad,
    eval_mode,
    delete_leftovers,
    collect_garbage,
    end_in_semicolon,
    move_per_batch,
    map_location,
    one_at_a_time,
    narrower_dtype,
    same_shape,
    raise_fraction,
    clear_gradients,
    freeze_backbone,
    smaller_batch,
    smaller_input,
    accumulate,
    autocast,
    checkpointing,
    expandable_segments,
    less_preallocation,
    close_other_programs,
    lighter_optimizer,
    lighter_model,
    split_request,
    other_gpu,
    larger_gpu,
    save_training,
)


def _id(module: _Speaking) -> str:
    return module.__name__.rpartition(".")[2].replace("_", "-")


RULES: Mapping[str, _Rule] = {_id(rule): rule for rule in _RULES}
REMEDIES: Mapping[str, _Remedy] = {_id(remedy): remedy for remedy in _REMEDIES}
# What they say, for translators.
TEXTS = {
    name: text
    for speaking in (*_RULES, *_REMEDIES, again, code_fix, editing, reasons)
    for name, text in speaking.TEXTS.items()
}
_MOST_OFFERS = 10  # renderers show four, and fold the rest away
_MOST_CAUSES = 4
_TRADED = (("activations",), ("model-too-large",), larger_gpu.TREATS)
# Without gradients there is nothing that could be kept.
_AS_WELL = ("evaluation-with-gradients",)


class Diagnosis(NamedTuple):
    """The causes that hold, likeliest first, and the remedies that the numbers support."""

    causes: list[Cause]
    offers: list[Offer]


def diagnose(evidence: Evidence) -> Diagnosis:
    """Look for causes, none where no single one stands out, and for at most ten remedies.

    Remedies: what frees first, then in the order of the causes they treat. Where memory grows from
    round to round, nothing that only puts off the end of it. For the GPU of another process only
    what treats just that: what is done in this kernel does not reach it.
    """
    best = evidence.advised or evidence
    findings = _findings(best)
    causes: list[Cause] = [
        {"rule": name, "claim": said.claim, "evidence": said.evidence, "bytes": said.bytes}
        for name, said in findings.items()
    ]
    if evidence.advised is not None:
        causes.insert(1, earlier_traceback.left(evidence))
    return Diagnosis(causes, _offers(best, findings))


def _offers(evidence: Evidence, findings: Mapping[str, Finding]) -> list[Offer]:
    order = {name: n for n, name in enumerate(findings)}
    first = next(iter(findings.values()), None)
    if first is not None and first.grew:
        order = {
            name: order[name]
            for name, finding in findings.items()
            if finding.grew or name in _AS_WELL
        }
    found: list[tuple[int, Offer]] = []
    for remedy_id, remedy in REMEDIES.items():
        treated = sorted([each for each in remedy.TREATS if each in order], key=order.__getitem__)
        if not treated and (evidence.failure.in_other_process or (remedy.TREATS and findings)):
            continue
        if remedy.TREATS in _TRADED and treated and order[treated[0]]:
            continue  # something is given for it, and there is another cause to act on first
        for name in treated or (None,):
            offer = remedy.offer(evidence, None if name is None else findings[name])
            if offer is not None and _helps(offer, evidence):
                offer = replace(offer, id=remedy_id)
                found.append((-1 if name is None else order[name], offer))
                break
    found.sort(key=_order)
    return [offer for _, offer in found[:_MOST_OFFERS]]


def _helps(offer: Offer, evidence: Evidence) -> bool:
    """Whether an edit may be enough by its own numbers: another that fails is of no use."""
    missing = evidence.missing_bytes
    if offer.edited.fix is None or offer.effect_bytes is None or missing is None:
        return True
    return offer.effect_bytes >= missing


def _order(found: tuple[int, Offer]) -> tuple[int, int, int, int]:
    """What frees first, what cures nothing last."""
    place, offer = found
    first = 2 if offer.kind == "save" else min(offer.rank, 1)
    return first, place, offer.rank, -(offer.effect_bytes or 0)


def _findings(evidence: Evidence) -> dict[str, Finding]:
    """Return what rules have found, first what lets the cell pass at the least price.

    What has grown from round to round is enough: the rounds before have passed.
    """
    found = [
        (name, said._replace(rule=name))
        for name, rule in RULES.items()
        if (said := rule.check(evidence))
    ]
    found.sort(key=lambda each: _rank(each[1], evidence))
    certain = [each for each in found if each[1].certain]
    return dict((certain or found)[:_MOST_CAUSES])


def _rank(found: Finding, evidence: Evidence) -> tuple[bool, bool, bool, int, int]:
    if found.certain:
        return False, False, False, 0, 0
    size = found.bytes or 0
    enough = found.grew or evidence.peak.is_enough(size)
    hardly = found.bytes is None or not enough
    return True, hardly, not found.grew, found.price, -size
