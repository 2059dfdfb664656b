"""Checkpoints that are known by their names: what their configurations say that others do not."""

from __future__ import annotations

import re
from importlib import import_module
from typing import Any

# A line each: names on the hub, the class that was saved, and what of its configuration differs
# from the defaults and decides about sizes. A part in brackets may be there, or one of several.
# A name may go without its owner, as it did before there were any.
#
# Sources: each checkpoint's `config.json`, as far as it was at hand; CLIP, T5-base, BART and OPT
# follow the defaults of their classes and their papers. The sizes of those from Llama on are also
# in litgpt's `config.py` (github.com/Lightning-AI/litgpt, 26857050), GPT-2's in nanoGPT's
# `model.py`, Whisper's in its `ModelDimensions`. A test compares all with the published numbers of
# parameters.
_KNOWN = """
openai-community/gpt2 GPT2LMHeadModel
distilbert/distilgpt2 GPT2LMHeadModel n_layer=6
openai-community/gpt2-medium GPT2LMHeadModel n_embd=1024 n_layer=24 n_head=16
openai-community/gpt2-large GPT2LMHeadModel n_embd=1280 n_layer=36 n_head=20
openai-community/gpt2-xl GPT2LMHeadModel n_embd=1600 n_layer=48 n_head=25
google-bert/bert-base-uncased BertForMaskedLM
distilbert/distilbert-base-uncased[-finetuned-sst-2-english] DistilBertForMaskedLM
google-t5/t5-small T5ForConditionalGeneration decoder_start_token_id=0
google-t5/t5-base T5ForConditionalGeneration decoder_start_token_id=0 d_model=768 d_ff=3072 \
num_layers=12 num_heads=12
google-t5/t5-large T5ForConditionalGeneration decoder_start_token_id=0 d_model=1024 d_ff=4096 \
num_layers=24 num_heads=16
facebook/bart-large-cnn BartForConditionalGeneration words=50264
google/vit-base-patch16-224[-in21k] ViTForImageClassification
openai/clip-vit-base-patch32 CLIPModel
openai/whisper-tiny WhisperForConditionalGeneration whisper=384/4/4/6/6/1536/1536
openai/whisper-base WhisperForConditionalGeneration whisper=512/6/6/8/8/2048/2048
openai/whisper-small WhisperForConditionalGeneration whisper=768/12/12/12/12/3072/3072
openai/whisper-medium WhisperForConditionalGeneration whisper=1024/24/24/16/16/4096/4096
facebook/opt-125m OPTForCausalLM dtype=float16
facebook/opt-350m OPTForCausalLM width=1024 ffn_dim=4096 layers=24 heads=16 \
word_embed_proj_dim=512 do_layer_norm_before=False dtype=float16
meta-llama/Llama-2-7b[-chat]-hf LlamaForCausalLM places=4096 dtype=float16
meta-llama/[Meta-]Llama-3-8B[-Instruct] LlamaForCausalLM llm=4096/14336/32/32/8 words=128256 \
places=8192
meta-llama/[Meta-]Llama-3.1-8B[-Instruct] LlamaForCausalLM llm=4096/14336/32/32/8 words=128256 \
places=131072
meta-llama/Llama-3.2-1B[-Instruct] LlamaForCausalLM llm=2048/8192/16/32/8 words=128256 \
places=131072 tied=True
meta-llama/Llama-3.2-3B[-Instruct] LlamaForCausalLM llm=3072/8192/28/24/8 words=128256 \
places=131072 tied=True
TinyLlama/TinyLlama-1.1B-Chat-v1.0 LlamaForCausalLM llm=2048/5632/22/32/4
HuggingFaceTB/SmolLM2-135M[-Instruct] LlamaForCausalLM llm=576/1536/30/9/3 words=49152 \
places=8192 tied=True
HuggingFaceTB/SmolLM2-360M[-Instruct] LlamaForCausalLM llm=960/2560/32/15/5 words=49152 \
places=8192 tied=True
HuggingFaceTB/SmolLM2-1.7B[-Instruct] LlamaForCausalLM llm=2048/8192/24/32/32 words=49152 \
places=8192 tied=True
mistralai/Mistral-7B-[Instruct-]v0.1 MistralForCausalLM places=32768 dtype=bfloat16
mistralai/Mistral-7B-Instruct-v0.2 MistralForCausalLM places=32768 dtype=bfloat16
mistralai/Mistral-7B-[Instruct-]v0.3 MistralForCausalLM places=32768 words=32768 dtype=bfloat16
Qwen/Qwen2.5-0.5B[-Instruct] Qwen2ForCausalLM llm=896/4864/24/14/2 tied=True
Qwen/Qwen2.5-1.5B[-Instruct] Qwen2ForCausalLM llm=1536/8960/28/12/2 tied=True
Qwen/Qwen2.5-3B[-Instruct] Qwen2ForCausalLM llm=2048/11008/36/16/2 tied=True
Qwen/Qwen2.5-7B[-Instruct] Qwen2ForCausalLM llm=3584/18944/28/28/4 words=152064
Qwen/Qwen3-0.6B Qwen3ForCausalLM llm=1024/3072/28/16/8 places=40960 tied=True
Qwen/Qwen3-1.7B Qwen3ForCausalLM llm=2048/6144/28/16/8 places=40960 tied=True
Qwen/Qwen3-4B Qwen3ForCausalLM llm=2560/9728/36/32/8 places=40960 tied=True
Qwen/Qwen3-8B Qwen3ForCausalLM llm=4096/12288/36/32/8 places=40960
google/gemma-2b[-it] GemmaForCausalLM llm=2048/16384/18/8/1
google/gemma-2-2b[-it] Gemma2ForCausalLM dtype=bfloat16
microsoft/Phi-3-mini-4k-instruct Phi3ForCausalLM dtype=bfloat16
microsoft/phi-1_5 PhiForCausalLM dtype=float16
microsoft/phi-2 PhiForCausalLM width=2560 inner=10240 layers=32 dtype=float16
EleutherAI/pythia-70m GPTNeoXForCausalLM pythia=512/2048/6/8 words=50304
EleutherAI/pythia-160m GPTNeoXForCausalLM pythia=768/3072/12/12 words=50304
EleutherAI/pythia-410m GPTNeoXForCausalLM pythia=1024/4096/24/16 words=50304
EleutherAI/pythia-1b GPTNeoXForCausalLM pythia=2048/8192/16/8 words=50304
EleutherAI/pythia-1.4b GPTNeoXForCausalLM pythia=2048/8192/24/16 words=50304
"""
_SHORT = {
    "width": "hidden_size",
    "inner": "intermediate_size",
    "layers": "num_hidden_layers",
    "heads": "num_attention_heads",
    "groups": "num_key_value_heads",
    "words": "vocab_size",
    "places": "max_position_embeddings",
    "tied": "tie_word_embeddings",
}
_GROUPS = {
    "llm": ("width", "inner", "layers", "heads", "groups"),
    "pythia": ("width", "inner", "layers", "heads"),
    "whisper": (
        "d_model",
        *("encoder_layers", "decoder_layers"),
        *("encoder_attention_heads", "decoder_attention_heads"),
        *("encoder_ffn_dim", "decoder_ffn_dim"),
    ),
}
_STORED = {"llm": "bfloat16", "pythia": "float16"}


