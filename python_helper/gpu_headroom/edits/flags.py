"""Flags of trainers that do the work: half precision, accumulation, checkpointing."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ..code.find import called, dotted, keyword, words
from ..code.source import Refused
from .call import set_keyword
from .rewrite import rewriting

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Literal

    from ..code.source import CellSource

    Library = Literal["transformers", "lightning", "accelerate"]

_ARGUMENTS = ("TrainingArguments", "SFTConfig", "DPOConfig", "GRPOConfig", "RewardConfig")
_LIGHTNING = words("pl L lightning pytorch_lightning")
_LIGHTNING_ONLY = words("max_epochs accelerator devices max_steps logger callbacks")

HALF: dict[tuple[str, str], dict[str, str]] = {
    ("transformers", "bfloat16"): {"bf16": "True"},
    ("transformers", "float16"): {"fp16": "True"},
    ("lightning", "bfloat16"): {"precision": '"bf16-mixed"'},
    ("lightning", "float16"): {"precision": '"16-mixed"'},
    ("accelerate", "bfloat16"): {"mixed_precision": '"bf16"'},
    ("accelerate", "float16"): {"mixed_precision": '"fp16"'},
}
ACCUMULATION: dict[Library, str] = {
    "transformers": "gradient_accumulation_steps",
    "lightning": "accumulate_grad_batches",
    "accelerate": "gradient_accumulation_steps",
}
LIBRARIES = tuple(ACCUMULATION)
"""Those whose trainers have such flags."""


@rewriting
def trainer_flags(source: CellSource, /, library: Library, **flags: str) -> None:
    """`trainer_flags("transformers", bf16="True")`: give the trainer of a library these arguments.

    That is `TrainingArguments` and its like, Lightning's `Trainer`, or `Accelerator`; values are
    code. `HALF[library, dtype]` has the flags of mixed precision, `ACCUMULATION[library]` the name
    of the number of steps; others are `gradient_checkpointing="True"`,
    `eval_accumulation_steps="1"`, `per_device_eval_batch_size="8"`. Refused where there is not
    exactly one, or where it may be given the flag already.
    """
    calls = list(_trainers(source.tree, library))
    if len(calls) != 1 or not flags:
        raise Refused
    for name, value in flags.items():
        other = {"bf16": "fp16", "fp16": "bf16"}.get(name, "")
        if keyword(calls[0], other) is not None:
            raise Refused
        set_keyword(source, calls[0], name, value)


def _trainers(tree: ast.AST, library: Library) -> Iterator[ast.Call]:
    for node in ast.walk(tree):
        name = called(node)
        if not isinstance(node, ast.Call):
            continue
        given = {option.arg for option in node.keywords} & _LIGHTNING_ONLY
        of_lightning = given or dotted(node.func).partition(".")[0] in _LIGHTNING
        if (
            (library == "transformers" and name.endswith(_ARGUMENTS))
            or (library == "accelerate" and name == "Accelerator")
            or (library == "lightning" and name in ("Trainer", "Fabric") and of_lightning)
        ):
            yield node
