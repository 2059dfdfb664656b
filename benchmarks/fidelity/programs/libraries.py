"""Notebooks with Transformers, Accelerate and Lightning."""

from __future__ import annotations

from functools import partial
from typing import Any

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from .program import Collection
from .training import train

COLLECTION = Collection("Libraries", "transformers", "accelerate", "lightning", "safetensors")


def _gpt2(**options: Any) -> Any:
    from transformers import GPT2Config, GPT2LMHeadModel

    sizes = {"n_layer": 4, "n_head": 4, "n_embd": 256, "vocab_size": 5000, "n_positions": 256}
    ends = {"bos_token_id": 0, "eos_token_id": 0}
    found: Any = GPT2Config(**{**sizes, **ends, **options})
    return GPT2LMHeadModel(found)


@COLLECTION.program()
def transformers_gpt2() -> None:
    """Transformers: a small GPT-2 in a loop of one's own."""
    model = _gpt2().cuda()
    ids = torch.zeros(8, 128, dtype=torch.long, device="cuda")
    train(torch.optim.AdamW(model.parameters()), lambda: model(input_ids=ids, labels=ids).loss)


@COLLECTION.program()
def transformers_gpt2_checkpointed() -> None:
    """Transformers: its blocks checkpointed, under autocast with a scaler."""
    model = _gpt2(use_cache=False).cuda().train()
    model.gradient_checkpointing_enable(gradient_checkpointing_kwargs={"use_reentrant": False})
    ids = torch.zeros(8, 128, dtype=torch.long, device="cuda")
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    loss_scaler = torch.amp.GradScaler()
    for _ in range(3):
        with torch.autocast("cuda", dtype=torch.float16):
            loss = model(input_ids=ids, labels=ids).loss
        loss_scaler.scale(loss).backward()
        loss_scaler.step(optimizer)
        loss_scaler.update()
        optimizer.zero_grad()


@COLLECTION.program()
def transformers_bert() -> None:
    """Transformers: a small BERT with a mask."""
    from transformers import BertConfig, BertForSequenceClassification

    configuration = BertConfig(
        num_hidden_layers=4, hidden_size=256, num_attention_heads=4, intermediate_size=1024
    )
    model: Any = BertForSequenceClassification(configuration)
    model.cuda()
    ids = torch.zeros(16, 128, dtype=torch.long, device="cuda")
    mask, labels = torch.ones_like(ids), torch.zeros(16, dtype=torch.long, device="cuda")

    def loss_of() -> Any:
        return model(input_ids=ids, attention_mask=mask, labels=labels).loss

    train(torch.optim.AdamW(model.parameters()), loss_of)


def _trainer(*, predicts: bool = False, **options: Any) -> None:
    from transformers import Trainer, TrainingArguments

    data: Any = [{"input_ids": torch.arange(128), "labels": torch.arange(128)} for _ in range(32)]
    quiet = {"report_to": [], "save_strategy": "no", "disable_tqdm": True, "logging_steps": 1}
    size = {"per_device_train_batch_size": 8, "num_train_epochs": 1}
    settings: dict[str, Any] = {**quiet, **size, **options}
    arguments = TrainingArguments("trained", **settings)
    trainer = Trainer(_gpt2(), arguments, train_dataset=data, eval_dataset=data)
    trainer.train()
    trainer.evaluate()
    if predicts:
        trainer.predict(data)


COLLECTION.add("trainer", "Transformers' Trainer", _trainer)
COLLECTION.add("trainer_float16", "Trainer with float16", partial(_trainer, fp16=True))
COLLECTION.add(
    "trainer_accumulates",
    "Trainer with bfloat16, accumulation and checkpointing",
    partial(_trainer, bf16=True, gradient_accumulation_steps=2, gradient_checkpointing=True),
)
COLLECTION.add("trainer_adafactor", "Trainer with Adafactor", partial(_trainer, optim="adafactor"))
COLLECTION.add("trainer_predicts", "Trainer that predicts", partial(_trainer, predicts=True))
COLLECTION.add("trainer_on_two_gpus", "Trainer on two GPUs", _trainer, gpus=("16GiB", "16GiB"))


def _lightning(**options: Any) -> None:
    import lightning

    class Classifier(lightning.LightningModule):
        """A perceptron."""

        def __init__(self) -> None:
            super().__init__()
            self.net = nn.Sequential(nn.Linear(256, 4096), nn.ReLU(), nn.Linear(4096, 10))

        def training_step(self, batch: Any, _: int) -> Any:
            loss = nn.functional.cross_entropy(self.net(batch[0]), batch[1])
            self.log("loss", loss)
            return loss

        def validation_step(self, batch: Any, _: int) -> None:
            self.log("seen", nn.functional.cross_entropy(self.net(batch[0]).float(), batch[1]))

        def configure_optimizers(self) -> Any:
            return torch.optim.Adam(self.parameters())

    data = TensorDataset(torch.randn(512, 256), torch.zeros(512, dtype=torch.long))
    loader = DataLoader(data, batch_size=64)
    names = ("enable_progress_bar", "enable_model_summary", "enable_checkpointing", "logger")
    settings: dict[str, Any] = {**dict.fromkeys(names, False), **options}
    trainer = lightning.Trainer(max_epochs=2, accelerator="gpu", devices=1, **settings)
    trainer.fit(Classifier(), loader, loader)