def config_of(name: str) -> Any:
    """Return the configuration of a checkpoint, `None` where it is not known."""
    for line in _KNOWN.strip().splitlines():
        names, architecture, *differs = line.split()
        if _pattern(names).fullmatch(name):
            break
    else:
        return None
    model = getattr(import_module("transformers"), architecture, None)
    if model is None:  # of a later version
        return None
    values: dict[str, Any] = {}
    for key, _, text in (setting.partition("=") for setting in differs):
        given = [*map(_value, text.split("/"))]
        keys = _GROUPS.get(key, (key,))
        values |= {_SHORT.get(one, one): value for one, value in zip(keys, given, strict=True)}
        values |= {"dtype": _STORED[key]} if key in _STORED else {}
    dtype = values.pop("dtype", "float32")
    config = model.config_class(architectures=[architecture], **values)
    # Called so from Transformers 4.56 on.
    setattr(config, "dtype" if hasattr(config, "dtype") else "torch_dtype", dtype)
    return config


def _value(text: str) -> Any:
    return int(text) if text.isdecimal() else {"True": True, "False": False}.get(text, text)


def _pattern(names: str) -> re.Pattern[str]:
    owner, _, rest = re.escape(names).replace(r"\[", "(?:").replace(r"\]", ")?").partition("/")
    return re.compile(f"(?:{owner}/)?{rest}", re.IGNORECASE)
