# Predictions of a test set, gathered at the top of a cell under a bar
# offered: yes
# about: {}
# fails: out = model(xb)
# %%
import torch
from torch import nn
from tqdm.auto import tqdm

torch.manual_seed(1)
model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2)).eval()
test = torch.randn(20, 4).split(5)

# %%
%%time
labels, confidence = [], []
for xb in tqdm(test, disable=True):
	out = model(xb)
	probs = out.softmax(-1)
	labels.append(probs.argmax(-1))
	confidence.append(probs.max(-1).values.mean().item())

# %%
labels = torch.cat(labels)
print(labels.tolist(), sum(confidence) / len(confidence))