COLLECTION.add("lightning_float32", "Lightning", _lightning)
COLLECTION.add(
    "lightning_float16", "Lightning, 16-mixed", partial(_lightning, precision="16-mixed")
)
COLLECTION.add(
    "lightning_bfloat16", "Lightning, bf16-true", partial(_lightning, precision="bf16-true")
)
COLLECTION.add(
    "lightning_accumulates",
    "Lightning with accumulation and clipping",
    partial(_lightning, accumulate_grad_batches=2, gradient_clip_val=1.0),
)


def _accelerate(**options: Any) -> None:
    from accelerate import Accelerator

    accelerator = Accelerator(**options)
    data = TensorDataset(torch.randn(512, 256), torch.zeros(512, dtype=torch.long))
    net = nn.Sequential(nn.Linear(256, 4096), nn.ReLU(), nn.Linear(4096, 10))
    model, optimizer, loader = accelerator.prepare(
        net, torch.optim.AdamW(net.parameters()), DataLoader(data, batch_size=64)
    )
    for inputs, classes in loader:
        with accelerator.accumulate(model):
            loss = nn.functional.cross_entropy(model(inputs), classes)
            accelerator.backward(loss)
            accelerator.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            optimizer.zero_grad()


COLLECTION.add("accelerate_float32", "Accelerate", _accelerate)
COLLECTION.add(
    "accelerate_float16", "Accelerate, float16", partial(_accelerate, mixed_precision="fp16")
)


@COLLECTION.program()
def accelerate_finds_a_batch() -> None:
    """Accelerate's `find_executable_batch_size`."""
    from accelerate.utils import find_executable_batch_size

    def attempt(batch_size: int) -> None:
        model = nn.Linear(4096, 4096).cuda()
        model(torch.randn(batch_size, 4096, device="cuda")).sum().backward()

    find: Any = find_executable_batch_size
    find(attempt, starting_batch_size=2**21)()


@COLLECTION.program()
def accelerate_over_gpu_and_host() -> None:
    """Accelerate's `dispatch_model`: most layers wait on the host."""
    from accelerate import dispatch_model, infer_auto_device_map

    model = nn.Sequential(*(nn.Linear(2048, 2048) for _ in range(8)))
    room: dict[Any, Any] = {0: 40 * 2**20, "cpu": 2**40}
    model = dispatch_model(model, infer_auto_device_map(model, max_memory=room))
    with torch.no_grad():
        for _ in range(2):
            model(torch.randn(64, 2048))


@COLLECTION.program(gpus=("16GiB", "16GiB"))
def accelerate_over_two_gpus() -> None:
    """Accelerate's `dispatch_model`: a GPT-2 over two GPUs, trained."""
    from accelerate import dispatch_model

    model = _gpt2()
    second = ("h.2", "h.3", "ln_f")
    parts = ("wte", "wpe", "drop", "h.0", "h.1", *second)
    places: dict[str, Any] = {f"transformer.{part}": int(part in second) for part in parts}
    model = dispatch_model(model, {**places, "lm_head": 0})
    ids = torch.zeros(8, 128, dtype=torch.long, device="cuda")
    train(torch.optim.AdamW(model.parameters()), lambda: model(input_ids=ids, labels=ids).loss)


@COLLECTION.program()
def accelerate_releases() -> None:
    """Accelerate's `release_memory`, and the same tensors again."""
    from accelerate.utils import release_memory

    for _ in range(2):
        one, other = torch.randn(2000, 2000, device="cuda"), torch.randn(2000, 2000, device="cuda")
        one, other = release_memory(one @ other, other)


@COLLECTION.program()
def lightning_fabric() -> None:
    """Lightning's Fabric, 16-mixed."""
    from lightning.fabric import Fabric

    fabric = Fabric(accelerator="cuda", devices=1, precision="16-mixed")
    fabric.launch()
    net = nn.Sequential(nn.Linear(256, 4096), nn.ReLU(), nn.Linear(4096, 10))
    model, optimizer = fabric.setup(net, torch.optim.Adam(net.parameters()))
    data = TensorDataset(torch.randn(512, 256), torch.zeros(512, dtype=torch.long))
    loader: Any = fabric.setup_dataloaders(DataLoader(data, batch_size=64))
    for inputs, classes in loader:
        optimizer.zero_grad()
        fabric.backward(nn.functional.cross_entropy(model(inputs), classes))
        optimizer.step()


@COLLECTION.program()
def safetensors_file() -> None:
    """A file of safetensors, written from the GPU and read to it."""
    from safetensors.torch import load_file, save_file

    save_file({"one": torch.randn(2048, 2048).cuda(), "two": torch.randn(64).cuda()}, "kept")
    load_file("kept", device="cuda")
