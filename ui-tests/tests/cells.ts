import type { ICell, INotebookContent } from '@jupyterlab/nbformat';

/** A notebook's metadata for the kernel that has Dask. */
export const FAMILIES = {
  kernelspec: { name: 'families', display_name: 'families', language: 'python' }
};

/** A simulated GPU; its tensors have shapes and no values, so they cost nothing. */
export const SIMULATE = `import gpu_headroom

gpu_headroom.simulate("4 GiB", compute="meta", outside="300 MiB")`;

/** A simulated GPU with room for all that a measurement keeps. */
export const ROOMY = SIMULATE.replace('4 GiB', '64 GiB');

/** Twenty times a second another size, so that each reading has news. */
export const allocateFor = (seconds: number): string => `import random
import time

import torch

end = time.monotonic() + ${seconds}
while time.monotonic() < end:
    held = torch.empty(random.randrange(2**20, 2**31), dtype=torch.uint8, device="cuda")
    time.sleep(0.05)`;

/** One tensor of exactly one GiB. */
export const HOLD = `import torch

held = torch.empty(2**30, dtype=torch.uint8, device="cuda")`;

/** Displays one GiB that no name holds; its first line leaves room for a toolbar. */
export const DISPLAY = `size = 2**30
torch.empty(size, dtype=torch.uint8, device="cuda")`;

/** A model whose activations are by far the largest part. */
export const MODEL = `import torch
from torch import nn

model = nn.Sequential(*[nn.Linear(1024, 1024) for _ in range(40)]).cuda()
optimizer = torch.optim.AdamW(model.parameters())


def train(batch_size):
    outputs = model(torch.randn(batch_size, 1024, device="cuda"))
    optimizer.zero_grad()
    outputs.sum().backward()
    optimizer.step()


train(1024)
kept = "this variable"`;

/** Fails on the simulated GPU, and succeeds with half the batch. */
export const TRAIN = `batch_size = 32768

train(batch_size)
print("trained with", batch_size)`;

/** A tensor that can only be found by going through millions of objects. */
export const LINK = `from itertools import pairwise

import torch

nodes = [[number] for number in range(3_000_000)]
for node, following in pairwise(nodes):
    node.append(following)
nodes[-1].append(torch.empty(2**28, dtype=torch.uint8, device="cuda"))`;

/** Waits inside C without letting go of the interpreter, after it has begun. */
export const HOLD_INTERPRETER = `import ctypes, os, time

os.mkfifo("held")
time.sleep(1)
ctypes.PyDLL(None).open(b"held", os.O_RDONLY)`;

/** Runs until it is interrupted, and lets other threads run. */
export const WAIT = `import time

for second in range(300):
    time.sleep(0.1)`;

const PYTHON = {
  kernelspec: { name: 'python3', display_name: 'Python 3', language: 'python' },
  language_info: { name: 'python' }
};

/**
 * A notebook with these code cells, `cell-0`, `cell-1` and so on.
 */
export function notebookOf(
  sources: readonly string[],
  metadata: INotebookContent['metadata'] = PYTHON
): INotebookContent {
  return {
    nbformat: 4,
    nbformat_minor: 5,
    metadata: metadata,
    cells: sources.map((source, index) => codeCell(`cell-${index}`, source))
  };
}

/** A notebook that imports no framework. */
export const LIGHT = notebookOf(['import time', 'time.time()']);

/** A code cell, with outputs where it has run. */
export function codeCell(
  id: string,
  source: string,
  outputs: unknown[] = []
): ICell {
  return {
    id,
    cell_type: 'code',
    source,
    metadata: {},
    execution_count: outputs.length > 0 ? 1 : null,
    outputs
  } as unknown as ICell;
}

/**
 * Writes a script that trains with the batch of its command line, 16 by default.
 *
 * @param prepare - what it does before it imports PyTorch
 */
export const writeTraining = (
  name: string,
  prepare = ''
): string => `%%writefile ${name}
import argparse
${prepare}
import torch
from torch.utils.data import DataLoader, TensorDataset


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("-b", "--batch-size", type=int, default=16)
    args = parser.parse_args()
    layers = [torch.nn.Linear(1024, 1024) for _ in range(40)]
    model = torch.nn.Sequential(*layers).cuda()
    optimizer = torch.optim.AdamW(model.parameters())
    data = TensorDataset(torch.zeros(65536, 1024))
    for (batch,) in DataLoader(data, batch_size=args.batch_size):
        optimizer.zero_grad()
        model(batch.cuda()).sum().backward()
        optimizer.step()
    print("trained with", args.batch_size)


if __name__ == "__main__":
    main()`;
