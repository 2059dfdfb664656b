# Predictions and labels that are kept side by side and compared whole
# offered: yes
# about: {"name": "preds", "beside": ["preds", "ys"]}
# fails: preds.append(model(x).argmax(1))
# %%
import torch
from tqdm import tqdm
torch.manual_seed(2)
model = torch.nn.Linear(3, 4).cuda()
loader = [(torch.randn(5, 3).cuda(), torch.randint(0, 4, (5,)).cuda()) for _ in range(4)]
# %%
preds, ys = [], []
with torch.no_grad():
    for x, y in tqdm(loader):
        preds.append(model(x).argmax(1))
        ys.append(y)
correct = (torch.cat(preds) == torch.cat(ys)).sum().item()
print(correct / 20)
