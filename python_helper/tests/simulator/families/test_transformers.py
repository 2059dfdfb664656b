"""Hugging Face Transformers on the simulated GPU: models made of a configuration, and Trainer."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.simulator.families.conftest import Notebook

MODELS = {
    "GPT-2": """
from transformers import GPT2Config, GPT2LMHeadModel
torch.manual_seed(0)
model = GPT2LMHeadModel(GPT2Config(
    n_layer=2, n_head=2, n_embd=64, vocab_size=200, n_positions=64, bos_token_id=0, eos_token_id=0,
)).to("cuda")
ids = torch.randint(0, 200, (4, 32), device="cuda")
inputs = {"input_ids": ids, "labels": ids}
""",
}
DATA = """
from transformers import GPT2Config, GPT2LMHeadModel, Trainer, TrainingArguments
torch.manual_seed(0)
model = GPT2LMHeadModel(GPT2Config(
    n_layer=2, n_head=2, n_embd=64, vocab_size=50, n_positions=64, bos_token_id=0, eos_token_id=0,
))
data = [{"input_ids": torch.arange(16), "labels": torch.arange(16)} for _ in range(32)]
folder = tempfile.TemporaryDirectory()

def train(**options):
    options = {"per_device_train_batch_size": 8, **options}
    arguments = TrainingArguments(
        folder.name, num_train_epochs=3, learning_rate=1e-2, logging_steps=1, report_to=[],
        save_strategy="no", disable_tqdm=True, **options,
    )
    trainer = Trainer(model, arguments, train_dataset=data, eval_dataset=data)
    trainer.train()
    return trainer

def losses_of(trainer):
    return [each["loss"] for each in trainer.state.log_history if "loss" in each]
"""


def test_a_model_generates_where_there_are_values(notebook: Notebook) -> None:
    """`generate`, which runs in no-grad mode and keeps a cache of keys and values, ends."""
    if not notebook.has_values:
        pytest.skip("without values nothing ever ends a text")
    notebook.run(MODELS["GPT-2"])
    notebook.run("""
model.eval()
texts = model.generate(ids[:, :4], attention_mask=torch.ones_like(ids[:, :4]), max_new_tokens=5)
""")
    assert notebook.value("(texts.is_cuda, texts.shape[1] <= 9)") == (True, True)


@pytest.mark.parametrize(
    "options",
    [
        "",
        "fp16=True",
        "bf16=True, gradient_accumulation_steps=2, gradient_checkpointing=True",
        "optim='adafactor'",
    ],
)
def test_trainer_trains(notebook: Notebook, options: str) -> None:
    """Trainer takes the GPU by itself, the loss falls, and evaluation and saving work."""
    notebook.run(DATA)
    notebook.run(f"""
trainer = train({options})
losses = losses_of(trainer)
eval_loss = trainer.evaluate()["eval_loss"]
trainer.save_model(folder.name)
again = GPT2LMHeadModel.from_pretrained(folder.name).to("cuda")
same = all(torch.equal(a, b) for a, b in zip(model.parameters(), again.parameters()))
""")
    losses, eval_loss, device, count, same = notebook.value(
        "losses, eval_loss, str(model.device), trainer.args.n_gpu, same"
    )
    assert (device, count, same) == ("cuda:0", 1, True)
    if notebook.has_values:
        assert losses[-1] < 0.7 * losses[0]
        assert eval_loss < losses[0]
    assert notebook.explained() >= 0.99


def test_a_batch_too_large_is_pytorchs_error(notebook: Notebook) -> None:
    """The cell ends with `torch.OutOfMemoryError`, the helper reports it, and a small one runs."""
    notebook.run(MODELS["GPT-2"])
    since = notebook.kernel.now
    run = notebook.try_to_run("model(torch.zeros(2**16, 64, dtype=torch.long, device='cuda'))")
    (error,) = [content for kind, content in run.outputs if kind == "error"]
    assert error["ename"] == "OutOfMemoryError"
    assert error["evalue"].startswith("CUDA out of memory. Tried to allocate")
    notebook.kernel.await_event("oom", since)
    notebook.run("loss = model(**inputs).loss")
