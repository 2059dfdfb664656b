"""Why the simulator differs, where it does: a sentence for each cause, with its programs.

Causes were found in both histories of allocations (`torch.cuda.memory._record_memory_history`). A
program stands under the cause that makes most of its difference.
"""

from __future__ import annotations

CAUSES: dict[str, tuple[str, ...]] = {
    "A reduction that is split over blocks (a bias's gradient, for one) takes a buffer for their "
    "parts and frees it at once; the simulator takes none.": (
        *("first_step_of_the_optimizer", "leak_of_losses", "growing_batches"),
        *("checkpoint_not_reentrant", "checkpoint_not_reentrant_autocast", "in_recomputation"),
        *("checkpoint_reentrant", "checkpoint_reentrant_autocast", "checkpoint_of_a_sequence"),
        *("activations_on_the_host", "bfloat16", "float64", "adafactor", "adversaries"),
        *("perceptron_with_SGD", "stages", "stages_with_checkpointing"),
        *("operator_sum_of_all", "operator_max_of_all", "operator_norm", "operator_read"),
        *("model_over_two_cards", "accelerate_over_two_cards", "accelerate_finds_a_batch"),
    ),
    "Backward of fused attention takes accumulators and statistics for its three gradients; the "
    "simulator takes the gradients only.": (
        *("low_rank_adaptation", "vision_transformer", "transformers_bert", "trainer_accumulates"),
        *("trainer_adafactor", "trainer_on_two_cards", "transformer_with_AdamW"),
        *("transformer_layer", "transformers_decoder", "attention", "attention_in_half_precision"),
    ),
    "Under autocast log-softmax reads the lower type directly; the simulator makes a float32 copy "
    "first.": ("gpt2_autocast", "trainer_float16", "perceptron_with_autocast"),
    "Kernels that sort, count or transform take buffers of their own, which the simulator does not "
    "know.": ("operator_printed",),
    "Made of other operators in CUDA's own implementation than without values, with other "
    "temporary tensors.": (
        *("root_mean_square_normalisation", "bilinear_layer", "attention_by_hand"),
        *("multi_head_attention_with_weights", "binary_cross_entropy", "divergence", "focal_loss"),
        *("replay", "operator_logsumexp", "operator_distances", "operator_one_hot"),
        *("operator_unfold", "operator_interpolation", "operator_complex"),
    ),
    "Recurrent layers run as one fused kernel a step, whose temporary tensors are other ones than "
    "those of the operators that the simulator runs.": ("lstm", "gru", "deep_lstm"),
    "Refused: the simulated GPU has no sparse tensors.": (
        *("embedding_with_sparse_gradient", "sparse_product"),
    ),
    "Refused: the simulated GPU has no CUDA graphs and no memory pools.": (
        *("captured_graph", "graphed_callable", "pool_of_memory"),
    ),
    "A stream has blocks and workspaces of its own; in the simulator all streams share them.": (
        "training_on_a_stream",
    ),
    "The simulator's segments do not expand.": ("expandable_segments",),
    "Copies between cards pass through other buffers.": (
        *("data_parallel", "data_parallel_with_buffers", "out_of_memory_in_a_replica"),
        "copies_between_cards",
    ),
}
EXCEPTIONS = {name: cause for cause, names in CAUSES.items() for name in names}
"""The sentence of each program that differs."""
