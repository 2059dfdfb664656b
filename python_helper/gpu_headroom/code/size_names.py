"""Roles of numbers, by their names: the size of a batch, of the input, of an image."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Literal

    Role = Literal["batch", "length", "image", "unnamed", "other"]

_LONGEST = 60
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
# Each is matched with the words of a name in lower case, between blanks. `batch` alone is a size,
# `log_every_batch`, `batch_idx` and `num_batch` are none.
_BATCH = re.compile(
    r"(?:.* )?(?:batch (?:size|sz)|batchsize|minibatchsize|bs|bsz)(?: .*)?"
    r"|(?:(?:train|training|eval|val|valid|test|mini|micro|local|global|per|device|gpu|n|my|max) )*"
    r"(?:batch|minibatch)"
)
_NO_BATCH = re.compile(r"\b(?:num|number|nb|count|idx|index|norm|every|log|scheduler|finder)\b")
# What counts, says where, or is of a model's structure.
_NO_SIZE = re.compile(
    r"\b(?:num|number|nb|count|idx|index|norm|every|log|batches|epochs?|iters?|steps?|seed|"
    r"workers?|dims?|hidden|width|channels?|features?|embed(?:ding)?|heads?|layers?|depth|"
    r"class(?:es)?|vocab|units?|patch|kernel|stride|padding|groups?|rank|limit|patience|port|"
    r"timeout|device|axis|out|in|max|min|size|length|version|year|k|d)\b"
)
_LENGTH = re.compile(
    r"(?:.* )?(?:(?:max|seq|sequence|context|ctx|input|source|target|src|tgt|prompt|text|token|"
    r"sentence|chunk|block|window) (?:len|length)|(?:block|context|ctx|window) size|seqlen|maxlen|"
    r"max(?: (?:new|num|seq))? tokens|max seq|n ctx|num frames|max position embeddings)(?: .*)?"
    r"|context|ctx"
)
_IMAGE = re.compile(
    r"(?:.* )?(?:image|img|crop|resize|frame) (?:size|sz|res|resolution|dim|height|width|h|w|shape)"
    r"|(?:.* )?(?:imgsz|imgsize|resolution)|(?:image|img) (?:size|sz) .*|target size|input shape"
    r"|image|img|imsize|im size|res|hw"
)
_SIDES = {"height": "width", "width": "height", "h": "w", "w": "h"}


def role_of(name: str) -> Role | None:
    """Return the role of a number with this name.

    `unnamed` is for names without a meaning, such as `n`: it may set the number of rows. `None` is
    for names that are no size; such a number has the role `other` only if the code shows it.
    """
    words = " ".join([word.lower() for word in _WORD.findall(name[:_LONGEST])])
    if _BATCH.fullmatch(words):
        return None if _NO_BATCH.search(words) else "batch"
    if _LENGTH.fullmatch(words):
        return "length"
    if _IMAGE.fullmatch(words):
        return "image"
    return None if _NO_SIZE.search(words) or not words else "unnamed"


def other_side(name: str) -> str | None:
    """Return `width` for `height`: one is the side of an image only beside the other."""
    return _SIDES.get(name.lower())
