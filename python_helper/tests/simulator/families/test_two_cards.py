"""Libraries that spread a model or its batches over two simulated cards by themselves."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.simulator.test_start import python

BEGIN = """
    import json, os, tempfile, warnings
    warnings.simplefilter("ignore")
    os.environ |= {{"HF_HUB_OFFLINE": "1", "TRANSFORMERS_VERBOSITY": "error"}}
    from gpu_simulator import simulate
    simulate("1 GiB", compute={compute!r}, devices=2)
    import torch
    from transformers import GPT2Config, GPT2LMHeadModel, Trainer, TrainingArguments
    torch.manual_seed(0)
    model = GPT2LMHeadModel(GPT2Config(
        n_layer=2, n_head=2, n_embd=32, vocab_size=50, n_positions=16, bos_token_id=0,
        eos_token_id=0,
    ))
"""
TRAINER = """
    data = [{"input_ids": torch.arange(16), "labels": torch.arange(16)} for _ in range(32)]
    with tempfile.TemporaryDirectory() as folder:
        arguments = TrainingArguments(
            folder, num_train_epochs=4, per_device_train_batch_size=4, learning_rate=1e-2,
            logging_steps=1, report_to=[], save_strategy="no", disable_tqdm=True,
        )
        trainer = Trainer(model, arguments, train_dataset=data)
        trainer.train()
    print("\\n" + json.dumps({
        "cards": arguments.n_gpu,
        "losses": [each["loss"] for each in trainer.state.log_history if "loss" in each],
        "parameters": sorted({str(p.device) for p in model.parameters()}),
        "peaks": [torch.cuda.max_memory_allocated(i) for i in (0, 1)],
        "loaded": sum(-(-p.nbytes // 512) * 512 for p in model.parameters()),
    }))
"""


def run(program: str, compute: str) -> Any:
    """Run a program in a Python of its own and return what its last line says."""
    return json.loads(python(BEGIN.format(compute=compute) + program).splitlines()[-1])


@pytest.mark.parametrize("compute", ["meta", "cpu"])
def test_trainer_takes_both_cards(compute: str) -> None:
    """Trainer wraps the model in DataParallel; card 1 holds replicas for the time of a step."""
    said = run(TRAINER, compute)
    assert said["cards"] == 2
    assert said["parameters"] == ["cuda:0"]
    assert said["loaded"] < said["peaks"][1] < said["peaks"][0]
    if compute == "cpu":
        assert said["losses"][-1] < 0.8 * said["losses"][0]
