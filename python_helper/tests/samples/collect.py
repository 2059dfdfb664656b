"""Writes down what the helper saves in notebooks now: `python -m tests.samples.collect`.

Run it from `python_helper/` with the environment of the tests, and commit what it wrote, whenever
the shape of a report has changed.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tests.live import REPORT, LiveKernel

CARDS = Path(__file__).parent / "reports.json"

SIMULATE = (
    'import gpu_headroom\n\ngpu_headroom.simulate("4 GiB", compute="meta", outside="300 MiB")'
)
MODEL = """import torch
from torch import nn

model = nn.Sequential(*[nn.Linear(1024, 1024) for _ in range(40)]).cuda()
optimizer = torch.optim.AdamW(model.parameters())


def train(batch_size):
    outputs = model(torch.randn(batch_size, 1024, device="cuda"))
    optimizer.zero_grad()
    outputs.sum().backward()
    optimizer.step()


train(1024)"""
TRAIN = "batch_size = 32768\n\ntrain(batch_size)"
RANK = """import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

batch_size = 32768


def train(rank):
    model = nn.Sequential(*[nn.Linear(1024, 1024) for _ in range(40)]).cuda()
    optimizer = torch.optim.AdamW(model.parameters())
    data = TensorDataset(torch.zeros(65536, 1024))
    for (batch,) in DataLoader(data, batch_size=batch_size):
        optimizer.zero_grad()
        model(batch.cuda()).sum().backward()
        optimizer.step()"""
LAUNCH = """from torch.multiprocessing import start_processes

start_processes(train, nprocs=1, start_method="fork")"""
FILL = """import torch

xs = []
for step in range(100):
    xs.append(torch.empty(2**28, dtype=torch.uint8, device="cuda"))"""
STOP = """import ctypes

import torch

torch.zeros(1, device="cuda")
error = torch.AcceleratorError("CUDA error: device-side assert triggered")
ctypes.pythonapi.PyErr_SetObject(
    ctypes.py_object(type(error)), ctypes.py_object(error)
)"""
SCRIPT = """import argparse

import torch
from torch.utils.data import DataLoader, TensorDataset


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("-b", "--batch-size", type=int, default=32768)
    args = parser.parse_args()
    layers = [torch.nn.Linear(1024, 1024) for _ in range(40)]
    model = torch.nn.Sequential(*layers).cuda()
    optimizer = torch.optim.AdamW(model.parameters())
    data = TensorDataset(torch.zeros(65536, 1024))
    for (batch,) in DataLoader(data, batch_size=args.batch_size):
        optimizer.zero_grad()
        model(batch.cuda()).sum().backward()
        optimizer.step()


if __name__ == "__main__":
    main()
"""

NOTEBOOKS = {
    "batch": [MODEL, TRAIN],
    "filled": [FILL],
    "rank": [RANK, LAUNCH],
    "script": ["%run train.py"],
    "sticky": [STOP],
    "stub": [MODEL, TRAIN],
}
"""Cells whose last one fails; of `stub` the report is not kept in the notebook."""


def bundle_of(kernel: LiveKernel, cells: list[str], *, keep: bool) -> dict[str, Any]:
    """Run cells and return the bundle that the last one displays, completed."""
    for number, code in enumerate(["%load_ext gpu_headroom", SIMULATE, *cells]):
        if number == 1:
            kernel.attach(keep_reports=keep)
        kernel.run(code, cell_id=f"cell-{number}")

    def bundles() -> list[dict[str, Any]]:
        kinds = ("display_data", "update_display_data")
        every = [item["content"]["data"] for item in kernel.messages() if item["msg_type"] in kinds]
        return [item for item in every if REPORT in item]

    kernel.until(lambda: bool(bundles()) and not bundles()[-1][REPORT].get("looking", False))
    return bundles()[-1]


def collect() -> dict[str, dict[str, Any]]:
    """Return a report of each notebook."""
    samples = {}
    for name, cells in NOTEBOOKS.items():
        with TemporaryDirectory() as folder:
            Path(folder, "train.py").write_text(SCRIPT)
            with LiveKernel(Path(sys.executable), Path(folder), installed=True) as kernel:
                samples[name] = bundle_of(kernel, cells, keep=name != "stub")
    return samples


if __name__ == "__main__":
    text = json.dumps(collect(), indent=2, ensure_ascii=False)
    CARDS.write_text(f"{text}\n", encoding="utf-8")
