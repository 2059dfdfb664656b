"""Why the simulator differs, where it does: a sentence for each cause, with its programs.

Causes were found in both histories of allocations (`torch.cuda.memory._record_memory_history`). A
program stands under the cause that makes most of its difference.
"""

from __future__ import annotations

CAUSES: dict[str, tuple[str, ...]] = {
    "Coalescing finds no places over the stub, whose kernels compute nothing; the simulator counts "
    "as many as there can be.": ("embedding_with_sparse_gradient", "sparse_product"),
}
EXCEPTIONS = {name: cause for cause, names in CAUSES.items() for name in names}
"""The sentence of each program that differs."""
