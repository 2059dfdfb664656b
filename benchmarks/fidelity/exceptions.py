"""Why the simulator differs, where it does: a sentence for each cause, with its programs.

Causes were found in both histories of allocations (`torch.cuda.memory._record_memory_history`). A
program stands under the cause that makes most of its difference.
"""

from __future__ import annotations

CAUSES: dict[str, tuple[str, ...]] = {
    "What sorts, selects or transforms is counted with its result and a buffer as large.": (
        *("operator_topk", "operator_multinomial", "operator_randperm"),
        *("operator_different", "operator_different_with_places", "operator_fourier_transform"),
    ),
    "In inference layers of an encoder run part by part, and as one operator on a card.": (
        "vision_transformer",
    ),
}
EXCEPTIONS = {name: cause for cause, names in CAUSES.items() for name in names}
"""The sentence of each program that differs."""
