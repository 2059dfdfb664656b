# No loader: slices of a shuffled tensor, the step of a range is the batch
# offered: yes
# about: {"value": 20, "line": "bs = 20"}
# fails: logits = clf(inputs[idx])
# %%
import torch
from torch import nn
inputs = torch.randn(90, 4)
labels = (inputs[:, 0] > 0).long()
clf = nn.Linear(4, 2)
sgd = torch.optim.SGD(clf.parameters(), lr=.5, momentum=.9)
# %%
bs = 20
seen = 0
for ep in range(3):
    perm = torch.randperm(len(inputs))
    for i in range(0, len(inputs), bs):
        idx = perm[i:i + bs]
        logits = clf(inputs[idx])
        loss = nn.functional.cross_entropy(logits, labels[idx])
        sgd.zero_grad(); loss.backward(); sgd.step()
        seen += idx.numel()
