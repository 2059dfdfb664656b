"""Why the simulator differs, where it does: a sentence for each cause, with its programs.

Causes were found in both histories of allocations (`torch.cuda.memory._record_memory_history`). A
program stands under the cause that makes most of its difference.
"""

from __future__ import annotations

CAUSES: dict[str, tuple[str, ...]] = {
    "Buffers of kernels that sort, select, transform, reduce or attend are estimates.": (
        *("operator_topk", "operator_multinomial", "operator_randperm", "operator_max_of_all"),
        *("operator_different", "operator_different_with_places", "operator_fourier_transform"),
        *("operator_counted", "operator_index_put", "operator_scattered_by_mask", "replay"),
        "attention",
    ),
    "Gradients are added up in a new tensor, and in place by autograd's engine on a GPU.": (
        *("gpt2_autocast", "transformer_with_AdamW", "trainer_float16", "trainer_accumulates"),
        *("accelerate_over_two_gpus", "packed_lstm"),
    ),
    "Layers make their results in another order, or part by part.": (
        *("vision_transformer", "multi_head_attention_with_weights"),
    ),
    "A captured graph has no random state on the GPU.": (
        "captured_graph",
        "graphed_callable",
    ),
}
EXCEPTIONS = {name: cause for cause, names in CAUSES.items() for name in names}
"""The sentence of each program that differs."""
