"""Bytes that autocast would save of what autograd graphs retain, by operation.

Matrix products and convolutions compute in half precision and retain half-precision copies of their
inputs, the weights included. Norms, softmax and losses stay in full precision. All others keep the
precision of their inputs.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Any

from .graphs import following, order_of

if TYPE_CHECKING:
    from .walk import Walk

_HALF = re.compile(
    r"(?:Addmm|Mm|Bmm|Baddbmm|Addbmm|Addmv|Mv|Dot|Linear|Matmul)Backward|Convolution|Attention"
)
_FULL = re.compile(
    r"(?:Layer|Group|R[Mm][Ss])Norm|Softmax|Loss|Apply|Embedding|^(?:Pow|Exp|Expm1|Log\w*?|Norm|"
    r"LinalgVectorNorm|Sum|Prod|Cumsum|Cumprod|Rsqrt|Reciprocal|Softplus|Cdist|EuclideanDist|"
    r"CosineSimilarity)Backward"
)
_OF_FIRST = re.compile(r"(?:Batch|Instance)Norm")  # whatever its weights are
_WIDE = "float32"


def saved_by_autocast(walk: Walk) -> Counter[int]:
    """Return the bytes on each device that autocast would save of what graphs keep.

    Less than nothing where copies of weights outweigh it.
    """
    halves = dict[Any, bool]()
    full, followed, copied = set[object](), set[object](), set[object]()
    with walk.inspector.quiet():
        for node in sorted(walk.nodes, key=order_of):
            if walk.out_of_time():
                return Counter()
            multiplies = bool(_HALF.search(type(node).__name__))
            half = halves[node] = multiplies or _follows(node, halves)
            keys = copied if multiplies else followed if half else full
            keys.update(walk.saved.get(node, ()))
    savings, all_keys = Counter[int](), full | followed | copied
    for held in walk.ledger:
        storage = held.storage
        if storage.dtype != _WIDE or storage.key not in all_keys:
            continue
        # A copy is beside what a name holds, such as an input.
        stays = storage.key in full or not (held.graph or storage.key in followed)
        halved = storage.key in copied or storage.key in followed
        savings[storage.device_index] += storage.bytes * (1 - stays) - storage.bytes // 2 * halved
    return savings


def _follows(node: Any, halves: dict[Any, bool]) -> bool:
    """Whether an operation would compute in half precision as it gets nothing else."""
    name, given = type(node).__name__, following(node)
    if _FULL.search(name) or not given:
        return False
    return all(
        halves.get(node_before, False)
        for node_before in given[: 1 if _OF_FIRST.search(name) else None]
    )
