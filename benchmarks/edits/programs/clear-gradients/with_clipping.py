# Gradients are clipped after the backward pass, and their norm is kept
# offered: yes
# about: {}
# fails: logits = model(xb)
# %%
import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset
torch.manual_seed(0); torch.set_default_dtype(torch.float64)
loader = DataLoader(TensorDataset(torch.randn(24, 4), torch.randint(0, 3, (24,))), batch_size=8)
model = nn.Linear(4, 3)
optimizer = torch.optim.AdamW(model.parameters(), lr=0.1)
norms = []
# %%
for epoch in range(2):
    for xb, yb in loader:
        logits = model(xb)
        loss = F.cross_entropy(logits, yb)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        norms.append(nn.utils.clip_grad_norm_(model.parameters(), 0.5).item())
        optimizer.step()
# %%
print([round(each, 6) for each in norms])
