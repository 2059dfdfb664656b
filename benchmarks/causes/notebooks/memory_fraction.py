# A line of a colleague limits the process to a quarter of the GPU
#
# cause: memory-fraction
# also: activations
# edit: yes
# remedy: raise-fraction, smaller-batch
# gpu: 16GiB
# fails: out.logsumexp(1).mean().backward()
# cure: torch.cuda.set_per_process_memory_fraction(0.25) => pass
# source: https://docs.pytorch.org/docs/stable/generated/torch.cuda.memory.set_per_process_memory_fraction.html

# %%
import torch
import torch.nn as nn

# leave room for the others
torch.cuda.set_per_process_memory_fraction(0.25)

# %%
model = nn.Sequential(
    nn.Conv2d(1, 64, 5, padding=2), nn.ReLU(), nn.Conv2d(64, 64, 5, padding=2), nn.ReLU(),
    nn.MaxPool2d(2), nn.Flatten(), nn.Linear(64 * 64 * 64, 10),
).cuda()

# %%
x = torch.rand(256, 1, 128, 128, device="cuda")
for i in range(3):
    x = torch.rand(256, 1, 128, 128, device="cuda")
    out = model(x)
    out.logsumexp(1).mean().backward()
