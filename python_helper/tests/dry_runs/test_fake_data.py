"""What a dry run makes up, by the libraries' own code: no network answers here."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from gpu_dry_run.fake import checkpoints, tables
from tests.dry_runs.notebooks import write

from benchmarks.causes.trial import DECLARE_OPERATORS

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).parents[3]
REAL = ROOT / ".venvs" / "libraries" / "bin" / "python"
GIB = 2**30

real = pytest.mark.skipif(not REAL.exists(), reason="`make .make/libraries` prepares it")
pytestmark = pytest.mark.timeout(400)

# Numbers of parameters as on the pages of the hub, of the class that the line names.
PUBLISHED = {
    "gpt2": 124_439_808,
    "distilgpt2": 81_912_576,
    "gpt2-medium": 354_823_168,
    "gpt2-large": 774_030_080,
    "gpt2-xl": 1_557_611_200,
    "bert-base-uncased": 109_514_298,
    "t5-small": 60_506_624,
    "t5-base": 222_903_552,
    "t5-large": 737_668_096,
    "facebook/bart-large-cnn": 406_290_432,
    "openai/clip-vit-base-patch32": 151_277_313,
    "openai/whisper-tiny": 37_760_640,
    "openai/whisper-base": 72_593_920,
    "openai/whisper-small": 241_734_912,
    "openai/whisper-medium": 763_857_920,
    "facebook/opt-125m": 125_239_296,
    "facebook/opt-350m": 331_196_416,
    "meta-llama/Llama-2-7b-chat-hf": 6_738_415_616,
    "meta-llama/Meta-Llama-3-8B": 8_030_261_248,
    "meta-llama/Llama-3.1-8B-Instruct": 8_030_261_248,
    "meta-llama/Llama-3.2-1B": 1_235_814_400,
    "meta-llama/Llama-3.2-3B": 3_212_749_824,
    "TinyLlama/TinyLlama-1.1B-Chat-v1.0": 1_100_048_384,
    "HuggingFaceTB/SmolLM2-135M": 134_515_008,
    "HuggingFaceTB/SmolLM2-360M": 361_821_120,
    "HuggingFaceTB/SmolLM2-1.7B": 1_711_376_384,
    "mistralai/Mistral-7B-v0.1": 7_241_732_096,
    "mistralai/Mistral-7B-Instruct-v0.3": 7_248_023_552,
    "Qwen/Qwen2.5-0.5B": 494_032_768,
    "Qwen/Qwen2.5-1.5B": 1_543_714_304,
    "Qwen/Qwen2.5-3B": 3_085_938_688,
    "Qwen/Qwen2.5-7B-Instruct": 7_615_616_512,
    "Qwen/Qwen3-0.6B": 596_049_920,
    "Qwen/Qwen3-4B": 4_022_468_096,
    "Qwen/Qwen3-8B": 8_190_735_360,
    "google/gemma-2b": 2_506_172_416,
    "google/gemma-2-2b": 2_614_341_888,
    "microsoft/phi-1_5": 1_418_270_720,
    "microsoft/phi-2": 2_779_683_840,
    "microsoft/Phi-3-mini-4k-instruct": 3_821_079_552,
    "EleutherAI/pythia-70m": 70_426_624,
    "EleutherAI/pythia-160m": 162_322_944,
    "EleutherAI/pythia-410m": 405_334_016,
    "EleutherAI/pythia-1b": 1_011_781_632,
    "EleutherAI/pythia-1.4b": 1_414_647_808,
}
COUNT = """import json, sys, torch, transformers
from gpu_dry_run.fake.checkpoints import config_of
found = {}
for name in json.load(sys.stdin):
    config = config_of(name)
    with torch.device("meta"):
        model = getattr(transformers, config.architectures[0])(config)
    found[name] = model.num_parameters()
