"""Why the simulator differs, where it does: a sentence for each cause, with its programs.

Causes were found in both histories of allocations (`torch.cuda.memory._record_memory_history`). A
program stands under the cause that makes most of its difference.
"""

from __future__ import annotations

CAUSES: dict[str, tuple[str, ...]] = {
    "Refused: the simulated GPU has no sparse tensors.": (
        *("embedding_with_sparse_gradient", "sparse_product"),
    ),
    "The simulator's segments do not expand.": ("expandable_segments",),
    "What printing makes on the card is not counted.": ("operator_printed",),
}
EXCEPTIONS = {name: cause for cause, names in CAUSES.items() for name in names}
"""The sentence of each program that differs."""
