# Prediction in slices, without gradients, results to the host
# offered: yes
# about: {"data": ["X"], "gpu": ["X"]}
# fails: outs.append(model(X[lo:lo + bs]).cpu())
# %%
import torch
model = torch.nn.Linear(3, 3).cuda().eval()
X = torch.arange(30.).view(10, 3)
X = X.cuda()
bs = 4
# %%
outs = []
with torch.no_grad():
    for lo in range(0, len(X), bs):
        outs.append(model(X[lo:lo + bs]).cpu())
outs = torch.cat(outs)