print(json.dumps(found))"""


def environment(home: Path) -> dict[str, str]:
    """Return an environment in which the helper is found, and no network."""
    return {
        **os.environ,
        "PYTHONPATH": f"{ROOT / 'python_helper'}{os.pathsep}{ROOT}",
        "HF_HOME": str(home),
        "https_proxy": "http://127.0.0.1:9",
    }


@pytest.fixture(name="run")
def _run(tmp_path: Path) -> Callable[..., Any]:
    def run(*cells: str, memory: int = 8) -> Any:
        notebook = write(tmp_path / "notebook.ipynb", *cells)
        command = [str(REAL), "-m", "gpu_headroom", "dry-run", str(notebook), "--gpu", "A100 40GB"]
        options = ["--json", "--run-all", "--no-tries", "--fake-data", "--memory", str(memory)]
        process = subprocess.run(
            [*command, *options],
            env=environment(tmp_path / "hub"),
            capture_output=True,
            text=True,
            check=False,
        )
        assert process.stdout, process.stderr
        return json.loads(process.stdout)

    return run


def has(library: str) -> bool:
    """Whether the environment of libraries has this one."""
    question = f"import importlib.util, sys; sys.exit(not importlib.util.find_spec('{library}'))"
    return REAL.exists() and not subprocess.call([str(REAL), "-c", question])


def test_names_are_those_of_the_hub() -> None:
    """With their owner, or without one where that was how they began; no one else's."""
    table = tables.table_of("imdb", None)
    assert table is not None
    assert table == tables.table_of("stanfordnlp/imdb", "plain_text")
    assert table.parts["train"] == (25_000, 1_337)
    assert tables.table_of("somebody/imdb", None) is None
    assert tables.table_of("glue", "nothing") is None
    pattern = checkpoints._pattern("meta-llama/[Meta-]Llama-3-8B[-Instruct]")
    for name in ("meta-llama/Meta-Llama-3-8B", "meta-llama/Llama-3-8B-Instruct"):
        assert pattern.fullmatch(name)
    assert not pattern.fullmatch("somebody/Llama-3-8B")
    assert not pattern.fullmatch("meta-llama/Llama-3x8B".replace("x", "."))


