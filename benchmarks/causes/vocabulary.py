"""The ids that the notebooks' headers use, for causes and for kinds of remedies."""

from __future__ import annotations

# Ids of rules, as a report's cause has them; not every one of them has a rule.
CAUSES = frozenset(
    [
        "elsewhere",
        "huge-request",
        "earlier-traceback",
        "fragmentation",
        "other-programs",
        "other-notebooks",
        "retained-graph",
        "kept-tensors",
        "kept-copies",
        "displayed-values",
        "reference-cycles",
        "suspended",
        "loop-leftovers",
        "evaluation-with-gradients",
        "evaluation-in-training-mode",
        "wide-dtype",
        "data-on-gpu",
        "activations",
        "model-too-large",
        "growing-cache",
        "preallocation",
        "memory-fraction",
        "pinned-memory",
        "poisoned-context",
        "larger-card-before",
        "several-tasks",
        "unnamed-values",
        "kept-in-module",
        "host-memory",
        "caught-errors",
        "unknown",
    ]
)
# Of these a report is wrong: the memory is not the GPU's, or the code went on.
WITHOUT_REPORT = frozenset({"host-memory", "caught-errors"})
# What a knowing colleague would do, whatever a report calls it.
REMEDIES = frozenset(
    [
        "smaller-batch",
        "shorter-input",
        "smaller-image",
        "accumulate",
        "autocast",
        "checkpointing",
        "no-grad",
        "eval-mode",
        "keep-numbers",
        "move-per-batch",
        "float32",
        "half-inference",
        "zero-grad-none",
        "delete-leftovers",
        "map-location",
        "freeze-backbone",
        "eval-accumulation",
        "load-dtype",
        "chunks",
        "keras-policy",
        "lighter-optimizer",
        "lora",
        "quantised",
        "offload",
        "expandable-segments",
        "close-other-programs",
        "free-traceback",
        "split-request",
        "raise-fraction",
        "save-checkpoint",
        "to-host",
        "in-parts",
        "stream",
        "sample-neighbors",
        "fewer-samples",
        "fewer-steps",
        "first-order",
        "running-sum",
        "smaller-container",
        "smaller-model",
        "release-holder",
        "none",
    ]
)
# The ids of a report that mean the same where they have another name, or do it in several ways.
OFFERED_AS = {
    "shorter-input": {"smaller-input", "shorter-batch"},
    "smaller-image": {"smaller-input"},
    "half-inference": {"narrower-dtype", "lighter-model"},
    "float32": {"narrower-dtype"},
    "load-dtype": {"narrower-dtype"},
    "zero-grad-none": {"clear-gradients"},
    "lora": {"lighter-model"},
    "quantised": {"lighter-model"},
    "save-checkpoint": {"save-training"},
    "in-parts": {"split-request", "call-in-parts"},
    "chunks": {"split-request", "call-in-parts"},
    "release-holder": {"shut-down"},
    "stream": {"one-result-at-a-time"},
    "keep-numbers": {"to-host"},
    "move-per-batch": {"keep-on-host"},
}
# What of the input scales the memory, where the cause is `activations`.
SCALES = frozenset({"batch", "input-length", "image-size"})
