# Predictions of a test set that end as arrays
# offered: yes
# about: {"name": "preds"}
# fails: preds.append(model(x.cuda()))
# %%
import torch
import numpy as np
torch.manual_seed(0)
model = torch.nn.Linear(4, 3).cuda()
test = torch.randn(6, 8, 4)
labels = np.arange(48) % 3
# %%
preds = []
with torch.no_grad():
    for x in test:
        preds.append(model(x.cuda()))
# %%
scores = torch.cat(preds).softmax(1).cpu().numpy()
accuracy = (scores.argmax(1) == labels).mean()