@real
def test_checkpoints_have_as_many_parameters_as_is_published(tmp_path: Path) -> None:
    """In the model's own class, on no device."""
    process = subprocess.run(
        [str(REAL), "-c", f"{DECLARE_OPERATORS}\n{COUNT}"],
        input=json.dumps([*PUBLISHED]),
        env=environment(tmp_path),
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(process.stdout.splitlines()[-1]) == PUBLISHED


MODELS = """import os
from transformers import (
    AutoConfig, AutoModelForCausalLM, AutoModelForSequenceClassification, AutoTokenizer,
    BertTokenizer, CLIPModel, CLIPProcessor, GPT2Tokenizer, ViTForImageClassification,
    ViTImageProcessor, pipeline,
)
gpt2 = AutoModelForCausalLM.from_pretrained("gpt2", torch_dtype="float16")
assert gpt2.num_parameters() == 124_439_808 and str(gpt2.dtype) == "torch.float16"
gpt2.cuda()
bert = AutoModelForSequenceClassification.from_pretrained("bert-base-uncased", num_labels=5)
assert bert.classifier.out_features == 5
llama = AutoModelForCausalLM.from_pretrained("meta-llama/Llama-3.2-1B", device_map="auto")
assert llama.device.type == "cuda" and str(llama.dtype) == "torch.bfloat16"
classify = pipeline(
    "text-classification", model="distilbert-base-uncased-finetuned-sst-2-english", device=0
)"""
TEXTS = """tokenizer = AutoTokenizer.from_pretrained("distilbert-base-uncased")
batch = tokenizer(["four word pieces", "a"], padding=True, return_tensors="pt")
assert batch["input_ids"].shape == (2, 6) and "token_type_ids" not in batch
assert tokenizer("a " * 999, truncation=True)["input_ids"].__len__() == 512
assert len(tokenizer) == 30_522 and tokenizer.pad_token == "[PAD]"
assert len(BertTokenizer.from_pretrained("bert-base-uncased")("hello you")["input_ids"]) == 5
gpt = GPT2Tokenizer.from_pretrained("gpt2")
assert gpt.pad_token is None and len(gpt("hello you")["input_ids"]) == 3
tokenizer.save_pretrained("here")
assert len(AutoTokenizer.from_pretrained("here")) == 30_522
chat = AutoTokenizer.from_pretrained("Qwen/Qwen2.5-0.5B-Instruct")
said = chat.apply_chat_template([{"role": "user", "content": "hi"}], tokenize=False)
assert said == "<|im_start|>user\\nhi<|im_end|>\\n\""""
PICTURES = """import numpy as np
images = [np.zeros((300, 200, 3), np.uint8)] * 2
vit = ViTForImageClassification.from_pretrained("google/vit-base-patch16-224").cuda()
processor = ViTImageProcessor.from_pretrained("google/vit-base-patch16-224")
vit(**processor(images, return_tensors="pt").to("cuda"))
clip = CLIPProcessor.from_pretrained("openai/clip-vit-base-patch32")
inputs = clip(text=["a cat", "a dog"], images=images, return_tensors="pt", padding=True)
CLIPModel.from_pretrained("openai/clip-vit-base-patch32").cuda()(**inputs.to("cuda"))"""
OWN = """config = AutoConfig.from_pretrained("bert-base-uncased", num_labels=3, num_hidden_layers=2)
config.save_pretrained("mine")
mine = AutoModelForSequenceClassification.from_pretrained("mine")
assert mine.config.num_hidden_layers == 2 and mine.classifier.out_features == 3"""


@real
def test_checkpoints_are_read_by_the_libraries_own_code(run: Callable[..., Any]) -> None:
    """Types, devices, heads, tokenizers and processors do what they do; a folder is completed."""
    result = run(DECLARE_OPERATORS, MODELS, TEXTS, PICTURES, OWN)
    assert result["outcome"] == "done", (result["error"], result["line"])
    peak = result["peak"]
    assert peak["allocated_bytes"] > 124_439_808 * 2 + 1_235_814_400 * 2


@real
def test_what_waits_for_the_gpu_takes_no_memory_of_the_host(run: Callable[..., Any]) -> None:
    """Its weights are holes of a file, whatever type they are asked for in."""
    model = """import torch
from transformers import AutoModelForCausalLM
name = "mistralai/Mistral-7B-v0.1"
AutoModelForCausalLM.from_pretrained(name, torch_dtype=torch.float16).to("cuda")"""
    result = run(DECLARE_OPERATORS, model, memory=2)
    assert result["outcome"] == "done", (result["error"], result["line"])
    assert 7_241_732_096 * 2 <= result["peak"]["allocated_bytes"] < 7_241_732_096 * 2.01


@real
def test_what_is_not_known_says_so_with_its_line(run: Callable[..., Any]) -> None:
    """Rather than a guess."""
    result = run(
        DECLARE_OPERATORS,
        "from transformers import AutoModel\n\nAutoModel.from_pretrained('nobody/knows')",
    )
    assert (result["outcome"], result["line"]) == ("error", 3)
    assert "`--fake-data` does not know its sizes. `hf download nobody/knows" in result["error"]


@real
def test_a_configuration_in_the_cache_is_enough(run: Callable[..., Any], tmp_path: Path) -> None:
    """It is what the sentence asks for; the cache itself stays as it is."""
    repository = tmp_path / "hub" / "hub" / "models--nobody--knows"
    files = repository / "snapshots" / ("a" * 40)
    files.mkdir(parents=True)
    (repository / "refs").mkdir()
    (repository / "refs" / "main").write_text("a" * 40)
    config = {"model_type": "gpt2", "n_layer": 3, "architectures": ["GPT2LMHeadModel"]}
    (files / "config.json").write_text(json.dumps(config))
    result = run(
        DECLARE_OPERATORS,
        "from transformers import AutoModel, AutoTokenizer\n"
        "assert AutoModel.from_pretrained('nobody/knows').config.n_layer == 3\n"
        "assert len(AutoTokenizer.from_pretrained('nobody/knows')) == 50257",
    )
    assert result["outcome"] == "done", (result["error"], result["line"])
    assert [path.name for path in files.iterdir()] == ["config.json"]


UPLOADS = """import torch
from huggingface_hub import HfApi, create_repo, notebook_login
from transformers import AutoModelForSequenceClassification, Trainer, TrainingArguments

notebook_login()
assert create_repo("me/mine").repo_id == "me/mine"
model = AutoModelForSequenceClassification.from_pretrained("distilbert-base-uncased")
data = [{"input_ids": torch.ones(9, dtype=torch.int64), "labels": 0}] * 40
options = TrainingArguments("out", push_to_hub=True, report_to="none", max_steps=2)
trainer = Trainer(model, options, train_dataset=data)
trainer.train()
trainer.push_to_hub()
model.push_to_hub("me/mine")"""


@real
def test_nothing_is_uploaded(run: Callable[..., Any]) -> None:
    """Where cells are run that would: it is done with at once, and goes on."""
    result = run(DECLARE_OPERATORS, UPLOADS)
    assert result["outcome"] == "done", (result["error"], result["line"])


@real
def test_a_module_of_ones_own_is_left_alone(run: Callable[..., Any], tmp_path: Path) -> None:
    """That has the name of a library."""
    (tmp_path / "datasets.py").write_text("own = 1")
    result = run("import datasets\nassert datasets.own == 1")
    assert result["outcome"] == "done", (result["error"], result["line"])


FILES = """import timm
from torchvision import datasets, models, transforms
from torch.utils.data import DataLoader

change = transforms.Compose([transforms.Resize((64, 64)), transforms.ToTensor()])
both = {"transform": change, "target_transform": change}
made = [
    datasets.STL10("data", split="train", download=True, transform=change),
    datasets.USPS("data", False, download=True, transform=change),
    datasets.CelebA("data", split="all", transform=change),
    datasets.ImageNet("data", split="val", transform=change),
    datasets.EuroSAT("data", change),
    datasets.VOCSegmentation("data", image_set="val", **both),
    datasets.OxfordIIITPet("data", target_types="segmentation", **both),
]
assert [len(each) for each in made] == [5000, 2007, 202599, 50000, 27000, 1449, 3680]
batches = [next(iter(DataLoader(each, 2))) for each in made]
masks = (2, 1, 64, 64)
assert [tuple(x.shape) for _, x in batches] == [(2,), (2,), (2, 40), (2,), (2,), masks, masks]
assert [x.shape[1] for x, _ in batches] == [3, 1, 3, 3, 3, 3, 3]
cifar = datasets.CIFAR10("data", download=True)
assert cifar.data.std() > 0 and "frog" in cifar.classes
models.resnet18(weights="DEFAULT").cuda()
timm.create_model("resnet18", pretrained=True).cuda()"""


@real
def test_images_in_files_are_made_up(run: Callable[..., Any]) -> None:
    """By the arguments that their classes have; models for them have weights."""
    result = run(DECLARE_OPERATORS, FILES)
    assert result["outcome"] == "done", (result["error"], result["line"])
    assert any("were made up" in line["text"] for line in result["said"])


TRAIN = """import torch
from datasets import load_dataset
from transformers import (
    AutoModelForSequenceClassification, AutoTokenizer, DataCollatorWithPadding, Trainer,
    TrainingArguments,
)
imdb = load_dataset("imdb", split="train[:200]")
tokenizer = AutoTokenizer.from_pretrained("distilbert-base-uncased")
texts = imdb.map(lambda batch: tokenizer(batch["text"], truncation=True), batched=True)
assert max(map(len, texts["input_ids"])) == 512
model = AutoModelForSequenceClassification.from_pretrained("distilbert-base-uncased", num_labels=2)
Trainer(
    model,
    TrainingArguments("out", per_device_train_batch_size=16, report_to="none"),
    train_dataset=texts,
    data_collator=DataCollatorWithPadding(tokenizer),
).train()"""
COLUMNS = """from datasets import load_dataset
from gpu_dry_run.fake import tables
for line in tables._KNOWN.strip().splitlines():
    name, config, *_ = line.split()
    part = line.split()[-1].partition("=")[0]
    rows = load_dataset(name, config, split=f"{part}[:9]")
    assert [*rows[0]] == [*rows.features] and len(rows) == min(9, len(rows))
squad = load_dataset("squad", split="validation")[0]
assert squad["context"].startswith(squad["answers"]["text"][0])
tags = load_dataset("conll2003", split="test")[2]
assert len(tags["tokens"]) == len(tags["ner_tags"]) > 1
assert load_dataset("beans", split="test")[0]["image"].size == (500, 500)
assert load_dataset("opus_books", "en-fr", split="train[:5]")[0]["translation"]["fr"]
assert next(iter(load_dataset("imdb", split="train", streaming=True)))["text"]
try:
    load_dataset("nobody/knows")
except OSError as error:
    assert "does not know its columns" in str(error)"""


@pytest.mark.skipif(not has("datasets"), reason="the environment of libraries has no `datasets`")
@pytest.mark.parametrize("cell", [TRAIN, COLUMNS])
def test_data_sets_of_the_hub_are_made_up(run: Callable[..., Any], cell: str) -> None:
    """With the columns, parts and sizes of rows that they have, in the library's own class."""
    result = run(DECLARE_OPERATORS, cell)
    assert result["outcome"] == "done", (result["error"], result["line"])
