"""Metrics of `evaluate` that are made up: nothing is scored, and every number is zero."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

# What a metric gives, where it is not one number by its own name, as on its page.
_GIVES = {
    "glue": ("accuracy", "f1", "matthews_correlation", "pearson", "spearmanr"),
    "squad": ("exact_match", "f1"),
    "squad_v2": ("exact", "f1"),
    "rouge": ("rouge1", "rouge2", "rougeL", "rougeLsum"),
    "sacrebleu": ("score",),
    "seqeval": ("overall_precision", "overall_recall", "overall_f1", "overall_accuracy"),
    "mean_iou": ("mean_iou", "mean_accuracy", "overall_accuracy"),
}


class MadeUpMetric:
    """Has been asked for by a name, and takes whatever it is given."""

    def __init__(self, *names: str) -> None:
        each = [_GIVES.get(name, (name,)) for name in names]
        self._zeros = {key: 0.0 for keys in each for key in keys}

    def add(self, *_: Any, **__: Any) -> None:
        """Take predictions, one or a batch of them."""

    add_batch = add

    def compute(self, *_: Any, **__: Any) -> dict[str, float]:
        """Return zeros, for names that are not known as well."""
        return defaultdict(float, self._zeros)


def change_evaluate(library: Any) -> None:
    """Have metrics made up that would be downloaded."""
    if not hasattr(library, "combine"):  # a module of the person's own
        return
    library.load = lambda path, *_, **__: MadeUpMetric(path.rpartition("/")[2])
    library.combine = lambda metrics, *_, **__: MadeUpMetric(*map(str, metrics))
