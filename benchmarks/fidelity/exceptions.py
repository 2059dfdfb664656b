"""Why the simulator differs, where it does: a sentence for each cause, with its programs.

Causes were found in both histories of allocations (`torch.cuda.memory._record_memory_history`). A
program stands under the cause that makes most of its difference.
"""

from __future__ import annotations

CAUSES: dict[str, tuple[str, ...]] = {
    "Recurrent layers run as one fused kernel a step, whose temporary tensors are other ones than "
    "those of the operators that the simulator runs.": ("lstm", "gru", "deep_lstm"),
    "Coalescing finds no places over the stub, whose kernels compute nothing; the simulator counts "
    "as many as there can be.": (*("embedding_with_sparse_gradient", "sparse_product"),),
    "A fused kernel on a card, which C++ takes apart without values.": (
        *("root_mean_square_normalisation", "vision_transformer"),
    ),
    "Under autocast to bfloat16 the loss of many classes makes a float32 copy that a card's kernel "
    "does without.": ("gpt2_autocast",),
}
EXCEPTIONS = {name: cause for cause, names in CAUSES.items() for name in names}
"""The sentence of each program that differs."""
