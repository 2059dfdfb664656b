# A match statement names the batch; each kind of task keeps its scores
#
# cause: kept-tensors
# edit: yes
# remedy: keep-numbers
# gpu: 2GiB
# fails: scores = head(batch)
# cure: results[name] = results.get(name, []) + [scores] => results[name] = results.get(name, []) + [scores.mean().item()]
# source: https://peps.python.org/pep-0636/

# %%
import torch
from torch import nn

head = nn.Linear(1024, 8192).cuda().eval()
tasks = [("rank", torch.zeros(4096, 1024)), ("sort", torch.zeros(4096, 1024))] * 12
results = {}

# %%
with torch.no_grad():
    for task in tasks:
        match task:
            case (name, batch):
                batch = batch.cuda()
                scores = head(batch)
                results[name] = results.get(name, []) + [scores]
