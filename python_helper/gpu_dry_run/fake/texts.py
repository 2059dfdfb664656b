"""Tokenizers, image processors and feature extractors, made up for a checkpoint's configuration.

A made-up tokenizer has a token for every four letters of a word, and one for every other sign:
seldom fewer than a real one. All of them have the same number, as their values are not asked for.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

_PIECES = r"[a-zA-Z]{1,4}|\n|\S"
_PIECE = "word"
_NO_LIMIT = 512  # of T5, which has none by its positions

# By the type of a model its special tokens, each with its roles, and how they surround a text and
# what comes behind it in a pair: by their roles, as in the documentation of its tokenizer.
_BERT = "[PAD]=pad [UNK]=unk [CLS]=cls [SEP]=sep [MASK]=mask", "cls $A sep", "$B:1 sep:1"
_ROBERTA = "<s>=bos,cls <pad>=pad </s>=eos,sep <unk>=unk <mask>=mask", "cls $A sep", "sep $B sep"
_GPT = "<|endoftext|>=bos,eos,unk", "$A", "$B"
_LLAMA = "<unk>=unk <s>=bos </s>=eos", "bos $A", "bos $B"
_LLAMA_3 = "<|begin_of_text|>=bos <|end_of_text|>=eos", "bos $A", "bos $B"
_QWEN = "<|endoftext|>=pad <|im_end|>=eos", "$A", "$B"
_GEMMA = "<pad>=pad <eos>=eos <bos>=bos <unk>=unk", "bos $A", "bos $B"
_T5 = "<pad>=pad </s>=eos <unk>=unk", "$A eos", "$B eos"
_CLIP = "<|startoftext|>=bos <|endoftext|>=eos,unk,pad", "bos $A eos", "$B eos"
_OPT = "</s>=bos,eos,unk <pad>=pad", "bos $A", "bos $B"
_FAMILIES = {
    **dict.fromkeys(("bert", "distilbert"), _BERT),
    **dict.fromkeys(("roberta", "bart"), _ROBERTA),
    **dict.fromkeys(("llama", "mistral", "phi3"), _LLAMA),
    **dict.fromkeys(("qwen2", "qwen3"), _QWEN),
    **dict.fromkeys(("gemma", "gemma2"), _GEMMA),
    "t5": _T5,
    "clip": _CLIP,
    "opt": _OPT,
}
_LLAMA_3_FROM = 128_000  # words; those before have 32,000
_CHATS = ("instruct", "chat", "-it", "qwen")
# What a chat becomes in Qwen's form, ChatML.
_CHAT = (
    "{% for message in messages %}<|im_start|>{{ message['role'] }}\n{{ message['content'] }}"
    "<|im_end|>\n{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)


def write_tokenizer(name: str, config: Any, folder: Path) -> None:
    """Write the files of a tokenizer with as many words as the configuration has."""
    text = config.get_text_config() if hasattr(config, "get_text_config") else config
    words = getattr(text, "vocab_size", None)
    if not words:
        return
    transformers, tokenizers = import_module("transformers"), import_module("tokenizers")
    kind = config.model_type
    family = _FAMILIES.get(kind, _GPT)
    special, alone, behind = _LLAMA_3 if family is _LLAMA and words >= _LLAMA_3_FROM else family
    roles = {
        role: token
        for token, _, its in (entry.partition("=") for entry in special.split())
        for role in its.split(",")
    }
    numbers = _numbers(roles, text, words)
    vocabulary = {f"{_PIECE}{number}": number for number in range(words)}
    for token, number in {_PIECE: words // 2, **numbers}.items():
        del vocabulary[f"{_PIECE}{number}"]
        vocabulary[token] = number
    tokenizer = tokenizers.Tokenizer(tokenizers.models.WordLevel(vocabulary, unk_token=_PIECE))
    split = tokenizers.pre_tokenizers.Split
    tokenizer.pre_tokenizer = split(tokenizers.Regex(_PIECES), "removed", invert=True)
    for role, token in roles.items():
        alone, behind = (
            " ".join(
                [
                    piece.replace(role, token) if piece.split(":")[0] == role else piece
                    for piece in part.split()
                ]
            )
            for part in (alone, behind)
        )
    tokenizer.post_processor = tokenizers.processors.TemplateProcessing(
        single=alone, pair=f"{alone} {behind}", special_tokens=[*numbers.items()]
    )
    inputs = ["input_ids", "attention_mask"]
    inputs += ["token_type_ids"] if kind == "bert" else []
    fast_tokenizer = transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        model_max_length=_longest(text),
        model_input_names=inputs,
        padding_side="right",
        **{f"{role}_token": token for role, token in roles.items()},
    )
    if any(mark in name.lower() for mark in _CHATS):
        fast_tokenizer.chat_template = _CHAT
    fast_tokenizer.save_pretrained(str(folder))


def _numbers(roles: dict[str, str], config: Any, words: int) -> dict[str, int]:
    """Return the numbers of special tokens: the configuration's, or the first that are free."""
    numbers: dict[str, int] = {}
    for role, token in roles.items():
        number = getattr(config, f"{role}_token_id", None)
        if isinstance(number, int) and 0 <= number < words and number not in numbers.values():
            numbers.setdefault(token, number)
    free = (number for number in range(words) if number not in numbers.values())
    for token in roles.values():
        if token not in numbers:
            numbers[token] = next(free)
    return numbers


def _longest(config: Any) -> int:
    longest: int = getattr(config, "max_position_embeddings", 0) or getattr(
        config, "n_positions", _NO_LIMIT
    )
    return longest - 2 if config.model_type == "roberta" else longest


_PROCESSORS = {
    "vit": "ViTImageProcessor",
    "clip": "CLIPImageProcessor",
    "whisper": "WhisperFeatureExtractor",
}


def write_processor(config: Any, folder: Path) -> None:
    """Write the file of what prepares images or sound, where it goes by the type of the model."""
    name = _PROCESSORS.get(config.model_type)
    if name is None:
        return
    processor_class, options = getattr(import_module("transformers"), name), {}
    if hasattr(config, "num_mel_bins"):
        options["feature_size"] = config.num_mel_bins
    if name == "ViTImageProcessor":
        options["size"] = {"height": config.image_size, "width": config.image_size}
    processor_class(**options).save_pretrained(str(folder))
